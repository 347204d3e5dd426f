//! HTTP responses with their security headers.

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
use crate::stream::EventStream;

pub(crate) type Body = Either<Full<Bytes>, EventStream>;
pub(crate) type HttpResponse = Response<Body>;

/// Never an error.
pub(crate) type HandlerResult = Result<HttpResponse, Infallible>;

/// The policy for everything but the page of a run.
const NOTHING: &str = "default-src 'none'; base-uri 'none'; form-action 'none'";

const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");

/// Reloads itself until there is a run.
const WAITING: &str = "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\">\
<meta http-equiv=\"refresh\" content=\"2\"><title>Ralph: no run yet</title>\
<h1>No run yet</h1><p>Start one with <code>ralph-loop</code>. This page shows it as soon as it begins.\
</p></html>";

/// `policy` is the content security policy; framing is never allowed.
fn response(status: StatusCode, kind: HeaderValue, policy: &str, body: Body) -> HttpResponse {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
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
    response
}

fn whole(bytes: impl Into<Bytes>) -> Body {
    Either::Left(Full::new(bytes.into()))
}

/// The live page.
pub(crate) fn page(html: Bytes) -> HttpResponse {
    response(StatusCode::OK, HTML, html_report::live_policy(), whole(html))
}

pub(crate) fn no_run_yet() -> HttpResponse {
    response(StatusCode::OK, HTML, NOTHING, whole(WAITING))
}

/// The page as a download.
pub(crate) fn report(html: Bytes) -> HttpResponse {
    let mut response = response(StatusCode::OK, HTML, html_report::report_policy(), whole(html));
    let file = HeaderValue::from_static("attachment; filename=\"ralph-report.html\"");
    response.headers_mut().insert(CONTENT_DISPOSITION, file);
    response
}

pub(crate) fn status(json: Bytes) -> HttpResponse {
    response(StatusCode::OK, JSON, NOTHING, whole(json))
}

pub(crate) fn order_result(result: Result<String, String>) -> HttpResponse {
    let (status, json) = match result {
        Ok(json) => (StatusCode::OK, json),
        Err(json) => (StatusCode::CONFLICT, json),
    };
    response(status, JSON, NOTHING, whole(json))
}

pub(crate) fn events(stream: Option<EventStream>) -> HttpResponse {
    let body = stream.map_or_else(|| whole(Bytes::new()), Either::Right);
    response(StatusCode::OK, EVENTS, NOTHING, body)
}

/// Redirects from the link to the page; a cookie keeps the token out of the browser's history.
pub(crate) fn welcome(navigation: Navigation, cookie: &str, token: &str) -> HttpResponse {
    let (status, name, value) = match navigation {
        Navigation::Direct => (StatusCode::SEE_OTHER, LOCATION, "/"),
        // After a refresh the browser sends the strict cookie; after a redirect it would not.
        Navigation::CrossSite => (StatusCode::OK, REFRESH, "0; url=/"),
    };
    let mut response = response(status, TEXT, NOTHING, whole("The run is at /.\n"));
    let headers = response.headers_mut();
    headers.insert(name, HeaderValue::from_static(value));
    let cookie = format!("{cookie}={token}; Path=/; HttpOnly; SameSite=Strict");
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        headers.insert(SET_COOKIE, cookie);
    }
    response
}

pub(crate) fn refusal(refusal: Refusal) -> HttpResponse {
    let (status, message) = refusal.answer();
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = response(status, TEXT, NOTHING, whole(format!("{message}\n")));
    let (name, value) = match refusal {
        Refusal::WrongMethod => (ALLOW, "GET, HEAD"),
        Refusal::OnlyToPost => (ALLOW, "POST"),
        Refusal::TooManyWatch => (RETRY_AFTER, "10"),
        _ => return response,
    };
    response.headers_mut().insert(name, HeaderValue::from_static(value));
    response
}
