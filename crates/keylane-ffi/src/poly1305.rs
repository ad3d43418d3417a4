//! Poly1305 (RFC 8439 section 2.5).

use crate::boundary::{Array, Input, Mut, OutArray, export, structs};
use keylane::poly1305::Poly1305;

structs! {
    keylane_poly1305: 320, 16, b"klpoly\0\x01", Poly1305; keylane_poly1305_wipe
}

export! {
    fn keylane_poly1305_mac(call; key: Array<32>, message[message_len]: Input, tag: OutArray<16>) {
        let (key, message) = (call.array(key)?, call.input(message)?);
        call.result_array(tag)?.set(&Poly1305::mac(key, message))
    }

    fn keylane_poly1305_init(call; poly1305: Mut<keylane_poly1305>, key: Array<32>) {
        call.put(poly1305, &Poly1305::new(call.array(key)?))
    }

    fn keylane_poly1305_init_with_hint(
        call;
        poly1305: Mut<keylane_poly1305>,
        key: Array<32>,
        bytes_hint: usize,
    ) {
        call.put(poly1305, &Poly1305::with_hint(call.array(key)?, bytes_hint))
    }

    fn keylane_poly1305_update(call; poly1305: Mut<keylane_poly1305>, data[data_len]: Input) {
        let data = call.input(data)?;
        call.changes(poly1305, |poly1305| poly1305.update(data))
    }

    fn keylane_poly1305_pad_to_block(call; poly1305: Mut<keylane_poly1305>) {
        call.changes(poly1305, Poly1305::pad_to_block)
    }

    fn keylane_poly1305_finalize(call; poly1305: Mut<keylane_poly1305>, tag: OutArray<16>) {
        let tag = call.result_array(tag)?;
        call.finish(poly1305, |poly1305| tag.set(&poly1305.clone().finalize()))
    }

    fn keylane_poly1305_verify(call; poly1305: Mut<keylane_poly1305>, tag: Array<16>) {
        let tag = call.array(tag)?;
        Ok(call.finish(poly1305, |poly1305| Ok(poly1305.clone().verify(tag)))??)
    }
}
