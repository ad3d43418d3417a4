//! quinn on Keylane and quinn on ring send each other streams, as client and as server.

use keylane_program_checks::{Identity, handshakes, provider};
use quinn::crypto::rustls::{NoInitialCipherSuite, QuicClientConfig, QuicServerConfig};
use quinn::{ClientConfig, Connection, Endpoint, ServerConfig};
use rustls::crypto::{CryptoProvider, ring};
use std::net::Ipv4Addr;
use std::sync::Arc;

fn client_config(config: rustls::ClientConfig) -> Result<ClientConfig, NoInitialCipherSuite> {
    Ok(ClientConfig::new(Arc::new(QuicClientConfig::try_from(config)?)))
}

fn server_config(config: rustls::ServerConfig) -> Result<ServerConfig, NoInitialCipherSuite> {
    Ok(ServerConfig::with_crypto(Arc::new(QuicServerConfig::try_from(config)?)))
}

#[tokio::test]
async fn streams_come_back() {
    exchange(provider(), ring::default_provider()).await;
    assert_eq!(handshakes(), 1, "the client's");
    exchange(ring::default_provider(), provider()).await;
    assert_eq!(handshakes(), 2, "the server's");
}

async fn exchange(client: CryptoProvider, server: CryptoProvider) {
    let identity = Identity::new();
    let client = client_config(identity.client_on(client)).unwrap();
    let server = rustls::ServerConfig::builder_with_provider(server.into());
    let server = server.with_protocol_versions(&[&rustls::version::TLS13]).unwrap().with_no_client_auth();
    let server = server.with_single_cert(vec![identity.certificate.clone()], identity.key.clone_key());
    let server = server_config(server.unwrap()).unwrap();

    let server = Endpoint::server(server, (Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let address = server.local_addr().unwrap();
    tokio::spawn(async move { echo(server.accept().await.unwrap().await.unwrap()).await });
    let endpoint = Endpoint::client((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let connection = endpoint.connect_with(client, address, "localhost").unwrap().await.unwrap();
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
}

async fn echo(connection: Connection) {
    while let Ok((mut send, mut receive)) = connection.accept_bi().await {
        send.write_all(&receive.read_to_end(1 << 20).await.unwrap()).await.unwrap();
        send.finish().unwrap();
    }
}
