//! The limits of a proxy, with small values.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener};
use std::time::{Duration, Instant};

use super::*;
use crate::AllowedHosts;

/// Long enough for a busy machine.
const SOON: Duration = Duration::from_secs(20);

const TUNNEL: &str = "CONNECT 127.0.0.1:{} HTTP/1.1\r\n\r\n";

fn proxy(bytes: usize, time: Duration, connections: usize, host_ports: &[u16]) -> Proxy {
    let rules = Rules { hosts: AllowedHosts::default(), host_ports: host_ports.to_vec() };
    let limits = Limits { head: HeadLimits { bytes, time }, connections };
    Proxy::start_within(rules, Listen::Loopback, limits).unwrap()
}

fn connect(proxy: &Proxy) -> Socket {
    let stream = proxy.bound.connect().unwrap();
    stream.set_read_timeout(Some(SOON)).unwrap();
    stream
}

/// The first bytes, as many as a status line has.
fn status(mut stream: &Socket) -> String {
    let mut start = [0; 12];
    stream.read_exact(&mut start).unwrap();
    String::from_utf8_lossy(&start).into_owned()
}

#[test]
fn a_head_may_have_as_many_bytes_as_the_limit_and_no_more() {
    let head = "CONNECT a.example:443 HTTP/1.1\r\nA: b\r\n\r\n";
    for (limit, expected) in [(head.len(), "HTTP/1.1 403"), (head.len() - 1, "HTTP/1.1 400")] {
        let proxy = proxy(limit, SOON, 9, &[]);
        let stream = connect(&proxy);
        (&stream).write_all(head.as_bytes()).unwrap();
        assert_eq!(status(&stream), expected, "{limit}");
    }
}

#[test]
fn a_head_that_never_ends_is_not_read_for_ever() {
    let proxy = proxy(1000, SOON, 9, &[]);
    let stream = connect(&proxy);
    (&stream).write_all(&[b'a'; 1000]).unwrap();
    assert_eq!(status(&stream), "HTTP/1.1 400");
}

#[test]
fn a_head_in_many_pieces_is_read_within_the_timeout() {
    let proxy = proxy(64 * 1024, Duration::from_millis(300), 9, &[]);
    let stream = connect(&proxy);
    // Each part arrives in time, but all of them together do not.
    stream.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
    let started = Instant::now();
    let mut answer = [0; 512];
    let read = loop {
        assert!(started.elapsed() < SOON, "still reading");
        (&stream).write_all(b"a").unwrap();
        if let Ok(read) = (&stream).read(&mut answer) {
            break read;
        }
    };
    let answer = String::from_utf8_lossy(&answer[..read]);
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    assert!(answer.contains("did not arrive within 0.3 s"), "{answer}");
    assert!(started.elapsed() >= Duration::from_millis(300), "and not sooner");
}

#[test]
fn a_connection_above_the_limit_is_rejected_until_another_ends() {
    let host = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = host.local_addr().unwrap().port();
    let proxy = proxy(1000, SOON, 2, &[port]);
    let tunnel = || {
        let stream = connect(&proxy);
        // A rejected connection may already be closed.
        let _ = (&stream).write_all(TUNNEL.replace("{}", &port.to_string()).as_bytes());
        (status(&stream), stream)
    };
    let (first, _kept) = tunnel();
    let (second, ended) = tunnel();
    assert_eq!(
        [first.as_str(), &second, &tunnel().0],
        ["HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 503"]
    );
    drop((host.accept().unwrap(), host.accept().unwrap()));
    ended.shutdown(Shutdown::Both).unwrap();
    let started = Instant::now();
    while tunnel().0 != "HTTP/1.1 200" {
        assert!(started.elapsed() < SOON, "no place was freed");
    }
}
