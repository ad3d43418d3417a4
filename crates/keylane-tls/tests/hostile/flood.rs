//! Endless records without data.

use crate::raw::{ALERT, DATA, Peer};
use crate::scene::{Scene, Setup, all, fatal, key_update, refuses, tls12, tls13};
use keylane_tls::Alert;

const USER_CANCELED: [u8; 2] = [1, 90];
const UNRECOGNIZED_NAME: [u8; 2] = [1, 112];

/// Checks that `limit` records of `make` are accepted, and again after data, and that one more is not.
fn limited_to(setup: Setup, limit: usize, make: impl Fn(&mut Peer) -> Vec<u8>) {
    let mut scene = Scene::new(setup);
    for _ in 0..2 {
        for _ in 0..limit {
            scene.deliver(&make);
        }
        scene.expect_nothing();
        assert_eq!(scene.peer.hear(), []);
        scene.expect_alive();
    }
    // Whether they come together or one by one.
    refuses(setup, Alert::UNEXPECTED_MESSAGE, |peer| (0..=limit).flat_map(|_| make(peer)).collect());
}

#[test]
fn too_much_empty_data_is_refused() {
    for setup in all() {
        limited_to(setup, 32, |peer| peer.record(DATA, b""));
    }
    for setup in tls13() {
        limited_to(setup, 32, |peer| peer.padded(DATA, b"", 100));
    }
}

#[test]
fn too_many_key_updates_are_refused() {
    for setup in tls13() {
        limited_to(setup, 32, |peer| peer.key_update(0));
    }
}

#[test]
fn too_many_key_updates_that_ask_for_answers_are_refused() {
    for setup in tls13() {
        for at_once in [true, false] {
            let mut scene = Scene::new(setup);
            for _ in 0..32 {
                scene.deliver(|peer| peer.key_update(1));
                if !at_once {
                    scene.expect_nothing();
                }
            }
            scene.deliver(|peer| peer.key_update(1));
            // One reply to all, and the alert under the keys after it.
            let (_, error) = scene.expect_failure();
            assert_eq!(error.alert_sent(), Some(Alert::UNEXPECTED_MESSAGE));
            assert_eq!(scene.peer.hear(), [key_update(0), fatal(Alert::UNEXPECTED_MESSAGE)]);
            scene.expect_mute();
        }
    }
}

#[test]
fn empty_data_and_key_updates_count_together() {
    for setup in tls13() {
        limited_to(setup, 16, |peer| [peer.key_update(0), peer.record(DATA, b"")].concat());
    }
}

#[test]
fn too_many_warnings_are_refused() {
    for setup in tls12() {
        limited_to(setup, 4, |peer| peer.record(ALERT, &UNRECOGNIZED_NAME));
        limited_to(setup, 4, |peer| peer.record(ALERT, &USER_CANCELED));
    }
    for setup in tls13() {
        limited_to(setup, 4, |peer| peer.record(ALERT, &USER_CANCELED));
    }
}
