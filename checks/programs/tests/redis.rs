//! redis sets and reads a Redis server's keys, and receives published messages.

use keylane_program_checks::{Identity, Server, free_port, handshakes, provider};
use redis::{Client, Commands, TlsCertificates};
use std::process::Command;

#[test]
fn keys_and_messages_come_back() {
    let identity = Identity::new();
    let port = free_port();
    let mut server = Command::new("redis-server");
    server.current_dir(&identity.folder).args(["--port", "0", "--bind", "127.0.0.1", "--save", ""]);
    server.args(["--tls-cert-file", "cert.pem", "--tls-key-file", "key.pem", "--tls-auth-clients", "no"]);
    server.args(["--tls-port", &port.to_string()]);
    let _server = Server::start(&mut server, "redis-server", port);

    provider().install_default().unwrap();
    let root_cert = Some(identity.pem().into_bytes());
    let url = format!("rediss://127.0.0.1:{port}");
    let client = Client::build_with_tls(url, TlsCertificates { client_tls: None, root_cert }).unwrap();
    let mut connection = client.get_connection().unwrap();
    let value = vec![7; 100_000];
    let () = connection.set("key", &value).unwrap();
    assert_eq!(connection.get::<_, Vec<u8>>("key").unwrap(), value);
    assert_eq!(connection.incr::<_, _, i64>("count", 3).unwrap(), 3);

    let mut subscriber = client.get_connection().unwrap();
    let mut subscription = subscriber.as_pubsub();
    subscription.subscribe("news").unwrap();
    assert_eq!(connection.publish::<_, _, i64>("news", "today").unwrap(), 1);
    assert_eq!(subscription.get_message().unwrap().get_payload::<String>().unwrap(), "today");
    assert_eq!(handshakes(), 2, "one a connection");
}
