//! Headers, lengths, padding, types, authentication.

use crate::raw::{ALERT, CHANGE_CIPHER_SPEC, DATA, HANDSHAKE, Peer};
use crate::scene::{Scene, Setup, all, failure, ignores, receives, refuses, tls12, tls13};
use keylane_tls::Alert;
use keylane_tls_checks::terms::{Cipher, Version};
use std::io::{BufRead, ErrorKind, Write};

const MAX: usize = 1 << 14;

/// Returns only a header, whose fields alone must end the connection.
fn header(kind: u8, version: [u8; 2], length: usize) -> Vec<u8> {
    vec![kind, version[0], version[1], (length >> 8) as u8, length as u8]
}

#[test]
fn a_record_of_another_type_is_refused_by_its_header() {
    for setup in all() {
        // Alerts and handshake messages are protected in TLS 1.3, and look like data (RFC 8446 §5).
        let protected: &[u8] = if setup.terms.version == Version::Tls13 { &[ALERT, HANDSHAKE] } else { &[] };
        for &kind in [0, CHANGE_CIPHER_SPEC, 24, 128, 255].iter().chain(protected) {
            refuses(setup, Alert::UNEXPECTED_MESSAGE, |_| header(kind, [3, 3], 100));
        }
    }
}

#[test]
fn a_whole_record_of_another_type_is_refused() {
    for setup in all() {
        refuses(setup, Alert::UNEXPECTED_MESSAGE, |_| vec![CHANGE_CIPHER_SPEC, 3, 3, 0, 1, 1]);
        refuses(setup, Alert::UNEXPECTED_MESSAGE, |peer| peer.seal(24, [3, 3], b"heartbeat"));
    }
    for setup in tls13() {
        // Anyone on the network can send these, so they must not be taken for the peer's.
        refuses(setup, Alert::UNEXPECTED_MESSAGE, |_| vec![ALERT, 3, 3, 0, 2, 2, 40]);
        refuses(setup, Alert::UNEXPECTED_MESSAGE, |_| vec![ALERT, 3, 3, 0, 2, 1, 0]);
        refuses(setup, Alert::UNEXPECTED_MESSAGE, |peer| peer.seal(ALERT, [3, 3], &[1, 0, ALERT]));
    }
}

#[test]
fn half_a_header_is_not_judged() {
    for setup in all() {
        let mut scene = Scene::new(setup);
        let record = scene.peer.record(DATA, b"whole");
        for byte in &record[..record.len() - 1] {
            scene.peer.send(&[*byte]);
            scene.expect_nothing();
        }
        scene.peer.send(&record[record.len() - 1..]);
        scene.expect_data(b"whole");
    }
}

/// Returns the maximum and the minimum length of a record's body.
fn limits(setup: Setup) -> (usize, usize) {
    match setup.terms.version {
        Version::Tls12 => (MAX + 2048, setup.terms.expansion()),
        Version::Tls13 => (MAX + 256, 16),
    }
}

#[test]
fn a_record_longer_than_the_protocol_allows_is_refused_by_its_header() {
    for setup in all() {
        let (longest, _) = limits(setup);
        for length in [longest + 1, 0xffff] {
            refuses(setup, Alert::RECORD_OVERFLOW, |_| header(DATA, [3, 3], length));
        }
        let mut scene = Scene::new(setup);
        scene.peer.send(&header(DATA, [3, 3], longest));
        scene.expect_nothing();
    }
}

#[test]
fn a_record_too_short_to_be_protected_is_refused_by_its_header() {
    for setup in all() {
        let (_, shortest) = limits(setup);
        for length in [0, 1, shortest - 1] {
            refuses(setup, Alert::BAD_RECORD_MAC, |_| header(DATA, [3, 3], length));
        }
        refuses(setup, Alert::BAD_RECORD_MAC, |_| {
            [header(DATA, [3, 3], shortest), vec![0; shortest]].concat()
        });
    }
    for setup in tls12() {
        // An alert that is not protected.
        refuses(setup, Alert::BAD_RECORD_MAC, |_| vec![ALERT, 3, 3, 0, 2, 1, 0]);
    }
}

