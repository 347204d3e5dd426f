//! Authentication, and the security headers of every response.

use report_server::{ServeError, Server, ServerOptions};

use crate::harness::{Site, TOKEN, options};

#[test]
fn the_link_becomes_a_cookie_and_the_cookie_shows_the_page() {
    let site = Site::open(options());
    let (host, port) = (site.address, site.address.port());
    let link = format!("GET /?token={TOKEN} HTTP/1.1\r\nHost: {host}\r\n\r\n");
    let welcome = site.send(link.as_bytes());
    assert_eq!((welcome.status(), welcome.header("location")), (303, Some("/")));
    let cookie = welcome.header("set-cookie").unwrap();
    assert_eq!(cookie, format!("ralph-{port}={TOKEN}; Path=/; HttpOnly; SameSite=Strict"));
    let pair = cookie.split(';').next().unwrap();
    let page = format!("GET / HTTP/1.1\r\nHost: {host}\r\nCookie: {pair}\r\n\r\n");
    let page = site.send(page.as_bytes());
    assert_eq!(page.status(), 200);
    assert!(page.body().starts_with("<!DOCTYPE html>") && page.body().contains("/events"));
    assert!(!page.0.contains(TOKEN));
}

#[test]
fn a_link_from_another_site_works_without_a_redirect() {
    let site = Site::open(options());
    let from_elsewhere = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n\
                          Sec-Fetch-Dest: document\r\n";
    let welcome = site.send(site.head(&format!("GET /?token={TOKEN}"), from_elsewhere).as_bytes());
    assert_eq!((welcome.status(), welcome.header("refresh")), (200, Some("0; url=/")));
    assert!(welcome.header("set-cookie").is_some());
}

#[test]
fn every_page_can_be_fetched() {
    let site = Site::open(options());
    let report = site.get("/report.html");
    assert_eq!(
        (report.status(), report.header("content-type")),
        (200, Some("text/html; charset=utf-8"))
    );
    assert!(report.header("content-disposition").unwrap().starts_with("attachment"));
    let status = site.get("/status.json");
    assert_eq!(status.header("content-type"), Some("application/json"));
    assert_eq!(status.body(), "{\"run\":\"20261115-010000-ab12\"}");
    for path in ["/", "/events", "/report.html", "/status.json"] {
        let head = site.send(site.head(&format!("HEAD {path}"), "").as_bytes());
        assert_eq!((head.status(), head.body()), (200, ""), "{path}");
    }
}

#[test]
fn without_the_token_every_request_gets_the_same_error() {
    let site = Site::open(options());
    let host = site.address;
    let answer = |line: &str, more: &str| {
        let answer = site.send(format!("{line} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n").as_bytes());
        (answer.status(), answer.0)
    };
    let nothing = answer("GET /", "");
    assert_eq!(nothing.0, 401);
    assert!(nothing.1.contains("link that ralph-loop serve printed in the terminal"));
    let almost = format!("Authorization: Bearer {}0\r\n", &TOKEN[..31]);
    let cookie = format!("Cookie: ralph-1={TOKEN}\r\n");
    for (line, more) in [
        ("GET /?token=wrong", ""),
        ("GET /", almost.as_str()),
        ("GET /", cookie.as_str()),
        ("GET /events", ""),
        ("GET /no-such-page", ""),
        ("DELETE /", ""),
    ] {
        assert_eq!(answer(line, more), nothing, "{line} {more}");
    }
}

#[test]
fn a_wrong_host_is_misdirected() {
    let site = Site::open(options());
    let port = site.address.port();
    for host in ["evil.example".to_owned(), format!("evil.example:{port}"), "127.0.0.1".into()] {
        let request =
            format!("GET / HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {TOKEN}\r\n\r\n");
        assert_eq!(site.send(request.as_bytes()).status(), 421, "{host}");
    }
    for host in ["localhost", "[::1]"] {
        let request = format!(
            "GET / HTTP/1.1\r\nHost: {host}:{port}\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
        );
        assert_eq!(site.send(request.as_bytes()).status(), 200, "{host}");
    }
}

#[test]
fn other_methods_and_paths_are_refused() {
    let site = Site::open(options());
    let post = site.send(site.head("POST /", "Content-Length: 0\r\n").as_bytes());
    assert_eq!((post.status(), post.header("allow")), (405, Some("GET, HEAD")));
    assert_eq!(site.get("/../../etc/passwd").status(), 404);
    let elsewhere =
        site.send(site.head("GET /status.json", "Origin: http://evil.example\r\n").as_bytes());
    assert_eq!(elsewhere.status(), 403);
}

#[test]
fn every_response_has_security_headers() {
    let site = Site::open(options());
    let stranger =
        site.send(format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", site.address).as_bytes());
    let events = site.send(site.head("HEAD /events", "").as_bytes());
    let answers = [
        site.get("/"),
        site.get("/report.html"),
        site.get("/status.json"),
        site.get("/x"),
        stranger,
        events,
    ];
    for answer in answers {
        for (name, value) in [
            ("cache-control", "no-store"),
            ("referrer-policy", "no-referrer"),
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{}", answer.0);
        }
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'"), "{policy}");
        assert!(policy.ends_with("frame-ancestors 'none'"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.header("server"), None);
    }
    assert!(
        site.get("/").header("content-security-policy").unwrap().contains("script-src 'sha256-")
    );
}

#[test]
fn before_the_first_run_the_page_waits_for_it() {
    let site = Site::without_a_run(options());
    let page = site.get("/");
    assert_eq!(page.status(), 200);
    assert!(page.body().contains("No run yet") && page.body().contains("http-equiv=\"refresh\""));
    assert_eq!(site.get("/status.json").status(), 404);
}

#[test]
fn a_public_address_is_refused_unless_allowed() {
    let bind = |address: &str, allow_remote| {
        let address = format!("{address}:0").parse().unwrap();
        Server::bind(ServerOptions { address, allow_remote, ..options() })
    };
    for address in ["0.0.0.0", "[::]", "192.0.2.1"] {
        let refused = bind(address, false);
        assert!(matches!(refused, Err(ServeError::NotLoopback(_))), "{address}");
    }
    assert!(bind("127.0.0.1", false).unwrap().address().ip().is_loopback());
    assert!(bind("0.0.0.0", true).is_ok());
}

#[test]
fn a_port_in_use_is_reported() {
    let used = Server::bind(options()).unwrap();
    let refused = Server::bind(ServerOptions { address: used.address(), ..options() }).unwrap_err();
    assert_eq!(refused.to_string(), format!("port {} is already in use", used.address().port()));
}
