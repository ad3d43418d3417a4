//! Everything that is allowed, in random order: all data arrives, however the bytes are cut and however the
//! caller reads.

use crate::raw::{ALERT, DATA, HANDSHAKE, Peer};
use crate::scene::{Scene, all};
use keylane_contracts::Random;
use keylane_tls_checks::terms::Version;
use std::io::{self, BufRead, ErrorKind, Write};

fn pick<T: Copy>(random: &mut Random, from: &[T]) -> T {
    from[random.below(from.len())]
}

/// Returns a few records below the limits of records without data, followed by data; the data; and whether
/// there was a request for new keys.
fn batch(random: &mut Random, peer: &mut Peer, tls13: bool) -> (Vec<u8>, Vec<u8>, bool) {
    let (mut bytes, mut text, mut asks) = (Vec::new(), Vec::new(), false);
    for _ in 0..random.below(4) {
        let mut record = match random.below(4) {
            0 if tls13 => {
                let request = random.below(2) as u8;
                asks |= request == 1;
                peer.key_update(request)
            }
            0 | 1 => peer.record(ALERT, &[1, 90]),
            2 => peer.padded(DATA, b"", pick(random, &[0, 2, 1000])),
            _ if tls13 => {
                let halves = peer.records(&[(HANDSHAKE, &[24, 0]), (HANDSHAKE, &[0, 1, 0])]);
                peer.renew_keys();
                halves
            }
            _ => peer.record(DATA, b""),
        };
        bytes.append(&mut record);
    }
    for _ in 0..=random.below(3) {
        // Encrypted, two bytes look like an alert.
        let len = pick(random, &[1, 2, 2, 2, 3, 100, 1000, 5000, 1 << 14]);
        let piece: Vec<u8> = (0..len).map(|i| (i * 7 + text.len()) as u8).collect();
        let padding = pick(random, &[0, 0, 0, 1, 16]).min((1 << 14) - len);
        bytes.append(&mut peer.padded(DATA, &piece, padding));
        text.extend(piece);
    }
    (bytes, text, asks)
}

/// Reads in one of several ways.
fn read_some(random: &mut Random, live: &mut impl BufRead, output: &mut Vec<u8>) -> io::Result<()> {
    let most = pick(random, &[1, 2, 3, 50, 5000, 40_000]);
    if random.below(2) == 0 {
        let mut buffer = vec![0; most];
        let len = live.read(&mut buffer)?;
        output.extend_from_slice(&buffer[..len]);
    } else {
        let data = live.fill_buf()?;
        let len = data.len().min(most);
        output.extend_from_slice(&data[..len]);
        live.consume(len);
    }
    Ok(())
}

#[test]
fn whatever_is_allowed_comes_through_in_any_order() {
    for (seed, setup) in all().enumerate() {
        let random = &mut Random::new(seed as u64);
        let tls13 = setup.terms.version == Version::Tls13;
        let mut scene = Scene::new(setup);
        for _ in 0..100 {
            let (mut bytes, mut expected, mut asked) = (Vec::new(), Vec::new(), false);
            for _ in 0..=random.below(3) {
                let (more, text, asks) = batch(random, &mut scene.peer, tls13);
                bytes.extend(more);
                expected.extend(text);
                asked |= asks;
            }
            scene.wire.state().segment = pick(random, &[7, 100, 1000, 20_000, usize::MAX]);
            scene.peer.send(&bytes);
            let mut received = Vec::new();
            let error = loop {
                if let Err(error) = read_some(random, &mut scene.live, &mut received) {
                    break error;
                }
            };
            assert_eq!(error.kind(), ErrorKind::WouldBlock, "{error}");
            assert!(received == expected);
            assert_eq!(scene.peer.hear().len(), usize::from(asked));
            // After this write, the next request is answered again.
            scene.live.write_all(b"data").unwrap();
            assert_eq!(scene.peer.hear().len(), 1);
        }
        scene.wire.state().segment = usize::MAX;
        scene.expect_alive();
    }
}
