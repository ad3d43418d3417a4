//! hyper-rustls posts to an nginx, over HTTP/1.1 and HTTP/2.

use http_body_util::{BodyExt, Empty};
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use keylane_program_checks::{Identity, SUITE, handshakes, nginx};

#[tokio::test]
async fn nginx_answers() {
    let identity = Identity::new();
    let (_server, port) = nginx(&identity);
    for http2 in [false, true] {
        let https = HttpsConnectorBuilder::new().with_tls_config(identity.client()).https_only();
        let connector = if http2 { https.enable_http2().build() } else { https.enable_http1().build() };
        let client = Client::builder(TokioExecutor::new()).build::<_, Empty<&[u8]>>(connector);
        let url = format!("https://localhost:{port}/").parse().unwrap();
        let answer = client.get(url).await.unwrap().into_body().collect().await.unwrap().to_bytes();
        let protocol = if http2 { "HTTP/2.0" } else { "HTTP/1.1" };
        assert_eq!(answer, format!("{protocol} {SUITE}"));
    }
    assert_eq!(handshakes(), 2, "one a client");
}
