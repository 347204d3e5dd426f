//! Requests that are not allowed are refused and recorded.

use sandbox_network::{Refusal, Refused};

use crate::harness::{Origin, ask, body, proxy};

fn refused(host: &str, port: u16, why: Refusal) -> Refused {
    Refused { host: host.into(), port, why }
}

#[test]
fn a_host_that_is_not_on_the_list_is_refused_and_recorded_once() {
    let origin = Origin::start();
    let port = origin.port;
    let proxy = proxy(&["127.0.0.1:1".into(), "example.com".into()], &[1]);
    for (request, host) in [
        (format!("GET http://127.0.0.1:{port}/ HTTP/1.1\r\n\r\n"), "127.0.0.1"),
        (format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n"), "127.0.0.1"),
        (format!("CONNECT Localhost:{port} HTTP/1.1\r\n\r\n"), "localhost"),
        (format!("CONNECT [::1]:{port} HTTP/1.1\r\n\r\n"), "[::1]"),
        (format!("CONNECT example.com:{port} HTTP/1.1\r\n\r\n"), "example.com"),
    ] {
        let answer = ask(&proxy, &request);
        assert!(answer.starts_with("HTTP/1.1 403 Forbidden\r\n"), "{answer}");
        let words = "is not on the list of allowed hosts (isolation.allowedHosts)";
        assert_eq!(body(&answer), format!("{host}:{port} {words}\n"));
    }
    assert!(origin.got_no_request());
    let hosts = ["127.0.0.1", "localhost", "[::1]", "example.com"];
    let expected = hosts.map(|host| refused(host, port, Refusal::NotAllowed));
    assert_eq!(proxy.take_refused(), expected);
    assert_eq!(proxy.take_refused(), []);
}

#[test]
fn refusals_are_recorded_again_after_they_were_read_and_limited_to_a_hundred() {
    let proxy = proxy(&[], &[]);
    for port in (1..=102).chain([1]) {
        ask(&proxy, &format!("CONNECT a.example:{port} HTTP/1.1\r\n\r\n"));
    }
    let expected: Vec<_> =
        (1..=100).map(|port| refused("a.example", port, Refusal::NotAllowed)).collect();
    assert_eq!(proxy.take_refused(), expected);
    ask(&proxy, "CONNECT a.example:1 HTTP/1.1\r\n\r\n");
    assert_eq!(proxy.take_refused(), expected[..1]);
}

#[test]
fn a_name_on_the_list_does_not_lead_to_the_loopback() {
    let origin = Origin::start();
    let port = origin.port;
    let proxy = proxy(&[format!("localhost:{port}"), format!("127.0.0.1:{port}")], &[]);
    let answer = ask(&proxy, &format!("GET http://localhost:{port}/ HTTP/1.1\r\n\r\n"));
    assert!(answer.starts_with("HTTP/1.1 403 Forbidden\r\n"), "{answer}");
    assert!(body(&answer).starts_with(&format!("localhost:{port} resolves to a local address")));
    assert!(origin.got_no_request());
    assert_eq!(proxy.take_refused(), [refused("localhost", port, Refusal::LocalAddress)]);
}

#[test]
fn unusual_spellings_of_an_address_are_refused() {
    let origin = Origin::start();
    let port = origin.port;
    // Even if the address that they could mean is allowed.
    let proxy = proxy(&["*.example".into(), format!("127.0.0.1:{port}")], &[port]);
    for authority in [
        format!("2130706433:{port}"),
        format!("0x7f.1:{port}"),
        format!("0177.0.0.1:{port}"),
        format!("127.1:{port}"),
        format!("127.0.0.1.:{port}"),
        format!("[::ffff:127.0.0.1]:{port}"),
        format!("a.example@127.0.0.1:{port}"),
        format!("127.0.0.1:{port}@a.example:443"),
        format!("127.0.0.1%00.a.example:{port}"),
        format!("127.0.0.1\0.a.example:{port}"),
        format!("127.0.0.1 .a.example:{port}"),
        format!("127.0.0.1\r\nA: .a.example:{port}"),
        format!("127.0.0.1\n.a.example:{port}"),
    ] {
        for request in [format!("CONNECT {authority}"), format!("GET http://{authority}/")] {
            let answer = ask(&proxy, &format!("{request} HTTP/1.1\r\n\r\n"));
            assert!(answer.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{request:?}: {answer}");
        }
    }
    assert!(origin.got_no_request());
}

#[test]
fn other_requests_are_bad_requests() {
    let proxy = proxy(&[], &[]);
    for request in ["GET / HTTP/1.1\r\n\r\n", "\x16\x03\x01\r\n\r\n", "\r\n\r\n"] {
        let answer = ask(&proxy, request);
        assert!(answer.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{request:?}: {answer}");
    }
    let large = format!("GET http://a.example/{} HTTP/1.1\r\n\r\n", "a".repeat(64 * 1024));
    let answer = ask(&proxy, &large);
    assert!(answer.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{answer}");
    assert!(body(&answer).contains("more than 65536 bytes"), "{answer}");
    assert_eq!(proxy.take_refused(), []);
}

#[test]
fn an_unreachable_host_is_reported_with_the_reason() {
    // No program listens at port 1.
    let proxy = proxy(&[], &[1]);
    let answer = ask(&proxy, "CONNECT 127.0.0.1:1 HTTP/1.1\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 502 Bad Gateway\r\n"), "{answer}");
    assert!(
        body(&answer).strip_prefix("cannot reach 127.0.0.1:1: ").is_some_and(|why| why.len() > 5),
        "{answer}"
    );
    assert_eq!(proxy.take_refused(), []);
}
