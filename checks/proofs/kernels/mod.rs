//! Proofs that kernels compute what their standards say, for all inputs.
//!
//! Kernels are generic over vectors. Here they are run with vectors that record what is computed ([`record`],
//! [`lanes`], [`instructions`], [`symbols`]), and the record is compared with the standard in a normal form
//! ([`words`]). Scalar code of Poly1305 needs no record: its words are integers at once ([`scalars`]), and
//! what is above its limbs runs on polynomials ([`horner`]). The kernels of all architectures are proved on
//! one, since none of its instructions runs.

mod aes;
mod aes_ctr;
mod aes_gcm_siv;
mod bitsliced;
mod chacha20;
mod chacha20poly1305;
mod constructions;
mod gcm;
mod horner;
mod instructions;
mod lanes;
mod memory;
mod operations;
mod poly1305;
mod scalars;
mod sha;
mod symbols;
/// For its own tests.
#[allow(dead_code, unreachable_pub, reason = "the proofs use the crate")]
#[path = "../terms/lib.rs"]
mod terms;
mod vectors;

use keylane_terms::{
    blocks, bytes, evaluate, field, integers, key_stream, prove, record, sha2, standards, words,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::read_to_string;
use std::path::Path;

/// The lists and their kernels that are proved.
const PROVED: [(&str, &[&str]); 10] = [
    aes::PROVED,
    aes_ctr::PROVED,
    aes_gcm_siv::PROVED,
    chacha20::PROVED,
    chacha20poly1305::PROVED,
    gcm::PROVED,
    horner::PROVED,
    sha::sha1::PROVED,
    sha::sha256::PROVED,
    sha::sha512::PROVED,
];

/// Every kernel of every list, of every architecture, has a proof.
#[test]
fn every_kernel_is_proved() {
    let mut lists = BTreeMap::new();
    read_lists(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../crates/keylane/src"), &mut lists);
    for (list, proved) in PROVED {
        let proved: BTreeSet<String> = proved.iter().map(|kernel| kernel.replace(' ', "")).collect();
        assert_eq!(lists.remove(list), Some(proved), "{list}");
    }
    assert!(lists.is_empty(), "{lists:?}");
}

/// Reads the kernels of each list from the macro `backends!` in the files of a folder.
fn read_lists(folder: &Path, lists: &mut BTreeMap<String, BTreeSet<String>>) {
    for entry in folder.read_dir().expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            read_lists(&path, lists);
            continue;
        }
        if path.ends_with("tests.rs") {
            continue;
        }
        let source = read_to_string(&path).expect("a source file");
        for list in source.split("backends! {\n").skip(1) {
            let code =
                list[..list.find("\n}").expect("the end")].lines().filter(|l| !l.trim().starts_with("//"));
            let code: String = code.flat_map(|line| line.chars()).filter(|c| !c.is_whitespace()).collect();
            let kernels =
                code.split('[').skip(1).flat_map(|set| kernels(&set[..set.rfind(']').expect("the end")]));
            let name = code.split('"').nth(1).expect("a name");
            lists.insert(name.to_owned(), kernels.collect());
        }
    }
}

/// Splits a list of types at the commas between them, and drops what follows a type.
fn kernels(types: &str) -> Vec<String> {
    let (mut kernels, mut depth) = (vec![String::new()], 0);
    for c in types.chars() {
        depth += i32::from("<({".contains(c)) - i32::from(">)}".contains(c));
        if c == ',' && depth == 0 {
            kernels.push(String::new());
        } else {
            kernels.last_mut().expect("a kernel").push(c);
        }
    }
    let kernel = |text: String| {
        let text = text.split(":cost").next().expect("a type");
        text.split('"').next().expect("a type").trim_end_matches("as").to_owned()
    };
    kernels.into_iter().map(kernel).filter(|kernel| !kernel.is_empty()).collect()
}
