//! Parses the request head for a proxy, and builds the head for the host.

use crate::host::{self, Host};

/// Hop-by-hop headers and those that this proxy replaces, besides all that start with `proxy-`.
const NOT_PASSED_ON: [&str; 5] = ["host", "connection", "keep-alive", "te", "upgrade"];

const HTTP_PORT: u16 = 80;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) host: Host,
    pub(crate) port: u16,
    pub(crate) kind: RequestKind,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RequestKind {
    Tunnel,
    /// With the head for the host.
    Forward(Vec<u8>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadRequest {
    #[error("this is not an HTTP/1.1 request")]
    NotHttp,
    #[error("this proxy accepts CONNECT host:port and requests for http://host/")]
    BadTarget,
}

/// Parses a head that ends with its empty line.
pub(crate) fn read(head: &[u8]) -> Result<Request, BadRequest> {
    let mut lines = lines(head).ok_or(BadRequest::NotHttp)?.into_iter();
    let first = lines.next().and_then(|line| str::from_utf8(line).ok());
    let (method, target, version) = first.and_then(words).ok_or(BadRequest::NotHttp)?;
    let headers: Vec<Header<'_>> =
        lines.map(header).collect::<Option<_>>().ok_or(BadRequest::NotHttp)?;
    if method == "CONNECT" {
        return match host::authority(target) {
            Some((host, Some(port))) => Ok(Request { host, port, kind: RequestKind::Tunnel }),
            _ => Err(BadRequest::BadTarget),
        };
    }
    let (host, port, path) = absolute(target).ok_or(BadRequest::BadTarget)?;
    let start = format!("{method} {path} {version}\r\nHost: {}\r\n", host_header(&host, port));
    let kind = RequestKind::Forward(with_headers(start, &headers));
    Ok(Request { host, port, kind })
}

/// Lines end in CR LF without control characters, because some parsers end a line at a single CR or LF.
fn lines(head: &[u8]) -> Option<Vec<&[u8]>> {
    let is_text = |byte: &u8| *byte == b'\t' || !byte.is_ascii_control();
    head.strip_suffix(b"\r\n")?
        .split_inclusive(|byte| *byte == b'\n')
        .map(|line| line.strip_suffix(b"\r\n").filter(|text| text.iter().all(is_text)))
        .collect()
}

fn words(line: &str) -> Option<(&str, &str, &str)> {
    let mut words = line.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    let is_request = words.next().is_none()
        && is_token(method.as_bytes())
        && target.bytes().all(|byte| byte.is_ascii_graphic())
        && ["HTTP/1.1", "HTTP/1.0"].contains(&version);
    is_request.then_some((method, target, version))
}

/// The lower-case name of a header, and the whole line.
type Header<'h> = (String, &'h [u8]);

/// Rejects space around a name, because some parsers skip it.
fn header(line: &[u8]) -> Option<Header<'_>> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    let name = str::from_utf8(&line[..colon]).ok().filter(|name| is_token(name.as_bytes()))?;
    Some((name.to_ascii_lowercase(), line))
}

fn is_token(text: &[u8]) -> bool {
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    !text.is_empty() && text.iter().all(is_letter)
}

/// Parses `http://host:port/path`.
fn absolute(target: &str) -> Option<(Host, u16, String)> {
    let (scheme, rest) = target.split_once("://")?;
    if !scheme.eq_ignore_ascii_case("http") || rest.contains('#') {
        return None;
    }
    let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let (host, port) = host::authority(authority)?;
    let slash = if path.starts_with('/') { "" } else { "/" };
    Some((host, port.unwrap_or(HTTP_PORT), format!("{slash}{path}")))
}

fn host_header(host: &Host, port: u16) -> String {
    if port == HTTP_PORT { host.to_string() } else { format!("{host}:{port}") }
}

