//! Compares with sha256sum and openssl, on real files. If a tool is missing, a line says so;
//! `KEYLANE_REQUIRE_TOOLS` makes it a failure.

use super::workplace::Workplace;

/// Lengths around blocks and around the read buffer, and one of several buffers.
const LENGTHS: [usize; 12] =
    [0, 1, 55, 56, 64, 111, 112, 4096, (256 << 10) - 1, 256 << 10, (256 << 10) + 1, (5 << 20) + 12345];

const KEY: &[u8] = b"the key, with a NUL: \0 and more";

/// The key, for openssl.
fn hexkey() -> String {
    KEY.iter().fold("hexkey:".to_owned(), |hex, byte| format!("{hex}{byte:02x}"))
}

/// Creates files of every length. Returns their names.
fn place() -> (Workplace, Vec<String>) {
    let place = Workplace::with(&[("key", KEY)]);
    let names = LENGTHS.map(|len| {
        let bytes: Vec<u8> = (0..len).map(|i| (i ^ (i / 251)) as u8).collect();
        let name = format!("file of {len} bytes");
        place.write(&name, &bytes);
        name
    });
    (place, names.into())
}

fn with_files<'a>(arguments: &[&'a str], names: &'a [String]) -> Vec<&'a str> {
    arguments.iter().copied().chain(names.iter().map(String::as_str)).collect()
}

#[cfg(unix)]
#[test]
fn sha_sums_are_exchanged_with_coreutils() {
    let (place, mut names) = place();
    for name in ["back\\slash", "new\nline", "return\r", "*star", " leading space", ") = ("] {
        place.write(name, name.as_bytes());
        names.push(name.to_owned());
    }
    for algorithm in ["sha1", "sha224", "sha256", "sha384", "sha512"] {
        let tool = format!("{algorithm}sum");
        let ours = place.keylane_with(&with_files(&["hash", algorithm], &names), b"").done();
        let Some(theirs) = place.tool(&tool, &with_files(&[], &names)) else { return };
        assert_eq!(ours, theirs.done());
        place.write("list", ours.as_bytes());
        let checked = place.tool(&tool, &["--check", "--strict", "list"]).unwrap().done();
        assert_eq!(checked.lines().filter(|line| line.ends_with(": OK")).count(), names.len());
        // With the binary mark, and the same verdicts line by line.
        let theirs = place.tool(&tool, &with_files(&["--binary"], &names)).unwrap().done();
        place.write("list", theirs.as_bytes());
        assert_eq!(place.keylane(&format!("hash {algorithm} --check list")).done(), checked);
        // The other formats, byte for byte.
        for options in [&["--tag"][..], &["-z"], &["--zero", "--tag"]] {
            let arguments = [&["hash", algorithm], options].concat();
            let ours = place.keylane_with(&with_files(&arguments, &names), b"").done();
            let theirs = place.tool(&tool, &with_files(options, &names)).unwrap().done();
            assert_eq!(ours, theirs);
            if options == ["--tag"] {
                place.write("list", theirs.as_bytes());
                assert_eq!(place.keylane(&format!("hash {algorithm} --check list")).done(), checked);
            }
        }
    }
}

/// `SHA2-256(name)= HEX`, in which no name is escaped, and the older `SHA256(name)= HEX`.
#[cfg(unix)]
#[test]
fn lists_of_openssl_are_checked() {
    let (place, mut names) = place();
    for name in ["back\\slash", "a (b) = c", " leading space"] {
        place.write(name, name.as_bytes());
        names.push(name.to_owned());
    }
    let hexkey = hexkey();
    for algorithm in ["sha1", "sha224", "sha256", "sha384", "sha512", "sha512-256"] {
        let option = format!("-{algorithm}");
        for (keylane, openssl) in [
            (format!("hash {algorithm}"), vec!["dgst", &option]),
            (
                format!("mac {algorithm} --key-file key"),
                vec!["dgst", &option, "-mac", "HMAC", "-macopt", &hexkey],
            ),
        ] {
            let Some(list) = place.tool("openssl", &with_files(&openssl, &names)) else { return };
            let list = list.done();
            let older = if algorithm == "sha512-256" {
                list.replace("SHA2-512/256(", "SHA512-256(")
            } else {
                list.replace("SHA2-", "SHA")
            };
            for list in [list, older] {
                place.write("list", list.as_bytes());
                let verdicts = place.keylane(&format!("{keylane} --check list")).done();
                assert_eq!(verdicts, names.iter().map(|name| format!("{name}: OK\n")).collect::<String>());
            }
        }
    }
}

