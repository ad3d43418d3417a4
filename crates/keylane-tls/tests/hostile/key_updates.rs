//! Exhausted keys and renewed keys.

use crate::raw::{DATA, HANDSHAKE, Heard};
use crate::scene::{Scene, all, data, failure, fatal, key_update, refuses, tls12, tls13, warning};
use keylane_tls::record::ContentType;
use keylane_tls::{Alert, Error};
use std::io::{BufRead, ErrorKind, IoSlice, Read, Write};

/// Returns all data that a peer has received, and the number of KeyUpdates.
fn sorted(heard: &[Heard]) -> (Vec<u8>, usize) {
    let of = |kind| heard.iter().filter(move |(content, _)| *content == kind);
    let text = of(ContentType::ApplicationData).flat_map(|(_, text)| text.clone()).collect();
    (text, of(ContentType::Handshake).count())
}

#[test]
fn tls13_renews_its_keys_with_the_last_record_that_they_may_seal() {
    for setup in tls13() {
        // With one record per key, there would be only key updates: 0 and 1 count as 2.
        for (limit, records) in [(0, 2), (1, 2), (2, 2), (5, 5)] {
            let mut scene = Scene::with_options(setup, |options| options.records_per_key = limit);
            for number in 0..100_u32 {
                scene.live.write_all(&number.to_be_bytes()).unwrap();
            }
            let heard = scene.peer.hear();
            let mut number = 0_u32;
            for (place, record) in heard.iter().enumerate() {
                if (place + 1) % records == 0 {
                    // The peer answers none, so only the first asks.
                    assert_eq!(*record, key_update(u8::from(place < records)));
                } else {
                    assert_eq!(*record, data(&number.to_be_bytes()));
                    number += 1;
                }
            }
            assert_eq!(number, 100);
        }
    }
}

#[test]
fn a_tls12_connection_ends_with_its_keys() {
    for setup in tls12() {
        for limit in [2, 5] {
            let mut scene = Scene::with_options(setup, |options| options.records_per_key = limit);
            for _ in 1..limit {
                scene.live.write_all(b"data").unwrap();
            }
            let said = (0..limit - 1).map(|_| data(b"data")).collect::<Vec<_>>();
            assert_eq!(scene.peer.hear(), said);
            let exhausted = (ErrorKind::BrokenPipe, Error::KeysExhausted);
            assert_eq!(failure(scene.live.write(b"too many")), exhausted);
            // The peer is informed without another call.
            assert_eq!(scene.peer.hear(), [warning(Alert::CLOSE_NOTIFY)]);
            assert_eq!(failure(scene.live.write(b"too many")), exhausted);
            scene.live.close().unwrap();
            assert_eq!(scene.peer.hear(), []);
            scene.deliver(|peer| peer.record(DATA, b"the other direction stands"));
            scene.expect_data(b"the other direction stands");
        }
    }
}

#[test]
fn a_long_write_in_tls12_returns_how_much_was_taken() {
    for setup in tls12() {
        let mut scene = Scene::with_options(setup, |options| options.records_per_key = 3);
        let sent = vec![7; 60_000];
        let written = scene.live.write(&sent).unwrap();
        assert!(written < sent.len());
        let heard = scene.peer.hear();
        assert_eq!(heard.len(), 3);
        assert_eq!(heard[2], warning(Alert::CLOSE_NOTIFY));
        assert_eq!(sorted(&heard).0.len(), written);
        assert_eq!(failure(scene.live.write(&sent[written..])).1, Error::KeysExhausted);
    }
}

#[test]
fn the_last_record_can_be_an_alert() {
    for setup in all() {
        let mut scene = Scene::with_options(setup, |options| options.records_per_key = 2);
        scene.live.write_all(b"first").unwrap();
        assert_eq!(scene.peer.hear(), [data(b"first")]);
        scene.deliver(|peer| peer.forged(b"bad"));
        scene.expect_refusal(Alert::BAD_RECORD_MAC);
    }
}