/// Limits the connection to one request, because a second head would not be checked.
fn with_headers(start: String, headers: &[Header<'_>]) -> Vec<u8> {
    let mut head = start.into_bytes();
    for (name, line) in headers {
        if !name.starts_with("proxy-") && !NOT_PASSED_ON.contains(&name.as_str()) {
            head.extend_from_slice(line);
            head.extend_from_slice(b"\r\n");
        }
    }
    head.extend_from_slice(b"Connection: close\r\n\r\n");
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forwarded(head: &str) -> (String, u16, String) {
        let Request { host, port, kind: RequestKind::Forward(head) } =
            read(head.as_bytes()).unwrap()
        else {
            panic!("a tunnel");
        };
        (host.to_string(), port, String::from_utf8(head).unwrap())
    }

    #[test]
    fn a_tunnel_is_for_the_host_of_its_first_line() {
        let head = b"CONNECT Example.com:443 HTTP/1.1\r\nHost: other.example\r\n\r\n";
        let host = Host::Name("example.com".into());
        assert_eq!(read(head), Ok(Request { host, port: 443, kind: RequestKind::Tunnel }));
    }

    #[test]
    fn a_request_is_forwarded_to_the_host_that_is_checked_and_no_other() {
        let (host, port, head) = forwarded(
            "POST http://Example.com:8080/a?b=http://c HTTP/1.1\r\nHost: other.example\r\n\
             hOST: third.example\r\nAccept: */*\r\nProxy-Authorization: secret\r\n\
             proxy-connection: keep-alive\r\nConnection: keep-alive\r\nKeep-Alive: 9\r\n\
             Upgrade: h2c\r\nTE: trailers\r\nContent-Length: 3\r\n\r\n",
        );
        assert_eq!((host.as_str(), port), ("example.com", 8080));
        assert_eq!(
            head,
            "POST /a?b=http://c HTTP/1.1\r\nHost: example.com:8080\r\nAccept: */*\r\n\
             Content-Length: 3\r\nConnection: close\r\n\r\n"
        );
    }

    #[test]
    fn targets_become_paths() {
        for (target, host, port, path) in [
            ("http://example.com", "example.com", 80, "/"),
            ("HTTP://example.com./x", "example.com", 80, "/x"),
            ("http://example.com?x=/y", "example.com", 80, "/?x=/y"),
            ("http://10.0.0.5:81/@x", "10.0.0.5", 81, "/@x"),
            ("http://[::1]/%00", "[::1]", 80, "/%00"),
        ] {
            let read = forwarded(&format!("GET {target} HTTP/1.0\r\n\r\n"));
            assert_eq!((read.0.as_str(), read.1), (host, port), "{target}");
            assert!(read.2.starts_with(&format!("GET {path} HTTP/1.0\r\n")), "{}", read.2);
        }
    }

    #[test]
    fn malformed_targets_are_refused() {
        for line in [
            "CONNECT example.com",
            "CONNECT example.com:",
            "CONNECT user@example.com:443",
            "CONNECT http://example.com:443",
            "CONNECT example.com:443/",
            "CONNECT 2130706433:443",
            "CONNECT [::ffff:127.0.0.1]:443",
            "GET /",
            "GET *",
            "GET example.com:80",
            "GET //example.com/",
            "GET http:/example.com/",
            "GET http:///",
            "GET https://example.com/",
            "GET ftp://example.com/",
            "GET http://user:password@example.com/",
            "GET http://example.com@evil.example/",
            "GET http://example.com\\@evil.example/",
            "GET http://example.com#@evil.example/",
            "GET http://example.com/#x",
            "GET http://0x7f.1/",
            "GET http://127.1/",
            "GET http://exam%70le.com/",
            "GET http://example.com%2f@evil.example/",
            "GET http://[::1]evil.example/",
        ] {
            let head = format!("{line} HTTP/1.1\r\n\r\n");
            assert_eq!(read(head.as_bytes()), Err(BadRequest::BadTarget), "{line}");
        }
    }

    #[test]
    fn malformed_heads_are_refused() {
        let first = "GET http://a.example/ HTTP/1.1\r\n";
        for head in [
            "\r\n\r\n".to_owned(),
            format!("\r\n{first}\r\n"),
            "GET http://a.example/\r\n\r\n".into(),
            "GET  http://a.example/ HTTP/1.1\r\n\r\n".into(),
            "GET\thttp://a.example/ HTTP/1.1\r\n\r\n".into(),
            "GET http://a.example/ b HTTP/1.1\r\n\r\n".into(),
            "GET http://a.example/ü HTTP/1.1\r\n\r\n".into(),
            "GET http://a.example/\0 HTTP/1.1\r\n\r\n".into(),
            "GET http://a.example/\rX HTTP/1.1\r\n\r\n".into(),
            "GET http://a.example/\nX HTTP/1.1\r\n\r\n".into(),
            "GET http://a.example/ HTTP/1.1\n\r\n\r\n".into(),
            "GET http://a.example/ HTTP/2.0\r\n\r\n".into(),
            "GET http://a.example/ http/1.1\r\n\r\n".into(),
            "G(T http://a.example/ HTTP/1.1\r\n\r\n".into(),
            " http://a.example/ HTTP/1.1\r\n\r\n".into(),
            "CONNECT a.example\0:443 HTTP/1.1\r\n\r\n".into(),
            "CONNECT a.example :443 HTTP/1.1\r\n\r\n".into(),
            format!("{first}no colon\r\n\r\n"),
            format!("{first}Host : b.example\r\n\r\n"),
            format!("{first} Folded: b\r\n\r\n"),
            format!("{first}: b\r\n\r\n"),
            format!("{first}A: b\nHost: b.example\r\n\r\n"),
            format!("{first}A: b\rHost: b.example\r\n\r\n"),
            format!("{first}A: \0\r\n\r\n"),
            "CONNECT a.example:443 HTTP/1.1\r\nno colon\r\n\r\n".into(),
        ] {
            assert_eq!(read(head.as_bytes()), Err(BadRequest::NotHttp), "{head:?}");
        }
    }
}
