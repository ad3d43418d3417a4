//! Alerts, closing, and transports that end or fail.

use crate::raw::{ALERT, DATA, HANDSHAKE, Peer};
use crate::scene::{Scene, all, data, failure, fatal, ignores, refuses, tls12, tls13, warning};
use keylane_tls::{Alert, Error};
use keylane_tls_checks::terms::Version;
use std::io::{BufRead, ErrorKind, Read, Write};

#[test]
fn an_alert_of_another_length_is_refused() {
    for setup in all() {
        for bytes in [&[1][..], &[2], &[1, 0, 1], &[1, 0, 1, 0], &[2, 40, 2, 40], &[1; 1000]] {
            refuses(setup, Alert::DECODE_ERROR, |peer| peer.record(ALERT, bytes));
        }
        refuses(setup, Alert::DECODE_ERROR, |peer| peer.records(&[(ALERT, &[1]), (ALERT, &[0])]));
    }
}

/// Checks that the alert ends the connection, without a reply.
fn is_fatal(scene: &mut Scene, level: u8, alert: Alert) {
    scene.deliver(|peer| [peer.record(DATA, b"before"), peer.record(ALERT, &[level, alert.0])].concat());
    scene.expect_data(b"before");
    assert_eq!(scene.expect_failure(), (ErrorKind::ConnectionAborted, Error::AlertReceived(alert)));
    assert_eq!(scene.peer.hear(), []);
    scene.expect_mute();
}

#[test]
fn a_fatal_alert_ends_the_connection_in_silence() {
    for setup in all() {
        for alert in [Alert::HANDSHAKE_FAILURE, Alert::BAD_RECORD_MAC, Alert::INTERNAL_ERROR, Alert(199)] {
            is_fatal(&mut Scene::new(setup), 2, alert);
        }
    }
}

#[test]
fn tls13_ignores_the_level() {
    for setup in tls13() {
        for level in [0, 1, 3, 255] {
            is_fatal(&mut Scene::new(setup), level, Alert::UNRECOGNIZED_NAME);
            ignores(setup, |peer| peer.record(ALERT, &[level, Alert::USER_CANCELED.0]));
            let mut scene = Scene::new(setup);
            scene.deliver(|peer| peer.record(ALERT, &[level, 0]));
            scene.expect_end();
        }
    }
}

#[test]
fn tls12_goes_by_the_level() {
    for setup in tls12() {
        for alert in [Alert::UNRECOGNIZED_NAME, Alert::USER_CANCELED, Alert::NO_RENEGOTIATION, Alert(199)] {
            ignores(setup, |peer| peer.record(ALERT, &[1, alert.0]));
        }
        is_fatal(&mut Scene::new(setup), 2, Alert::USER_CANCELED);
        for level in [0, 3, 255] {
            for alert in [Alert::CLOSE_NOTIFY, Alert::HANDSHAKE_FAILURE] {
                refuses(setup, Alert::ILLEGAL_PARAMETER, |peer| peer.record(ALERT, &[level, alert.0]));
            }
        }
    }
}

#[test]
fn a_close_notify_of_any_level_ends_the_data() {
    for setup in all() {
        for records in [&[&[1, 0][..]][..], &[&[2, 0]], &[&[1, 90], &[1, 0]]] {
            let mut scene = Scene::new(setup);
            let alerts = records.iter().map(|&text| (ALERT, text)).collect::<Vec<_>>();
            scene.deliver(|peer| peer.records(&alerts));
            scene.expect_end();
            assert_eq!(scene.peer.hear(), []);
        }
    }
}

/// Returns records after a close_notify, which must be ignored.
fn after_the_end() -> Vec<fn(&mut Peer) -> Vec<u8>> {
    vec![
        |_| vec![],
        |peer| peer.record(DATA, b"late"),
        |peer| peer.forged(b"late"),
        |peer| peer.record(ALERT, &[2, 40]),
        |peer| peer.record(HANDSHAKE, &[24, 0, 0, 1, 1]),
        |_| vec![0xff; 40_000],
    ]
}

#[test]
fn what_follows_a_close_notify_is_ignored() {
    for setup in all() {
        for after in after_the_end() {
            let mut scene = Scene::new(setup);
            scene.deliver(|peer| [peer.record(DATA, b"last"), peer.close_notify(), after(peer)].concat());
            scene.expect_data(b"last");
            scene.expect_end();
            scene.deliver(after);
            scene.wire.state().ended = true;
            scene.expect_end();
            // The other direction stays open, and there was no reply to the ignored records.
            assert_eq!(scene.peer.hear(), []);
            scene.live.write_all(b"still here").unwrap();
            scene.live.close().unwrap();
            assert_eq!(scene.peer.hear(), [data(b"still here"), warning(Alert::CLOSE_NOTIFY)]);
            scene.expect_mute();
        }
    }
}

