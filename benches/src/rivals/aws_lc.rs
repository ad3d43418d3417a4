use crate::{case::*, lock, rival::*};
use aws_lc_rs::{self as lib, aead, cipher, iv::FixedLength};

#[path = "ring_interface.rs"]
#[allow(clippy::duplicate_mod, reason = "the same interface")]
mod interface;

pub(super) fn rival() -> Rival {
    Rival::new("aws-lc-rs", lock::versions(&[("aws-lc-rs", ""), ("aws-lc-sys", "")]), prepare)
}

/// What the library offers beyond ring's interface, or ring's.
fn prepare(case: &Case) -> Option<Op> {
    Some(match case.work {
        Work::AesCtr(bits) => {
            let algorithm = if bits == 128 { &cipher::AES_128 } else { &cipher::AES_256 };
            let key = cipher::UnboundCipherKey::new(algorithm, &KEY[..bits / 8]).unwrap();
            let key = cipher::EncryptingKey::ctr(key).unwrap();
            op(move |out| {
                let iv = cipher::EncryptionContext::Iv128(FixedLength::from(IV16));
                key.less_safe_encrypt(out, iv).unwrap();
            })
        }
        Work::SealTo(a) => {
            let key = interface::aead_key(a, a.key());
            case.seal_to(move |text, out| {
                let (nonce, (out, tag)) = (aead::Nonce::assume_unique_for_key(NONCE), split(out));
                key.seal_out_of_place_scatter(nonce, aead::Aad::from(AAD), text, out, &[], tag).unwrap()
            })
        }
        _ => return interface::prepare(case),
    })
}
