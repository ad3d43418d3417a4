//! `keylane inspect`.

use super::workplace::{IS_A_FOLDER, Workplace};
use serde_json::{Value, json};

/// Creates `key`, `passphrase`, a text of 5 bytes, and the same under the key.
fn place() -> Workplace {
    let place = Workplace::with(&[("key", &[7; 32]), ("passphrase", b"a passphrase"), ("text", b"text\n")]);
    place.keylane("encrypt --key-file key text -o keyed").done();
    place
}

#[test]
fn the_fields_of_the_header() {
    let place = place();
    for (options, name) in
        [("--algorithm chacha20-poly1305", "argon2id"), ("--kdf pbkdf2 --iterations 600000", "pbkdf2")]
    {
        place.keylane(&format!("encrypt --passphrase-file passphrase {options} text -o {name}")).done();
    }
    let argon2id = json!({"name": "argon2id", "memory_mib": 64, "passes": 3, "lanes": 4});
    let pbkdf2 = json!({"name": "pbkdf2", "hash": "sha512", "iterations": 600_000});
    let by_argon2id = "a passphrase, by Argon2id: 64 MiB of memory, 3 passes, 4 lanes";
    let by_pbkdf2 = "a passphrase, by PBKDF2-HMAC-SHA-512: 600000 iterations";
    for (name, algorithm, secret, key_source, kdf) in [
        ("keyed", "aes-256-gcm", "a key file", "key-file", Value::Null),
        ("argon2id", "chacha20-poly1305", by_argon2id, "passphrase", argon2id),
        ("pbkdf2", "aes-256-gcm", by_pbkdf2, "passphrase", pbkdf2),
    ] {
        let salt: String = place.read(name)[16..48].iter().map(|byte| format!("{byte:02x}")).collect();
        let expected = format!(
            "format      Keylane encrypted file, version 1\nalgorithm   {algorithm}\nsecret      {secret}\n\
             salt        {salt}\nchunks      65536 bytes of text each\n\
             text        5 bytes, if the file is whole\n"
        );
        assert_eq!(place.keylane(&format!("inspect {name}")).done(), expected);
        let document = place.keylane(&format!("inspect --json {name}")).done();
        let expected = json!({
            "version": 1, "algorithm": algorithm, "key_source": key_source, "kdf": kdf,
            "salt": salt, "chunk_length": 65_536, "file_length": 101, "text_length": 5,
        });
        assert_eq!(serde_json::from_str::<Value>(&document).unwrap(), expected);
    }
}

/// The header is enough, but does not have the length.
#[test]
fn standard_input_and_truncated_files() {
    let place = place();
    let file = place.read("keyed");
    for (len, text) in [(80, "damaged: no whole file has 80 bytes"), (100, "4 bytes, if the file is whole")] {
        place.write("cut", &file[..len]);
        let said = place.keylane("inspect cut").done();
        assert!(said.ends_with(&format!("text        {text}\n")), "{said}");
        let piped = place.keylane_with(&["inspect", "-"], &file[..len]).done();
        assert!(piped.ends_with("text        unknown length: the input is not a file\n"), "{piped}");
    }
}

#[test]
fn other_files_are_reported() {
    let place = place();
    let mut later = place.read("keyed");
    later[8] = 2;
    place.write("later", &later);
    let mut greedy = place.read("keyed");
    (greedy[10], greedy[12]) = (3, 0xff);
    place.write("greedy", &greedy);
    place.write("short", &later[..8]);
    place.write("empty", b"");
    std::fs::create_dir(place.path("folder")).unwrap();
    for (name, status, what) in [
        ("text", 1, "text: not a file encrypted by Keylane"),
        ("later", 1, "later: unknown format version 2"),
        ("greedy", 1, "greedy: Argon2id with 65280 MiB, 0 passes, 0 lanes: 64 to 1024"),
        ("short", 1, "short: the file was cut off"),
        ("empty", 1, "empty: the file was cut off"),
        ("missing", 2, "missing: No such file or directory"),
        ("folder", 2, &format!("folder: {IS_A_FOLDER}")),
    ] {
        for json in ["", "--json"] {
            assert_eq!(place.keylane(&format!("inspect {json} {name}")).fails_with(status, what), "");
        }
        let decrypt = place.keylane(&format!("decrypt -k key -c {name}"));
        assert_eq!(decrypt.status, status, "{decrypt:?}");
    }
    let piped = place.keylane_with(&["inspect", "-"], b"text");
    piped.fails_with(1, "standard input: not a file encrypted by Keylane");
    assert_eq!(place.keylane("inspect").status, 2);
}
