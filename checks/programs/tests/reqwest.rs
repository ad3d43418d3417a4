//! reqwest uploads a file to nginx and gets it, over HTTP/1.1 and HTTP/2.

use keylane_program_checks::{Identity, SUITE, handshakes, nginx, provider};
use reqwest::{Certificate, Client, StatusCode, Version};

#[tokio::test]
async fn a_file_comes_back() {
    let identity = Identity::new();
    let (_server, port) = nginx(&identity);
    provider().install_default().unwrap();
    for (version, name) in [(Version::HTTP_11, "HTTP/1.1"), (Version::HTTP_2, "HTTP/2.0")] {
        let trusted = Certificate::from_pem(identity.pem().as_bytes()).unwrap();
        let client = Client::builder().tls_certs_only([trusted]).no_proxy();
        let client = if version == Version::HTTP_11 { client.http1_only() } else { client }.build().unwrap();
        let url = |path: &str| format!("https://localhost:{port}/{path}");

        let answer = client.get(url("")).send().await.unwrap();
        assert_eq!(answer.version(), version);
        assert_eq!(answer.text().await.unwrap(), format!("{name} {SUITE}"));

        let body: Vec<u8> = (0..3_000_000_u32).map(|at| (at / 7) as u8).collect();
        let path = format!("files/{name}");
        let put = client.put(url(&path)).body(body.clone()).send().await.unwrap();
        assert_eq!(put.status(), StatusCode::CREATED);
        assert_eq!(client.get(url(&path)).send().await.unwrap().bytes().await.unwrap(), body);
    }
    assert!(handshakes() >= 2, "one a client at least");
}
