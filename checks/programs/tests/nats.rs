//! async-nats publishes messages and receives them from a NATS server, and asks another client.

use async_nats::{Client, ConnectError, ConnectOptions};
use futures_util::StreamExt;
use keylane_program_checks::{Identity, Server, free_port, handshakes};
use std::process::Command;

async fn connect(at: &str, config: rustls::ClientConfig) -> Result<Client, ConnectError> {
    ConnectOptions::new().require_tls(true).tls_client_config(config).connect(at).await
}

#[tokio::test]
async fn messages_come_back() {
    let identity = Identity::new();
    let port = free_port();
    let mut server = Command::new("nats-server");
    server.current_dir(&identity.folder).args(["--addr", "127.0.0.1", "--port", &port.to_string()]);
    server.args(["--tls", "--tlscert", "cert.pem", "--tlskey", "key.pem"]);
    let _server = Server::start(&mut server, "nats-server", port);

    let at = format!("tls://127.0.0.1:{port}");
    let one = connect(&at, identity.client()).await.unwrap();
    let other = connect(&at, identity.client()).await.unwrap();
    let mut questions = other.subscribe("questions").await.unwrap();
    // When the server sends this, it has the subscription.
    other.publish("questions", "ready".into()).await.unwrap();
    assert_eq!(questions.next().await.unwrap().payload, "ready");
    tokio::spawn(async move {
        while let Some(question) = questions.next().await {
            let answer = question.payload.iter().rev().copied().collect::<Vec<_>>();
            other.publish(question.reply.unwrap(), answer.into()).await.unwrap();
        }
    });
    for len in [3, 300, 300_000] {
        let question: Vec<u8> = (0..len).map(|at| (at / 7) as u8).collect();
        let answer = one.request("questions", question.clone().into()).await.unwrap().payload;
        assert!(answer.iter().rev().eq(&question), "{len} bytes");
    }
    assert_eq!(handshakes(), 2, "one a client");
}
