//! The hashes, and what is done with them, as tables of functions: Python chooses by name.

use crate::buffer::Input;
use keylane::hkdf::Prk;
use keylane::hmac::{Hmac, HmacKey};
use keylane::pbkdf2::{Job, derive_many};
use keylane::sha1::Sha1;
use keylane::sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_256};
use keylane::{Error, Hash};
use keylane_cpu::wipe::wipe;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyType};
use std::num::NonZeroU32;

/// A hash.
pub(crate) struct Algorithm {
    /// As `hashlib` names it.
    pub(crate) name: &'static str,
    /// What OpenSSL calls it besides, in lower case, and with that `hashlib.new`.
    aliases: &'static [&'static str],
    pub(crate) digest_len: usize,
    pub(crate) block_len: usize,
    pub(crate) hash: fn() -> Box<dyn Running>,
    pub(crate) digest_many: fn(&[&[u8]]) -> Vec<Digest>,
    pub(crate) key: fn(&[u8]) -> Box<dyn Key>,
    pub(crate) pbkdf2: fn(&mut [Job<'_>], NonZeroU32) -> Result<(), Error>,
    pub(crate) hkdf: Hkdf,
    pub(crate) hkdf_expand: HkdfExpand,
}

/// From salt, key and info.
type Hkdf = fn(&[u8], &[u8], &[u8], &mut [u8]) -> Result<(), Error>;
/// From pseudorandom key and info.
type HkdfExpand = fn(&[u8], &[u8], &mut [u8]) -> Result<(), Error>;

pub(crate) static ALGORITHMS: [Algorithm; 6] = [
    Algorithm::of::<Sha1>("sha1", &["sha-1"]),
    Algorithm::of::<Sha224>("sha224", &["sha-224", "sha2-224"]),
    Algorithm::of::<Sha256>("sha256", &["sha-256", "sha2-256"]),
    Algorithm::of::<Sha384>("sha384", &["sha-384", "sha2-384"]),
    Algorithm::of::<Sha512>("sha512", &["sha-512", "sha2-512"]),
    Algorithm::of::<Sha512_256>("sha512_256", &["sha512-256", "sha512/256", "sha-512/256", "sha2-512/256"]),
];

/// What the tables need of a hash.
trait Threaded: Hash<Keyed: Send + Sync> + Send + Sync + 'static {}
impl<H: Hash<Keyed: Send + Sync> + Send + Sync + 'static> Threaded for H {}

impl Algorithm {
    const fn of<H: Threaded>(name: &'static str, aliases: &'static [&'static str]) -> Self {
        Self {
            name,
            aliases,
            digest_len: H::OUTPUT_LEN,
            block_len: H::BLOCK_LEN,
            hash: || Box::new(RunningHash(H::new())),
            digest_many: |messages| {
                let mut digests = vec![H::digest(&[]); messages.len()];
                H::digest_many(messages, &mut digests).expect("as many");
                digests.iter().map(Digest::of).collect()
            },
            key: |key| Box::new(HmacKey::<H>::new(key)),
            pbkdf2: derive_many::<H>,
            hkdf: |salt, key, info, out| Prk::<H>::extract(salt, key).expand(&[info], out),
            hkdf_expand: |prk, info, out| Prk::<H>::from_bytes(prk)?.expand(&[info], out),
        }
    }

    /// By one of the names that `hashlib` and OpenSSL have for it.
    ///
    /// # Errors
    /// `ValueError`.
    pub(crate) fn named(name: &Bound<'_, PyString>) -> PyResult<&'static Self> {
        let name = name.to_cow()?;
        let is_wanted = |known: &&str| known.eq_ignore_ascii_case(&name);
        ALGORITHMS
            .iter()
            .find(|algorithm| is_wanted(&algorithm.name) || algorithm.aliases.iter().any(is_wanted))
            .ok_or_else(|| PyValueError::new_err(format!("unsupported hash type {name}")))
    }

    /// By what `hmac` takes for a hash: a name, a constructor, a module with `new`; or by what `cryptography`
    /// takes. `hmac` computes with the objects that these make; here their digest of nothing tells which hash
    /// they are. Not their name: not all have one, and a constructor that begins with some bytes has that of
    /// the hash.
    ///
    /// # Errors
    /// `TypeError`, `ValueError`.
    pub(crate) fn from_digestmod(digestmod: &Bound<'_, PyAny>) -> PyResult<&'static Self> {
        let py = digestmod.py();
        if let Some((_, algorithm)) = known(py)?.iter().find(|(object, _)| object.is(digestmod)) {
            return Ok(algorithm);
        }
        if let Ok(name) = digestmod.cast::<PyString>() {
            return Self::named(name);
        }
        if let Some(name) = cryptography_name(digestmod)? {
            return Self::named(&name);
        }
        let hash = if digestmod.is_callable() {
            digestmod.call0()?
        } else if let Ok(new) = digestmod.getattr("new") {
            new.call0()?
        } else {
            let kind = digestmod.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "a hash is given by its name, its constructor or its module, not by '{kind}'"
            )));
        };
        let kind = hash.get_type().name()?;
        let Some(digest) = hash.getattr_opt("digest")? else {
            let message = format!("digestmod makes no hash, but a '{kind}'");
            return Err(PyTypeError::new_err(message));
        };
        let digest = digest.call0()?;
        let digest = Input::of(digest.as_borrowed())?;
        ALGORITHMS
            .iter()
            .find(|algorithm| (algorithm.hash)().digest().as_bytes() == digest.bytes())
            .ok_or_else(|| {
                let known = ALGORITHMS.each_ref().map(|algorithm| algorithm.name).join(", ");
                PyValueError::new_err(format!(
                    "digestmod makes a '{kind}', which is none of {known} without any data"
                ))
            })
    }
}

/// The name of a class of `cryptography.hazmat.primitives.hashes`, or of an instance of one. Whoever has one
/// has imported that module; for others it is not imported.
fn cryptography_name<'py>(hash: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyString>>> {
    let modules = hash.py().import("sys")?.getattr("modules")?.cast_into::<PyDict>()?;
    let Some(module) = modules.get_item("cryptography.hazmat.primitives.hashes")? else { return Ok(None) };
    // None where an import was blocked; without the class while another thread imports it.
    let Some(base) = module.getattr_opt("HashAlgorithm")? else { return Ok(None) };
    let instance = match hash.cast::<PyType>() {
        Ok(class) if class.is_subclass(&base)? => class.call0()?,
        _ if hash.is_instance(&base)? => hash.clone(),
        _ => return Ok(None),
    };
    Ok(Some(instance.getattr("name")?.cast_into()?))
}

