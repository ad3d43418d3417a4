//! One test per type from each function that is generic over the type.

/// Makes one test per type and function: modules named as told, with the functions' names in them.
///
/// ```text
/// keylane_testkit::for_every!([it_works] sha1: keylane::sha1::Sha1, sha224: keylane::sha2::Sha224,);
/// fn it_works<H: Oracle>() { … }
/// ```
///
/// Attributes before a function's name are its tests'.
#[macro_export]
macro_rules! for_every {
    ($tests:tt $($module:ident: $Type:ty,)*) => {
        $( $crate::for_every!(@type $tests $module: $Type); )*
    };
    (@type [$($(#[$attribute:meta])* $test:ident),*] $module:ident: $Type:ty) => {
        mod $module {
            $(
                #[test]
                $(#[$attribute])*
                fn $test() {
                    super::$test::<$Type>();
                }
            )*
        }
    };
}

/// [`for_every!`] hash of Keylane.
#[macro_export]
macro_rules! for_every_hash {
    ($($(#[$attribute:meta])* $test:ident),* $(,)?) => {
        $crate::for_every!([$($(#[$attribute])* $test),*]
            sha1: keylane::sha1::Sha1,
            sha224: keylane::sha2::Sha224,
            sha256: keylane::sha2::Sha256,
            sha384: keylane::sha2::Sha384,
            sha512: keylane::sha2::Sha512,
            sha512_256: keylane::sha2::Sha512_256,
        );
    };
}

/// [`for_every!`] AES-CTR of Keylane.
#[macro_export]
macro_rules! for_every_aes_ctr {
    ($($test:ident),* $(,)?) => {
        $crate::for_every!([$($test),*]
            aes128_ctr: $crate::Aes128Ctr,
            aes192_ctr: $crate::Aes192Ctr,
            aes256_ctr: $crate::Aes256Ctr,
        );
    };
}

/// [`for_every!`] ChaCha20 of Keylane.
#[macro_export]
macro_rules! for_every_chacha20 {
    ($($test:ident),* $(,)?) => {
        $crate::for_every!([$($test),*]
            chacha20: keylane::chacha20::ChaCha20,
            xchacha20: keylane::chacha20::XChaCha20,
        );
    };
}

/// [`for_every!`] stream cipher of Keylane.
#[macro_export]
macro_rules! for_every_stream {
    ($($test:ident),* $(,)?) => {
        $crate::for_every_aes_ctr!($($test),*);
        $crate::for_every_chacha20!($($test),*);
    };
}

/// [`for_every!`] AES-GCM of Keylane.
#[macro_export]
macro_rules! for_every_aes_gcm {
    ($($test:ident),* $(,)?) => {
        $crate::for_every!([$($test),*]
            aes128_gcm: keylane::aes_gcm::Aes128Gcm,
            aes192_gcm: keylane::aes_gcm::Aes192Gcm,
            aes256_gcm: keylane::aes_gcm::Aes256Gcm,
        );
    };
}

/// [`for_every!`] ChaCha20-Poly1305 of Keylane.
#[macro_export]
macro_rules! for_every_chacha20_poly1305 {
    ($($test:ident),* $(,)?) => {
        $crate::for_every!([$($test),*]
            chacha20_poly1305: keylane::chacha20poly1305::ChaCha20Poly1305,
            xchacha20_poly1305: keylane::chacha20poly1305::XChaCha20Poly1305,
        );
    };
}

/// [`for_every!`] AEAD of Keylane.
#[macro_export]
macro_rules! for_every_aead {
    ($($test:ident),* $(,)?) => {
        $crate::for_every_aes_gcm!($($test),*);
        $crate::for_every_chacha20_poly1305!($($test),*);
    };
}
