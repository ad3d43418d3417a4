//! HKDF (RFC 5869).

use crate::boundary::{Input, Mut, Output, Ref, export, structs};
use crate::hash::hash_kind;
use keylane::any::AnyPrk;
use std::ffi::c_int;

structs! {
    keylane_hkdf: 192, 16, b"klhkdf\0\x01", AnyPrk; keylane_hkdf_wipe
}

export! {
    fn keylane_hkdf_extract(
        call;
        prk: Mut<keylane_hkdf>,
        hash: c_int,
        salt[salt_len]: Input,
        ikm[ikm_len]: Input,
    ) {
        call.put(prk, &AnyPrk::extract(hash_kind(hash)?, call.input(salt)?, call.input(ikm)?))
    }

    #[cfg(not(target_family = "wasm"))]
    fn keylane_hkdf_from_bytes(call; prk: Mut<keylane_hkdf>, hash: c_int, key[key_len]: Input) {
        call.put(prk, &AnyPrk::from_bytes(hash_kind(hash)?, call.input(key)?)?)
    }

    fn keylane_hkdf_expand(call; prk: Ref<keylane_hkdf>, info[info_len]: Input, out[out_len]: Output) {
        let (info, out) = (call.input(info)?, call.output(out)?);
        Ok(call.reads(prk, |prk| prk.expand(&[info], out))??)
    }
}
