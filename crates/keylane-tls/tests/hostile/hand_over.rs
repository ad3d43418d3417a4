//! Violations in the bytes that follow the handshake in the same read. `tests/handover/hazards.rs` tests what
//! is allowed there.

use crate::raw::ALERT;
use crate::scene::{Scene, Setup, all};
use keylane_tls::session::Side;
use keylane_tls::{Alert, Error};
use keylane_tls_checks::terms::Version;
use std::io::ErrorKind;

/// Returns the setups in which the peer sends the handshake's last flight.
fn peer_is_last() -> impl Iterator<Item = Setup> {
    all().filter(|setup| (setup.terms.version == Version::Tls13) == (setup.live == Side::Server))
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