#[test]
fn after_our_close_we_read_on() {
    for setup in all() {
        let mut scene = Scene::new(setup);
        scene.live.write_all(b"all").unwrap();
        scene.live.close().unwrap();
        assert_eq!(scene.peer.hear(), [data(b"all"), warning(Alert::CLOSE_NOTIFY)]);
        scene.expect_mute();
        let mut answer = scene.peer.record(DATA, b"long ");
        if setup.terms.version == Version::Tls13 {
            // It cannot be answered any more, but it is not an error.
            answer.append(&mut scene.peer.key_update(1));
        }
        answer.append(&mut scene.peer.record(DATA, b"answer"));
        answer.append(&mut scene.peer.close_notify());
        scene.peer.send(&answer);
        let mut text = String::new();
        scene.live.read_to_string(&mut text).unwrap();
        assert_eq!(text, "long answer");
        scene.expect_end();
        assert_eq!(scene.peer.hear(), []);
    }
}

#[test]
fn after_our_close_a_broken_peer_hears_nothing_more() {
    for setup in all() {
        let mut scene = Scene::new(setup);
        scene.live.close().unwrap();
        assert_eq!(scene.peer.hear(), [warning(Alert::CLOSE_NOTIFY)]);
        scene.deliver(|peer| peer.forged(b"bad"));
        assert_eq!(scene.expect_failure().0, ErrorKind::InvalidData);
        scene.expect_mute();
    }
}

#[test]
fn a_close_that_would_block_is_sent_once() {
    for setup in all() {
        let mut scene = Scene::new(setup);
        for room in [0, 3] {
            scene.wire.state().room = room;
            assert_eq!(scene.live.close().unwrap_err().kind(), ErrorKind::WouldBlock);
        }
        scene.wire.state().room = usize::MAX;
        scene.live.close().unwrap();
        scene.live.close().unwrap();
        assert_eq!(scene.peer.hear(), [warning(Alert::CLOSE_NOTIFY)]);
    }
}

/// Nothing is lost with the connection, unless data was still to be sent.
#[test]
fn a_transport_that_is_not_connected_is_closed() {
    for setup in all() {
        let mut scene = Scene::new(setup);
        scene.live.write_all(b"all").unwrap();
        scene.wire.state().write_error = Some(ErrorKind::NotConnected);
        scene.live.close().unwrap();
        scene.live.close().unwrap();

        let scene = Scene::new(setup);
        scene.wire.state().write_error = Some(ErrorKind::NotConnected);
        let second = scene.wire.clone();
        let (_reader, mut half) = scene.live.into_split(second);
        half.close().unwrap();

        // It is lost while the alert waits for room.
        let mut scene = Scene::new(setup);
        scene.wire.state().room = 5;
        assert_eq!(scene.live.close().unwrap_err().kind(), ErrorKind::WouldBlock);
        scene.wire.state().write_error = Some(ErrorKind::NotConnected);
        scene.live.close().unwrap();

        let mut scene = Scene::new(setup);
        scene.wire.state().room = 5;
        assert_eq!(scene.live.write(b"lost").unwrap(), 4);
        scene.wire.state().write_error = Some(ErrorKind::NotConnected);
        for _ in 0..2 {
            assert_eq!(scene.live.close().unwrap_err().kind(), ErrorKind::NotConnected);
        }
    }
}

#[test]
fn a_missing_close_notify_is_truncation_in_both_roles() {
    for setup in all() {
        for len in [0, 1, 4, 5, 6, 20] {
            let mut scene = Scene::new(setup);
            scene
                .deliver(|peer| [peer.record(DATA, b"before"), peer.close_notify()[..len].to_vec()].concat());
            scene.wire.state().ended = true;
            scene.expect_data(b"before");
            assert_eq!(scene.expect_failure(), (ErrorKind::UnexpectedEof, Error::Truncated));
            // Whether the peer still receives this depends on its transport.
            scene.live.write_all(b"half open").unwrap();
            assert_eq!(scene.peer.hear(), [data(b"half open")]);
        }
    }
}

#[test]
fn truncation_is_allowed_on_request_but_not_within_a_record() {
    for setup in all() {
        for (len, clean) in [(0, true), (1, false), (5, false), (20, false)] {
            let mut scene = Scene::with_options(setup, |options| options.allow_truncation = true);
            scene.deliver(|peer| {
                [peer.record(DATA, b"before"), peer.record(DATA, b"cut")[..len].to_vec()].concat()
            });
            scene.wire.state().ended = true;
            scene.expect_data(b"before");
            if clean {
                scene.expect_end();
            } else {
                assert_eq!(scene.expect_failure(), (ErrorKind::UnexpectedEof, Error::Truncated));
            }
        }
    }
}

