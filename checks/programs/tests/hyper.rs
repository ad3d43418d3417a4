//! hyper-rustls gets a page from nginx, over HTTP/1.1 and HTTP/2.

use http_body_util::{BodyExt, Empty};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use keylane_program_checks::{Identity, SUITE, handshakes, nginx};

fn connector(config: rustls::ClientConfig) -> HttpsConnector<HttpConnector> {
    HttpsConnectorBuilder::new().with_tls_config(config).https_only().enable_all_versions().build()
}

#[tokio::test]
async fn nginx_answers() {
    let identity = Identity::new();
    let (_server, port) = nginx(&identity);
    let http1 = HttpsConnectorBuilder::new().with_tls_config(identity.client()).https_only().enable_http1();
    for (connector, protocol) in [(connector(identity.client()), "HTTP/2.0"), (http1.build(), "HTTP/1.1")] {
        let client = Client::builder(TokioExecutor::new()).build::<_, Empty<&[u8]>>(connector);
        let url = format!("https://localhost:{port}/").parse().unwrap();
        let answer = client.get(url).await.unwrap().into_body().collect().await.unwrap().to_bytes();
        assert_eq!(answer, format!("{protocol} {SUITE}"));
    }
    assert_eq!(handshakes(), 2, "one a client");
}
