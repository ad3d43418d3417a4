//! The libraries under test, one module each.

use crate::rival::Rival;

/// The functions of a shared object that is opened when the program starts, whose names there begin with a
/// prefix.
macro_rules! api {
    ($prefix:literal; $($name:ident: fn($($t:ty),*) $(-> $r:ty)?;)*) => {
        #[allow(non_snake_case, reason = "as the library names them")]
        struct Api { $($name: unsafe extern "C" fn($($t),*) $(-> $r)?,)* }
        impl Api {
            /// The functions of the first object that exists; it stays loaded.
            ///
            /// # Safety
            /// The functions have these signatures.
            unsafe fn load(objects: &[&std::path::Path]) -> Option<(&'static Self, &'static super::Library)> {
                use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
                // SAFETY: the caller's promise.
                unsafe {
                    let open = |path: &&std::path::Path| Library::open(Some(path), RTLD_NOW | RTLD_LOCAL).ok();
                    let object: &Library = Box::leak(Box::new(objects.iter().find_map(open)?));
                    let found = || Ok(Self {
                        $($name: *object.get(concat!($prefix, stringify!($name), "\0").as_bytes())?,)*
                    });
                    let found = found().map_err(|e: libloading::Error| eprintln!("{e}: {objects:?} left out"));
                    Some((Box::leak(Box::new(found.ok()?)), object))
                }
            }
        }
    };
}

mod aws_lc;
#[cfg(feature = "boring")]
mod boring;
pub mod go;
mod graviola;
mod ipsec_mb;
pub mod keylane;
mod openssl;
mod orion;
mod ring;
mod rustcrypto_new;
mod rustcrypto_old;
mod sodium;

use libloading::os::unix::Library;

/// Every library that can run here, in column order.
pub fn all() -> Vec<Rival> {
    let mut all = vec![
        keylane::chosen(),
        ring::rival(),
        aws_lc::rival(),
        graviola::rival(),
        rustcrypto_new::rival(),
        rustcrypto_old::rival(),
        orion::rival(),
    ];
    all.extend(openssl::found());
    #[cfg(feature = "boring")]
    all.push(boring::rival());
    all.extend(sodium::found());
    all.extend(ipsec_mb::found());
    all.extend(go::found());
    // Not a peer: the cost of the copy that the `open` cases include.
    all.push(Rival::new("memcpy", "", |case| {
        let is_copy = case.work == crate::case::Work::Memcpy;
        is_copy.then(|| case.messages(|m, out| out.copy_from_slice(m)))
    }));
    all
}

/// Libraries that a machine may lack, and what their names begin with.
pub const OPTIONAL: [&str; 6] = ["openssl-3", "openssl-4", "boringssl", "libsodium", "ipsec-mb", "go"];

/// Where the C rivals' shared objects are (`c/build.sh` puts them there).
pub fn lib_dir() -> std::path::PathBuf {
    std::env::var_os("BENCH_LIBS")
        .unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/target/libs").into())
        .into()
}

/// The text at a pointer that a library returns.
///
/// # Safety
/// It ends in a NUL and is never freed.
unsafe fn text(pointer: *const libc::c_char) -> &'static str {
    // SAFETY: the caller's promise.
    unsafe { std::ffi::CStr::from_ptr(pointer) }.to_str().unwrap_or("?")
}
