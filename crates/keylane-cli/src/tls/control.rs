//! What signals ask of a server.

use crate::status::Failure;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// SIGINT or SIGTERM; Ctrl-C.
    Stop,
    /// SIGHUP.
    Reload,
}

/// From its creation on, the signals do nothing else, and none is missed.
#[cfg(unix)]
pub(crate) struct Control {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Control {
    /// # Errors
    ///
    /// If the system refuses.
    pub(crate) fn new() -> Result<Self, Failure> {
        use tokio::signal::unix::{SignalKind, signal};
        let listen = |kind| signal(kind).map_err(Failure::input);
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hang_up: listen(SignalKind::hangup())?,
        })
    }

    pub(crate) async fn next(&mut self) -> Order {
        tokio::select! {
            _ = self.interrupt.recv() => Order::Stop,
            _ = self.terminate.recv() => Order::Stop,
            _ = self.hang_up.recv() => Order::Reload,
        }
    }
}

#[cfg(windows)]
pub(crate) struct Control(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Control {
    pub(crate) fn new() -> Result<Self, Failure> {
        tokio::signal::windows::ctrl_c().map(Self).map_err(Failure::input)
    }

    pub(crate) async fn next(&mut self) -> Order {
        self.0.recv().await;
        Order::Stop
    }
}
