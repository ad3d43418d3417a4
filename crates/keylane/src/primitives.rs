//! The primitives and their implementations.

use crate::backend::{Implementation, List, SelfTestError};
#[cfg(feature = "select")]
use crate::error::Error;
use crate::hash::compression::Compression;
use crate::sha1::Sha1Core;
use crate::sha2::{Sha256Core, Sha512Core};
use crate::{aes, aes_ctr, aes_gcm, aes_gcm_siv, chacha20, chacha20poly1305, poly1305};
use core::fmt;

/// A primitive, such as SHA-256, with the list of its implementations.
///
/// ```
/// for primitive in keylane::primitives() {
///     for implementation in primitive.implementations().filter(|implementation| implementation.chosen) {
///         println!("{}: {}", primitive.name(), implementation.name);
///     }
/// }
/// ```
pub struct Primitive {
    name: &'static str,
    list: fn() -> &'static dyn List,
}

static PRIMITIVES: [Primitive; 10] = [
    Primitive { name: "sha1", list: || Sha1Core::backends() },
    Primitive { name: "sha256", list: || Sha256Core::backends() },
    Primitive { name: "sha512", list: || Sha512Core::backends() },
    Primitive { name: "aes", list: || &aes::BACKENDS },
    Primitive { name: "aes-ctr", list: || &aes_ctr::BACKENDS },
    Primitive { name: "aes-gcm", list: || &aes_gcm::BACKENDS },
    Primitive { name: "aes-gcm-siv", list: || &aes_gcm_siv::BACKENDS },
    Primitive { name: "poly1305", list: || &poly1305::BACKENDS },
    Primitive { name: "chacha20", list: || &chacha20::BACKENDS },
    Primitive { name: "chacha20-poly1305", list: || &chacha20poly1305::BACKENDS },
];

/// Returns every primitive of this library.
///
/// ```
/// assert!(keylane::primitives().iter().any(|primitive| primitive.name() == "chacha20-poly1305"));
/// ```
#[must_use]
pub fn primitives() -> &'static [Primitive] {
    &PRIMITIVES
}

/// Tests every usable implementation of every primitive against known answers. Each is tested once per
/// process. Without this call, an implementation is tested before its first use.
///
/// On CPUs other than x86-64 and aarch64, and in WebAssembly, primitives have a single implementation, which
/// no operation tests: this call does, each time.
///
/// ```
/// keylane::self_test().expect("this machine should compute correct results");
/// ```
///
/// # Errors
/// [`SelfTestError`] names the first implementation that computes a wrong result.
pub fn self_test() -> Result<(), SelfTestError> {
    primitives().iter().try_for_each(|primitive| (primitive.list)().test())
}

impl Primitive {
    /// Returns the name in lower case: `"sha256"`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the implementations, best first, with their state on this CPU.
    pub fn implementations(&self) -> impl ExactSizeIterator<Item = Implementation> + use<> {
        let list = (self.list)();
        (0..list.len()).map(|place| list.describe(place))
    }

    /// Makes the whole process use `implementation`, for any number of messages, until
    /// [`reset`](Self::reset). Needs the feature `select`, which is for tests and tools.
    ///
    /// ```
    /// let sha256 = keylane::primitives().iter().find(|primitive| primitive.name() == "sha256").unwrap();
    /// sha256.select("portable")?;
    /// assert!(sha256.select("abacus").is_err());
    /// sha256.reset();
    /// # Ok::<(), keylane::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] if this primitive has no implementation with that name, this CPU cannot
    /// run it, or it fails its self-test; the choice is unchanged.
    #[cfg(feature = "select")]
    pub fn select(&self, implementation: &str) -> Result<(), Error> {
        let list = (self.list)();
        let place = (0..list.len()).find(|&place| list.describe(place).name == implementation);
        place.map_or(Err(Error::InvalidParameter { what: "implementation: no such name" }), |place| {
            list.select(place)
        })
    }

    /// Undoes [`select`](Self::select). Needs the feature `select`.
    #[cfg(feature = "select")]
    pub fn reset(&self) {
        (self.list)().reset();
    }
}

impl fmt::Debug for Primitive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Primitive").field("name", &self.name).finish_non_exhaustive()
    }
}
