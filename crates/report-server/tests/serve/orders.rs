//! Orders are accepted only if allowed, and only from the page itself or a script with the token.

use std::io::Write;
use std::time::Duration;

use report_server::{ServerLimits, ServerOptions};

use crate::harness::{HttpResponse, Nothing, Site, TOKEN, beginning, ending, options};
use events::samples;

const JSON: &str = "Content-Type: application/json\r\n";
const PAUSE: &str = "{\"kind\":\"pause\"}";

fn allowed() -> ServerOptions {
    ServerOptions { allow_orders: true, ..options() }
}

fn post(site: &Site, headers: &str, body: &str) -> HttpResponse {
    let headers = format!("{headers}Content-Length: {}\r\n", body.len());
    site.send((site.head("POST /orders", &headers) + body).as_bytes())
}

/// A request of a browser with the cookie.
fn from_a_page(site: &Site, headers: &str) -> HttpResponse {
    let (host, port) = (site.address, site.address.port());
    let length = PAUSE.len();
    let head = format!(
        "POST /orders HTTP/1.1\r\nHost: {host}\r\nCookie: ralph-{port}={TOKEN}\r\n{headers}\
         Content-Length: {length}\r\n\r\n"
    );
    site.send((head + PAUSE).as_bytes())
}

#[test]
fn a_read_only_page_has_no_controls_and_refuses_orders() {
    let site = Site::open(options());
    let refused = post(&site, JSON, PAUSE);
    assert_eq!(refused.status(), 403);
    assert!(refused.body().contains("--allow-orders"), "{}", refused.body());
    assert!(!site.get("/").body().contains("id=\"orders\""));
}

#[test]
fn an_order_reaches_the_run_and_its_result_is_returned() {
    let site = Site::open(allowed());
    assert!(site.get("/").body().contains("id=\"orders\""));
    let given = post(&site, JSON, PAUSE);
    assert_eq!((given.status(), given.header("content-type")), (200, Some("application/json")));
    assert_eq!(given.body(), format!("{} Pause", samples::RUN));
    let with_charset = "Content-Type: Application/JSON; charset=utf-8\r\n";
    let steer = post(&site, with_charset, "{\"kind\":\"steer\",\"text\":\"Mind <the> gap\"}");
    assert_eq!(
        steer.body(),
        format!("{} Steer {{ text: \"Mind <the> gap\", story: None }}", samples::RUN)
    );
    let skip = post(&site, JSON, "{\"kind\":\"skip\"}");
    assert_eq!(skip.body(), format!("{} Skip {{ story: None }}", samples::RUN));
}

#[test]
fn an_ended_run_gets_no_orders() {
    let named = ServerOptions { run: Some(samples::RUN.into()), ..allowed() };
    let events = [beginning(), ending()].concat();
    let site = Site::with(named, &events, Nothing);
    let refused = post(&site, JSON, PAUSE);
    assert_eq!((refused.status(), refused.body()), (409, "Pause"));
    let none = Site::without_a_run(allowed());
    assert_eq!(post(&none, JSON, PAUSE).status(), 409);
}

#[test]
fn a_cookie_alone_is_not_enough() {
    let site = Site::open(allowed());
    let ours = format!("Origin: http://{}\r\n{JSON}", site.address);
    assert_eq!(from_a_page(&site, &ours).status(), 200);
    let port = site.address.port();
    for headers in [
        JSON.to_owned(),
        format!("Sec-Fetch-Site: same-origin\r\n{JSON}"),
        format!("Origin: null\r\n{JSON}"),
        format!("Origin: http://evil.example\r\n{JSON}"),
        format!("Origin: http://localhost:{port}\r\n{JSON}"),
        format!("Sec-Fetch-Site: same-site\r\n{ours}"),
    ] {
        assert_eq!(from_a_page(&site, &headers).status(), 403, "{headers}");
    }
}

#[test]
fn form_content_types_are_refused() {
    let site = Site::open(allowed());
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "json"] {
        let refused = post(&site, &format!("Content-Type: {kind}\r\n"), PAUSE);
        assert_eq!(refused.status(), 415, "{kind}");
    }
    assert_eq!(post(&site, "", PAUSE).status(), 415);
    assert_eq!(post(&site, &format!("{JSON}{JSON}"), PAUSE).status(), 415);
}

#[test]
fn invalid_orders_get_an_example() {
    let site = Site::open(allowed());
    for body in ["", "{}", "pause", "[]", "{\"kind\":\"dance\"}", "{\"kind\":\"skip\",\"story\":7}"]
    {
        let refused = post(&site, JSON, body);
        assert_eq!(refused.status(), 400, "{body}");
        assert!(refused.body().contains("{\"kind\":\"pause\"}"), "{}", refused.body());
    }
    let get = site.get("/orders");
    assert_eq!((get.status(), get.header("allow")), (405, Some("POST")));
}

#[test]
fn too_long_and_incomplete_orders_are_refused() {
    let limits = ServerLimits { request: Duration::from_millis(300), ..options().limits };
    let site = Site::open(ServerOptions { limits, ..allowed() });
    let long = format!("{{\"kind\":\"steer\",\"text\":\"{}\"}}", "x".repeat(100_000));
    assert_eq!(post(&site, JSON, &long).status(), 413);
    let stalled = format!("{JSON}Content-Length: 100\r\n");
    let answer = site.send((site.head("POST /orders", &stalled) + "{\"kind\"").as_bytes());
    assert_eq!(answer.status(), 400);
    let mut gone = site.connect();
    gone.write_all((site.head("POST /orders", &stalled) + "{").as_bytes()).unwrap();
    drop(gone);
    assert_eq!(post(&site, JSON, PAUSE).status(), 200);
}
