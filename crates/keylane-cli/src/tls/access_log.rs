//! The access log, in the Common Log Format.

use super::lines::Lines;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::{Request, Response, StatusCode};
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::SystemTime;

/// Bytes of a target, or of a method, that are logged.
const MAX_LEN: usize = 2 << 10;

/// A request. Its line is written when this is dropped.
pub(crate) struct Entry {
    log: Arc<Lines>,
    /// Who asked, when, and for what.
    request: String,
    status: Option<StatusCode>,
    /// Bytes of the answer's body.
    sent: u64,
}

impl Entry {
    pub(crate) fn new<B>(log: Arc<Lines>, client: IpAddr, request: &Request<B>) -> Self {
        // `Tue, 03 Nov 2026 21:00:00 GMT`
        let now = httpdate::fmt_http_date(SystemTime::now());
        let (day, month, year, time) = (&now[5..7], &now[8..11], &now[12..16], &now[17..25]);
        let target = request.uri().path_and_query().map_or("", |target| target.as_str()).as_bytes();
        let (method, target) = (cut(request.method().as_str().as_bytes()), cut(target));
        let version = request.version();
        let request =
            format!("{client} - - [{day}/{month}/{year}:{time} +0000] \"{method} {target} {version:?}\"");
        Self { log, request, status: None, sent: 0 }
    }
}

/// Escapes what a client chose, and may make so long that lines that wait would take much memory.
fn cut(text: &[u8]) -> String {
    match text.get(..MAX_LEN) {
        Some(begin) if begin.len() < text.len() => format!("{}...", begin.escape_ascii()),
        _ => text.escape_ascii().to_string(),
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let status = self.status.map_or_else(|| "-".to_owned(), |status| status.as_u16().to_string());
        let sent = if self.sent == 0 { "-".to_owned() } else { self.sent.to_string() };
        self.log.send(format!("{} {status} {sent}", self.request));
    }
}

/// The body of an answer, with the entry of its request.
pub(crate) struct Logged<B> {
    body: B,
    entry: Option<Entry>,
}

/// Keeps the entry until the answer is sent, or given up.
pub(crate) fn log<B>(response: Response<B>, mut entry: Option<Entry>) -> Response<Logged<B>> {
    if let Some(entry) = &mut entry {
        entry.status = Some(response.status());
    }
    response.map(|body| Logged { body, entry })
}

impl<B: Body<Data = Bytes> + Unpin> Body for Logged<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if let (Some(Ok(frame)), Some(entry)) = (&frame, &mut self.entry) {
            entry.sent += frame.data_ref().map_or(0, Bytes::len) as u64;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