#[test]
fn a_record_of_another_version_is_refused() {
    for setup in tls12() {
        for version in [[3, 1], [3, 2], [3, 4], [0, 0], [0xff, 0xff]] {
            refuses(setup, Alert::PROTOCOL_VERSION, |_| header(DATA, version, 100));
            refuses(setup, Alert::PROTOCOL_VERSION, |peer| peer.seal(DATA, version, b"data"));
        }
    }
    for setup in tls13() {
        // Ignored (RFC 8446 §5.1), but authentic.
        for version in [[3, 1], [3, 4], [0xff, 0xff]] {
            receives(setup, b"data", |peer| peer.seal(DATA, version, &[b"data", &[DATA][..]].concat()));
            refuses(setup, Alert::BAD_RECORD_MAC, |peer| {
                let mut record = peer.record(DATA, b"data");
                record[1..3].copy_from_slice(&version);
                record
            });
        }
    }
}

#[test]
fn a_plaintext_that_is_too_long_is_refused() {
    for setup in all() {
        let long = vec![7; MAX + 2048];
        receives(setup, &long[..MAX], |peer| peer.record(DATA, &long[..MAX]));
        // The limit of the body allows 240 bytes too many in TLS 1.3, and the whole expansion in TLS 1.2.
        let most = match setup.terms.version {
            Version::Tls12 => MAX + 2048 - setup.terms.expansion(),
            Version::Tls13 => MAX + 256 - 17,
        };
        for len in [MAX + 1, most] {
            for kind in [DATA, HANDSHAKE, ALERT] {
                refuses(setup, Alert::RECORD_OVERFLOW, |peer| peer.record(kind, &long[..len]));
            }
        }
    }
}

#[test]
fn padding_counts_towards_the_longest_plaintext() {
    for setup in tls13() {
        receives(setup, b"short", |peer| peer.padded(DATA, b"short", MAX - 5));
        for padding in [MAX - 4, MAX + 256 - 17 - 5] {
            refuses(setup, Alert::RECORD_OVERFLOW, |peer| peer.padded(DATA, b"short", padding));
        }
        refuses(setup, Alert::RECORD_OVERFLOW, |peer| peer.padded(DATA, &[7; MAX], 1));
    }
}

#[test]
fn padding_is_taken_off_and_nothing_else() {
    for setup in tls13() {
        for padding in [1, 15, 16, 17, 255, 1000] {
            receives(setup, b"data that ends with zeros\0\0", |peer| {
                peer.padded(DATA, b"data that ends with zeros\0\0", padding)
            });
        }
    }
}

#[test]
fn a_record_of_padding_only_has_no_type() {
    for setup in tls13() {
        for len in [0, 1, 15, 16, 17, 1000, MAX + 1] {
            refuses(setup, Alert::UNEXPECTED_MESSAGE, |peer| peer.seal(DATA, [3, 3], &vec![0; len]));
        }
    }
}

#[test]
fn an_unexpected_inner_type_is_refused() {
    for setup in tls13() {
        for kind in [1, CHANGE_CIPHER_SPEC, 24, 255] {
            refuses(setup, Alert::UNEXPECTED_MESSAGE, |peer| peer.record(kind, &[1]));
            refuses(setup, Alert::UNEXPECTED_MESSAGE, |peer| peer.padded(kind, b"", 20));
        }
    }
}

#[test]
fn empty_data_is_ignored() {
    for setup in all() {
        ignores(setup, |peer| peer.records(&[(DATA, b""), (DATA, b"")]));
        receives(setup, b"onetwo", |peer| {
            peer.records(&[(DATA, b""), (DATA, b"one"), (DATA, b""), (DATA, b"two"), (DATA, b"")])
        });
    }
    for setup in tls13() {
        ignores(setup, |peer| peer.padded(DATA, b"", MAX));
    }
}

