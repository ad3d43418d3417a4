//! Handshake messages after the handshake.

use crate::raw::{ALERT, DATA, HANDSHAKE};
use crate::scene::{Scene, Setup, all, clients, fatal, ignores, refuses, servers, tls12, tls13, warning};
use keylane_tls::Alert;
use keylane_tls::session::Side;
use keylane_tls_checks::certificates::server_name;
use keylane_tls_checks::terms::Version;
use rustls::client::{ClientSessionMemoryCache, ClientSessionStore, Resumption};
use std::io::{ErrorKind, Read};
use std::sync::Arc;

const HELLO_REQUEST: u8 = 0;
const CLIENT_HELLO: u8 = 1;
const NEW_SESSION_TICKET: u8 = 4;
const KEY_UPDATE: u8 = 24;

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u32).to_be_bytes();
    [&[kind], &length[1..], body].concat()
}

/// RFC 8446 §4.6.1: lifetime, age_add, nonce, ticket, no extensions.
fn ticket(nonce: u8, len: usize) -> Vec<u8> {
    ticket_with(nonce, len, b"")
}

/// As [`ticket`], with the bytes of its extensions.
fn ticket_with(nonce: u8, len: usize, extensions: &[u8]) -> Vec<u8> {
    let lengths = [len, extensions.len()].map(|len| (len as u16).to_be_bytes());
    let fixed = [0, 0, 14, 16, 1, 2, 3, 4, 1, nonce];
    let body = [&fixed[..], &lengths[0], &vec![nonce; len], &lengths[1], extensions].concat();
    message(NEW_SESSION_TICKET, &body)
}

/// RFC 8446 §4.2: a type and a body.
fn extension(kind: u16, body: &[u8]) -> Vec<u8> {
    [&kind.to_be_bytes()[..], &(body.len() as u16).to_be_bytes(), body].concat()
}

/// RFC 8446 §4.2.10: the amount of early data that the server accepts, four bytes.
const EARLY_DATA: u16 = 42;
/// Reserved for such tests (RFC 8701).
const UNKNOWN: u16 = 0x0a0a;

/// Returns whole messages that are allowed after the handshake.
fn allowed(setup: Setup) -> Vec<u8> {
    match (setup.terms.version, setup.live) {
        (Version::Tls13, _) => message(KEY_UPDATE, &[0]),
        (Version::Tls12, Side::Client) => message(HELLO_REQUEST, b""),
        (Version::Tls12, Side::Server) => message(CLIENT_HELLO, &[7; 12]),
    }
}

#[test]
fn a_key_update_of_an_unknown_kind_is_refused() {
    for setup in tls13() {
        for kind in [2, 255] {
            refuses(setup, Alert::ILLEGAL_PARAMETER, |peer| peer.key_update(kind));
        }
    }
}

#[test]
fn a_key_update_of_another_length_is_refused() {
    for setup in tls13() {
        for body in [&[][..], &[0, 0], &[1; 300]] {
            refuses(setup, Alert::DECODE_ERROR, |peer| peer.record(HANDSHAKE, &message(KEY_UPDATE, body)));
        }
    }
}

#[test]
fn nothing_follows_a_key_update_in_its_record() {
    for setup in tls13() {
        for next in [&[KEY_UPDATE][..], &message(KEY_UPDATE, &[0]), &ticket(1, 10), &[0]] {
            let both = [&message(KEY_UPDATE, &[0]), next].concat();
            refuses(setup, Alert::UNEXPECTED_MESSAGE, |peer| peer.record(HANDSHAKE, &both));
            // Nor in the record that brings its end.
            refuses(setup, Alert::UNEXPECTED_MESSAGE, |peer| {
                peer.records(&[(HANDSHAKE, &both[..2]), (HANDSHAKE, &both[2..])])
            });
        }
    }
}

#[test]
fn tls12_knows_no_key_update() {
    for setup in tls12() {
        for request in [0, 1] {
            refuses(setup, Alert::UNEXPECTED_MESSAGE, |peer| {
                peer.record(HANDSHAKE, &message(KEY_UPDATE, &[request]))
            });
        }
    }
}

/// Sends `message` cut at `cuts`, one record per piece. The stream reads in between.
fn in_pieces(scene: &mut Scene, message: &[u8], cuts: &[usize]) {
    let mut start = 0;
    for &end in cuts.iter().chain([&message.len()]) {
        scene.deliver(|peer| peer.record(HANDSHAKE, &message[start..end]));
        scene.expect_nothing();
        start = end;
    }
}

#[test]
fn a_message_split_over_records_at_every_byte() {
    for setup in all() {
        let message = allowed(setup);
        let single = (1..message.len()).collect::<Vec<_>>();
        for cuts in (1..message.len()).map(|cut| vec![cut]).chain([single]) {
            let mut scene = Scene::new(setup);
            in_pieces(&mut scene, &message, &cuts);
            if setup.terms.version == Version::Tls13 {
                scene.peer.renew_keys();
            } else {
                assert_eq!(scene.peer.hear(), [warning(Alert::NO_RENEGOTIATION)]);
            }
            scene.expect_alive();
        }
    }
}

