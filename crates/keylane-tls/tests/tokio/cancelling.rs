//! Futures that are dropped at every wait: nothing is lost or duplicated.

use crate::{VERSIONS, bytes, configs, once, pair, within};
use keylane_tls::session::Options;
use keylane_tls::tokio::{TlsStream, connect};
use keylane_tls::{ClientHandshake, ServerHandshake};
use keylane_tls_checks::certificates::{Configs, server_name};
use std::io::IoSlice;
use std::task::Poll;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, duplex};

/// Every call is polled once. Its result counts, whatever follows.
#[tokio::test]
async fn each_call_may_be_dropped_after_one_poll() {
    for version in VERSIONS {
        let mut dropped = [0; 4];
        for capacity in [1, 7, 100] {
            let (mut us, mut peer) = pair(version, capacity, Options::default()).await;
            let (sent, mut received) = (bytes(10_000), Vec::new());
            let (mut written, mut shut, mut polls) = (0, false, 0);
            let mut ended = false;
            while !ended {
                polls += 1;
                if polls % 3 == 0 {
                    dropped[0] += usize::from(once(us.flush()).is_pending());
                }
                if written < sent.len() {
                    let rest = &sent[written..sent.len().min(written + 150)];
                    let (front, back) = rest.split_at(rest.len() / 2);
                    let slices = [IoSlice::new(front), IoSlice::new(back)];
                    let poll =
                        if polls % 2 == 0 { once(us.write(rest)) } else { once(us.write_vectored(&slices)) };
                    match poll {
                        Poll::Ready(len) => written += len.unwrap(),
                        Poll::Pending => dropped[1] += 1,
                    }
                } else if !shut {
                    shut = once(us.shutdown()).map(Result::unwrap).is_ready();
                    dropped[2] += usize::from(!shut);
                }
                let mut buffer = [0; 40];
                let poll = once(peer.read(&mut buffer));
                match poll {
                    Poll::Ready(len) => {
                        let len = len.unwrap();
                        received.extend_from_slice(&buffer[..len]);
                        ended = len == 0;
                    }
                    Poll::Pending => dropped[3] += 1,
                }
            }
            assert_eq!(written, sent.len());
            assert!(received == sent, "{version:?} {capacity}");
        }
        assert!(dropped.iter().all(|&n| n > 0), "every kind of call was dropped at a wait: {dropped:?}");
    }
}

/// The same for lent data and halves, with both directions in turns.
#[tokio::test]
async fn each_call_on_a_half_may_be_dropped_after_one_poll() {
    for version in VERSIONS {
        for capacity in [1, 7, 100] {
            let (us, peer) = pair(version, capacity, Options::default()).await;
            let (mut ends, sent) = ([us.into_split(), peer.into_split()], bytes(5000));
            let (mut written, mut received) = ([0; 2], [Vec::new(), Vec::new()]);
            let mut shut = [false; 2];
            let mut ended = [false; 2];
            while ended != [true; 2] {
                for (i, (read, write)) in ends.iter_mut().enumerate() {
                    if written[i] < sent.len() {
                        let rest = &sent[written[i]..sent.len().min(written[i] + 333)];
                        if let Poll::Ready(len) = once(write.write(rest)) {
                            written[i] += len.unwrap();
                        }
                    } else if !shut[i] {
                        shut[i] = once(write.shutdown()).map(Result::unwrap).is_ready();
                    }
                    let len = match once(async { read.fill_buf().await.map(<[u8]>::to_vec) }) {
                        Poll::Ready(data) => {
                            let data = data.unwrap();
                            received[i].extend_from_slice(&data);
                            ended[i] = data.is_empty();
                            data.len()
                        }
                        Poll::Pending => 0,
                    };
                    read.consume(len);
                }
            }
            assert!(received.iter().all(|received| *received == sent), "{version:?} {capacity}");
        }
    }
}

/// `connect` is the exception: its future owns the transport.
#[tokio::test]
async fn a_dropped_handshake_drops_the_transport() {
    for version in VERSIONS {
        let (a, mut b) = duplex(100);
        assert!(once(connect(configs(version).client, server_name(), a)).is_pending());
        let mut hello = Vec::new();
        within(b.read_to_end(&mut hello)).await.unwrap();
        assert_eq!(hello.len(), 100);
    }
}

/// `TlsStream::handshake` borrows the transport, and goes on when it is called again.
#[tokio::test]
async fn a_handshake_may_be_dropped_after_one_poll() {
    for version in VERSIONS {
        let Configs { client, server } = configs(version);
        let (mut a, mut b) = duplex(7);
        let mut client = ClientHandshake::new(client, server_name()).unwrap();
        let mut server = ServerHandshake::new(server).unwrap();
        let mut dropped = [0; 2];
        loop {
            let ours = once(TlsStream::handshake(&mut client, &mut a)).map(Result::unwrap);
            let theirs = once(TlsStream::handshake(&mut server, &mut b)).map(Result::unwrap);
            if ours.is_ready() && theirs.is_ready() {
                break;
            }
            dropped[0] += usize::from(ours.is_pending());
            dropped[1] += usize::from(theirs.is_pending());
            assert!(dropped[0] < 10_000, "no progress");
        }
        assert!(dropped.iter().all(|&n| n > 0), "both ends were dropped at a wait: {dropped:?}");
        let ours = TlsStream::from_handshake(client, a).unwrap();
        let theirs = TlsStream::from_handshake(server, b).unwrap();
        assert_eq!(ours.info().cipher_suite(), theirs.info().cipher_suite());
    }
}
