//! HTTP/1.1 as far as a folder of files needs it: GET and HEAD, connections that serve many requests (RFC
//! 9110, RFC 9112).

use super::folder::{Folder, Found};
use httparse::{Request, Status};
use std::io;
use std::time::{Duration, SystemTime};
use tokio::fs::File;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

/// Of one request's head, in bytes.
const MAX_HEAD_LEN: usize = 16 << 10;
const MAX_HEADERS: usize = 64;
/// Of a file, in bytes: read and sent at once.
const PIECE: usize = 64 << 10;

/// Why no more requests are answered.
#[derive(Debug)]
pub(crate) enum End {
    /// The peer sends no more.
    Closed,
    /// The last answer said that it is the last.
    Answered,
    /// No request came in time.
    Idle,
}

/// Answers requests until there are no more. A whole head must arrive within `patience`, counted from the end
/// of the last answer.
pub(crate) async fn serve<S>(stream: &mut S, folder: &Folder, patience: Duration) -> io::Result<End>
where
    S: AsyncBufRead + AsyncWrite + Unpin,
{
    loop {
        let Ok(head) = timeout(patience, read_head(stream)).await else { return Ok(End::Idle) };
        let Some(head) = head? else { return Ok(End::Closed) };
        let answer = Answer::to(&head, folder).await;
        let is_last = !answer.keeps_open;
        answer.send(stream).await?;
        if is_last {
            return Ok(End::Answered);
        }
    }
}

/// Reads up to the empty line, or [`MAX_HEAD_LEN`] bytes and no further; what follows stays in the stream.
/// Lines may end in LF alone (RFC 9112 §2.2). `None` at the end of the stream.
async fn read_head<S: AsyncBufRead + Unpin>(stream: &mut S) -> io::Result<Option<Vec<u8>>> {
    let mut head = Vec::new();
    while head.len() < MAX_HEAD_LEN {
        let window = stream.fill_buf().await?;
        if window.is_empty() {
            return if head.is_empty() { Ok(None) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
        }
        let old = head.len();
        head.extend_from_slice(&window[..window.len().min(MAX_HEAD_LEN - old)]);
        let end = (old.saturating_sub(2)..head.len()).find_map(|at| match head[at..] {
            [b'\n', b'\n', ..] => Some(at + 2),
            [b'\n', b'\r', b'\n', ..] => Some(at + 3),
            _ => None,
        });
        head.truncate(end.unwrap_or(head.len()));
        stream.consume(head.len() - old);
        if end.is_some() {
            break;
        }
    }
    Ok(Some(head))
}

struct Answer {
    status: u16,
    /// Header lines of this answer alone.
    headers: String,
    body: Body,
    /// HEAD requests a response's header without the body.
    header_only: bool,
    keeps_open: bool,
}

enum Body {
    Text(String),
    File(File, u64),
}

impl Answer {
    async fn to(head: &[u8], folder: &Folder) -> Self {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut request = Request::new(&mut headers);
        let (method, target, minor) = match (request.parse(head), request.method, request.path) {
            (Ok(Status::Complete(_)), Some(method), Some(target)) => (method, target, request.version),
            (Ok(Status::Partial) | Err(httparse::Error::TooManyHeaders), ..) => return Self::error(431),
            (Err(httparse::Error::Version), ..) => return Self::error(505),
            _ => return Self::error(400),
        };
        let values = |name: &'static str| {
            let named = request.headers.iter().filter(move |header| header.name.eq_ignore_ascii_case(name));
            named.map(|header| header.value)
        };
        let is_1_1 = minor == Some(1);
        let hosts = values("host").count();
        // A body would be taken for the next request.
        let has_body =
            values("transfer-encoding").next().is_some() || values("content-length").any(|len| len != b"0");
        if hosts > 1 || hosts == 0 && is_1_1 {
            return Self::error(400);
        }
        if !["GET", "HEAD"].contains(&method) {
            return Self { headers: "Allow: GET, HEAD\r\n".to_owned(), ..Self::error(405) };
        }
        if has_body {
            return Self::error(400);
        }
        let option = |wanted: &str| {
            let options = values("connection").flat_map(|value| value.split(|byte| *byte == b','));
            options.into_iter().any(|option| option.trim_ascii().eq_ignore_ascii_case(wanted.as_bytes()))
        };
        // A proxy may not take LF alone for a line's end. Then the head has another end for it, and a second
        // answer would be one to a request that it never saw.
        let ends_clearly = head.split_inclusive(|&byte| byte == b'\n').all(|line| line.ends_with(b"\r\n"));
        let keeps_open = ends_clearly && !option("close") && (is_1_1 || option("keep-alive"));
        let Some(path) = path(target) else { return Self::error(400) };
        let answer = match folder.find(path).await {
            Found::File { content, len, media_type } => Self {
                status: 200,
                headers: format!("Content-Type: {media_type}\r\n"),
                body: Body::File(content, len),
                header_only: false,
                keeps_open,
            },
            Found::Folder => Self { headers: format!("Location: {path}/\r\n"), ..Self::error(301) },
            Found::Nothing => Self::error(404),
            Found::Malformed => return Self::error(400),
        };
        Self { header_only: method == "HEAD", keeps_open, ..answer }
    }

    /// After an error the connection is closed, unless the request was understood.
    fn error(status: u16) -> Self {
        Self {
            status,
            headers: "Content-Type: text/plain\r\n".to_owned(),
            body: Body::Text(format!("{status} {}\n", phrase(status))),
            header_only: false,
            keeps_open: false,
        }
    }

    async fn send<S: AsyncWrite + Unpin>(self, stream: &mut S) -> io::Result<()> {
        let len = match &self.body {
            Body::Text(text) => text.len() as u64,
            Body::File(_, len) => *len,
        };
        let head = format!(
            "HTTP/1.1 {} {}\r\nDate: {}\r\nConnection: {}\r\nContent-Length: {len}\r\n{}\r\n",
            self.status,
            phrase(self.status),
            httpdate::fmt_http_date(SystemTime::now()),
            if self.keeps_open { "keep-alive" } else { "close" },
            self.headers,
        );
        stream.write_all(head.as_bytes()).await?;
        match self.body {
            _ if self.header_only => {}
            Body::Text(text) => stream.write_all(text.as_bytes()).await?,
            Body::File(content, len) => send_file(stream, content, len).await?,
        }
        stream.flush().await
    }
}

async fn send_file<S: AsyncWrite + Unpin>(stream: &mut S, mut content: File, len: u64) -> io::Result<()> {
    let mut piece = vec![0; PIECE];
    let mut left = len;
    while left > 0 {
        let most = usize::try_from(left).map_or(PIECE, |left| left.min(PIECE));
        let read = content.read(&mut piece[..most]).await?;
        if read == 0 {
            return Err(io::Error::other("a file became shorter while it was sent"));
        }
        stream.write_all(&piece[..read]).await?;
        left -= read as u64;
    }
    Ok(())
}

/// The path in a request's target, which is one, or a URL; without what follows `?`.
fn path(target: &str) -> Option<&str> {
    let target = match target.strip_prefix("https://").or_else(|| target.strip_prefix("http://")) {
        Some(url) => url.find('/').map_or("/", |at| &url[at..]),
        None => target,
    };
    target.split('?').next().filter(|path| path.starts_with('/'))
}

fn phrase(status: u16) -> &'static str {
    match status {
        200 => "OK",
        301 => "Moved Permanently",
        400 => "Bad Request",
        404 => "Not Found",
        405 => "Method Not Allowed",
        431 => "Request Header Fields Too Large",
        _ => "HTTP Version Not Supported",
    }
}
