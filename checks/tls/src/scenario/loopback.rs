//! A server that echoes, on the loopback network: each connection on a thread of its own.

use crate::{
    certificates::Configs,
    contender::{Contender, Io, Stream},
    terms::Packets,
};
use std::{
    io,
    net::{Ipv4Addr, TcpListener, TcpStream},
    thread,
};

/// What server and client read at a time, as in Go's benchmarks.
pub(crate) const BUFFER: usize = 32 << 10;

pub(crate) struct Loopback {
    contender: Contender,
    configs: Configs,
    packets: Packets,
    listener: TcpListener,
}

impl Loopback {
    pub(crate) fn new(contender: &Contender, configs: Configs, packets: Packets) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        Ok(Self { contender: *contender, configs, packets, listener })
    }

    /// Dials, shakes hands, and leaves the connection to `client`. The server's transport is what `at_server`
    /// makes of its socket, the client's what `at_client` makes of its.
    ///
    /// # Errors
    /// The client's, or else the server's.
    pub(crate) fn run<T>(
        &self,
        at_server: impl FnOnce(TcpStream) -> Io + Send,
        at_client: impl FnOnce(TcpStream) -> Io,
        client: impl FnOnce(&mut dyn Stream) -> io::Result<T>,
    ) -> io::Result<(T, io::Result<()>)> {
        let socket = TcpStream::connect(self.listener.local_addr()?)?;
        socket.set_nodelay(true)?;
        thread::scope(|scope| {
            let server = scope.spawn(|| {
                let (socket, _) = self.listener.accept()?;
                socket.set_nodelay(true)?;
                let stream =
                    (self.contender.accept)(self.configs.server.clone(), self.packets, at_server(socket))?;
                echo(stream)
            });
            // The stream is gone before the server is waited for: that ends the echo.
            let result =
                (self.contender.connect)(self.configs.client.clone(), self.packets, at_client(socket))
                    .and_then(|mut stream| client(&mut *stream));
            let served = server.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            Ok((result?, served))
        })
    }
}

/// Sends back what each read gives, until the client closes.
fn echo(mut stream: Box<dyn Stream>) -> io::Result<()> {
    let mut buffer = vec![0; BUFFER];
    loop {
        match stream.read(&mut buffer)? {
            0 => return stream.close(),
            n => stream.write_all(&buffer[..n])?,
        }
        stream.flush()?;
    }
}
