//! NIST's files of AES and of hashes from its validation program, CAVP, over every implementation:
//! `cargo xtask vectors`.
//!
//! Every file in a folder of [`KINDS`] must be understood and must have cases. The files have tags shorter
//! than 12 bytes, which the library does not accept: for these, the leading bytes of the whole tag are
//! compared. For decryption, that tag is computed by sealing the ciphertext, which gives the text, and
//! sealing the text.

use keylane::Error;
use keylane::aes::Aes;
use keylane::aes_ctr::AesCtr;
use keylane::aes_gcm::{Gcm, TruncatedTag};
use keylane::any::HashKind;
use keylane_contracts::{Aead, every_implementation, hex};
use std::collections::{BTreeMap, HashMap};
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Checks one case on the selected implementation.
type Check = fn(file: &str, case: &Case);

/// A folder of files, how their names begin, the primitive that they are about, and how a case is checked.
const KINDS: [(&str, &[&str], &str, Check); 6] = [
    ("AES/ECB", &[""], "aes", ecb),
    ("AES/CTR", &[""], "aes-ctr", ctr),
    ("AES/GCM", &[""], "aes-gcm", gcm),
    ("hashes/SHA1", &["SHA1"], "sha1", hash),
    ("hashes/SHA2", &["SHA224", "SHA256"], "sha256", hash),
    ("hashes/SHA2", &["SHA384", "SHA512"], "sha512", hash),
];
/// Parts of the names of files that are not read: another hash, and steps between those of another file.
const LEFT_OUT: [&str; 3] = ["Readme", "SHA512_224", "Monte.txt"];

#[test]
#[ignore = "the files are not in the repository"]
fn nist() {
    let root = env::var_os("KEYLANE_CAVP").map(PathBuf::from).expect("KEYLANE_CAVP names a folder");
    let (mut files, mut cases) = (0, 0);
    for (folder, begins, primitive, check) in KINDS {
        let mut group = BTreeMap::new();
        read(&root, folder, &mut group);
        let known = |name: &str| {
            KINDS.iter().any(|kind| kind.0 == folder && kind.1.iter().any(|begin| name.starts_with(begin)))
        };
        group.keys().for_each(|name| assert!(known(name), "{name}: what is it?"));
        group.retain(|name, _| begins.iter().any(|begin| name.starts_with(begin)));
        assert!(!group.is_empty(), "no {folder} below {}", root.display());
        let mut names = Vec::new();
        every_implementation(primitive, |name| {
            for (file, case) in
                group.iter().flat_map(|(file, cases)| cases.iter().map(move |case| (file, case)))
            {
                catch_unwind(|| check(file, case)).unwrap_or_else(|_| panic!("{file}: {:?}", case.0));
            }
            names.push(name.to_owned());
        });
        println!("{folder}, on {}:", names.join(", "));
        for (file, of_file) in &group {
            let refused = of_file.iter().filter(|case| case.0.contains_key("FAIL")).count();
            println!("{:8} cases, {refused} of them to be refused: {file}", of_file.len());
            cases += of_file.len();
        }
        files += group.len();
    }
    assert_eq!((cases, files), (51_155, 42), "of the package that `cargo xtask vectors` names");
    println!("{cases} cases in {files} files: all as published");
}

/// Adds the files of all folders whose path ends with `kind`, by their names.
fn read(folder: &Path, kind: &str, files: &mut BTreeMap<String, Vec<Case>>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            read(&path, kind, files);
        } else if folder.ends_with(kind) {
            let name = path.file_name().expect("a file").to_string_lossy().into_owned();
            if LEFT_OUT.iter().any(|part| name.contains(part)) {
                continue;
            }
            let cases = parse(&fs::read_to_string(&path).expect("text"));
            assert!(!cases.is_empty(), "{name} has no cases");
            assert!(files.insert(name, cases).is_none(), "two files have one name");
        }
    }
}

/// Fields by their names in upper case, and parameters, which stand above them in brackets: `[Keylen = 128]`.
/// The name of a section, `[ENCRYPT]`, is the parameter `SECTION`.
struct Case(HashMap<String, String>);

/// Empty lines are between cases.
fn parse(file: &str) -> Vec<Case> {
    let (mut cases, mut parameters) = (Vec::new(), HashMap::new());
    for paragraph in file.replace('\r', "").split("\n\n") {
        let mut fields = HashMap::new();
        for line in paragraph.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            let parameter = line.strip_prefix('[').and_then(|line| line.strip_suffix(']'));
            let pair = parameter.unwrap_or(line).split_once('=');
            let pair = pair.map(|(name, value)| (name.trim().to_uppercase(), value.trim().to_owned()));
            match (parameter, pair) {
                (Some(_), Some((name, value))) => _ = parameters.insert(name, value),
                (Some(section), None) => _ = parameters.insert("SECTION".to_owned(), section.to_owned()),
                (None, Some((name, value))) => assert!(fields.insert(name, value).is_none(), "{line}: twice"),
                (None, None) if line == "FAIL" => _ = fields.insert(line.to_owned(), String::new()),
                (None, None) => panic!("{line:?} is nothing known"),
            }
        }
        if let Some(seed) = fields.remove("SEED") {
            parameters.insert("SEED".to_owned(), seed);
        }
        if !fields.is_empty() {
            fields.extend(parameters.clone());
            // A chain of hashes begins where the one before it ended.
            parameters.entry("SEED".to_owned()).and_modify(|seed| seed.clone_from(&fields["MD"]));
            cases.push(Case(fields));
        }
    }
    cases
}

impl Case {
    fn bytes(&self, name: &str) -> Vec<u8> {
        hex(self.0.get(name).unwrap_or_else(|| panic!("no {name}")))
    }

    /// The same, of as many bits as a parameter says.
    fn field(&self, name: &str, bits: &str) -> Vec<u8> {
        let bytes = self.bytes(name);
        assert_eq!(self.0[bits].parse(), Ok(8 * bytes.len()), "the length of {name}");
        bytes
    }

    /// The key, of the length that the file's name says.
    fn aes(&self, file: &str) -> Aes {
        let key = self.bytes("KEY");
        assert!(file.contains(&(8 * key.len()).to_string()), "a key of {} bytes", key.len());
        Aes::from_slice(&key).expect("a key's length")
    }

    /// What goes in and what comes out.
    fn texts(&self) -> (Vec<u8>, Vec<u8>) {
        match &*self.0["SECTION"] {
            "ENCRYPT" => (self.bytes("PLAINTEXT"), self.bytes("CIPHERTEXT")),
            "DECRYPT" => (self.bytes("CIPHERTEXT"), self.bytes("PLAINTEXT")),
            other => panic!("section {other:?}"),
        }
    }
}

fn ecb(file: &str, case: &Case) {
    let (aes, (mut data, published)) = (case.aes(file), case.texts());
    let (blocks, rest) = data.as_chunks_mut();
    assert!(!blocks.is_empty() && rest.is_empty(), "whole blocks");
    if case.0["SECTION"] == "ENCRYPT" {
        aes.encrypt_blocks(blocks)
    } else {
        aes.decrypt_blocks(blocks)
    }
    assert_eq!(data, published);
}

fn ctr(file: &str, case: &Case) {
    let (aes, (input, published)) = (case.aes(file), case.texts());
    let counter = case.bytes("IV").try_into().expect("a block");
    let mut data = input.clone();
    AesCtr::new(&aes, &counter).xor_keystream(&mut data);
    assert_eq!(data, published);
    AesCtr::new(&aes, &counter).xor_keystream(&mut data);
    assert_eq!(data, input);
}

fn gcm(file: &str, case: &Case) {
    let key = case.field("KEY", "KEYLEN");
    match key.len() {
        16 => gcm_of::<16>(file, case, &key),
        24 => gcm_of::<24>(file, case, &key),
        _ => gcm_of::<32>(file, case, &key),
    }
}

fn gcm_of<const N: usize>(file: &str, case: &Case, key: &[u8])
where
    Gcm<N>: Aead,
{
    let gcm = Gcm::<N>::prepared(key);
    let (nonce, aad) = (case.field("IV", "IVLEN"), case.field("AAD", "AADLEN"));
    let (cipher, tag) = (case.field("CT", "PTLEN"), case.field("TAG", "TAGLEN"));
    let text = (!case.0.contains_key("FAIL")).then(|| case.field("PT", "PTLEN"));
    let seal = |text: &[u8]| {
        let mut data = text.to_vec();
        let tag = gcm.seal_any_nonce(&nonce, &aad, &mut data).expect("lengths within the limits");
        (data, tag)
    };
    if file.contains("Encrypt") {
        let (sealed, whole) = seal(text.as_ref().expect("a text"));
        assert_eq!((&sealed, &whole[..tag.len()]), (&cipher, &tag[..]));
        if nonce.len() == Gcm::<N>::NONCE_LEN {
            let mut data = text.clone().expect("a text");
            assert_eq!(gcm.seal(Gcm::<N>::nonce(&nonce), &aad, &mut data), Ok(whole));
            assert_eq!(data, sealed);
        }
    } else {
        assert!(file.contains("Decrypt"), "neither a file to encrypt nor one to decrypt");
    }
    // The text, or a refusal and zeros.
    let failed = (Err(Error::AuthenticationFailed), vec![0; cipher.len()]);
    let published = text.map_or(failed, |text| (Ok(()), text));
    let mut data = cipher.clone();
    let cut = TruncatedTag::short(&tag).expect("4 to 16 bytes");
    assert_eq!((gcm.open_truncated_any_nonce(&nonce, &aad, &mut data, &cut), data), published);
    if let (Ok(tag), true) = (tag[..].try_into(), nonce.len() == Gcm::<N>::NONCE_LEN) {
        let mut data = cipher;
        assert_eq!((gcm.open(Gcm::<N>::nonce(&nonce), &aad, &mut data, tag), data), published);
    }
}

/// A message, or a chain: a thousand hashes, each of the last three (SHAVS, section 6.4).
fn hash(file: &str, case: &Case) {
    let mut parts = ["LongMsg", "ShortMsg", "Monte"].iter().filter_map(|kind| file.split_once(kind));
    let name = parts.next().expect("a kind of file").0.to_lowercase().replace('_', "-");
    let hash = HashKind::from_name(&name).expect("a hash");
    let digest = |message: &[u8]| hash.digest(message).as_bytes().to_vec();
    let published = case.bytes("MD");
    if case.0.contains_key("SEED") {
        let mut last = [(); 3].map(|()| case.bytes("SEED"));
        for _ in 0..1000 {
            last = [last[1].clone(), last[2].clone(), digest(&last.concat())];
        }
        assert_eq!(last[2], published);
    } else {
        let bits: usize = case.0["LEN"].parse().expect("a number");
        assert_eq!(digest(&case.bytes("MSG")[..bits / 8]), published);
    }
}
