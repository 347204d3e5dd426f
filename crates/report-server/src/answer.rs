//! Answers, each with the headers that keep a page to itself.

use std::convert::Infallible;

use http_body_util::{Either, Full};
use hyper::body::Bytes;
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName,
    HeaderValue, LOCATION, REFERRER_POLICY, REFRESH, RETRY_AFTER, SET_COOKIE,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use hyper::{Response, StatusCode};

use crate::auth::{Navigation, Refusal};
use crate::renderer::Given;
use crate::stream::Stream;

pub(crate) type Body = Either<Full<Bytes>, Stream>;
pub(crate) type Answer = Response<Body>;

/// There is always one.
pub(crate) type Answered = Result<Answer, Infallible>;

/// For whatever is no page of a run.
const NOTHING: &str = "default-src 'none'; base-uri 'none'; form-action 'none'";

const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");

/// A page that asks again until there is a run.
const WAITING: &str = "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\">\
<meta http-equiv=\"refresh\" content=\"2\"><title>Ralph: no run yet</title>\
<h1>No run yet</h1><p>Start one with <code>ralph-loop</code>. This page shows it as soon as it begins.\
</p></html>";

/// `policy` is what a browser may do with it; to be framed is never part of that.
fn answer(status: StatusCode, kind: HeaderValue, policy: &str, body: Body) -> Answer {
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    let policy = HeaderValue::from_str(&format!("{policy}; frame-ancestors 'none'"));
    let policy = policy.unwrap_or(HeaderValue::from_static(NOTHING));
    let fixed = HeaderValue::from_static;
    for (name, value) in [
        (CONTENT_TYPE, kind),
        (CONTENT_SECURITY_POLICY, policy),
        (CACHE_CONTROL, fixed("no-store")),
        (REFERRER_POLICY, fixed("no-referrer")),
        (X_CONTENT_TYPE_OPTIONS, fixed("nosniff")),
        (X_FRAME_OPTIONS, fixed("DENY")),
        (HeaderName::from_static("cross-origin-opener-policy"), fixed("same-origin")),
        (HeaderName::from_static("cross-origin-resource-policy"), fixed("same-origin")),
    ] {
        headers.insert(name, value);
    }
    answer
}

fn whole(bytes: impl Into<Bytes>) -> Body {
    Either::Left(Full::new(bytes.into()))
}

/// The page of a run, with what its script and style need.
pub(crate) fn page(html: Bytes) -> Answer {
    answer(StatusCode::OK, HTML, html_report::live_policy(), whole(html))
}

pub(crate) fn no_run_yet() -> Answer {
    answer(StatusCode::OK, HTML, NOTHING, whole(WAITING))
}

/// The page as a file to keep.
pub(crate) fn report(html: Bytes) -> Answer {
    let mut answer = answer(StatusCode::OK, HTML, html_report::report_policy(), whole(html));
    let file = HeaderValue::from_static("attachment; filename=\"ralph-report.html\"");
    answer.headers_mut().insert(CONTENT_DISPOSITION, file);
    answer
}

pub(crate) fn status(json: Bytes) -> Answer {
    answer(StatusCode::OK, JSON, NOTHING, whole(json))
}

/// What became of an order.
pub(crate) fn given(given: Given) -> Answer {
    let (status, json) = match given {
        Given::Taken(json) => (StatusCode::OK, json),
        Given::Refused(json) => (StatusCode::CONFLICT, json),
    };
    answer(status, JSON, NOTHING, whole(json))
}

pub(crate) fn events(stream: Option<Stream>) -> Answer {
    let body = stream.map_or_else(|| whole(Bytes::new()), Either::Right);
    answer(StatusCode::OK, EVENTS, NOTHING, body)
}

/// From the link to the page, with the token in a cookie instead of in the browser's history.
pub(crate) fn welcome(navigation: Navigation, cookie: &str, token: &str) -> Answer {
    let text = "The run is at /.\n";
    let mut answer = match navigation {
        Navigation::Direct => answer(StatusCode::SEE_OTHER, TEXT, NOTHING, whole(text)),
        Navigation::FromElsewhere => answer(StatusCode::OK, TEXT, NOTHING, whole(text)),
    };
    let headers = answer.headers_mut();
    match navigation {
        Navigation::Direct => headers.insert(LOCATION, HeaderValue::from_static("/")),
        // The page then asks by itself, which a redirection would not count as.
        Navigation::FromElsewhere => headers.insert(REFRESH, HeaderValue::from_static("0; url=/")),
    };
    let cookie = format!("{cookie}={token}; Path=/; HttpOnly; SameSite=Strict");
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        headers.insert(SET_COOKIE, cookie);
    }
    answer
}

pub(crate) fn refusal(refusal: Refusal) -> Answer {
    let mut answer =
        answer(refusal.status(), TEXT, NOTHING, whole(format!("{}\n", refusal.words())));
    let headers = answer.headers_mut();
    match refusal {
        Refusal::WrongMethod => {
            headers.insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        }
        Refusal::OnlyToPost => {
            headers.insert(ALLOW, HeaderValue::from_static("POST"));
        }
        Refusal::TooManyWatch => {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("10"));
        }
        _ => {}
    }
    answer
}
