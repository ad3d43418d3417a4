//! The libraries under test, one module each.

use crate::{OURS, case::Case, rival::Rival};
use libloading::Library;
use std::path::PathBuf;

/// The functions of a shared object, under their own names.
macro_rules! api {
    ($Api:ident { $($name:ident: fn($($t:ty),*) $(-> $r:ty)?;)* }) => {
        #[allow(non_snake_case, reason = "as the library names them")]
        struct $Api { $($name: unsafe extern "C" fn($($t),*) $(-> $r)?,)* }
        impl $Api {
            /// Finds all of them, or says which is missing.
            ///
            /// # Safety
            /// The functions have these signatures.
            unsafe fn load(object: &libloading::Library) -> Option<&'static Self> {
                // SAFETY: the caller's promise.
                Some(Box::leak(Box::new(unsafe {
                    Self { $($name: super::needed(object, stringify!($name))?,)* }
                })))
            }
        }
    };
}

mod aws_lc;
mod go;
mod graviola;
mod ipsec_mb;
pub mod keylane;
mod libcrypto;
mod ring;
mod rustcrypto;
mod sodium;

/// Loads a library, if it is installed, under this name.
pub type Load = fn(&'static str) -> Option<Rival>;

/// Every library, in the order of the columns.
pub const ALL: [(&str, Load); 17] = [
    (OURS, keylane::rival),
    ("ring", ring::rival),
    ("aws-lc-rs", aws_lc::rival),
    ("graviola", graviola::rival),
    ("rustcrypto", rustcrypto::rival),
    ("rustcrypto-old", rustcrypto::before),
    ("openssl-3", |name| libcrypto::openssl(name, "libcrypto.so.3".into())),
    ("openssl-4", |name| libcrypto::openssl(name, built("libopenssl4.so"))),
    ("boringssl", libcrypto::boringssl),
    ("libsodium", sodium::rival),
    ("ipsec-mb", |name| ipsec_mb::rival(name, false)),
    ("ipsec-mb-sse", |name| ipsec_mb::rival(name, true)),
    ("go", go::rival),
    // For TLS only.
    ("rustls+keylane", tls),
    ("rustls+ring", tls),
    ("rustls+aws-lc-rs", tls),
    (COPY, copy),
];

fn tls(name: &'static str) -> Option<Rival> {
    Some(Rival::new(name, version("rustls"), |_| None))
}

/// What the copy in the `open` cases costs: no peer.
pub const COPY: &str = "memcpy";

fn copy(name: &'static str) -> Option<Rival> {
    let prepare = |case: &Case| case.messages(|m, out| out.copy_from_slice(m));
    Some(Rival::new(name, "", move |case| (case.table == COPY).then(|| prepare(case))))
}

/// Returns the newest version of a crate, from the lock file that this was built by.
pub fn version(name: &str) -> &'static str {
    let entry = format!("name = \"{name}\"\nversion = \"");
    let version = include_str!("../../Cargo.lock").split(&entry).skip(1).last();
    version.and_then(|rest| rest.split('"').next()).unwrap_or("?")
}

/// Returns the path of a shared object that `c/build.sh` builds.
fn built(name: &str) -> PathBuf {
    let folder = std::env::var_os("BENCH_LIBS").map(PathBuf::from);
    folder.unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/target/libs").into()).join(name)
}

/// Opens a shared object, if there is one, or says why not. Its symbols stay apart from those of others.
fn open(path: PathBuf) -> Option<&'static Library> {
    // SAFETY: what the libraries run when they are loaded is what any program that links them runs.
    let library = unsafe { Library::new(&path) };
    let told = |error: &libloading::Error| eprintln!("{}: {error}", path.display());
    Some(Box::leak(Box::new(library.inspect_err(told).ok()?)))
}

/// Returns a function of a shared object, if it has it.
///
/// # Safety
/// `F` is the function's type.
unsafe fn symbol<F: Copy>(object: &Library, name: &str) -> Option<F> {
    // SAFETY: the caller's promise.
    unsafe { object.get::<F>(name.as_bytes()) }.ok().map(|function| *function)
}

/// Returns a function without which a library is left out, or says that it is missing.
///
/// # Safety
/// `F` is the function's type.
unsafe fn needed<F: Copy>(object: &Library, name: &str) -> Option<F> {
    // SAFETY: the caller's promise.
    let function = unsafe { object.get::<F>(name.as_bytes()) };
    function.inspect_err(|error| eprintln!("{error}, left out")).ok().map(|function| *function)
}

/// Returns the text at a pointer that a library returns.
///
/// # Safety
/// It ends in a NUL and is never freed.
unsafe fn text(pointer: *const std::ffi::c_char) -> &'static str {
    // SAFETY: the caller's promise.
    unsafe { std::ffi::CStr::from_ptr(pointer) }.to_str().unwrap_or("?")
}
