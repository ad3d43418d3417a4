//! The ways in which connections end, which callers can distinguish.

use crate::waking::Gated;
use crate::{VERSIONS, bytes, configs, once, pair, within};
use keylane_tls::session::Options;
use keylane_tls::tokio::{accept, connect};
use keylane_tls::{Alert, Error};
use keylane_tls_checks::certificates::{Configs, server_name};
use keylane_tls_checks::terms::Version;
use std::io::ErrorKind;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

#[tokio::test]
async fn shutting_down_says_close_notify_and_ends_the_transport() {
    for version in VERSIONS {
        let (mut us, mut peer) = pair(version, 1 << 16, Options::default()).await;
        us.write_all(b"the last").await.unwrap();
        us.shutdown().await.unwrap();
        us.shutdown().await.unwrap();
        assert_eq!(us.write(b"more").await.unwrap_err().kind(), ErrorKind::BrokenPipe);

        // The close is known with the last data, before a read returns 0.
        let mut buffer = [0; 100];
        assert_eq!(peer.read(&mut buffer).await.unwrap(), 8);
        assert!(peer.peer_closed());
        assert_eq!(peer.read(&mut buffer).await.unwrap(), 0);
        assert_eq!(peer.get_mut().read(&mut buffer).await.unwrap(), 0, "the transport has ended, too");

        // The other direction is still open.
        assert!(!us.peer_closed());
        let sent = bytes(10_000);
        peer.write_all(&sent).await.unwrap();
        peer.shutdown().await.unwrap();
        let mut received = Vec::new();
        us.read_to_end(&mut received).await.unwrap();
        assert_eq!(received, sent);
        assert!(us.peer_closed());
    }
}

/// The transport is full when the alert should be sent; shutting down sends it.
#[tokio::test]
async fn an_alert_waits_for_room() {
    for version in VERSIONS {
        let (mut us, mut peer) = pair(version, 50, Options::default()).await;
        assert!(once(us.write(&[1; 500])).is_ready());
        peer.get_mut().write_all(&[&[23, 3, 3, 0, 40][..], &[0; 40]].concat()).await.unwrap();
        let error = us.read(&mut [0]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        let mut received = Vec::new();
        let (ours, theirs) =
            within(async { tokio::join!(us.shutdown(), peer.read_to_end(&mut received)) }).await;
        ours.unwrap();
        let error = theirs.unwrap_err();
        assert_eq!(Error::of(&error), Some(&Error::AlertReceived(Alert::BAD_RECORD_MAC)));
        assert_eq!(received, [1; 500]);
    }
}

#[tokio::test]
async fn tls_1_2_cannot_renew_keys() {
    let (mut us, _peer) = pair(Version::Tls12, 100, Options::default()).await;
    assert_eq!(us.update_keys(false).unwrap_err().kind(), ErrorKind::InvalidInput);
    let (_, mut write) = us.into_split();
    assert_eq!(write.update_keys(true).unwrap_err().kind(), ErrorKind::InvalidInput);
}

#[tokio::test]
async fn a_transport_that_is_not_connected_is_shut_down() {
    for version in VERSIONS {
        for halves in [false, true] {
            let Configs { client, server } = configs(version);
            let (a, b) = duplex(1 << 16);
            let connect = connect(client, server_name(), Gated(a, Arc::new(true.into())));
            let (us, peer) = within(async { tokio::join!(connect, accept(server, b)) }).await;
            let (mut us, mut peer) = (us.unwrap(), peer.unwrap());
            if halves {
                us.into_split().1.shutdown().await.unwrap();
            } else {
                us.shutdown().await.unwrap();
                us.shutdown().await.unwrap();
            }
            assert_eq!(peer.read(&mut [0]).await.unwrap(), 0);
        }
    }
}
