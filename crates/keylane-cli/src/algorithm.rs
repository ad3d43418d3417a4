//! The hash functions by name.

use crate::check_list::Kind;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use keylane::any::HashKind;

/// The words of `--help`, and the names in lists of the BSD format. The first is the one that `sha256sum
/// --tag` writes; the others are OpenSSL's, today's and before 3.0, and FreeBSD's.
static ALGORITHMS: [(HashKind, &str, &[&str]); 6] = [
    (HashKind::Sha1, "Broken for signatures, still used in old checksums", &["SHA1"]),
    (HashKind::Sha224, "", &["SHA224", "SHA2-224"]),
    (HashKind::Sha256, "The usual choice", &["SHA256", "SHA2-256"]),
    (HashKind::Sha384, "", &["SHA384", "SHA2-384"]),
    (HashKind::Sha512, "", &["SHA512", "SHA2-512"]),
    (
        HashKind::Sha512_256,
        "SHA-512 with another initial value, truncated to 256 bits",
        &["SHA512/256", "SHA2-512/256", "SHA512-256", "SHA512t256"],
    ),
];

/// Returns a parser of the functions' names, for an option or argument.
pub(crate) fn parser() -> impl TypedValueParser<Value = HashKind> {
    let values = ALGORITHMS.iter().map(|(kind, help, _)| {
        let value = PossibleValue::new(kind.name());
        if help.is_empty() { value } else { value.help(*help) }
    });
    PossibleValuesParser::new(values).map(|name| HashKind::from_name(&name).expect("a possible value"))
}

pub(crate) fn kind(hash: HashKind, keyed: bool) -> Kind {
    let tags = ALGORITHMS.iter().find(|(known, ..)| *known == hash).map_or(&[][..], |(.., tags)| tags);
    Kind { tags, len: hash.output_len(), keyed }
}
