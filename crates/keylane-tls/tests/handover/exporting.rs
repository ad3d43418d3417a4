//! Keying material: the same at both ends, and the same as rustls'.

use crate::support::{Manner, persist};
use crate::{CREDENTIALS, MANNERS, VERSIONS, configs, connected, send};
use keylane_tls::{ConnectionInfo, Error, TlsStream};
use keylane_tls_checks::certificates::{Configs, server_name};
use keylane_tls_checks::memory::duplex;
use keylane_tls_checks::terms::{CIPHERS, Key, Terms, Version};
use rustls::crypto::ring;
use rustls::{ClientConnection, ConnectionCommon, HandshakeKind, KeyLog, ProtocolVersion, ServerConnection};
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::thread;

const LABEL: &[u8] = b"EXPORTER-test";

/// A label, a context and a length.
type Usage = (&'static [u8], Option<&'static [u8]>, usize);

/// RFC 5705 limits the context and no label, RFC 8446 §7.1 the label and no context.
fn uses(version: ProtocolVersion) -> Vec<Usage> {
    let both: [Usage; 6] = [
        (LABEL, None, 32),
        (LABEL, Some(b""), 32),
        (LABEL, Some(b"context"), 32),
        (LABEL, Some(&[7; 1000]), 1),
        (b"EXPORTER-other", None, 255 * 32),
        (&[b'x'; 249], None, 100),
    ];
    let one: &[Usage] = match version {
        ProtocolVersion::TLSv1_2 => {
            &[(b"", None, 32), (b"", Some(b"context"), 32), (&[b'x'; 1000], None, 32)]
        }
        _ => &[(LABEL, Some(&[7; 0x1_0000]), 32)],
    };
    [&both, one].concat()
}

fn export(info: &ConnectionInfo) -> Vec<Vec<u8>> {
    let export = |(label, context, len)| info.export_keying_material(vec![0; len], label, context).unwrap();
    uses(info.version()).into_iter().map(export).collect()
}

fn export_by_rustls<S>(connection: &ConnectionCommon<S>) -> Vec<Vec<u8>> {
    let export = |(label, context, len)| connection.export_keying_material(vec![0; len], label, context);
    uses(connection.protocol_version().unwrap()).into_iter().map(|usage| export(usage).unwrap()).collect()
}

#[test]
fn both_ends_export_the_same_at_any_time() {
    for version in VERSIONS {
        for manner in MANNERS {
            let mut configs = configs(version, true);
            // The server's first message is spread over several records.
            Arc::make_mut(&mut configs.server).max_fragment_size = Some(32);
            let mut earlier = Vec::new();
            for kind in [HandshakeKind::Full, HandshakeKind::Resumed] {
                let (mut client, mut server) = connected(&configs, manner);
                let exported = export(client.info());
                assert_eq!(client.info().handshake_kind(), kind);
                assert_eq!(server.info().handshake_kind(), kind);
                assert!(exported == export(server.info()), "{version:?}");
                assert!(exported[0] != exported[2] && exported[0][..] != exported[4][..32]);
                // RFC 8446 §7.5: no context is an empty one.
                assert_eq!(exported[0] == exported[1], version == Version::Tls13);
                if version == Version::Tls13 {
                    client.update_keys(true).unwrap();
                    persist(|| client.flush()).unwrap();
                    send(&mut client, &mut server, b"under new keys");
                    send(&mut server, &mut client, b"both ways");
                }
                assert!(exported == export(server.info()) && exported == export(client.info()));
                assert!(!earlier.contains(&exported));
                earlier.push(exported);
            }
        }
    }
}