#[test]
fn verdicts_are_those_of_coreutils() {
    let (place, names) = place();
    let Some(list) = place.tool("sha256sum", &with_files(&[], &names)) else { return };
    let list = list.done();
    place.write("list", list.as_bytes());
    place.write(&names[3], b"corrupted");
    std::fs::remove_file(place.path(&names[5])).unwrap();
    // A list of missing files, a list without any match, and a right list.
    let line = |at: usize| list.lines().nth(at).unwrap();
    place.write("missing", format!("{}\n", line(5)).as_bytes());
    place.write("wrong", format!("{}\n{}\n", line(3), line(5)).as_bytes());
    place.write("right", format!("{}\n{}\n", line(5), line(6)).as_bytes());
    for options in ["", "--quiet", "--status", "--ignore-missing", "--ignore-missing --status", "--strict -w"]
    {
        for lists in ["list", "missing", "wrong", "right", "right list wrong missing"] {
            let options = format!("--check {options} {lists}");
            let theirs = place.tool("sha256sum", &options.split_whitespace().collect::<Vec<_>>()).unwrap();
            let ours = place.keylane(&format!("hash sha256 {options}"));
            assert_eq!((ours.status, &ours.out), (theirs.status, &theirs.out), "{options}");
            let err = theirs.err.replace("sha256sum: ", "");
            assert_eq!(ours.err.replace("keylane: ", ""), err, "{options}");
        }
    }
}

/// Of lists that others write, with lines that are none. A byte order mark only costs coreutils the line.
#[cfg(unix)]
#[test]
fn lists_of_others_are_read_as_by_coreutils() {
    let place = Workplace::with(&[("a", b"1"), (" a", b"2"), ("*a", b"3"), ("b", b"4")]);
    let Some(list) = place.tool("sha256sum", &["a", "b"]) else { return };
    let (two, one) = (list.done(), |text: &str| text.replace("  ", " "));
    let line = |name: &str| place.tool("sha256sum", &[name]).unwrap().done();
    for (list, status) in [
        (one(&two), 0),
        (two.replace("  ", "\t"), 0),
        (two.replace("  ", "\t*"), 0),
        // The first line decides: the names begin with a space or a star here, and not there.
        (one(&two) + &line(" a").replace("   ", "  ") + &line("*a").replace("  *", " *"), 0),
        (one(&two) + &line("a"), 1),
        (two.clone() + &one(&two), 0),
        (two.replacen("  ", " *", 1) + &one(&two), 0),
        (format!(" \n\t\n{two}   \nx\n"), 0),
        (
            format!(
                "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n{two}-----BEGIN PGP SIGNATURE-----\n\n\
             iQIzBAEBCgAdFiEE=\n-----END PGP SIGNATURE-----\n"
            ),
            0,
        ),
    ] {
        place.write("list", list.as_bytes());
        for options in ["--check", "--check --strict", "--check --status", "--check --quiet --ignore-missing"]
        {
            let theirs = place.tool(
                "sha256sum",
                &with_files(&options.split(' ').collect::<Vec<_>>(), &["list".to_owned()]),
            );
            let (ours, theirs) = (place.keylane(&format!("hash sha256 {options} list")), theirs.unwrap());
            let err = theirs.err.replace("sha256sum: ", "keylane: ");
            assert_eq!((ours.out, ours.err), (theirs.out, err), "{options} {list}");
            assert_eq!(ours.status == 0, theirs.status == 0, "{options} {list}");
            if options == "--check" {
                assert_eq!(ours.status, status, "{list}");
            }
        }
    }
}

#[test]
fn tags_are_openssl_s() {
    let (place, names) = place();
    let hexkey = hexkey();
    for algorithm in ["sha1", "sha224", "sha256", "sha384", "sha512", "sha512-256"] {
        let mac = ["mac", algorithm, "--key-file", "key"];
        let ours = place.keylane_with(&with_files(&mac, &names), b"").done();
        let option = format!("-{algorithm}");
        let arguments = with_files(&["dgst", &option, "-mac", "HMAC", "-macopt", &hexkey, "-r"], &names);
        let Some(theirs) = place.tool("openssl", &arguments) else { return };
        assert_eq!(ours, theirs.done().replace(" *", "  "));
    }
}

#[test]
fn derived_keys_are_openssl_s() {
    let place = Workplace::with(&[("password", b"correct-horse"), ("ikm", b"keying-material")]);
    let openssl = |options: &str| place.tool("openssl", &options.split(' ').collect::<Vec<_>>());
    let bytes = |colons: String| colons.trim().replace(':', "").to_lowercase();
    for (hash, length) in [("sha1", 20), ("sha256", 100), ("sha384", 48), ("sha512", 1), ("sha512-256", 33)] {
        let kdf = format!("kdf -keylen {length} -kdfopt digest:{hash} -kdfopt hexsalt:00010203");
        let (ours, theirs) = (
            format!("pbkdf2 --hash {hash} --iterations 1234 --password-file password"),
            format!("{kdf} -kdfopt pass:correct-horse -kdfopt iter:1234 PBKDF2"),
        );
        let hkdf = (
            format!("hkdf --hash {hash} --ikm-file ikm --info context"),
            format!("{kdf} -kdfopt key:keying-material -kdfopt info:context HKDF"),
        );
        for (ours, theirs) in [(ours, theirs), hkdf] {
            let Some(theirs) = openssl(&theirs) else { return };
            let ours = place.keylane(&format!("derive {ours} --length {length} --salt-hex 00010203"));
            assert_eq!(ours.done().trim(), bytes(theirs.done()), "{hash}");
        }
    }
}
