//! The memory of idle connections.

use crate::{VERSIONS, bytes, once, pair, within};
use allocation_counter::measure;
use keylane_tls::session::Options;
use keylane_tls::tokio::TlsStream;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

/// Enough for a connection's state, but only a fraction of a buffer.
const MAX_PER_END: i64 = 20 << 10;
/// More than the pool of buffers can hold.
const CONNECTIONS: usize = 100;

type End = TlsStream<DuplexStream>;

async fn send(from: &mut End, to: &mut End, buffer: &mut [u8]) {
    let sent = bytes(buffer.len());
    let sending = async {
        from.write_all(&sent).await.unwrap();
        from.flush().await.unwrap();
    };
    let ((), received) = within(async { tokio::join!(sending, to.read_exact(buffer)) }).await;
    received.unwrap();
}

#[test]
fn idle_connections_hold_no_buffers() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for halves in [false, true] {
        for version in VERSIONS {
            let mut idle = Vec::new();
            let held = measure(|| {
                runtime.block_on(async {
                    for _ in 0..CONNECTIONS {
                        let (mut us, mut peer) = pair(version, 1000, Options::default()).await;
                        // Uses both directions.
                        let mut buffer = vec![0; 50_000];
                        send(&mut us, &mut peer, &mut buffer).await;
                        send(&mut peer, &mut us, &mut buffer).await;
                        if halves {
                            let ends = [us.into_split(), peer.into_split()];
                            let ends = ends.map(|(mut read, write)| {
                                assert!(once(read.read(&mut buffer)).is_pending());
                                (read, write)
                            });
                            idle.push(Box::new(ends) as Box<dyn std::any::Any>);
                        } else {
                            assert!(once(us.read(&mut buffer)).is_pending());
                            assert!(once(peer.read(&mut buffer)).is_pending());
                            idle.push(Box::new((us, peer)));
                        }
                    }
                });
            })
            .bytes_current;
            let pooled = 16 * (90 << 10);
            let per_end = (held - pooled) / (2 * CONNECTIONS as i64);
            assert!(per_end < MAX_PER_END, "{version:?}: {per_end} bytes an end");
        }
    }
}