/// An update that came before the request answers nothing.
#[test]
fn a_request_after_an_own_update_is_answered() {
    for setup in tls13() {
        let mut scene = Scene::new(setup);
        scene.live.update_keys(false).unwrap();
        scene.deliver(|peer| peer.key_update(1));
        scene.expect_nothing();
        assert_eq!(scene.peer.hear(), [key_update(0), key_update(0)]);
        scene.expect_alive();
    }
}

#[test]
fn the_old_keys_are_refused_after_a_key_update() {
    for setup in tls13() {
        refuses(setup, Alert::BAD_RECORD_MAC, |peer| {
            let update = peer.record(HANDSHAKE, &[24, 0, 0, 1, 0]);
            [update, peer.record(DATA, b"under old keys")].concat()
        });
        refuses(setup, Alert::BAD_RECORD_MAC, |peer| {
            peer.renew_keys();
            peer.record(DATA, b"under keys that were not announced")
        });
    }
}

#[test]
fn many_key_updates_with_data_between_them_are_accepted() {
    for setup in tls13() {
        let mut scene = Scene::new(setup);
        for round in 0..200_u32 {
            scene.deliver(|peer| {
                [peer.key_update((round % 2) as u8), peer.record(DATA, &round.to_be_bytes())].concat()
            });
            scene.expect_data(&round.to_be_bytes());
            scene.expect_nothing();
            // Every second update requests one, and the stream writes after every fourth.
            let answer = if round % 4 == 1 { vec![key_update(0)] } else { vec![] };
            assert_eq!(scene.peer.hear(), answer);
            if round % 4 == 3 {
                scene.expect_alive();
            }
        }
    }
}

/// RFC 8446 §4.6.3: an end that is not sending answers several requests by one update, however the bytes
/// arrive and whatever comes in between.
#[test]
fn requests_to_a_silent_end_get_one_answer() {
    for setup in tls13() {
        for (one_by_one, between) in [(false, None), (true, None), (false, Some("")), (true, Some("data"))] {
            let mut scene = Scene::new(setup);
            for _ in 0..2 {
                for _ in 0..5 {
                    scene.deliver(|peer| peer.key_update(1));
                    if let Some(text) = between {
                        scene.deliver(|peer| peer.record(DATA, text.as_bytes()));
                    }
                    if one_by_one {
                        between.inspect(|text| scene.expect_data(text.as_bytes()));
                        scene.expect_nothing();
                    }
                }
                scene.expect_nothing();
                assert_eq!(scene.peer.hear(), [key_update(0)]);
                // An own update is neither data nor a reply, nor is a write of nothing.
                assert_eq!(scene.live.write(b"").unwrap(), 0);
                scene.live.update_keys(false).unwrap();
                scene.live.flush().unwrap();
                scene.deliver(|peer| peer.key_update(1));
                scene.expect_nothing();
                assert_eq!(scene.peer.hear(), [key_update(0)]);
                // A request after this data is a new one.
                scene.expect_alive();
            }
        }
    }
}

/// As BoGo's peer, which expects one reply to five requests, and then data.
#[test]
fn requests_that_come_while_a_write_is_unfinished_get_one_answer() {
    for setup in tls13() {
        let mut scene = Scene::new(setup);
        for _ in 0..5 {
            scene.wire.state().room = 7;
            assert_eq!(scene.live.write(b"cut in two").unwrap(), 10);
            for _ in 0..5 {
                scene.deliver(|peer| peer.key_update(1));
                scene.expect_nothing();
            }
            scene.wire.state().room = usize::MAX;
            scene.deliver(|peer| peer.record(DATA, b"go on"));
            scene.expect_data(b"go on");
            scene.live.write_all(b"echo").unwrap();
            assert_eq!(scene.peer.hear(), [data(b"cut in two"), key_update(0), data(b"echo")]);
        }
    }
}