#[test]
fn rustls_exports_the_same() {
    for version in VERSIONS {
        for cipher in CIPHERS {
            let terms = Terms { version, cipher, key: Key::EcdsaP256 };
            let Configs { client, mut server } =
                CREDENTIALS.configs(ring::default_provider(), &terms, false).unwrap();
            // The server's first message is spread over several records.
            Arc::make_mut(&mut server).max_fragment_size = Some(32);

            let (a, mut b) = duplex();
            let server_config = server.clone();
            let theirs = thread::spawn(move || {
                let mut server = ServerConnection::new(server_config).unwrap();
                while server.is_handshaking() || server.wants_write() {
                    server.complete_io(&mut b).unwrap();
                }
                export_by_rustls(&server)
            });
            let ours = TlsStream::connect(client.clone(), server_name(), a).unwrap();
            assert!(export(ours.info()) == theirs.join().unwrap(), "{terms:?}");

            let (a, mut b) = duplex();
            let theirs = thread::spawn(move || {
                let mut client = ClientConnection::new(client, server_name()).unwrap();
                while client.is_handshaking() || client.wants_write() {
                    client.complete_io(&mut b).unwrap();
                }
                export_by_rustls(&client)
            });
            let ours = TlsStream::accept(server, a).unwrap();
            assert!(export(ours.info()) == theirs.join().unwrap(), "{terms:?}");
        }
    }
}

#[test]
fn wrong_uses_are_errors_and_write_nothing() {
    for version in VERSIONS {
        let (client, _) = connected(&configs(version, false), || Manner::Whole);
        let info = client.info();
        let mut output = [7; 40];
        let mut wrong = vec![(0, LABEL, None)];
        match version {
            Version::Tls12 => wrong.push((40, LABEL, Some(&[0; 0x1_0000][..]))),
            Version::Tls13 => wrong.extend([(40, &b""[..], None), (40, &[b'x'; 250], None)]),
        }
        for (len, label, context) in wrong {
            let error = info.export_keying_material(&mut output[..len], label, context).unwrap_err();
            assert!(matches!(error, Error::Unsupported(_)), "{error}");
        }
        assert_eq!(output, [7; 40]);
        // HKDF ends at 255 digests, the PRF of TLS 1.2 does not.
        for (len, possible) in [(255 * 32, true), (255 * 32 + 1, version == Version::Tls12)] {
            let result = info.export_keying_material(vec![0; len], LABEL, None);
            assert_eq!(result.is_ok(), possible, "{version:?} {len}");
        }
    }
}

/// A configuration's own key log gets what it asks for and nothing else.
#[test]
fn a_key_log_still_logs() {
    #[derive(Debug, Default)]
    struct Log(Mutex<Vec<String>>);
    impl KeyLog for Log {
        fn log(&self, label: &str, _: &[u8], _: &[u8]) {
            self.0.lock().unwrap().push(label.into());
        }
        fn will_log(&self, label: &str) -> bool {
            label != "EXPORTER_SECRET"
        }
    }
    for version in VERSIONS {
        let Configs { mut client, mut server } = configs(version, false);
        let logs = [(); 2].map(|()| Arc::new(Log::default()));
        Arc::make_mut(&mut client).key_log = logs[0].clone();
        Arc::make_mut(&mut server).key_log = logs[1].clone();
        let (client, server) = connected(&Configs { client, server }, || Manner::Whole);
        assert!(export(client.info()) == export(server.info()));
        for log in logs {
            let labels = log.0.lock().unwrap();
            let expected = match version {
                Version::Tls12 => "CLIENT_RANDOM",
                Version::Tls13 => "CLIENT_TRAFFIC_SECRET_0",
            };
            assert!(labels.iter().any(|label| label == expected), "{labels:?}");
            assert!(!labels.iter().any(|label| label == "EXPORTER_SECRET"), "{labels:?}");
        }
    }
}

/// Nothing of the secret is shown.
#[test]
fn info_does_not_show_the_secret() {
    let (client, _) = connected(&configs(Version::Tls13, false), || Manner::Whole);
    let shown = format!("{:?}", client.info());
    assert!(shown.contains("exporter: Exporter { .. }"), "{shown}");
}
