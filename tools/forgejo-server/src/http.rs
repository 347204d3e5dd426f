//! One HTTP request, without TLS.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// Longer than the server takes for anything.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Debug, Clone)]
pub struct Response {
    pub status: u16,
    /// As the server sends them, one a line.
    pub headers: String,
    pub body: String,
}

impl Response {
    /// Null if the body is not JSON: it may be empty, or a page.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

/// In HTTP 1.0, so that the end of the connection is the end of the body.
pub(crate) fn send(
    address: SocketAddr,
    method: &str,
    path: &str,
    token: &str,
    body: &Value,
) -> io::Result<Response> {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let authorization =
        if token.is_empty() { String::new() } else { format!("Authorization: token {token}\r\n") };
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    write!(
        stream,
        "{method} {path} HTTP/1.0\r\nHost: {address}\r\n{authorization}Content-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    parse(&text).ok_or_else(|| io::Error::other(format!("not an HTTP response: {text}")))
}

fn parse(text: &str) -> Option<Response> {
    let (head, body) = text.split_once("\r\n\r\n")?;
    let (first, headers) = head.split_once("\r\n")?;
    let status = first.split(' ').nth(1)?.parse().ok()?;
    Some(Response { status, headers: headers.to_owned(), body: body.to_owned() })
}
