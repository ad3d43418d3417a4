//! Sends a file over QUIC: quinn-proto's protocol, packets sealed and opened many at a time by
//! `keylane_tls::quic`, and sockets with segmentation offload where the system has it.
//!
//! ```text
//! quic_transfer receive CERT-FILE FILE     # writes a new certificate to CERT-FILE, prints its address
//! quic_transfer send CERT-FILE ADDRESS     # sends the standard input
//! ```
//!
//! Without `GSO=off` in the environment, up to 44 packets are one call to the system.
#![forbid(unsafe_code)]

mod protection;

use bytes::BytesMut;
use keylane_tls::rustls::pki_types::{CertificateDer, pem::PemObject};
use keylane_tls::rustls::version::TLS13;
use keylane_tls::rustls::{ClientConfig, RootCertStore, ServerConfig};
use quinn_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn_proto::{
    Connection, ConnectionError, ConnectionHandle, DatagramEvent, Dir, Endpoint, EndpointConfig, Event,
    ReadError, ReadableError, StreamEvent, StreamId, Transmit, VarInt, WriteError,
};
use quinn_udp::{BATCH_SIZE, RecvMeta, UdpSockRef, UdpSocketState};
use std::error::Error;
use std::fs::{self, File};
use std::io::{self, IoSliceMut, Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{env, mem};
use tokio::io::Interest;
use tokio::net::UdpSocket;

/// The most packets of one `sendmsg`: an offloaded datagram has up to 65,535 bytes.
const MAX_SEGMENTS: usize = 44;
/// The most calls of `sendmsg` whose packets are sealed together.
const MAX_TRANSMITS: usize = 8;
/// The room for one received datagram, or for as many as the system joins.
const ROOM: usize = 1 << 16;

type Failure = Box<dyn Error>;

/// A socket, and the one connection over it.
struct Peer {
    socket: UdpSocket,
    udp: UdpSocketState,
    segments: usize,
    room: Vec<u8>,
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
}

impl Peer {
    async fn bind(server: Option<ServerConfig>) -> Result<Self, Failure> {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let udp = UdpSocketState::new(UdpSockRef::from(&socket))?;
        let is_off = env::var_os("GSO").is_some_and(|value| value == "off");
        let segments = if is_off { 1 } else { udp.max_gso_segments().min(MAX_SEGMENTS) };
        let server = match server {
            Some(tls) => Some(Arc::new(quinn_proto::ServerConfig::with_crypto(Arc::new(
                QuicServerConfig::try_from(tls)?,
            )))),
            None => None,
        };
        let endpoint = Endpoint::new(Arc::new(EndpointConfig::default()), server, true, None);
        Ok(Self { socket, udp, segments, room: vec![0; ROOM * BATCH_SIZE], endpoint, connection: None })
    }

    /// Sends what waits to be sent, waits for datagrams or for a timer, and handles them.
    async fn turn(&mut self) -> Result<(), Failure> {
        while self.transmit().await? {}
        let timeout = self.connection.as_mut().and_then(|(_, connection)| connection.poll_timeout());
        let timeout = timeout.unwrap_or_else(|| Instant::now() + Duration::from_secs(60));
        let mut metas = [RecvMeta::default(); BATCH_SIZE];
        let received = self.socket.async_io(Interest::READABLE, || {
            let mut slices = self.room.chunks_mut(ROOM).map(IoSliceMut::new).collect::<Vec<_>>();
            self.udp.recv(UdpSockRef::from(&self.socket), &mut slices, &mut metas)
        });
        let received = match tokio::time::timeout_at(timeout.into(), received).await {
            Ok(received) => received?,
            Err(_) => 0,
        };
        let Some(source) = metas[..received].first().map(|meta| (meta.addr, meta.dst_ip, meta.ecn)) else {
            if let Some((_, connection)) = &mut self.connection {
                connection.handle_timeout(Instant::now());
            }
            return Ok(());
        };
        let mut datagrams = Vec::new();
        for (meta, bytes) in metas[..received].iter().zip(self.room.chunks(ROOM)) {
            datagrams.extend(bytes[..meta.len].chunks(meta.stride).map(BytesMut::from));
        }
        for (datagram, is_open) in protection::open(datagrams) {
            self.handle(source, datagram, is_open).await?;
        }
        Ok(())
    }

    async fn handle(
        &mut self,
        (from, to, ecn): (SocketAddr, Option<std::net::IpAddr>, Option<quinn_udp::EcnCodepoint>),
        datagram: BytesMut,
        is_open: bool,
    ) -> Result<(), Failure> {
        let (now, mut reply) = (Instant::now(), Vec::new());
        let ecn = ecn.and_then(|ecn| quinn_proto::EcnCodepoint::from_bits(ecn as u8));
        let event = self.endpoint.handle(now, from, to, ecn, datagram, &mut reply);
        match (event, &mut self.connection) {
            (Some(DatagramEvent::ConnectionEvent(handle, event)), Some((known, connection)))
                if handle == *known =>
            {
                protection::handling(is_open, || connection.handle_event(event));
            }
            (Some(DatagramEvent::NewConnection(incoming)), connection @ None) => {
                let accepted = self.endpoint.accept(incoming, now, &mut reply, None);
                *connection = Some(accepted.map_err(|error| error.cause)?);
            }
            (Some(DatagramEvent::NewConnection(incoming)), Some(_)) => self.endpoint.ignore(incoming),
            (Some(DatagramEvent::Response(transmit)), _) => self.send(&transmit, &reply).await?,
            _ => {}
        }
        Ok(())
    }

    /// Seals and sends several transmits. Returns whether there may be more.
    async fn transmit(&mut self) -> Result<bool, Failure> {
        let Some((handle, connection)) = &mut self.connection else { return Ok(false) };
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(*handle, event) {
                connection.handle_event(event);
            }
        }
        let (mut transmits, mut buffer) = (Vec::new(), Vec::new());
        while transmits.len() < MAX_TRANSMITS {
            let transmit = connection.poll_transmit(Instant::now(), self.segments, &mut buffer);
            let Some(transmit) = transmit else { break };
            transmits.push((transmit, mem::take(&mut buffer)));
        }
        protection::seal(transmits.iter_mut().map(|(_, buffer)| &mut buffer[..]));
        for (transmit, buffer) in &transmits {
            self.send(transmit, buffer).await?;
        }
        Ok(transmits.len() == MAX_TRANSMITS)
    }

    async fn send(&self, transmit: &Transmit, buffer: &[u8]) -> io::Result<()> {
        let transmit = quinn_udp::Transmit {
            destination: transmit.destination,
            ecn: transmit.ecn.and_then(|ecn| quinn_udp::EcnCodepoint::from_bits(ecn as u8)),
            contents: &buffer[..transmit.size],
            segment_size: transmit.segment_size,
            src_ip: transmit.src_ip,
        };
        let send = || self.udp.send(UdpSockRef::from(&self.socket), &transmit);
        self.socket.async_io(Interest::WRITABLE, send).await
    }

    /// Takes a turn and returns the next event.
    async fn event(&mut self) -> Result<Event, Failure> {
        loop {
            if let Some((_, connection)) = &mut self.connection
                && let Some(event) = connection.poll()
            {
                return Ok(event);
            }
            self.turn().await?;
        }
    }

    fn connection(&mut self) -> &mut Connection {
        &mut self.connection.as_mut().expect("it has an event").1
    }
}

