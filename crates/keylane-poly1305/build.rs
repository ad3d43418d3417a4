include!("../keylane-ffi/build.rs");
