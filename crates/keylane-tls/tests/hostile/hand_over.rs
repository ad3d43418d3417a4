//! Bytes that follow the handshake in the same read belong to the session: none are lost between rustls and
//! the stream.

use crate::raw::{ALERT, DATA};
use crate::scene::{Scene, Setup, all, data, key_update};
use keylane_tls::session::Side;
use keylane_tls::{Alert, Error};
use keylane_tls_checks::terms::Version;
use std::io::{ErrorKind, Read, Write};

/// Returns the setups in which the peer sends the handshake's last flight.
fn peer_is_last() -> impl Iterator<Item = Setup> {
    all().filter(|setup| (setup.terms.version == Version::Tls13) == (setup.live == Side::Server))
}

#[test]
fn data_and_a_close_after_the_handshake() {
    for setup in peer_is_last() {
        let mut scene = Scene::with_early(setup, |peer| {
            let data = peer.records(&[(DATA, b"one "), (DATA, b""), (DATA, &[7; 1 << 14]), (DATA, b" two")]);
            [data, peer.close_notify()].concat()
        });
        let mut received = Vec::new();
        scene.live.read_to_end(&mut received).unwrap();
        assert_eq!(received, [&b"one "[..], &[7; 1 << 14], b" two"].concat());
        scene.expect_end();
        scene.live.write_all(b"an answer").unwrap();
        assert_eq!(scene.peer.hear(), [data(b"an answer")]);
    }
}

#[test]
fn a_key_update_after_the_handshake() {
    for setup in peer_is_last().filter(|setup| setup.terms.version == Version::Tls13) {
        let mut scene = Scene::with_early(setup, |peer| {
            [peer.record(DATA, b"old "), peer.key_update(1), peer.record(DATA, b"new")].concat()
        });
        let mut received = [0; 7];
        scene.live.read_exact(&mut received).unwrap();
        assert_eq!(&received, b"old new");
        scene.expect_nothing();
        assert_eq!(scene.peer.hear(), [key_update(0)]);
        scene.expect_alive();
    }
}

#[test]
fn half_a_record_after_the_handshake() {
    for setup in peer_is_last() {
        let mut rest = Vec::new();
        let mut scene = Scene::with_early(setup, |peer| {
            let mut record = peer.record(DATA, b"two halves");
            rest = record.split_off(9);
            record
        });
        scene.expect_nothing();
        scene.peer.send(&rest);
        scene.expect_data(b"two halves");
        scene.expect_alive();
    }
}

#[test]
fn a_violation_right_after_the_handshake() {
    for setup in peer_is_last() {
        Scene::with_early(setup, |peer| peer.forged(b"bad")).expect_refusal(Alert::BAD_RECORD_MAC);
        let other = |_: &mut crate::raw::Peer| vec![24, 3, 3, 0, 100];
        Scene::with_early(setup, other).expect_refusal(Alert::UNEXPECTED_MESSAGE);
        let mut scene = Scene::with_early(setup, |peer| peer.record(ALERT, &[2, 80]));
        let received = Error::AlertReceived(Alert::INTERNAL_ERROR);
        assert_eq!(scene.expect_failure(), (ErrorKind::ConnectionAborted, received));
        scene.expect_mute();
    }
}