async fn send(cert_file: &str, address: &str) -> Result<(), Failure> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(cert_file)?)?;
    let tls = ClientConfig::builder_with_provider(protection::provider().into())
        .with_protocol_versions(&[&TLS13])?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let config = quinn_proto::ClientConfig::new(Arc::new(QuicClientConfig::try_from(tls)?));
    let mut data = Vec::new();
    io::stdin().read_to_end(&mut data)?;

    let mut peer = Peer::bind(None).await?;
    peer.connection = Some(peer.endpoint.connect(Instant::now(), config, address.parse()?, "localhost")?);
    let (mut stream, mut sent, mut is_finished): (Option<StreamId>, _, _) = (None, 0, false);
    loop {
        match peer.event().await? {
            Event::Connected => stream = peer.connection().streams().open(Dir::Uni),
            Event::Stream(StreamEvent::Finished { .. }) => {
                // All was acknowledged.
                peer.connection().close(Instant::now(), VarInt::from_u32(0), bytes::Bytes::new());
                while peer.transmit().await? {}
                return report();
            }
            Event::ConnectionLost { reason } => return Err(reason.into()),
            _ => {}
        }
        let Some(id) = stream.filter(|_| !is_finished) else { continue };
        let mut stream = peer.connection().send_stream(id);
        while !is_finished {
            match stream.write(&data[sent..]) {
                Ok(len) => sent += len,
                Err(WriteError::Blocked) => break,
                Err(error) => return Err(error.into()),
            }
            if sent == data.len() {
                stream.finish()?;
                is_finished = true;
            }
        }
    }
}

async fn receive(cert_file: &str, file: &str) -> Result<(), Failure> {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
    let tls = ServerConfig::builder_with_provider(protection::provider().into())
        .with_protocol_versions(&[&TLS13])?
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], made.signing_key.into())?;
    let mut peer = Peer::bind(Some(tls)).await?;
    fs::write(cert_file, made.cert.pem())?;
    println!("{}", peer.socket.local_addr()?);

    let mut file = File::create(file)?;
    let (mut stream, mut is_complete): (Option<StreamId>, _) = (None, false);
    loop {
        match peer.event().await? {
            Event::Stream(StreamEvent::Opened { dir: Dir::Uni }) if stream.is_none() => {
                stream = peer.connection().streams().accept(Dir::Uni);
            }
            Event::ConnectionLost { reason: ConnectionError::ApplicationClosed(_) } if is_complete => {
                return report();
            }
            Event::ConnectionLost { reason } => return Err(reason.into()),
            _ => {}
        }
        let Some(stream) = stream.filter(|_| !is_complete) else { continue };
        let mut stream = peer.connection().recv_stream(stream);
        let mut chunks = match stream.read(true) {
            Ok(chunks) => chunks,
            Err(ReadableError::ClosedStream | ReadableError::IllegalOrderedRead) => continue,
        };
        loop {
            match chunks.next(usize::MAX) {
                Ok(Some(chunk)) => file.write_all(&chunk.bytes)?,
                Ok(None) => break is_complete = true,
                Err(ReadError::Blocked) => break,
                Err(error) => return Err(error.into()),
            }
        }
        // Whether the peer is told of room by new frames, which the next turn sends in any case.
        let _ = chunks.finalize();
    }
}

fn report() -> Result<(), Failure> {
    let protection::Counts { sealed, seals, opened, opens } = protection::counts();
    println!("sealed {sealed} packets in {seals} calls, opened {opened} in {opens}");
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["receive", cert_file, file] => receive(cert_file, file).await,
        ["send", cert_file, address] => send(cert_file, address).await,
        _ => Err("usage: quic_transfer receive CERT-FILE FILE | send CERT-FILE ADDRESS".into()),
    }
}