#[test]
fn the_transports_own_errors_pass_through_and_break_nothing() {
    for setup in all() {
        let mut scene = Scene::new(setup);
        for kind in [ErrorKind::ConnectionReset, ErrorKind::TimedOut, ErrorKind::WouldBlock, ErrorKind::Other]
        {
            let record = scene.peer.record(DATA, b"in two halves");
            let (half, rest) = record.split_at(12);
            scene.peer.send(half);
            scene.expect_nothing();
            scene.wire.state().read_errors = vec![kind];
            let error = scene.live.read(&mut [0; 100]).unwrap_err();
            assert_eq!(error.kind(), kind);
            assert!(Error::of(&error).is_none());
            scene.peer.send(rest);
            scene.expect_data(b"in two halves");
        }
        scene.wire.state().read_errors = vec![ErrorKind::Interrupted; 3];
        scene.expect_alive();
        // The two ways in which systems say that a socket has no room in time: the bytes are taken, once.
        for kind in [ErrorKind::TimedOut, ErrorKind::WouldBlock] {
            scene.wire.state().write_error = Some(kind);
            assert_eq!(scene.live.write(b"later").unwrap(), 5);
            scene.wire.state().write_error = None;
            scene.live.flush().unwrap();
            assert_eq!(scene.peer.hear(), [data(b"later")]);
        }
        scene.wire.state().write_error = Some(ErrorKind::ConnectionReset);
        let error = scene.live.write(b"lost").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionReset);
        assert!(Error::of(&error).is_none());
    }
}

#[test]
fn an_alert_that_cannot_be_sent_does_not_hide_the_error() {
    for setup in all() {
        for (room, write_error) in [(0, None), (usize::MAX, Some(ErrorKind::BrokenPipe))] {
            let mut scene = Scene::new(setup);
            scene.wire.state().room = room;
            scene.wire.state().write_error = write_error;
            scene.deliver(|peer| peer.forged(b"bad"));
            let (kind, error) = scene.expect_failure();
            assert_eq!((kind, error.alert_sent()), (ErrorKind::InvalidData, Some(Alert::BAD_RECORD_MAC)));
            scene.wire.state().room = usize::MAX;
            scene.wire.state().write_error = None;
            // Only the alert is sent, as soon as possible.
            assert_eq!(failure(scene.live.write(b"unheard")).0, ErrorKind::BrokenPipe);
            assert_eq!(scene.peer.hear(), [fatal(Alert::BAD_RECORD_MAC)]);
            scene.expect_mute();
        }
    }
}

#[test]
fn dropping_a_stream_sends_nothing() {
    for setup in all() {
        let Scene { live, mut peer, .. } = Scene::new(setup);
        drop(live);
        assert_eq!(peer.hear(), []);
    }
}

#[test]
fn a_close_after_the_last_data_is_known_with_it() {
    for setup in all() {
        let mut scene = Scene::new(setup);
        scene.wire.state().segment = usize::MAX;
        scene.deliver(|peer| [peer.record(DATA, b"last"), peer.close_notify()].concat());
        assert!(!scene.live.peer_closed());
        // The close is known before the data is consumed, after one read of the transport.
        let reads = scene.wire.state().reads;
        assert_eq!(scene.live.fill_buf().unwrap(), b"last");
        assert!(scene.live.peer_closed());
        scene.live.consume(2);
        assert_eq!(scene.live.fill_buf().unwrap(), b"st");
        scene.live.consume(2);
        scene.expect_end();
        assert_eq!(scene.wire.state().reads, reads + 1);
    }
}

#[test]
fn a_padded_close_is_known_when_the_data_is_consumed() {
    for setup in tls13() {
        let mut scene = Scene::new(setup);
        scene.wire.state().segment = usize::MAX;
        scene.deliver(|peer| [peer.record(DATA, b"last"), peer.padded(ALERT, &[1, 0], 100)].concat());
        let reads = scene.wire.state().reads;
        assert_eq!(scene.live.fill_buf().unwrap(), b"last");
        scene.live.consume(3);
        assert!(!scene.live.peer_closed());
        scene.live.consume(1);
        assert!(scene.live.peer_closed());
        scene.expect_end();
        assert_eq!(scene.wire.state().reads, reads + 1);
    }
}

#[test]
fn a_short_record_that_looks_like_a_close_is_data() {
    for setup in all() {
        let mut scene = Scene::new(setup);
        let two = scene.peer.records(&[(DATA, b"one"), (DATA, &[1, 0]), (DATA, b"three"), (DATA, &[1, 0])]);
        scene.deliver(|peer| [two, peer.close_notify()].concat());
        let mut all = Vec::new();
        scene.live.read_to_end(&mut all).unwrap();
        assert_eq!(all, b"one\x01\x00three\x01\x00");
        scene.expect_end();
    }
}

#[test]
fn data_without_a_close_after_it_is_data() {
    for setup in all() {
        let mut scene = Scene::new(setup);
        scene.deliver(|peer| peer.record(DATA, b"some"));
        assert_eq!(scene.live.fill_buf().unwrap(), b"some");
        scene.live.consume(4);
        assert!(!scene.live.peer_closed());
        // Half of a close_notify is not one.
        let close = scene.peer.close_notify();
        scene.peer.send(&close[..close.len() - 1]);
        scene.expect_nothing();
        assert!(!scene.live.peer_closed());
        scene.peer.send(&close[close.len() - 1..]);
        scene.expect_end();
    }
}
