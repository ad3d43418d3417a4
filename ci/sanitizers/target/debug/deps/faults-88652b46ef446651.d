/tmp/w/h/edit/ci/sanitizers/target/debug/deps/faults-88652b46ef446651.d: src/main.rs

/tmp/w/h/edit/ci/sanitizers/target/debug/deps/libfaults-88652b46ef446651.rmeta: src/main.rs

src/main.rs:
