//! Runs the AES files of NIST's validation program, CAVP, over every implementation:
//!
//!     cargo run --release --package keylane-testkit --example cavp -- DIR
//!
//! Every file below DIR in a folder `AES/ECB`, `AES/CTR` or `AES/GCM` must be one that this program understands, and
//! must have cases. The library takes no tag shorter than 12 bytes; the files have some. Of those the leading bytes of
//! the whole tag are compared: in files to encrypt that of the text, in files to decrypt that of the ciphertext, which
//! is computed by sealing it, which gives the text, and sealing that.

use keylane::Error;
use keylane::aes::Aes;
use keylane::aes_ctr::AesCtr;
use keylane::aes_gcm::{Aes128Gcm, Aes192Gcm, Aes256Gcm, TruncatedTag};
use keylane_testkit::cavp::{Case, parse};
use keylane_testkit::{AesGcm, every_backend};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

/// What is wrong with a file or with an answer.
type Checked<T = ()> = Result<T, String>;

/// Checks one case on the selected implementation.
type Check = fn(file: &str, case: &Case) -> Checked;

/// A folder of files, the primitive that they are about, and how a case is checked.
const KINDS: [(&str, &str, Check); 3] =
    [("AES/ECB", "aes", ecb), ("AES/CTR", "aes-ctr", ctr), ("AES/GCM", "aes-gcm", gcm)];

