#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    keylane_tls_testkit::fuzz::tls_session(input);
});
