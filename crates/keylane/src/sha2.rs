//! SHA-224, SHA-256, SHA-384, SHA-512 and SHA-512/256 (FIPS 180-4).

/// Sixteen rounds' worth of `$step`, the eight working variables turning by one place from each to the next.
macro_rules! sixteen_times {
    ($step:ident $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident) => {
        $step!(0: $a $b $c $d $e $f $g $h);
        $step!(1: $h $a $b $c $d $e $f $g);
        $step!(2: $g $h $a $b $c $d $e $f);
        $step!(3: $f $g $h $a $b $c $d $e);
        $step!(4: $e $f $g $h $a $b $c $d);
        $step!(5: $d $e $f $g $h $a $b $c);
        $step!(6: $c $d $e $f $g $h $a $b);
        $step!(7: $b $c $d $e $f $g $h $a);
        $step!(8: $a $b $c $d $e $f $g $h);
        $step!(9: $h $a $b $c $d $e $f $g);
        $step!(10: $g $h $a $b $c $d $e $f);
        $step!(11: $f $g $h $a $b $c $d $e);
        $step!(12: $e $f $g $h $a $b $c $d);
        $step!(13: $d $e $f $g $h $a $b $c);
        $step!(14: $c $d $e $f $g $h $a $b);
        $step!(15: $b $c $d $e $f $g $h $a);
    };
}
use sixteen_times;

mod constants;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod hardware256;
#[cfg(target_arch = "aarch64")]
mod hardware512;
mod lanes;
pub(crate) mod sha256;
pub(crate) mod sha512;
#[cfg(target_arch = "x86_64")]
mod two_blocks;

use crate::function::hash;

hash! {
    /// SHA-224: SHA-256 with another initial value, truncated to 28 bytes.
    ///
    /// ```
    /// use keylane::{Hash, sha2::Sha224};
    ///
    /// assert_eq!(Sha224::digest(b"abc")[..4], [0x23, 0x09, 0x7d, 0x22]);
    /// ```
    Sha224, "sha224", sha256::Compression256, output 28, initial constants::SHA224, id 2
}
hash! {
    /// SHA-256.
    ///
    /// ```
    /// use keylane::{Hash, sha2::Sha256};
    ///
    /// let digests = {
    ///     let mut out = [[0; 32]; 2];
    ///     Sha256::digest_many(&["abc", "a longer message"], &mut out)?;
    ///     out
    /// };
    /// assert_eq!(digests[0], Sha256::digest(b"abc"));
    /// # Ok::<(), keylane::Error>(())
    /// ```
    Sha256, "sha256", sha256::Compression256, output 32, initial constants::SHA256, id 3
}
hash! {
    /// SHA-384: SHA-512 with another initial value, truncated to 48 bytes.
    ///
    /// ```
    /// use keylane::{Hash, sha2::Sha384};
    ///
    /// assert_eq!(Sha384::digest(b"abc")[..4], [0xcb, 0x00, 0x75, 0x3f]);
    /// ```
    Sha384, "sha384", sha512::Compression512, output 48, initial constants::SHA384, id 4
}
hash! {
    /// SHA-512.
    ///
    /// ```
    /// use keylane::{Hash, sha2::Sha512};
    ///
    /// assert_eq!(Sha512::digest(b"abc")[..4], [0xdd, 0xaf, 0x35, 0xa1]);
    /// ```
    Sha512, "sha512", sha512::Compression512, output 64, initial constants::SHA512, id 5
}
hash! {
    /// SHA-512/256: SHA-512 with another initial value, truncated to 32 bytes. Not open to length extension,
    /// and on 64-bit CPUs without SHA instructions faster than SHA-256.
    ///
    /// ```
    /// use keylane::{Hash, sha2::Sha512_256};
    ///
    /// assert_eq!(Sha512_256::digest(b"abc")[..4], [0x53, 0x04, 0x8e, 0x26]);
    /// ```
    Sha512_256, "sha512-256", sha512::Compression512, output 32, initial constants::SHA512_256, id 6
}
