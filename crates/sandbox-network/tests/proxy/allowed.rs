//! Allowed requests get through.

use std::io::{Read, Write};
use std::net::Shutdown;

use crate::harness::{Origin, ask, body, connect, echo, proxy};

#[test]
fn a_request_reaches_an_address_on_the_list_as_its_server_expects_it() {
    let origin = Origin::start();
    let host = format!("127.0.0.1:{}", origin.port);
    let proxy = proxy(std::slice::from_ref(&host), &[]);
    let request = format!(
        "POST http://{host}/path?query HTTP/1.1\r\nHost: other.example\r\nProxy-Secret: x\r\n\
         Content-Length: 4\r\n\r\nbody"
    );
    let answer = ask(&proxy, &request);
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert_eq!(body(&answer), "hello");
    assert_eq!(
        origin.request(),
        format!(
            "POST /path?query HTTP/1.1\r\nHost: {host}\r\nContent-Length: 4\r\n\
             Connection: close\r\n\r\nbody"
        )
    );
    assert_eq!(proxy.take_refused(), []);
}

#[test]
fn a_tunnel_copies_both_ways_and_passes_the_end_on() {
    let port = echo();
    let proxy = proxy(&[format!("127.0.0.1:{port}")], &[]);
    let mut stream = connect(&proxy);
    // The first bytes follow the head in the same write.
    let head = format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\nearly ");
    stream.write_all(head.as_bytes()).unwrap();
    let expected = "HTTP/1.1 200 Connection Established\r\n\r\nwelcome early ";
    let mut answer = vec![0; expected.len()];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(str::from_utf8(&answer), Ok(expected));
    stream.write_all(b"late").unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "late");
}

#[test]
fn much_is_copied_without_loss() {
    const MUCH: usize = 5_000_000;
    let port = echo();
    let proxy = proxy(&[], &[port]);
    let mut stream = connect(&proxy);
    write!(stream, "CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n").unwrap();
    let mut sending = stream.try_clone().unwrap();
    let sent: Vec<u8> = (0..MUCH).map(|at| (at % 251) as u8).collect();
    let expected = sent.clone();
    let sender = std::thread::spawn(move || {
        sending.write_all(&sent).unwrap();
        sending.shutdown(Shutdown::Write).unwrap();
    });
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    sender.join().unwrap();
    assert!(answer.ends_with(&expected), "{} bytes", answer.len());
}

#[test]
fn a_port_of_the_host_is_reached_by_both_its_names() {
    let origin = Origin::start();
    let proxy = proxy(&[], &[origin.port]);
    for host in ["127.0.0.1", "localhost", "LocalHost."] {
        let target = format!("{host}:{}", origin.port);
        let tunnel = format!("CONNECT {target} HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n");
        assert!(ask(&proxy, &tunnel).ends_with("\r\n\r\nhello"), "{host}");
        assert_eq!(origin.request(), "GET / HTTP/1.1\r\n\r\n");
        assert!(ask(&proxy, &format!("GET http://{target}/ HTTP/1.1\r\n\r\n")).ends_with("hello"));
        let host = host.to_ascii_lowercase();
        let expected = format!("\r\nHost: {}:{}\r\n", host.trim_end_matches('.'), origin.port);
        assert!(origin.request().contains(&expected), "{host}");
    }
    assert_eq!(proxy.take_refused(), []);
}
