//! Encryption, then decryption.

use super::{CHUNK_LEN, place, text};

const ALGORITHMS: [&str; 2] = ["aes-256-gcm", "chacha20-poly1305"];

#[test]
fn pipes_and_files_of_any_length() {
    let place = place();
    for algorithm in ALGORITHMS {
        for len in [0, 1, 15, 16, 17, CHUNK_LEN - 1, CHUNK_LEN, CHUNK_LEN + 1, 20 * CHUNK_LEN + 5] {
            let text = text(len);
            place.write("text", &text);
            let encrypt = format!("encrypt --key-file key --algorithm {algorithm}");
            let (piped, run) = place.keylane_bytes(&encrypt, &text);
            run.done();
            assert_eq!(piped[9], if algorithm == "aes-256-gcm" { 1 } else { 2 });
            place.write("piped", &piped);
            place.keylane(&format!("{encrypt} text -o file --force")).done();
            place.keylane("decrypt --key-file key piped -o out --force").done();
            assert!(place.read("out") == text, "{algorithm}, {len}");
            let (out, run) = place.keylane_bytes("decrypt --key-file key - -o -", &place.read("file"));
            run.done();
            assert!(out == text, "{algorithm}, {len}");
        }
    }
}

#[test]
fn the_number_of_threads_does_not_show() {
    let place = place();
    let text = text(3 << 20);
    for threads in [1, 2, 3, 16] {
        let (file, run) = place.keylane_bytes(&format!("encrypt --key-file key --threads {threads}"), &text);
        run.done();
        for threads in [1, 5] {
            let (out, run) =
                place.keylane_bytes(&format!("decrypt --key-file key --threads {threads}"), &file);
            run.done();
            assert!(out == text);
        }
    }
    assert_eq!(place.keylane("encrypt --key-file key --threads 0").status, 2);
}