#[test]
fn another_record_within_a_message_is_refused() {
    for setup in all() {
        let message = allowed(setup);
        for between in
            [(DATA, &b"data"[..]), (DATA, b""), (ALERT, &[1, 0]), (ALERT, &[1, 90]), (ALERT, &[2, 40])]
        {
            for cut in [1, message.len() - 1] {
                refuses(setup, Alert::UNEXPECTED_MESSAGE, |peer| {
                    peer.records(&[(HANDSHAKE, &message[..cut]), between, (HANDSHAKE, &message[cut..])])
                });
            }
        }
        refuses(setup, Alert::UNEXPECTED_MESSAGE, |peer| {
            peer.records(&[(HANDSHAKE, &message[..2]), (HANDSHAKE, b""), (HANDSHAKE, &message[2..])])
        });
    }
}

#[test]
fn an_impossible_length_is_refused_before_the_body() {
    for setup in all() {
        let kind = allowed(setup)[0];
        for length in [[1, 0, 0], [0xff, 0xff, 0xff]] {
            let header = [&[kind][..], &length].concat();
            refuses(setup, Alert::DECODE_ERROR, |peer| peer.record(HANDSHAKE, &header));
            refuses(setup, Alert::DECODE_ERROR, |peer| {
                peer.records(&[(HANDSHAKE, &header[..1]), (HANDSHAKE, &header[1..])])
            });
        }
    }
}

#[test]
fn a_message_cut_off_is_truncation() {
    for setup in all() {
        for allow_truncation in [false, true] {
            let mut scene = Scene::with_options(setup, |options| options.allow_truncation = allow_truncation);
            let message = allowed(setup);
            scene.deliver(|peer| peer.record(HANDSHAKE, &message[..message.len() - 1]));
            scene.expect_nothing();
            scene.wire.state().ended = true;
            assert_eq!(scene.expect_failure().0, ErrorKind::UnexpectedEof);
        }
    }
}

/// Returns the number of tickets that the stream kept.
fn kept(setup: Setup, send: impl Fn(&mut Scene)) -> usize {
    let store = Arc::new(ClientSessionMemoryCache::new(8));
    let mut scene = Scene::with_tickets(setup, Resumption::store(store.clone()));
    send(&mut scene);
    scene.expect_alive();
    std::iter::from_fn(|| store.take_tls13_ticket(&server_name())).count()
}

#[test]
fn tickets_are_kept_however_they_come() {
    for setup in tls13().filter(clients) {
        let three = [ticket(1, 32), ticket(2, 200), ticket(3, 1)].concat();
        assert_eq!(kept(setup, |scene| in_pieces(scene, &three, &[])), 3);
        assert_eq!(kept(setup, |scene| in_pieces(scene, &three, &[10, 60, 61, 200])), 3);
        // The maximum length of a message: five records.
        let long = ticket(4, 0xffff - 14);
        let cuts = [1 << 14, 2 << 14, 3 << 14, 4 << 14];
        assert_eq!(kept(setup, |scene| in_pieces(scene, &long, &cuts)), 1);
        let with_update = [ticket(5, 32), message(KEY_UPDATE, &[0])].concat();
        let update = |scene: &mut Scene| {
            in_pieces(scene, &with_update, &[]);
            scene.peer.renew_keys();
        };
        assert_eq!(kept(setup, update), 1);
    }
}

#[test]
fn a_ticket_split_at_every_byte_is_kept() {
    for setup in tls13().filter(clients) {
        let ticket = ticket(1, 6);
        for cut in 1..ticket.len() {
            assert_eq!(kept(setup, |scene| in_pieces(scene, &ticket, &[cut])), 1);
        }
    }
}

#[test]
fn a_malformed_ticket_is_refused() {
    for setup in tls13().filter(clients) {
        let good = ticket(1, 10)[4..].to_vec();
        let longer = [&good[..], &[0]].concat();
        // Without a ticket, truncated at every place, with bytes after it.
        let empty = ticket(1, 0)[4..].to_vec();
        for body in (0..good.len()).map(|len| &good[..len]).chain([&longer[..], &empty]) {
            refuses(setup, Alert::DECODE_ERROR, |peer| {
                peer.record(HANDSHAKE, &message(NEW_SESSION_TICKET, body))
            });
        }
    }
}

#[test]
fn malformed_ticket_extensions_are_refused() {
    let cut = extension(UNKNOWN, b"body")[..7].to_vec();
    let beyond = [&[0x0a, 0x0a, 0, 5][..], b"body"].concat();
    let early_data = |len| extension(EARLY_DATA, &vec![0; len]);
    for setup in tls13().filter(clients) {
        for extensions in
            [&[0][..], &[0, 42, 0], &cut, &beyond, &early_data(0), &early_data(3), &early_data(5)]
        {
            refuses(setup, Alert::DECODE_ERROR, |peer| {
                peer.record(HANDSHAKE, &ticket_with(1, 10, extensions))
            });
        }
    }
}