type Known = Vec<(Py<PyAny>, &'static Algorithm)>;

/// What most callers pass, recognised by identity: a name in the source of a program is one object, as is a constructor of
/// `hashlib` or of this module.
fn known(py: Python<'_>) -> PyResult<&'static Known> {
    static KNOWN: PyOnceLock<Known> = PyOnceLock::new();
    KNOWN.get_or_try_init(py, || {
        let modules = [py.import("hashlib")?, py.import("keylane._keylane")?];
        let mut known = Vec::new();
        for algorithm in &ALGORITHMS {
            known.push((PyString::intern(py, algorithm.name).into_any().unbind(), algorithm));
            for module in &modules {
                if let Some(constructor) = module.getattr_opt(algorithm.name)? {
                    known.push((constructor.unbind(), algorithm));
                }
            }
        }
        Ok(known)
    })
}

/// A digest or a tag of any hash: wiped, since what HKDF extracts is one, too.
pub(crate) struct Digest {
    bytes: [u8; 64],
    len: usize,
}

impl Digest {
    #[inline]
    fn of(output: &impl AsRef<[u8]>) -> Self {
        let output = output.as_ref();
        let mut bytes = [0; 64];
        bytes[..output.len()].copy_from_slice(output);
        Self { bytes, len: output.len() }
    }

    #[inline]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Without a table: the digest may be a secret, and an address would tell of it.
    pub(crate) fn to_hex(&self) -> String {
        let digit = |nibble: u8| {
            let above_nine = 9_u8.wrapping_sub(nibble) >> 7;
            char::from(b'0' + nibble + above_nine * (b'a' - b'0' - 10))
        };
        self.as_bytes().iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
    }
}

impl Drop for Digest {
    fn drop(&mut self) {
        wipe(&mut self.bytes);
    }
}

/// The digests as a list of `bytes`.
pub(crate) fn list<'py>(py: Python<'py>, digests: &[Digest]) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, digests.iter().map(|digest| PyBytes::new(py, digest.as_bytes())))
}

/// A hash or a MAC of a message that comes in pieces.
pub(crate) trait Running: Send {
    fn update(&mut self, data: &[u8]);
    /// Of everything absorbed; it can go on.
    fn digest(&self) -> Digest;
    fn copy(&self) -> Box<dyn Running>;
}

struct RunningHash<H>(H);

impl<H: Threaded> Running for RunningHash<H> {
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    fn digest(&self) -> Digest {
        Digest::of(&self.0.clone().finalize())
    }

    fn copy(&self) -> Box<dyn Running> {
        Box::new(Self(self.0.clone()))
    }
}

impl<H: Threaded> Running for Hmac<H> {
    fn update(&mut self, data: &[u8]) {
        Self::update(self, data);
    }

    fn digest(&self) -> Digest {
        Digest::of(&self.clone().finalize())
    }

    fn copy(&self) -> Box<dyn Running> {
        Box::new(self.clone())
    }
}

/// An HMAC key, prepared.
pub(crate) trait Key: Send + Sync {
    fn mac(&self, message: &[u8]) -> Digest;
    fn mac_many(&self, messages: &[&[u8]]) -> Vec<Digest>;
    fn verify(&self, message: &[u8], tag: &[u8]) -> Result<(), Error>;
    fn verify_many(&self, messages: &[&[u8]], tags: &[&[u8]]) -> Result<(), Error>;
    fn start(&self) -> Box<dyn Running>;
}

impl<H: Threaded> Key for HmacKey<H> {
    fn mac(&self, message: &[u8]) -> Digest {
        Digest::of(&Self::mac(self, message))
    }

    fn mac_many(&self, messages: &[&[u8]]) -> Vec<Digest> {
        let mut tags = vec![Self::mac(self, &[]); messages.len()];
        Self::mac_many(self, messages, &mut tags).expect("as many");
        tags.iter().map(Digest::of).collect()
    }

    fn verify(&self, message: &[u8], tag: &[u8]) -> Result<(), Error> {
        Self::verify(self, message, tag)
    }

    fn verify_many(&self, messages: &[&[u8]], tags: &[&[u8]]) -> Result<(), Error> {
        Self::verify_many(self, messages, tags)
    }

    fn start(&self) -> Box<dyn Running> {
        Box::new(Self::start(self))
    }
}