#[test]
fn one_answer_waits_at_most() {
    for setup in tls13() {
        // At first, none or a part of the reply is sent.
        for room in [0, 1, 26] {
            let mut scene = Scene::new(setup);
            scene.wire.state().room = room;
            // With data in between, the peer may send any number of requests.
            for _ in 0..100 {
                scene.deliver(|peer| [peer.key_update(1), peer.record(DATA, b"go on")].concat());
                scene.expect_data(b"go on");
                scene.expect_nothing();
            }
            assert_eq!(scene.peer.hear(), []);
            scene.wire.state().room = usize::MAX;
            // A read is enough.
            scene.expect_nothing();
            assert_eq!(scene.peer.hear(), [key_update(0)]);
            scene.expect_alive();
            scene.deliver(|peer| peer.key_update(1));
            scene.expect_nothing();
            assert_eq!(scene.peer.hear(), [key_update(0)]);
            scene.expect_alive();
        }
    }
}

/// A request comes while the transport has taken a part of a write, or of the reply.
macro_rules! a_reply_waits {
    ($reader:expr, $writer:expr, $peer:expr, $wire:expr, $case:expr) => {{
        let (room, request_first, lent) = $case;
        $wire.state().segment = usize::MAX;
        $wire.state().room = room;
        assert_eq!($writer.write(b"first").unwrap(), 5);
        let bytes = if request_first {
            [$peer.key_update(1), $peer.record(DATA, b"a read goes on")]
        } else {
            [$peer.record(DATA, b"a read goes on"), $peer.key_update(1)]
        };
        $peer.send(&bytes.concat());
        if lent {
            assert_eq!($reader.fill_buf().unwrap(), b"a read goes on");
            $reader.consume(14);
        } else {
            $reader.read_exact(&mut [0; 14]).unwrap();
        }
        assert_eq!($writer.write(b"refused").unwrap_err().kind(), ErrorKind::WouldBlock);
        assert_eq!($reader.read(&mut [0]).unwrap_err().kind(), ErrorKind::WouldBlock);
        let mut heard = $peer.hear();
        $wire.state().room = usize::MAX;
        assert_eq!($reader.read(&mut [0]).unwrap_err().kind(), ErrorKind::WouldBlock);
        heard.extend($peer.hear());
        assert_eq!(heard, [data(b"first"), key_update(0)]);
        $writer.write_all(b"second").unwrap();
        assert_eq!($peer.hear(), [data(b"second")]);
    }};
}

#[test]
fn a_reply_waits_after_data_and_before_the_next_write() {
    for setup in tls13() {
        for room in [1, 10, 26, 28, 40] {
            for (request_first, lent) in [(true, true), (true, false), (false, true), (false, false)] {
                let case = (room, request_first, lent);
                let mut scene = Scene::new(setup);
                a_reply_waits!(scene.live, scene.live, scene.peer, scene.wire, case);
                let Scene { live, mut peer, wire, .. } = Scene::new(setup);
                let (mut reader, mut writer) = live.into_split(wire.clone());
                a_reply_waits!(reader, writer, peer, wire, case);
            }
        }
    }
}

/// RFC 8446 §4.6.3: the reply comes before the next data. The reader has processed the request before it
/// writes, wherever in the same read it was.
#[test]
fn an_answer_comes_before_what_the_reader_writes_next() {
    for setup in tls13() {
        for request_first in [true, false] {
            for read in ["lent", "to a buffer that it fills", "to a larger one"] {
                let mut scene = Scene::new(setup);
                scene.wire.state().segment = usize::MAX;
                scene.deliver(|peer| {
                    if request_first {
                        [peer.key_update(1), peer.record(DATA, b"question")]
                    } else {
                        [peer.record(DATA, b"question"), peer.key_update(1)]
                    }
                    .concat()
                });
                match read {
                    "lent" => {
                        assert_eq!(scene.live.fill_buf().unwrap(), b"question");
                        scene.live.consume(8);
                    }
                    "to a buffer that it fills" => scene.live.read_exact(&mut [0; 8]).unwrap(),
                    _ => scene.expect_data(b"question"),
                }
                scene.live.write_all(b"answer").unwrap();
                assert_eq!(scene.peer.hear(), [key_update(0), data(b"answer")]);
                scene.expect_alive();
            }
        }
    }
}

