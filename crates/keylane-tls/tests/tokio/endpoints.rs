//! Connectors and acceptors. A program written for tokio-rustls has to change only its imports.

use crate::{VERSIONS, configs, tcp, within};
use keylane_tls::Error;
use keylane_tls::session::Options;
use keylane_tls::tokio::{TlsAcceptor, TlsConnector, TlsStream};
use keylane_tls_checks::certificates::server_name;
use keylane_tls_checks::terms::Version;
use rustls::ClientConfig;
use std::io::ErrorKind;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

/// A client and a server, with nothing in them but the module that their types come from.
macro_rules! program {
    ($name:ident, $($tls:ident)::+) => {
        mod $name {
            use rustls::pki_types::ServerName;
            use rustls::{ClientConfig, ServerConfig};
            use std::io;
            use std::sync::Arc;
            use tokio::io::{AsyncReadExt, AsyncWriteExt};
            use tokio::net::TcpStream;
            use $($tls)::+::{Accept, Connect, TlsAcceptor, TlsConnector, TlsStream, client, server};

            pub(super) async fn ask(config: Arc<ClientConfig>, socket: TcpStream) -> io::Result<String> {
                let connector = TlsConnector::from(config);
                let name = ServerName::try_from("localhost").unwrap();
                let connect: Connect<TcpStream> = connector.with_alpn(vec![b"ask".to_vec()]).connect(name, socket);
                connect.get_ref().unwrap().set_nodelay(true)?;
                let mut stream: client::TlsStream<TcpStream> = connect.await?;
                stream.write_all(b"a question").await?;
                stream.shutdown().await?;
                let mut answer = String::new();
                TlsStream::from(stream).read_to_string(&mut answer).await?;
                Ok(answer)
            }

            pub(super) async fn answer(config: Arc<ServerConfig>, socket: TcpStream) -> io::Result<String> {
                let acceptor = TlsAcceptor::from(config);
                let mut accept: Accept<TcpStream> = acceptor.accept(socket);
                accept.get_mut().unwrap().set_nodelay(true)?;
                let stream: server::TlsStream<TcpStream> = accept.into_fallible().await.map_err(|(error, _)| error)?;
                let (mut read, mut write) = tokio::io::split(TlsStream::from(stream));
                let mut question = String::new();
                read.read_to_string(&mut question).await?;
                write.write_all(b"an answer").await?;
                write.shutdown().await?;
                Ok(question)
            }
        }
    };
}

program!(with_keylane, keylane_tls::tokio);
program!(with_tokio_rustls, tokio_rustls);

#[tokio::test]
async fn a_program_for_tokio_rustls_changes_its_imports() {
    for version in VERSIONS {
        let configs = configs(version);
        macro_rules! run {
            ($client:ident, $server:ident) => {
                let (a, b) = tcp().await;
                let client = $client::ask(configs.client.clone(), a);
                let server = $server::answer(configs.server.clone(), b);
                let (answer, question) = within(async { tokio::try_join!(client, server).unwrap() }).await;
                assert_eq!((question.as_str(), answer.as_str()), ("a question", "an answer"));
            };
        }
        run!(with_keylane, with_keylane);
        run!(with_keylane, with_tokio_rustls);
        run!(with_tokio_rustls, with_keylane);
    }
}

#[tokio::test]
async fn a_failed_handshake_returns_the_transport() {
    let configs = configs(Version::Tls13);
    let (mut peer, transport) = duplex(1000);
    peer.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    let accept = TlsAcceptor::from(configs.server).accept(transport).into_fallible();
    let (error, mut transport) = within(accept).await.unwrap_err();
    assert!(matches!(Error::of(&error), Some(Error::Handshake(_))), "{error:?}");
    transport.write_all(b"plain text").await.unwrap();
    drop(transport);
    let mut received = Vec::new();
    peer.read_to_end(&mut received).await.unwrap();
    let (alert, text) = received.split_at(7);
    assert_eq!((alert[0], text), (21, &b"plain text"[..]), "an alert comes first");

    let (peer, transport) = duplex(1000);
    drop(peer);
    let connect = TlsConnector::from(configs.client).connect(server_name(), transport);
    assert_eq!(within(connect).await.unwrap_err().kind(), ErrorKind::BrokenPipe);
}

/// What rustls refuses before the first byte is an error of the future as well.
#[tokio::test]
async fn a_refused_configuration_is_an_error_of_the_future() {
    let provider = Arc::new(keylane_tls::provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    config.max_fragment_size = Some(1);
    let connector = TlsConnector::from(Arc::new(config));
    let (transport, _peer) = duplex(1000);
    let (error, _transport) = connector.connect(server_name(), transport).into_fallible().await.unwrap_err();
    assert_eq!(Error::of(&error), Some(&Error::Handshake(rustls::Error::BadMaxFragmentSize)));
}

#[tokio::test]
async fn options_and_protocols_are_those_of_one_connection() {
    let mut configs = configs(Version::Tls13);
    Arc::make_mut(&mut configs.server).alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    // The connector's protocols take the place of this one.
    Arc::make_mut(&mut configs.client).alpn_protocols = vec![b"h2".to_vec()];
    let (connector, acceptor) = (TlsConnector::from(configs.client), TlsAcceptor::from(configs.server));
    let mut options = Options::default();
    options.allow_truncation = true;
    let default = Options::default();
    for (protocol, options, server_stays) in
        [(&b"h2"[..], options, false), (b"h2", options, true), (b"http/1.1", default, false)]
    {
        let (a, b) = duplex(10_000);
        let offering = connector.with_alpn(vec![protocol.to_vec()]);
        let connect = offering.connect_with(server_name(), a, options);
        let accept = acceptor.accept_with(b, options);
        let (client, server) = within(async { tokio::try_join!(connect, accept).unwrap() }).await;
        let streams: [&TlsStream<_>; 2] = [&client, &server];
        assert!(streams.iter().all(|stream| stream.info().alpn() == Some(protocol)));
        let (mut stays, goes) = if server_stays { (server, client) } else { (client, server) };
        drop(goes);
        assert_eq!(stays.read(&mut [0]).await.is_ok(), options.allow_truncation);
    }
}

/// A connection takes a configuration as it is, and changes its own copy only.
#[tokio::test]
async fn a_configuration_stays_as_it_is() {
    let mut configs = configs(Version::Tls13);
    Arc::make_mut(&mut configs.client).enable_secret_extraction = false;
    Arc::make_mut(&mut configs.server).enable_secret_extraction = false;
    let (connector, acceptor) =
        (TlsConnector::from(configs.client.clone()), TlsAcceptor::from(configs.server.clone()));
    let (a, b) = duplex(1 << 16);
    let both = async { tokio::try_join!(connector.connect(server_name(), a), acceptor.accept(b)).unwrap() };
    let (_client, server) = within(both).await;
    assert!(server.info().server_name().is_some());
    assert!(Arc::ptr_eq(connector.config(), &configs.client));
    assert!(!configs.client.enable_secret_extraction && !configs.server.enable_secret_extraction);
}
