//! quinn on Keylane and quinn on ring send each other streams, as client and as server.

use keylane_program_checks::{Identity, handshakes, provider};
use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn::{ClientConfig, Connection, Endpoint, ServerConfig};
use rustls::RootCertStore;
use rustls::crypto::{CryptoProvider, ring};
use std::net::Ipv4Addr;
use std::sync::Arc;

#[tokio::test]
async fn streams_come_back_from_a_server_on_ring() {
    exchange(provider(), ring::default_provider()).await;
}

#[tokio::test]
async fn streams_come_back_from_a_server_on_keylane() {
    exchange(ring::default_provider(), provider()).await;
}

async fn exchange(client: CryptoProvider, server: CryptoProvider) {
    let before = handshakes();
    let identity = Identity::new();
    let mut roots = RootCertStore::empty();
    roots.add(identity.certificate.clone()).unwrap();
    let client = rustls::ClientConfig::builder_with_provider(client.into());
    let client = client.with_safe_default_protocol_versions().unwrap().with_root_certificates(roots);
    let client = QuicClientConfig::try_from(client.with_no_client_auth()).unwrap();
    let server = rustls::ServerConfig::builder_with_provider(server.into());
    let server = server.with_protocol_versions(&[&rustls::version::TLS13]).unwrap().with_no_client_auth();
    let server =
        server.with_single_cert(vec![identity.certificate.clone()], identity.key.clone_key()).unwrap();
    let server = ServerConfig::with_crypto(Arc::new(QuicServerConfig::try_from(server).unwrap()));

    let server = Endpoint::server(server, (Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let address = server.local_addr().unwrap();
    tokio::spawn(async move { echo(server.accept().await.unwrap().await.unwrap()).await });
    let endpoint = Endpoint::client((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let config = ClientConfig::new(Arc::new(client));
    let connection = endpoint.connect_with(config, address, "localhost").unwrap().await.unwrap();
    for len in [1, 1_000, 1_000_000] {
        let data: Vec<u8> = (0..len).map(|at| (at / 7) as u8).collect();
        let (mut send, mut receive) = connection.open_bi().await.unwrap();
        let (sent, received) = tokio::join!(
            async {
                send.write_all(&data).await.unwrap();
                send.finish()
            },
            receive.read_to_end(len)
        );
        sent.unwrap();
        assert!(received.unwrap() == data, "{len} bytes");
    }
    assert!(handshakes() > before, "Keylane has been at one end");
}

async fn echo(connection: Connection) {
    while let Ok((mut send, mut receive)) = connection.accept_bi().await {
        send.write_all(&receive.read_to_end(1 << 20).await.unwrap()).await.unwrap();
        send.finish().unwrap();
    }
}
