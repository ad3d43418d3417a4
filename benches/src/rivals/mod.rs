//! The libraries under test, one module each.

use crate::Rival;

/// The functions of a shared object that is opened when the program starts, whose names there begin with a prefix.
macro_rules! api {
    ($prefix:literal; $($name:ident: fn($($t:ty),*) $(-> $r:ty)?;)*) => {
        #[allow(non_snake_case, reason = "as the library names them")]
        #[derive(Clone, Copy)]
        struct Api { $($name: unsafe extern "C" fn($($t),*) $(-> $r)?,)* }
        impl Api {
            /// # Safety
            /// The functions have these signatures, and the object stays loaded.
            unsafe fn load(l: &Library) -> Result<Self, libloading::Error> {
                // SAFETY: the caller's promise.
                unsafe { Ok(Self { $($name: *l.get(concat!($prefix, stringify!($name), "\0").as_bytes())?,)* }) }
            }
        }
    };
}

pub mod aws_lc;
#[cfg(feature = "boring")]
pub mod boring;
pub mod go;
pub mod graviola;
pub mod ipsec_mb;
pub mod keylane;
pub mod memcpy;
pub mod openssl;
pub mod orion;
pub mod ring;
pub mod rustcrypto;
pub mod sodium;

/// Every library that can run here, in column order.
pub fn all() -> Vec<Box<dyn Rival>> {
    let mut v: Vec<Box<dyn Rival>> = vec![
        Box::new(keylane::Keylane::chosen()),
        Box::new(ring::Ring),
        Box::new(aws_lc::AwsLc),
        Box::new(graviola::Graviola),
        Box::new(rustcrypto::new::RustCrypto),
        Box::new(rustcrypto::old::RustCrypto),
        Box::new(orion::Orion),
    ];
    v.extend(openssl::found());
    #[cfg(feature = "boring")]
    v.push(Box::new(boring::Boring));
    v.extend(sodium::found());
    v.extend(ipsec_mb::found());
    v.extend(go::found());
    v.push(Box::new(memcpy::Memcpy));
    v
}

/// Libraries that a machine may lack, and those of `rivals` begin with.
pub const OPTIONAL: [&str; 6] = ["openssl-3", "openssl-4", "boringssl", "libsodium", "ipsec-mb", "go"];

/// Where the C rivals' shared objects are (`c/build.sh` puts them there).
pub fn lib_dir() -> std::path::PathBuf {
    std::env::var_os("BENCH_LIBS")
        .unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/target/libs").into())
        .into()
}
