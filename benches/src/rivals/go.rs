//! Go's standard library and golang.org/x/crypto: the library in `go/`.
#![allow(clippy::undocumented_unsafe_blocks, reason = "said once, here")]
//! Safety of the calls: the signatures are those of `go/main.go`; pointers come with the lengths of the
//! slices that they are made from; texts end in a NUL.

use crate::{case::*, rival::*};
use std::{
    ffi::{CString, c_char},
    process::Command,
};

api! { Go {
    go_version: fn() -> *const c_char;
    go_prepare: fn(*const c_char, *const c_char, usize) -> usize;
    go_run: fn(usize, u64, *mut u8, usize);
    go_collect: fn();
} }

/// Builds and loads the library, if Go is installed.
pub(super) fn rival(name: &'static str) -> Option<Rival> {
    let path = super::built("libgo.so");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/go");
    let mut build = Command::new("go");
    build.current_dir(folder).args(["build", "-buildmode=c-shared", "-o"]).arg(&path);
    if !build.env("GOTOOLCHAIN", "local").env("CGO_ENABLED", "1").status().ok()?.success() {
        eprintln!("go: its library was not built, left out");
        return None;
    }
    let go = unsafe { Go::load(super::open(path)?)? };
    let version = unsafe { super::text((go.go_version)()) };
    let leave = Box::new(|| unsafe { (go.go_collect)() });
    Some(Rival { leave, ..Rival::new(name, version, |case| go.prepare(case)) })
}

impl Go {
    fn prepare(&'static self, case: &Case) -> Option<Op> {
        // A call from outside takes Go long.
        if case.cold || case.batch > 1 || case.by_hash([(); 4]).is_some() || case.table == "memcpy" {
            return None;
        }
        // Go has neither.
        if case.algorithm.ends_with("gcmsiv") || case.algorithm.starts_with("xaes") {
            return None;
        }
        let [operation, algorithm] = [case.operation, case.algorithm].map(|name| CString::new(name).unwrap());
        let number = unsafe { (self.go_prepare)(operation.as_ptr(), algorithm.as_ptr(), case.len) };
        Some(Box::new(move |n, out| unsafe { (self.go_run)(number, n, out.as_mut_ptr(), out.len()) }))
    }
}
