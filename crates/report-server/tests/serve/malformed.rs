//! Malformed requests: each is refused or its connection closed, and the next good one is answered.

use crate::harness::{Site, TOKEN, options};

/// Requests with a wrong host or a malformed head.
fn corpus(host: &str) -> Vec<Vec<u8>> {
    let auth = format!("Authorization: Bearer {TOKEN}\r\n");
    let with = |line: &str, more: &str| format!("{line}\r\n{auth}{more}\r\n").into_bytes();
    let here = format!("Host: {host}\r\n");
    let mut all: Vec<Vec<u8>> = vec![
        b"\r\n\r\n\r\n\r\n".to_vec(),
        b"\0\0\0\0\0\0\0\0\r\n\r\n".to_vec(),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".repeat(20),
        b"GET /\r\n".to_vec(),
        b"GET / HTTP/0.9\r\n\r\n".to_vec(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        b"\xff\xfe\xfd / HTTP/1.1\r\n\r\n".to_vec(),
        (0..=255).collect(),
        "é / HTTP/1.1\r\n\r\n".into(),
        b"GET / HTTP/1.1\nHost: x\n\n".to_vec(),
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n".to_vec(),
        b"GET / HTTP/1.1\r\n: empty\r\n\r\n".to_vec(),
        b"GET / HTTP/1.1\r\nA: \x00\r\n\r\n".to_vec(),
        b"GET / HTTP/1.1\r\nA: b\rc\r\n\r\n".to_vec(),
        with("GET / HTTP/1.1", ""),
        with("GET / HTTP/1.0", ""),
        with("GET / HTTP/1.1", &here.repeat(2)),
        with("GET / HTTP/1.1", &format!("{here}Host: evil.example\r\n")),
        with("GET / HTTP/1.1", &format!("Host : {host}\r\n")),
        with("GET / HTTP/1.1", &format!(" Host: {host}\r\n")),
        with("GET / HTTP/1.1", &format!("{here} folded\r\n")),
        with("GET / HTTP/1.1", &format!("Host: user@{host}\r\n")),
        with("GET / HTTP/1.1", &format!("Host: {host}.\r\n")),
        with("GET / HTTP/1.1", &format!("Host: {host},{host}\r\n")),
        with("GET / HTTP/1.1", &format!("Host: {host}%00\r\n")),
        with("GET / HTTP/1.1", &format!("Host: {host}\0\r\n")),
        with("GET / HTTP/1.1", &format!("Host: http://{host}\r\n")),
        with("GET / HTTP/1.1", "Host: 127.0.0.1.\r\n"),
        with("GET / HTTP/1.1", "Host: \r\n"),
        with("GET / HTTP/1.1", "Host: [::1\r\n"),
        with("GET / HTTP/9.9", &here),
        with("GET / HTTP/1.1 x", &here),
        with("GET  / HTTP/1.1", &here),
        with("GET", &here),
        with("GET /\0 HTTP/1.1", &here),
        with("GET / \tHTTP/1.1", &here),
        with("GET\t/ HTTP/1.1", &here),
        with("GET /\u{202e} HTTP/1.1", "Host: x\r\n"),
        with(&format!("GET http://{host}/ HTTP/1.1"), &here),
        with("GET http://evil.example/ HTTP/1.1", &here),
        with("GET //evil.example/ HTTP/1.1", &here),
        with("GET /%00 HTTP/1.1", &here),
        with("GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1", &here),
        with("GET ../etc/passwd HTTP/1.1", &here),
        with("GET \\..\\x HTTP/1.1", &here),
        with("CONNECT evil.example:443 HTTP/1.1", &here),
        with("OPTIONS * HTTP/1.1", &here),
        with("TRACE / HTTP/1.1", &here),
        with(
            "GET / HTTP/1.1",
            &format!("{here}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"),
        ),
        with("GET / HTTP/1.1", &format!("{here}Transfer-Encoding: chunked\r\n")),
        with("GET / HTTP/1.1", &format!("{here}Transfer-Encoding: chunked, identity\r\n")),
        with("GET / HTTP/1.1", &format!("{here}Transfer-Encoding: \x0bchunked\r\n")),
        with("GET / HTTP/1.1", &format!("{here}Content-Length: 1\r\nContent-Length: 2\r\n")),
        with("GET / HTTP/1.1", &format!("{here}Content-Length: -1\r\n")),
        with("GET / HTTP/1.1", &format!("{here}Content-Length: +0\r\n")),
        with("GET / HTTP/1.1", &format!("{here}Content-Length: 99999999999999999999999\r\n")),
        with("POST / HTTP/1.1", &format!("{here}Content-Length: 9999999999\r\n")),
        with("GET / HTTP/1.1", &format!("{here}{}", "X: y\r\n".repeat(500))),
        with("GET / HTTP/1.1", &format!("{here}X: {}\r\n", "y".repeat(100_000))),
        with(&format!("GET /{} HTTP/1.1", "a".repeat(100_000)), &here),
        vec![b'A'; 1_000_000],
    ];
    // A good request, truncated and with invalid bytes inserted.
    let good = with("GET / HTTP/1.1", &here);
    for at in (0..good.len() - 1).step_by(7) {
        let mut odd = good.clone();
        odd.splice(at..at, *b"\x00\xff");
        all.push(odd);
    }
    all
}

#[test]
fn no_malformed_request_is_answered_with_a_page_or_ends_the_server() {
    let site = Site::open(options());
    for request in corpus(&site.address.to_string()) {
        let shown = String::from_utf8_lossy(&request[..request.len().min(200)]).into_owned();
        let stream = site.connect();
        let answer = send_and_finish(stream, &request);
        assert!(matches!(answer, 0 | 400..=499), "{answer}: {shown:?}");
    }
    assert_eq!(site.get("/").status(), 200);
}

/// Closes the write side, so that the server does not wait for the rest.
fn send_and_finish(mut stream: std::net::TcpStream, request: &[u8]) -> u16 {
    use std::io::{Read, Write};
    let _ = stream.write_all(request);
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    crate::harness::HttpResponse(String::from_utf8_lossy(&answer).into_owned()).status()
}