struct File {
    path: PathBuf,
    name: String,
    cases: Vec<Case>,
}

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args_os().skip(1).collect();
    let [folder] = &arguments[..] else {
        eprintln!("usage: cavp DIR");
        return ExitCode::from(2);
    };
    match run(Path::new(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(root: &Path) -> Checked {
    let mut paths = Vec::new();
    walk(root, &mut paths)?;
    paths.sort();
    let (mut files, mut cases) = (0, 0);
    for (folder, primitive, check) in KINDS {
        let of_this_kind =
            paths.iter().filter(|path| path.parent().is_some_and(|parent| parent.ends_with(folder)));
        let group = of_this_kind.map(|path| read(path)).collect::<Checked<Vec<_>>>()?;
        if group.is_empty() {
            return Err(format!("no {folder} below {}", root.display()));
        }
        let mut names = Vec::new();
        every_backend(primitive, |name| {
            for file in &group {
                for case in &file.cases {
                    check(&file.name, case).unwrap_or_else(|error| {
                        panic!("{}, case of line {}: {error}", file.path.display(), case.line)
                    });
                }
            }
            names.push(name.to_owned());
        });
        println!("{folder}, on {}:", names.join(", "));
        for file in &group {
            let refused = file.cases.iter().filter(|case| case.text("FAIL").is_some()).count();
            let refused =
                if refused == 0 { String::new() } else { format!(", {refused} of them to be refused") };
            println!("{:8} cases{refused}: {}", file.cases.len(), file.name);
            cases += file.cases.len();
        }
        files += group.len();
    }
    println!("{cases} cases in {files} files: all as published");
    Ok(())
}

fn walk(folder: &Path, paths: &mut Vec<PathBuf>) -> Checked {
    let wrong = |error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        if path.is_dir() {
            walk(&path, paths)?;
        } else {
            paths.push(path);
        }
    }
    Ok(())
}

fn read(path: &Path) -> Checked<File> {
    let wrong = |error: String| format!("{}: {error}", path.display());
    let text = fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let cases = parse(&text).map_err(wrong)?;
    if cases.is_empty() {
        return Err(wrong("no cases".to_owned()));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(File { path: path.to_owned(), name, cases })
}

fn equal(what: &str, computed: &[u8], published: &[u8]) -> Checked {
    if computed == published {
        Ok(())
    } else {
        Err(format!("{what} {computed:02x?}, published {published:02x?}"))
    }
}

/// The key, one of the length that the file's name tells.
fn aes(file: &str, case: &Case) -> Checked<Aes> {
    let key = case.bytes("KEY")?;
    if !file.contains(&(8 * key.len()).to_string()) {
        return Err(format!("a key of {} bytes in {file}", key.len()));
    }
    Aes::from_slice(&key).map_err(|error| error.to_string())
}

fn ecb(file: &str, case: &Case) -> Checked {
    let aes = aes(file, case)?;
    let blocks = |name| {
        let bytes = case.bytes(name)?;
        let (blocks, rest) = bytes.as_chunks::<16>();
        if blocks.is_empty() || !rest.is_empty() {
            return Err(format!("{name} is not blocks"));
        }
        Ok(blocks.to_vec())
    };
    let (plain, cipher) = (blocks("PLAINTEXT")?, blocks("CIPHERTEXT")?);
    let (input, published, run) = match case.section.as_str() {
        "ENCRYPT" => (plain, cipher, Aes::encrypt_blocks as fn(&Aes, &mut [[u8; 16]])),
        "DECRYPT" => (cipher, plain, Aes::decrypt_blocks as _),
        other => return Err(format!("section {other:?}")),
    };
    let mut blocks = input;
    run(&aes, &mut blocks);
    equal("blocks", blocks.as_flattened(), published.as_flattened())
}

fn ctr(file: &str, case: &Case) -> Checked {
    let aes = aes(file, case)?;
    let counter: [u8; 16] = case.bytes("IV")?.try_into().map_err(|_| "IV is not a block")?;
    let (plain, cipher) = (case.bytes("PLAINTEXT")?, case.bytes("CIPHERTEXT")?);
    let (input, published) = match case.section.as_str() {
        "ENCRYPT" => (plain, cipher),
        "DECRYPT" => (cipher, plain),
        other => return Err(format!("section {other:?}")),
    };
    let mut data = input.clone();
    AesCtr::new(&aes, &counter).xor_keystream(&mut data);
    equal("text", &data, &published)?;
    AesCtr::new(&aes, &counter).xor_keystream(&mut data);
    equal("text, back", &data, &input)
}

/// A case of AES-GCM.
struct Gcm {
    nonce: Vec<u8>,
    aad: Vec<u8>,
    /// Of a case that is to be refused there is none.
    text: Option<Vec<u8>>,
    cipher: Vec<u8>,
    tag: Vec<u8>,
}

fn gcm(file: &str, case: &Case) -> Checked {
    let field = |name: &str, bits: &str| {
        let (bytes, len) = (case.bytes(name)?, case.number(bits)?);
        if 8 * bytes.len() == len { Ok(bytes) } else { Err(format!("{name} has not {len} bits")) }
    };
    let text = if case.text("FAIL").is_some() { None } else { Some(field("PT", "PTLEN")?) };
    let this = Gcm {
        nonce: field("IV", "IVLEN")?,
        aad: field("AAD", "AADLEN")?,
        text,
        cipher: field("CT", "PTLEN")?,
        tag: field("TAG", "TAGLEN")?,
    };
    let key = field("KEY", "KEYLEN")?;
    match key.len() {
        16 => this.check::<Aes128Gcm>(file, &key),
        24 => this.check::<Aes192Gcm>(file, &key),
        32 => this.check::<Aes256Gcm>(file, &key),
        len => Err(format!("a key of {len} bytes")),
    }
}

impl Gcm {
    fn check<G: AesGcm>(&self, file: &str, key: &[u8]) -> Checked {
        let gcm = &G::from_slice(key).map_err(|error| error.to_string())?;
        match (file.contains("Encrypt"), file.contains("Decrypt")) {
            (true, false) => {
                self.encrypt(gcm)?;
                self.decrypt(gcm)
            }
            (false, true) => self.decrypt(gcm),
            _ => Err("neither a file to encrypt nor one to decrypt, by its name".to_owned()),
        }
    }

    fn sealed(&self, gcm: &impl AesGcm, text: &[u8]) -> Checked<(Vec<u8>, [u8; 16])> {
        let mut data = text.to_vec();
        let tag = gcm.seal_any_nonce(&self.nonce, &self.aad, &mut data).map_err(|error| error.to_string())?;
        Ok((data, tag))
    }

    fn encrypt<G: AesGcm>(&self, gcm: &G) -> Checked {
        let text = self.text.as_ref().ok_or("FAIL in a file to encrypt")?;
        let (cipher, tag) = self.sealed(gcm, text)?;
        equal("ciphertext", &cipher, &self.cipher)?;
        equal("tag", &tag[..self.tag.len()], &self.tag)?;
        if let Ok(nonce) = self.nonce.as_slice().try_into() {
            let mut data = text.clone();
            let same = gcm.seal(nonce, &self.aad, &mut data).map_err(|error| error.to_string())?;
            equal("ciphertext, a nonce of 12 bytes", &data, &cipher)?;
            equal("tag, a nonce of 12 bytes", &same, &tag)?;
        }
        Ok(())
    }

    fn decrypt<G: AesGcm>(&self, gcm: &G) -> Checked {
        match TruncatedTag::new(&self.tag) {
            Ok(tag) => {
                let mut data = self.cipher.clone();
                let opened = gcm.open_truncated_any_nonce(&self.nonce, &self.aad, &mut data, &tag);
                self.opened(opened, &data)?;
            }
            Err(Error::WrongLength { .. }) if self.tag.len() < 12 => {
                let (text, _) = self.sealed(gcm, &self.cipher)?;
                let (cipher, tag) = self.sealed(gcm, &text)?;
                equal("ciphertext", &cipher, &self.cipher)?;
                if tag.starts_with(&self.tag) {
                    self.opened(Ok(()), &text)?;
                } else {
                    self.opened(Err(Error::AuthenticationFailed), &vec![0; text.len()])?;
                }
            }
            Err(error) => return Err(format!("a tag of {} bytes: {error}", self.tag.len())),
        }
        if let Ok(tag) = self.tag.as_slice().try_into()
            && let Ok(nonce) = self.nonce.as_slice().try_into()
        {
            let mut data = self.cipher.clone();
            let opened = gcm.open(nonce, &self.aad, &mut data, tag);
            self.opened(opened, &data)?;
        }
        Ok(())
    }

    /// Whether that is what was to come out: the text, or a refusal and zeros.
    fn opened(&self, opened: Result<(), Error>, data: &[u8]) -> Checked {
        match (opened, &self.text) {
            (Ok(()), Some(text)) => equal("text", data, text),
            (Err(Error::AuthenticationFailed), None) => equal("what is left", data, &vec![0; data.len()]),
            (opened, text) => Err(format!("{opened:?}, published {text:02x?}")),
        }
    }
}
