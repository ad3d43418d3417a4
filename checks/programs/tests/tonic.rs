//! tonic's health service and its client, both on Keylane, and curl.

use keylane_program_checks::{Identity, handshakes, provider};
use std::process::Command;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Server, ServerTlsConfig};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

/// The status `SERVING` in protobuf.
const SERVING: i32 = 1;

#[tokio::test]
async fn calls_are_answered() {
    let identity = Identity::new();
    provider().install_default().unwrap();
    let key = std::fs::read_to_string(identity.path("key.pem")).unwrap();
    let tls = ServerTlsConfig::new().identity(tonic::transport::Identity::from_pem(identity.pem(), key));
    let incoming = TcpIncoming::bind(([127, 0, 0, 1], 0).into()).unwrap();
    let port = incoming.local_addr().unwrap().port();
    let (reporter, service) = tonic_health::server::health_reporter();
    reporter.set_service_status("ledger", tonic_health::ServingStatus::Serving).await;
    let server = Server::builder().tls_config(tls).unwrap().add_service(service);
    tokio::spawn(server.serve_with_incoming(incoming));

    let tls = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(identity.pem()));
    let endpoint = Channel::from_shared(format!("https://localhost:{port}")).unwrap();
    let mut client = HealthClient::new(endpoint.tls_config(tls).unwrap().connect().await.unwrap());
    let ask = |service: &str| HealthCheckRequest { service: service.into() };
    assert_eq!(client.check(ask("ledger")).await.unwrap().into_inner().status, SERVING);
    let unknown = client.check(ask("x".repeat(100_000).as_str())).await.unwrap_err();
    assert_eq!(unknown.code(), tonic::Code::NotFound);
    assert_eq!(handshakes(), 2, "both ends of one connection");

    // gRPC's frame of an empty message asks for the whole server; the answer is field 1, 1.
    std::fs::write(identity.path("frame"), [0; 5]).unwrap();
    let url = format!("https://localhost:{port}/grpc.health.v1.Health/Check");
    let curl = ["--silent", "--show-error", "--fail", "--http2", "--noproxy", "*", "--cacert", "cert.pem"];
    let headers = ["--header", "content-type: application/grpc", "--header", "te: trailers"];
    let mut command = Command::new("curl");
    command.current_dir(&identity.folder).args(curl).args(headers).args(["--data-binary", "@frame", &url]);
    let answer = tokio::task::spawn_blocking(move || command.output().expect("curl")).await.unwrap();
    assert_eq!(answer.stdout, [0, 0, 0, 0, 2, 8, SERVING as u8], "{answer:?}");
    assert_eq!(handshakes(), 3);
}
