//! Protects many QUIC packets at a time under quinn-proto, which asks for one at a time.
//!
//! Through rustls, quinn-proto gets the keys of this module's [`provider`]. When it writes a packet, they
//! only note what was written; [`seal`] then seals all packets of all buffers that are to be sent. [`open`]
//! opens what was received together before quinn-proto sees it, and the keys then pass the text on.
//!
//! What is noted belongs to the thread, which must have no more than one connection.

use bytes::BytesMut;
use keylane_tls::quic::{HeaderKey, Packet, PacketKey, SAMPLE_LEN, protect_header, unprotect_header};
use keylane_tls::record::Cipher;
use keylane_tls::rustls::crypto::cipher::{AeadKey, Iv};
use keylane_tls::rustls::crypto::{CipherSuiteCommon, CryptoProvider};
use keylane_tls::rustls::quic::{self, Tag};
use keylane_tls::rustls::{CipherSuite, Error, SupportedCipherSuite, Tls13CipherSuite};
use std::cell::RefCell;
use std::mem;
use std::sync::Arc;

/// In a short header, where the packet number begins: quinn-proto's connection IDs have 8 bytes.
const NUMBER_AT: usize = 9;
const TAG_LEN: usize = 16;
const LONG_HEADER: u8 = 0x80;
const KEY_PHASE: u8 = 0x04;

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

#[derive(Default)]
struct State {
    /// The packets that were written and not sealed, in order.
    written: Vec<Written>,
    /// The key that last opened a packet with a short header, and the key phase of that.
    packet_key: Option<(Arc<PacketKey>, u8)>,
    /// The key for such headers.
    header_key: Option<Arc<HeaderKey>>,
    /// The largest packet number of a packet with a short header.
    largest: u64,
    /// Whether the packet that quinn-proto opens now was opened by [`open`].
    is_open: bool,
    counts: Counts,
}

/// A packet that quinn-proto wrote.
struct Written {
    key: Arc<PacketKey>,
    header_key: Option<Arc<HeaderKey>>,
    number: u64,
    header_len: usize,
    /// Of header, text and tag.
    len: usize,
}

/// How many packets were sealed and opened, and in how many calls.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) sealed: usize,
    pub(crate) seals: usize,
    pub(crate) opened: usize,
    pub(crate) opens: usize,
}

pub(crate) fn counts() -> Counts {
    STATE.with_borrow(|state| state.counts)
}

/// Seals the packets that quinn-proto has written since the last call to these buffers, in this order.
pub(crate) fn seal<'a>(buffers: impl IntoIterator<Item = &'a mut [u8]>) {
    STATE.with_borrow_mut(|state| {
        let (mut buffers, mut rest) = (buffers.into_iter(), &mut [][..]);
        let written = mem::take(&mut state.written).into_iter().map(|written| {
            if rest.is_empty() {
                rest = buffers.next().expect("a buffer for each packet");
            }
            let (packet, after) = mem::take(&mut rest).split_at_mut(written.len);
            rest = after;
            (written, packet)
        });
        // During the handshake, there are packets under several keys.
        for packets in written.collect::<Vec<_>>().chunk_by_mut(|(a, _), (b, _)| Arc::ptr_eq(&a.key, &b.key))
        {
            state.counts.sealed += packets.len();
            state.counts.seals += 1;
            seal_with_one_key(packets);
        }
    });
}

fn seal_with_one_key(packets: &mut [(Written, &mut [u8])]) {
    let key = Arc::clone(&packets[0].0.key);
    let header_key = packets[0].0.header_key.clone().expect("headers are protected after texts");
    let parts = packets.iter_mut().map(|(Written { number, header_len, .. }, packet)| {
        let (header, rest) = packet.split_at_mut(*header_len);
        let (payload, tag) = rest.split_last_chunk_mut().expect("room for a tag");
        Packet { number: *number, header, payload, tag }
    });
    key.seal_many(&mut parts.collect::<Vec<_>>()).expect("texts are short");

    let number_at = |header_len, packet: &[u8]| header_len - usize::from(packet[0] & 3) - 1;
    let samples: Vec<[u8; SAMPLE_LEN]> = packets
        .iter()
        .map(|(Written { header_len, .. }, packet)| {
            let sample_at = number_at(*header_len, packet) + 4;
            *packet[sample_at..].first_chunk().expect("packets are padded for this")
        })
        .collect();
    let mut masks = vec![[0; 5]; samples.len()];
    header_key.masks(&samples, &mut masks).expect("as many");
    for ((Written { header_len, .. }, packet), mask) in packets.iter_mut().zip(&masks) {
        let number_at = number_at(*header_len, packet);
        let (first, rest) = packet.split_first_mut().expect("a header");
        protect_header(mask, first, &mut rest[number_at - 1..]);
    }
}

