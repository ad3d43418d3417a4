//! A folder over HTTP/1.1 and HTTP/2.

use super::folder::Folder;
use http_body_util::{Either, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, ETAG, HOST, HeaderValue, IF_RANGE, RANGE};
use hyper::{Method, Request, Response, StatusCode, Version};
use hyper_util::rt::TokioExecutor;
use hyper_util::server::conn::auto;
use std::io::ErrorKind;
use tower_http::services::fs::ServeFileSystemResponseBody;

/// The limit, in bytes, of what waits to be sent, and roughly that of a request's head.
const MAX_BUFFER_LEN: usize = 64 << 10;
/// Requests that a client of HTTP/2 may have under way on one connection. Each may hold a file open.
pub(crate) const MAX_STREAMS: u32 = 16;

type Body = Either<ServeFileSystemResponseBody, Full<Bytes>>;

/// hyper's server, for the protocol that ALPN has chosen.
pub(crate) fn server(alpn: Option<&[u8]>) -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    // A client may announce the end of its requests before it has the answers.
    builder.http1().half_close(true).max_buf_size(MAX_BUFFER_LEN);
    builder.http2().max_concurrent_streams(MAX_STREAMS).max_send_buf_size(MAX_BUFFER_LEN);
    if alpn == Some(b"h2") { builder.http2_only() } else { builder.http1_only() }
}

/// Answers one request with a file of the folder.
pub(crate) async fn answer(folder: Folder, mut request: Request<Incoming>) -> Response<Body> {
    // RFC 9112, section 3.2. In HTTP/2, the authority takes its place.
    let hosts = request.headers().get_all(HOST).iter().count();
    let names_host = hosts == 1 || hosts == 0 && request.version() != Version::HTTP_11;
    if !names_host || !request.uri().path().starts_with('/') {
        return status(StatusCode::BAD_REQUEST);
    }
    // ServeDir finds the folder `host` at `//host`, and redirects to `//host/`: another server. Browsers take
    // a backslash for a slash.
    if request.uri().path()[1..].starts_with(['/', '\\']) {
        return status(StatusCode::NOT_FOUND);
    }
    if let Some(validator) = request.headers_mut().remove(IF_RANGE)
        && !is_current(&folder, &request, &validator).await
    {
        request.headers_mut().remove(RANGE);
    }
    let is_head = request.method() == Method::HEAD;
    let mut response = respond(folder, request).await;
    // ServeDir's errors have no text.
    if response.status().is_client_error() || response.status().is_server_error() {
        let text = status(response.status());
        response.headers_mut().extend(text.headers().clone());
        // hyper would send it over HTTP/2.
        *response.body_mut() = if is_head { Either::Right(Full::default()) } else { text.into_body() };
    }
    // Browsers take other text for Latin-1; HTML can say itself what it is.
    if let Some(kind) = response.headers_mut().get_mut(CONTENT_TYPE)
        && ["text/plain", "text/markdown"].map(str::as_bytes).contains(&kind.as_bytes())
    {
        *kind = HeaderValue::from_static("text/plain; charset=utf-8");
    }
    response
}

async fn respond<Any: Send + 'static>(mut folder: Folder, request: Request<Any>) -> Response<Body> {
    match folder.try_call(request).await {
        Ok(response) => response.map(Either::Left),
        Err(error) => status(match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::PermissionDenied => {
                StatusCode::NOT_FOUND
            }
            ErrorKind::ResourceBusy => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        }),
    }
}

/// Whether the file is still the one of which the client has a part (RFC 9110, section 13.1.5).
async fn is_current(folder: &Folder, request: &Request<Incoming>, validator: &HeaderValue) -> bool {
    let mut head = Request::new(());
    *head.method_mut() = Method::HEAD;
    *head.uri_mut() = request.uri().clone();
    let found = respond(folder.clone(), head).await;
    // A date is no proof: a file may change twice in a second.
    found.headers().get(ETAG) == Some(validator)
}

/// A response that consists of its status.
fn status(status: StatusCode) -> Response<Body> {
    let text = format!("{status}\n");
    let mut response = Response::new(Either::Right(Full::default()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response.headers_mut().insert(CONTENT_LENGTH, text.len().into());
    *response.body_mut() = Either::Right(Full::from(text));
    response
}