/// RFC 8446 §4.2: each type at most once; §6.2: a well-formed but wrong field is an `illegal_parameter`.
#[test]
fn a_repeated_ticket_extension_is_refused() {
    let (known, unknown) = (extension(EARLY_DATA, &[0; 4]), extension(UNKNOWN, b"body"));
    for setup in tls13().filter(clients) {
        for repeated in [
            [&known[..], &known].concat(),
            [&unknown[..], &unknown].concat(),
            [&unknown[..], &known, &extension(UNKNOWN, b"")].concat(),
        ] {
            refuses(setup, Alert::ILLEGAL_PARAMETER, |peer| {
                peer.record(HANDSHAKE, &ticket_with(1, 10, &repeated))
            });
        }
        let once = ticket_with(1, 10, &[&known[..], &unknown].concat());
        assert_eq!(kept(setup, |scene| in_pieces(scene, &once, &[])), 1);
    }
}

#[test]
fn a_server_may_send_many_tickets() {
    for setup in tls13().filter(clients) {
        let many = (0..200).map(|nonce| ticket(nonce, 200)).collect::<Vec<_>>();
        // Together and one by one; they do not count as records without data.
        ignores(setup, |peer| {
            many.concat().chunks(1 << 14).flat_map(|part| peer.record(HANDSHAKE, part)).collect()
        });
        ignores(setup, |peer| {
            let others = (0..32).flat_map(|_| peer.record(DATA, b"")).collect::<Vec<_>>();
            let tickets = many.iter().flat_map(|ticket| peer.record(HANDSHAKE, ticket)).collect();
            [others, tickets].concat()
        });
    }
}

/// 1 MiB of them is accepted, and again after data; one more is not.
#[test]
fn tickets_are_limited_by_their_length() {
    // 18 bytes are not part of the ticket itself.
    let limit = ticket(0, 1024 - 18).repeat(1024);
    let cuts = (1..64).map(|record| record << 14).collect::<Vec<_>>();
    for setup in tls13().filter(clients) {
        let mut scene = Scene::new(setup);
        scene.wire.state().segment = usize::MAX;
        for _ in 0..2 {
            in_pieces(&mut scene, &limit, &cuts);
            assert_eq!(scene.peer.hear(), []);
            scene.expect_alive();
        }
        in_pieces(&mut scene, &limit, &cuts);
        scene.deliver(|peer| peer.record(HANDSHAKE, &ticket(0, 1)));
        scene.expect_refusal(Alert::UNEXPECTED_MESSAGE);
    }
}

#[test]
fn other_messages_after_the_handshake_are_refused() {
    for setup in all() {
        // HelloRequest, ClientHello, NewSessionTicket, EndOfEarlyData, CertificateRequest, Finished and more.
        let kinds = [0, 1, 2, 4, 5, 11, 13, 20, 23, 25, 255];
        let tickets_may_come = setup.terms.version == Version::Tls13 && setup.live == Side::Client;
        let mut taken = vec![allowed(setup)[0]];
        taken.extend(tickets_may_come.then_some(NEW_SESSION_TICKET));
        for kind in kinds.into_iter().filter(|kind| !taken.contains(kind)) {
            // Refused at its first byte.
            refuses(setup, Alert::UNEXPECTED_MESSAGE, |peer| peer.record(HANDSHAKE, &[kind]));
        }
        refuses(setup, Alert::UNEXPECTED_MESSAGE, |peer| peer.record(HANDSHAKE, &message(13, b"request")));
    }
    for setup in tls13().filter(servers) {
        refuses(setup, Alert::UNEXPECTED_MESSAGE, |peer| peer.record(HANDSHAKE, &ticket(1, 10)));
    }
}

#[test]
fn a_renegotiation_is_refused_politely_once() {
    for setup in tls12() {
        let mut scene = Scene::new(setup);
        let request = allowed(setup);
        scene.deliver(|peer| peer.record(HANDSHAKE, &request));
        // Without a write, since the peer waits.
        scene.expect_nothing();
        assert_eq!(scene.peer.hear(), [warning(Alert::NO_RENEGOTIATION)]);
        scene.expect_alive();
        // Data in between does not reset the count.
        scene.deliver(|peer| peer.record(HANDSHAKE, &request));
        scene.expect_refusal(Alert::UNEXPECTED_MESSAGE);
    }
}

#[test]
fn two_renegotiation_requests_at_once_are_refused() {
    for setup in tls12() {
        let mut scene = Scene::new(setup);
        scene.deliver(|peer| peer.record(HANDSHAKE, &allowed(setup).repeat(2)));
        let mut buffer = [0; 100];
        assert_eq!(scene.live.read(&mut buffer).unwrap_err().kind(), ErrorKind::InvalidData);
        assert_eq!(scene.peer.hear(), [warning(Alert::NO_RENEGOTIATION), fatal(Alert::UNEXPECTED_MESSAGE)]);
        scene.expect_mute();
    }
}

#[test]
fn a_hello_request_with_a_body_is_refused() {
    for setup in tls12().filter(clients) {
        refuses(setup, Alert::DECODE_ERROR, |peer| peer.record(HANDSHAKE, &message(HELLO_REQUEST, &[0])));
    }
}