/// Opens the packets with short headers among the datagrams. Returns the datagrams in their order, and
/// whether each is open. Forged ones are left out, and so are stateless resets, which look like them; what is
/// not under the keys of this moment is returned as it was received.
pub(crate) fn open(datagrams: Vec<BytesMut>) -> Vec<(BytesMut, bool)> {
    STATE.with_borrow_mut(|state| {
        let (Some((key, phase)), Some(header_key)) = (&state.packet_key, &state.header_key) else {
            return datagrams.into_iter().map(|datagram| (datagram, false)).collect();
        };
        // With the length of the header and the packet number, of those that are to be opened here.
        let mut all: Vec<(BytesMut, Option<(usize, u64)>)> =
            datagrams.into_iter().map(|datagram| (datagram, None)).collect();
        let is_short =
            |datagram: &[u8]| datagram.len() >= NUMBER_AT + 4 + SAMPLE_LEN && datagram[0] & LONG_HEADER == 0;
        let short: Vec<_> = all.iter_mut().filter(|(datagram, _)| is_short(datagram)).collect();
        let samples = short.iter().filter_map(|(datagram, _)| datagram[NUMBER_AT + 4..].first_chunk());
        let samples: Vec<[u8; SAMPLE_LEN]> = samples.copied().collect();
        let mut masks = vec![[0; 5]; samples.len()];
        header_key.masks(&samples, &mut masks).expect("as many");
        for ((datagram, header), mask) in short.into_iter().zip(&masks) {
            let (first, rest) = datagram.split_first_mut().expect("it is long enough");
            let number = &mut rest[NUMBER_AT - 1..][..4];
            let number_len = unprotect_header(mask, first, number);
            if *first & KEY_PHASE == *phase {
                let number = whole_number(&number[..number_len], state.largest);
                *header = Some((NUMBER_AT + number_len, number));
            } else {
                // The peer has updated its keys: quinn-proto derives the next ones.
                protect_header(mask, first, number);
            }
        }
        let packets = all.iter_mut().filter_map(|(datagram, header)| {
            let (header_len, number) = (*header)?;
            let (header, rest) = datagram.split_at_mut(header_len);
            let (payload, tag) = rest.split_last_chunk_mut()?;
            Some(Packet { number, header, payload, tag })
        });
        let mut packets: Vec<_> = packets.collect();
        let mut opened = vec![false; packets.len()];
        // It fails if any tag is wrong, and `opened` says which. A server on the internet would also count
        // these: at `integrity_limit` the connection has to end (RFC 9001 §6.6).
        let _ = key.open_many(&mut packets, &mut opened);
        state.counts.opened += packets.len();
        state.counts.opens += usize::from(!packets.is_empty());

        let mut opened = opened.into_iter();
        let results = all.into_iter().filter_map(|(datagram, header)| {
            let Some((_, number)) = header else { return Some((datagram, false)) };
            opened.next()?.then(|| {
                state.largest = state.largest.max(number);
                (datagram, true)
            })
        });
        results.collect()
    })
}

/// RFC 9000, appendix A.3.
fn whole_number(bytes: &[u8], largest: u64) -> u64 {
    let truncated = bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
    let (expected, window) = (largest + 1, 1 << (8 * bytes.len()));
    let candidate = expected & !(window - 1) | truncated;
    if candidate + window / 2 <= expected {
        candidate + window
    } else if candidate > expected + window / 2 && candidate >= window {
        candidate - window
    } else {
        candidate
    }
}

/// Calls `handle`, in which quinn-proto handles a datagram that [`open`] returned.
pub(crate) fn handling<T>(is_open: bool, handle: impl FnOnce() -> T) -> T {
    STATE.with_borrow_mut(|state| state.is_open = is_open);
    let handled = handle();
    STATE.with_borrow_mut(|state| state.is_open = false);
    handled
}

