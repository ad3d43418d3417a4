//! Connections in memory.

use keylane_tls_checks::memory::duplex;
use std::io::{self, Read, Write};

#[test]
fn carries_both_ways_and_ends() {
    let (mut a, mut b) = duplex();
    a.write_all(b"over ").unwrap();
    let other = std::thread::spawn(move || {
        b.write_all(b"back").unwrap();
        let mut got = String::new();
        b.read_to_string(&mut got).unwrap();
        got
    });
    let mut back = [0; 4];
    a.read_exact(&mut back).unwrap();
    let both = [io::IoSlice::new(b"and "), io::IoSlice::new(b"out")];
    assert_eq!(a.write_vectored(&both).unwrap(), 7);
    drop(a);
    assert_eq!((&back, other.join().unwrap().as_str()), (b"back", "over and out"));
}
