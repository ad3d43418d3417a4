//! Encryption, then decryption.

use super::{CHUNK_LEN, place, text};

#[test]
fn pipes_and_files_of_any_length() {
    let place = place();
    for (number, algorithm) in [(1, "aes-256-gcm"), (2, "chacha20-poly1305")] {
        for (len, threads) in [(0, 1), (17, 2), (CHUNK_LEN, 3), (CHUNK_LEN + 1, 16), (20 * CHUNK_LEN + 5, 5)]
        {
            let text = text(len);
            place.write("text", &text);
            let encrypt = format!("encrypt --key-file key --algorithm {algorithm} --threads {threads}");
            let piped = place.bytes(&encrypt, &text);
            assert_eq!(piped[9], number);
            place.write("piped", &piped);
            place.keylane(&format!("{encrypt} text -o file --force")).done();
            place.keylane("decrypt --key-file key piped -o out --force").done();
            assert!(place.read("out") == text, "{algorithm}, {len}");
            let out = place.bytes("decrypt --key-file key - -o -", &place.read("file"));
            assert!(out == text, "{algorithm}, {len}");
        }
    }
    assert_eq!(place.keylane("encrypt --key-file key --threads 0").status, 2);
}

/// In 128 MiB of address space, of which four threads have half a MiB each.
#[cfg(target_os = "linux")]
#[test]
fn half_a_gigabyte_flows_through_little_memory() {
    let place = place();
    let (encrypt, decrypt) = ("$K encrypt -k key --threads 4", "$K decrypt -k key --threads 4");
    let flow = format!("head -c 512M /dev/zero | {encrypt} | {decrypt} | cmp -n 536870912 - /dev/zero");
    place.shell(&format!("export MALLOC_ARENA_MAX=1; ulimit -v 131072; {flow}")).done();
}