/// Keylane's provider, with these keys for QUIC.
pub(crate) fn provider() -> CryptoProvider {
    let mut provider = keylane_tls::provider();
    provider.cipher_suites.retain_mut(|suite| {
        let Some(tls13) = suite.tls13() else { return false };
        let cipher = match tls13.common.suite {
            CipherSuite::TLS13_AES_128_GCM_SHA256 => &Algorithm(Cipher::Aes128Gcm),
            CipherSuite::TLS13_AES_256_GCM_SHA384 => &Algorithm(Cipher::Aes256Gcm),
            _ => &Algorithm(Cipher::ChaCha20Poly1305),
        };
        // For as long as the program runs, as rustls wants it.
        *suite = SupportedCipherSuite::Tls13(Box::leak(Box::new(Tls13CipherSuite {
            common: CipherSuiteCommon { ..tls13.common },
            quic: Some(cipher),
            ..*tls13
        })));
        true
    });
    provider
}

struct Algorithm(Cipher);

impl quic::Algorithm for Algorithm {
    fn packet_key(&self, key: AeadKey, iv: Iv) -> Box<dyn quic::PacketKey> {
        let iv = iv.as_ref().try_into().expect("12 bytes");
        Box::new(Texts(Arc::new(PacketKey::new(self.0, key.as_ref(), iv).expect("rustls cuts keys"))))
    }

    fn header_protection_key(&self, key: AeadKey) -> Box<dyn quic::HeaderProtectionKey> {
        Box::new(Headers(Arc::new(HeaderKey::new(self.0, key.as_ref()).expect("rustls cuts keys"))))
    }

    fn aead_key_len(&self) -> usize {
        self.0.key_len()
    }
}

struct Texts(Arc<PacketKey>);

impl quic::PacketKey for Texts {
    fn encrypt_in_place(&self, number: u64, header: &[u8], payload: &mut [u8]) -> Result<Tag, Error> {
        let (key, header_len) = (Arc::clone(&self.0), header.len());
        let len = header_len + payload.len() + TAG_LEN;
        let written = Written { key, header_key: None, number, header_len, len };
        STATE.with_borrow_mut(|state| state.written.push(written));
        Ok(Tag::from(&[0; TAG_LEN][..]))
    }

    fn decrypt_in_place<'a>(
        &self,
        number: u64,
        header: &[u8],
        payload: &'a mut [u8],
    ) -> Result<&'a [u8], Error> {
        let (text, tag) = payload.split_last_chunk_mut().ok_or(Error::DecryptError)?;
        STATE.with_borrow_mut(|state| {
            if !state.is_open {
                self.0.open(number, header, text, tag).map_err(|_| Error::DecryptError)?;
                // A packet that was overtaken may be under a key that the peer uses no more.
                if header[0] & LONG_HEADER == 0 && number >= state.largest {
                    state.packet_key = Some((Arc::clone(&self.0), header[0] & KEY_PHASE));
                    state.largest = number;
                }
            }
            Ok(&*text)
        })
    }

    fn tag_len(&self) -> usize {
        TAG_LEN
    }

    fn confidentiality_limit(&self) -> u64 {
        self.0.confidentiality_limit()
    }

    fn integrity_limit(&self) -> u64 {
        self.0.integrity_limit()
    }
}

struct Headers(Arc<HeaderKey>);

impl quic::HeaderProtectionKey for Headers {
    fn encrypt_in_place(&self, _: &[u8], _: &mut u8, _: &mut [u8]) -> Result<(), Error> {
        STATE.with_borrow_mut(|state| {
            let written = state.written.last_mut().expect("a text was written before");
            written.header_key = Some(Arc::clone(&self.0));
        });
        Ok(())
    }

    fn decrypt_in_place(&self, sample: &[u8], first: &mut u8, number: &mut [u8]) -> Result<(), Error> {
        STATE.with_borrow_mut(|state| {
            if !state.is_open {
                if *first & LONG_HEADER == 0 {
                    state.header_key = Some(Arc::clone(&self.0));
                }
                let sample = sample.try_into().map_err(|_| Error::General("another sample".into()))?;
                unprotect_header(&self.0.mask(sample), first, number);
            }
            Ok(())
        })
    }

    fn sample_len(&self) -> usize {
        SAMPLE_LEN
    }
}
