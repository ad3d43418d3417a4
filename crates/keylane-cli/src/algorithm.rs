//! The hash functions by name.

use crate::check_list::Kind;
use clap::ValueEnum;
use clap::builder::PossibleValue;
use keylane::hash;

/// A hash function, as the command line and lists of checksums name it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Algorithm {
    pub(crate) id: hash::Algorithm,
    help: &'static str,
    /// The names in lists of the BSD format. The first is the one that `sha256sum --tag` writes; the others
    /// are OpenSSL's, today's and before 3.0, and FreeBSD's.
    tags: &'static [&'static str],
}

static ALGORITHMS: [Algorithm; 6] = [
    Algorithm {
        id: hash::Algorithm::Sha1,
        help: "Broken for signatures, still used in old checksums",
        tags: &["SHA1"],
    },
    Algorithm { id: hash::Algorithm::Sha224, help: "", tags: &["SHA224", "SHA2-224"] },
    Algorithm { id: hash::Algorithm::Sha256, help: "The usual choice", tags: &["SHA256", "SHA2-256"] },
    Algorithm { id: hash::Algorithm::Sha384, help: "", tags: &["SHA384", "SHA2-384"] },
    Algorithm { id: hash::Algorithm::Sha512, help: "", tags: &["SHA512", "SHA2-512"] },
    Algorithm {
        id: hash::Algorithm::Sha512_256,
        help: "SHA-512 with another initial value, truncated to 256 bits",
        tags: &["SHA512/256", "SHA2-512/256", "SHA512-256", "SHA512t256"],
    },
];

impl ValueEnum for Algorithm {
    fn value_variants<'a>() -> &'a [Self] {
        &ALGORITHMS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let value = PossibleValue::new(self.id.name());
        Some(if self.help.is_empty() { value } else { value.help(self.help) })
    }
}

impl Algorithm {
    pub(crate) fn kind(self, keyed: bool) -> Kind {
        Kind { tags: self.tags, len: self.id.output_len(), keyed }
    }
}
