//! Admitted and refused requests.

use hyper::Request;

use super::*;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";
const HERE: &str = "127.0.0.1:4567";

fn auth() -> Auth {
    let hosts = Hosts::of(HERE.parse().unwrap(), &[]).unwrap();
    let allow_orders = false;
    Auth::new(hosts, Token::chosen(TOKEN).unwrap(), 4567, allow_orders)
}

fn admit(line: &str, headers: &[(&str, &str)]) -> Result<Route, Refusal> {
    let (method, uri) = line.split_once(' ').unwrap();
    let mut request = Request::builder().method(method).uri(uri);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    auth().admit(&request.body(()).unwrap().into_parts().0)
}

/// An authenticated request with `more` headers.
fn admit_with(line: &str, more: &[(&str, &str)]) -> Result<Route, Refusal> {
    let bearer = format!("Bearer {TOKEN}");
    admit(line, &[&[("host", HERE), ("authorization", &bearer)], more].concat())
}

#[test]
fn with_the_token_every_page_is_admitted() {
    for (line, asked) in [
        ("GET /", Route::Page),
        ("HEAD /", Route::Page),
        ("GET /?x=1", Route::Page),
        ("GET /events", Route::Events),
        ("GET /events?x", Route::Events),
        ("GET /report.html", Route::Report),
        ("GET /status.json", Route::Status),
    ] {
        assert_eq!(admit_with(line, &[]), Ok(asked), "{line}");
    }
}

#[test]
fn the_token_comes_in_the_link_a_header_or_the_cookie_of_this_port() {
    let host = ("host", HERE);
    let link = format!("GET /?token={TOKEN}");
    assert_eq!(admit(&link, &[host]), Ok(Route::Link(Navigation::Direct)));
    let bearer = format!("bearer {TOKEN}");
    assert_eq!(admit("GET /", &[host, ("authorization", &bearer)]), Ok(Route::Page));
    let cookie = format!("a=b; ralph-4567={TOKEN}; c");
    assert_eq!(admit("GET /", &[host, ("cookie", &cookie)]), Ok(Route::Page));
    let other = format!("ralph-4568={TOKEN}; x-ralph-4567={TOKEN}");
    assert_eq!(admit("GET /", &[host, ("cookie", &other)]), Err(Refusal::NoToken));
}

#[test]
fn without_the_token_every_path_gives_the_same_error() {
    let basic = format!("Basic {TOKEN}");
    let short = format!("Bearer {}", &TOKEN[1..]);
    let twice = format!("Bearer {TOKEN}");
    let headers: [&[(&str, &str)]; 6] = [
        &[],
        &[("authorization", &basic)],
        &[("authorization", &short)],
        &[("authorization", "Bearer")],
        &[("authorization", &twice), ("authorization", &twice)],
        &[("cookie", "ralph-4567=")],
    ];
    for line in ["GET /", "POST /", "GET /events", "GET /nothing", "DELETE /status.json"] {
        for more in headers {
            let all = [&[("host", HERE)], more].concat();
            assert_eq!(admit(line, &all), Err(Refusal::NoToken), "{line} {more:?}");
        }
    }
    let elsewhere = format!("GET /events?token={TOKEN}");
    assert_eq!(admit(&elsewhere, &[("host", HERE)]), Err(Refusal::NoToken));
}

#[test]
fn a_wrong_token_in_the_link_is_refused_despite_a_valid_header() {
    assert_eq!(admit_with("GET /?token=wrong", &[]), Err(Refusal::NoToken));
    assert_eq!(admit_with("GET /?token=", &[]), Err(Refusal::NoToken));
    let twice = format!("GET /?token=wrong&token={TOKEN}");
    assert_eq!(admit_with(&twice, &[]), Err(Refusal::NoToken));
}

#[test]
fn a_wrong_host_is_refused_even_with_the_token() {
    let bearer = format!("Bearer {TOKEN}");
    for host in ["evil.example:4567", "127.0.0.1", "127.0.0.1.:4567", "u@127.0.0.1:4567", ""] {
        let headers = [("host", host), ("authorization", bearer.as_str())];
        assert_eq!(admit("GET /", &headers), Err(Refusal::WrongHost), "{host}");
    }
}

#[test]
fn ambiguous_requests_are_refused() {
    let bearer = format!("Bearer {TOKEN}");
    let authorization = ("authorization", bearer.as_str());
    assert_eq!(admit("GET /", &[authorization]), Err(Refusal::Malformed));
    let twice = [("host", HERE), ("host", HERE), authorization];
    assert_eq!(admit("GET /", &twice), Err(Refusal::Malformed));
    let absolute = format!("GET http://{HERE}/");
    assert_eq!(admit_with(&absolute, &[]), Err(Refusal::Malformed));
    assert_eq!(admit_with("CONNECT 127.0.0.1:4567", &[]), Err(Refusal::Malformed));
    for body in [("content-length", "5"), ("transfer-encoding", "chunked")] {
        assert_eq!(admit_with("GET /", &[body]), Err(Refusal::Malformed), "{body:?}");
    }
    assert_eq!(admit_with("GET /", &[("content-length", "0")]), Ok(Route::Page));
}

#[test]
fn requests_of_other_sites_are_refused() {
    for line in ["GET /events", "GET /status.json", "GET /report.html", "GET /", "POST /"] {
        for header in [
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
            ("sec-fetch-site", "nonsense"),
            ("origin", "http://evil.example"),
            ("origin", "http://localhost:4567"),
            ("origin", "null"),
        ] {
            assert_eq!(admit_with(line, &[header]), Err(Refusal::WrongSite), "{line} {header:?}");
        }
    }
    let fine = [("sec-fetch-site", "same-origin"), ("origin", "http://127.0.0.1:4567")];
    assert_eq!(admit_with("GET /status.json", &fine), Ok(Route::Status));
}

#[test]
fn other_sites_may_only_link_to_the_page() {
    let followed = [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-mode", "navigate"),
        ("sec-fetch-dest", "document"),
    ];
    assert_eq!(admit_with("GET /", &followed), Ok(Route::Page));
    let link = format!("GET /?token={TOKEN}");
    assert_eq!(admit_with(&link, &followed), Ok(Route::Link(Navigation::CrossSite)));
    assert_eq!(admit_with("GET /status.json", &followed), Err(Refusal::WrongSite));
    let framed = [followed[0], followed[1], ("sec-fetch-dest", "iframe")];
    assert_eq!(admit_with("GET /", &framed), Err(Refusal::WrongSite));
    let posted = [&followed[..], &[("origin", "http://evil.example")]].concat();
    assert_eq!(admit_with("GET /", &posted), Err(Refusal::WrongSite));
}

#[test]
fn only_get_and_head_are_allowed() {
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"] {
        for path in ["/", "/events", "/report.html", "/status.json"] {
            let line = format!("{method} {path}");
            assert_eq!(admit_with(&line, &[]), Err(Refusal::WrongMethod), "{line}");
        }
    }
}

#[test]
fn unknown_paths_are_not_found() {
    for path in
        ["/../etc/passwd", "/..%2f..%2fetc/passwd", "//", "/%00", "/events/", "/.ralph", "/Events"]
    {
        let line = format!("GET {path}");
        assert_eq!(admit_with(&line, &[]), Err(Refusal::NoSuchPage), "{path}");
    }
}