#[test]
fn an_empty_alert_or_handshake_record_is_refused() {
    for setup in all() {
        for kind in [ALERT, HANDSHAKE] {
            refuses(setup, Alert::UNEXPECTED_MESSAGE, |peer| peer.record(kind, b""));
        }
    }
    for setup in tls13() {
        for kind in [ALERT, HANDSHAKE] {
            refuses(setup, Alert::UNEXPECTED_MESSAGE, |peer| peer.padded(kind, b"", 100));
        }
    }
}

/// Returns the ways in which a record can fail to be the next one of this connection.
fn forgeries() -> Vec<fn(&mut Peer) -> Vec<u8>> {
    vec![
        // A wrong tag.
        |peer| peer.forged(b"bad"),
        |peer| peer.forged(&[7; MAX]),
        // A changed text, or a changed explicit nonce.
        |peer| {
            let mut record = peer.record(DATA, b"bad");
            record[5] ^= 0x80;
            record
        },
        // A wrong length: the last byte is missing, or the following bytes are taken for its end.
        |peer| {
            let mut record = peer.record(DATA, b"bad");
            record[4] -= 1;
            record
        },
        |peer| {
            let mut record = peer.records(&[(DATA, b"bad"), (DATA, b"worse")]);
            record[4] += 1;
            record
        },
        // A missing record before it.
        |peer| {
            peer.record(DATA, b"lost");
            peer.record(DATA, b"bad")
        },
        // Also as an alert or a key update.
        |peer| {
            let mut record = peer.close_notify();
            *record.last_mut().unwrap() ^= 1;
            record
        },
        |peer| {
            let mut record = peer.record(HANDSHAKE, &[24, 0, 0, 1, 1]);
            *record.last_mut().unwrap() ^= 1;
            record
        },
        // Arbitrary bytes.
        |_| [&header(DATA, [3, 3], 100)[..], &[0x5a; 100]].concat(),
    ]
}

#[test]
fn a_record_that_does_not_authenticate_is_refused() {
    for setup in all() {
        for forgery in forgeries() {
            refuses(setup, Alert::BAD_RECORD_MAC, forgery);
        }
    }
}

#[test]
fn a_failure_after_the_data_stops_the_next_write() {
    for setup in all() {
        for lent in [true, false] {
            let mut scene = Scene::new(setup);
            scene.wire.state().segment = usize::MAX;
            scene.deliver(|peer| [peer.record(DATA, b"question"), peer.forged(b"bad")].concat());
            if lent {
                assert_eq!(scene.live.fill_buf().unwrap(), b"question");
                scene.live.consume(8);
            } else {
                scene.expect_data(b"question");
            }
            assert_eq!(failure(scene.live.write(b"answer")).0, ErrorKind::BrokenPipe);
            scene.expect_refusal(Alert::BAD_RECORD_MAC);
        }
    }
}

#[test]
fn a_replay_is_refused() {
    for setup in all() {
        let mut scene = Scene::new(setup);
        let record = scene.peer.record(DATA, b"once");
        scene.peer.send(&record);
        scene.expect_data(b"once");
        scene.peer.send(&record);
        scene.expect_refusal(Alert::BAD_RECORD_MAC);
    }
}

#[test]
fn tls12_a_record_relabelled_is_refused() {
    for setup in tls12() {
        for (kind, label) in [(DATA, ALERT), (ALERT, DATA), (HANDSHAKE, DATA)] {
            refuses(setup, Alert::BAD_RECORD_MAC, |peer| {
                let mut record = peer.record(kind, &[2, 40]);
                record[0] = label;
                record
            });
        }
    }
}

#[test]
fn tls12_takes_the_nonce_that_a_record_carries() {
    for setup in tls12().filter(|setup| setup.terms.cipher == Cipher::Aes128Gcm) {
        receives(setup, b"one two three", |peer| {
            let one = peer.record(DATA, b"one ");
            peer.choose_nonces([0xff; 8]);
            let two = peer.record(DATA, b"two ");
            peer.choose_nonces([0; 8]);
            [one, two, peer.record(DATA, b"three")].concat()
        });
    }
}
