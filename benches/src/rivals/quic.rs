//! What a QUIC sender protects for one `sendmsg`: by Keylane's interface for batches, and one by one through
//! rustls' interface, by several providers.

use super::version;
use crate::{case::*, rival::*};
use keylane_tls::{
    quic::{HeaderKey, Packet, PacketKey, Secret, Version, protect_header},
    record::Cipher::{Aes128Gcm, Aes256Gcm, ChaCha20Poly1305},
};
use rustls::{Side, SupportedCipherSuite, crypto::CryptoProvider, quic};

/// Of a short header, with a connection ID of 8 bytes and a packet number of 4.
const HEADER_LEN: usize = 13;

fn by_cipher<T>(case: &Case, values: [T; 3]) -> Option<T> {
    Case { algorithm: case.algorithm.strip_prefix("quic-")?, ..case.clone() }.by_aead(values)
}

/// Writes the headers, and returns the packets with their numbers.
fn packets(out: &mut [u8], len: usize) -> impl Iterator<Item = (&mut [u8], u64)> {
    out.chunks_exact_mut(len).zip(0..).map(|(packet, number)| {
        packet[..HEADER_LEN - 4].copy_from_slice(b"\x43eight by");
        packet[HEADER_LEN - 4..HEADER_LEN].copy_from_slice(&(number as u32).to_be_bytes());
        (packet, number)
    })
}

pub(super) fn batches(case: &Case) -> Option<Op> {
    let len = case.len;
    let (key, header_key) = match by_cipher(case, [Aes128Gcm, Aes256Gcm, ChaCha20Poly1305])? {
        Aes128Gcm => {
            let [client, _] = Secret::initial(Version::V1, &NONCE);
            (client.packet_key(), client.header_key())
        }
        cipher => (PacketKey::new(cipher, &KEY, &NONCE).unwrap(), HeaderKey::new(cipher, &KEY).unwrap()),
    };
    let (mut samples, mut masks) = (vec![[0; 16]; case.batch], vec![[0; 5]; case.batch]);
    Some(op(move |out| {
        let packet = |(packet, number): (_, u64)| {
            let (header, rest) = <[u8]>::split_at_mut(packet, HEADER_LEN);
            let (payload, tag) = rest.split_last_chunk_mut().unwrap();
            Packet { number, header, payload, tag }
        };
        key.seal_many(&mut packets(out, len).map(packet).collect::<Vec<_>>()).unwrap();
        for (sample, packet) in samples.iter_mut().zip(out.chunks_exact(len)) {
            sample.copy_from_slice(&packet[HEADER_LEN..][..16]);
        }
        header_key.masks(&samples, &mut masks).unwrap();
        for (mask, packet) in masks.iter().zip(out.chunks_exact_mut(len)) {
            let (first, rest) = packet.split_first_mut().unwrap();
            protect_header(mask, first, &mut rest[HEADER_LEN - 5..HEADER_LEN - 1]);
        }
    }))
}

/// rustls' interface, with a provider.
pub(super) fn rival(name: &'static str, provider: fn() -> CryptoProvider) -> Option<Rival> {
    Some(Rival::new(name, version("rustls"), move |case| one_by_one(case, &provider().cipher_suites)))
}

fn one_by_one(case: &Case, suites: &[SupportedCipherSuite]) -> Option<Op> {
    let name = by_cipher(case, ["AES_128_GCM", "AES_256_GCM", "CHACHA20"])?;
    let mut suites = suites.iter().filter_map(SupportedCipherSuite::tls13);
    let suite = suites.find(|suite| format!("{:?}", suite.common.suite).contains(name))?;
    let (key, header_key) = if name == "AES_128_GCM" {
        // rustls makes no such key from bytes.
        let keys = suite.quic_suite()?.keys(&NONCE, Side::Client, quic::Version::V1).local;
        (keys.packet, keys.header)
    } else {
        (suite.quic?.packet_key(KEY.into(), NONCE.into()), suite.quic?.header_protection_key(KEY.into()))
    };
    let len = case.len;
    Some(op(move |out| {
        for (packet, number) in packets(out, len) {
            let (header, rest) = packet.split_at_mut(HEADER_LEN);
            let (payload, tag) = rest.split_at_mut(rest.len() - 16);
            tag.copy_from_slice(key.encrypt_in_place(number, header, payload).unwrap().as_ref());
            let (first, number) = header.split_first_mut().unwrap();
            header_key.encrypt_in_place(&payload[..16], first, &mut number[HEADER_LEN - 5..]).unwrap();
        }
    }))
}
