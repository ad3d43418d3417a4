use super::version;
use crate::{case::*, rival::*};
use aws_lc_rs::{self as lib, cipher, iv::FixedLength};

#[path = "ring_interface.rs"]
#[allow(clippy::duplicate_mod, reason = "the same interface")]
mod interface;

pub(super) fn rival(name: &'static str) -> Option<Rival> {
    let versions = format!("aws-lc-rs {}, aws-lc-sys {}", version("aws-lc-rs"), version("aws-lc-sys"));
    Some(Rival::new(name, versions, prepare))
}

fn other_aead(case: &Case) -> Option<&'static lib::aead::Algorithm> {
    match case.algorithm {
        "aes128gcmsiv" => Some(&lib::aead::AES_128_GCM_SIV),
        "aes256gcmsiv" => Some(&lib::aead::AES_256_GCM_SIV),
        _ => None,
    }
}

/// What the library offers beyond ring's interface, or ring's.
fn prepare(case: &Case) -> Option<Op> {
    Some(match (case.table, case.operation) {
        ("AES-CTR", _) => {
            let algorithm = if case.algorithm == "aes128ctr" { &cipher::AES_128 } else { &cipher::AES_256 };
            let key = cipher::UnboundCipherKey::new(algorithm, case.key()).unwrap();
            let key = cipher::EncryptingKey::ctr(key).unwrap();
            op(move |out| {
                let iv = cipher::EncryptionContext::Iv128(FixedLength::from(IV16));
                key.less_safe_encrypt(out, iv).unwrap();
            })
        }
        (_, "seal-to") => {
            let key = interface::aead_key(case)?(case.key());
            case.messages(move |text, out| {
                let ((nonce, aad), (out, tag)) = (interface::nonce(), split(out));
                key.seal_out_of_place_scatter(nonce, aad, text, out, &[], tag).unwrap()
            })
        }
        _ => return interface::prepare(case),
    })
}
