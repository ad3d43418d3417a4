//! `--format c2sp`: C2SP's chunked encryption.

use super::{place, text};
use crate::workplace::Workplace;
use keylane::chunked::{CHUNK_LEN, message_len, open_to, seal_to};

fn places() -> Workplace {
    let place = place();
    place.write("short-key", &[5; 16]);
    place.write("text", b"text");
    place
}

#[test]
fn other_programs_read_and_write_the_same() {
    let place = places();
    for (key, bytes) in [("short-key", &[5; 16][..]), ("key", &[7; 32])] {
        for len in [0, 1, CHUNK_LEN - 1, CHUNK_LEN, CHUNK_LEN + 1, 16 * CHUNK_LEN, 70 * CHUNK_LEN + 5] {
            let (text, mut opened) = (text(len), vec![0; len]);
            place.write("long", &text);
            place.keylane(&format!("encrypt --format c2sp --key-file {key} long -o file --force")).done();
            open_to(bytes, b"", &place.read("file"), &mut opened).unwrap();
            assert!(opened == text, "{len}");

            let mut sealed = vec![0; message_len(len as u64).unwrap() as usize];
            seal_to(bytes, &[9; 24], b"backup", &text, &mut sealed).unwrap();
            let decrypt = format!("decrypt --format c2sp --context backup --key-file {key}");
            let (out, run) = place.keylane_bytes(&decrypt, &sealed);
            run.done();
            assert!(out == text, "{len}");
        }
    }
}

/// A case of Project Wycheproof: number 9 of Cobblestone-128.
#[test]
fn a_published_message() {
    let place = places();
    place.write("yellow", b"YELLOW SUBMARINE");
    let message = "de2ff42cb103e3c5583e1f39bfe368e9b2a83996fd28804927145e3dde6a611edf2fbb2ab7afc10f\
                   4f6e0426d2e4a9aebc7349ea5cda426488c91fd589e9d8d6da8759c7be16d0abf726266ee340e6";
    let digits: Vec<_> = message.chars().map(|digit| digit.to_digit(16).unwrap() as u8).collect();
    place.write("message", &digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect::<Vec<_>>());
    let arguments =
        ["decrypt", "-c", "--format", "c2sp", "--key-file", "yellow", "--context", "test context", "message"];
    assert_eq!(place.keylane_with(&arguments, b"").done(), "chunked");
}

#[test]
fn refused() {
    let place = places();
    place.write("long", &text(3 * CHUNK_LEN));
    let encrypt = "encrypt --format c2sp --key-file key long -o file --context one";
    place.keylane(encrypt).done();
    let file = place.read("file");
    let decrypt = "decrypt -c --format c2sp --key-file";
    for (arguments, what) in [
        (format!("{decrypt} key file"), "file: wrong key or context, or the header was changed"),
        (format!("{decrypt} other-key file --context one"), "wrong key or context"),
        (
            "decrypt -c --key-file key file".to_owned(),
            "file: not a file that Keylane has encrypted; the format of C2SP needs --format c2sp",
        ),
    ] {
        place.keylane(&arguments).fails_with(1, what);
    }
    // Without a context, its key knows it.
    for (key, name) in [("key", "plain"), ("short-key", "short")] {
        place.keylane(&format!("encrypt --format c2sp --key-file {key} text -o {name}")).done();
        let what = format!("{name} has the format of C2SP: give --format c2sp");
        place.keylane(&format!("decrypt -c --key-file {key} {name}")).fails_with(2, &what);
        place
            .keylane(&format!("decrypt -c --key-file other-key {name}"))
            .fails_with(1, "C2SP needs --format c2sp");
        let piped = ["decrypt", "--key-file", key];
        place.keylane_with(&piped, &place.read(name)).fails_with(2, "standard input has the format of C2SP");
    }
    for (len, what) in [
        (50, "the file was cut off"),
        (file.len() - 16, "the file was cut off"),
        (file.len() - 17, "damaged: the end, chunk 2, text from byte 32768"),
        (file.len() - 1, "the file was cut off"),
    ] {
        place.write("cut", &file[..len]);
        place.keylane(&format!("{decrypt} key --context one cut")).fails_with(1, what);
    }
    place.write("bytes-17", &[1; 17]);
    for (arguments, what) in [
        ("encrypt --format c2sp --key-file bytes-17 text", "has 16 or 32 bytes, not 17"),
        ("decrypt -c --format c2sp --key-file bytes-17 file", "has 16 or 32 bytes, not 17"),
        ("encrypt --format c2sp --passphrase-file text file", "has no passphrases: give --key-file"),
        ("decrypt -c --format c2sp file", "has no passphrases: give --key-file"),
        ("encrypt --format c2sp --key-file key --algorithm aes-256-gcm text", "the key's length decides"),
        ("encrypt --context one --key-file key text", "--context needs --format c2sp"),
        ("decrypt -c --context one --key-file key file", "--context needs --format c2sp"),
    ] {
        place.keylane(arguments).fails_with(2, what);
    }
}