#[test]
fn key_update_requests_that_cross_end() {
    for setup in tls13() {
        let mut scene = Scene::new(setup);
        scene.live.update_keys(true).unwrap();
        scene.deliver(|peer| peer.key_update(1));
        scene.live.write_all(b"not waiting").unwrap();
        scene.expect_nothing();
        assert_eq!(scene.peer.hear(), [key_update(1), data(b"not waiting"), key_update(0)]);
        scene.deliver(|peer| peer.key_update(0));
        scene.expect_nothing();
        assert_eq!(scene.peer.hear(), []);
        scene.expect_alive();
    }
}

/// RFC 9846 §4.7.3, whoever renews the keys.
#[test]
fn a_peer_that_has_not_answered_is_not_asked_again() {
    for setup in tls13() {
        let mut scene = Scene::with_options(setup, |options| options.records_per_key = 4);
        for _ in 0..3 {
            scene.live.update_keys(true).unwrap();
            scene.live.update_keys(true).unwrap();
            for _ in 0..20 {
                scene.live.write_all(b"data").unwrap();
            }
            let heard = scene.peer.hear();
            assert_eq!(heard[..2], [key_update(1), key_update(0)]);
            assert!(!heard[2..].contains(&key_update(1)));
            assert_eq!(sorted(&heard), (b"data".repeat(20), 2 + 6));
            scene.deliver(|peer| peer.key_update(0));
            scene.expect_nothing();
        }
    }
}

#[test]
fn an_own_renewal_goes_out_with_the_next_write_or_flush() {
    for setup in tls13() {
        for request in [false, true] {
            let mut scene = Scene::new(setup);
            scene.live.update_keys(request).unwrap();
            assert_eq!(scene.peer.hear(), []);
            scene.live.flush().unwrap();
            assert_eq!(scene.peer.hear(), [key_update(u8::from(request))]);
            scene.expect_alive();
        }
    }
    for setup in tls12() {
        let mut scene = Scene::new(setup);
        assert_eq!(scene.live.update_keys(true).unwrap_err().kind(), ErrorKind::InvalidInput);
        scene.expect_alive();
    }
}

#[test]
fn an_empty_write_seals_no_record() {
    for setup in all() {
        let mut scene = Scene::new(setup);
        let empty = [IoSlice::new(b""), IoSlice::new(b"")];
        assert_eq!(scene.live.write(b"").unwrap(), 0);
        assert_eq!(scene.live.write_vectored(&[]).unwrap(), 0);
        assert_eq!(scene.live.write_vectored(&empty).unwrap(), 0);
        scene.live.flush().unwrap();
        assert_eq!(scene.peer.hear(), []);
        let some = [IoSlice::new(b""), IoSlice::new(b"a"), IoSlice::new(b""), IoSlice::new(b"b")];
        assert_eq!(scene.live.write_vectored(&some).unwrap(), 2);
        assert_eq!(scene.peer.hear(), [data(b"ab")]);
        // More than the slices of a record.
        let many = [&[IoSlice::new(b""); 100][..], &[IoSlice::new(b"c")]].concat();
        assert_eq!(scene.live.write_vectored(&many).unwrap(), 1);
        assert_eq!(scene.peer.hear(), [data(b"c")]);
    }
}

#[test]
fn alerts_are_sent_between_records_never_inside() {
    for setup in all() {
        // The transport takes a part of a record, then the peer violates the protocol.
        for room in [1, 5, 20] {
            let mut scene = Scene::new(setup);
            scene.wire.state().room = room;
            assert_eq!(scene.live.write(b"cut in two").unwrap(), 10);
            scene.deliver(|peer| peer.forged(b"bad"));
            let (_, error) = scene.expect_failure();
            assert_eq!(error.alert_sent(), Some(Alert::BAD_RECORD_MAC));
            scene.wire.state().room = usize::MAX;
            scene.live.flush().unwrap();
            assert_eq!(scene.peer.hear(), [data(b"cut in two"), fatal(Alert::BAD_RECORD_MAC)]);
            scene.expect_mute();
        }
    }
}
