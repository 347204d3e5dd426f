//! Authenticates requests by their head: well-formed, for this host, with the token, and not sent by a
//! page of another site.

mod refusal;
#[cfg(test)]
mod tests;

use html_report::LiveLinks;
use hyper::header::{
    AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, COOKIE, HOST, HeaderMap, HeaderName, ORIGIN,
    TRANSFER_ENCODING,
};
use hyper::http::request::Parts;
use hyper::{Method, Version};

use crate::hosts::Hosts;
use crate::token::Token;

pub(crate) use refusal::Refusal;

const EVENTS: &str = "/events";
const ORDERS: &str = "/orders";

#[derive(Debug)]
pub(crate) struct Auth {
    pub(crate) hosts: Hosts,
    pub(crate) token: Token,
    /// Has the port in its name, because cookies are shared between ports.
    pub(crate) cookie: String,
    pub(crate) allow_orders: bool,
}

/// The target of an authenticated request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route {
    /// The link from the terminal: its token becomes a cookie.
    Link(Navigation),
    Page,
    /// The event stream.
    Events,
    Report,
    Status,
    /// An order for the run, in the body.
    Order,
}

/// The origin of a navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Navigation {
    Direct,
    /// From another site; browsers send no strict cookie after a redirect then.
    CrossSite,
}

impl Auth {
    pub(crate) fn new(hosts: Hosts, token: Token, port: u16, allow_orders: bool) -> Self {
        Self { hosts, token, cookie: format!("ralph-{port}"), allow_orders }
    }

    /// The links for the live page.
    pub(crate) fn links(&self) -> LiveLinks {
        let orders = self.allow_orders.then(|| ORDERS.to_owned());
        LiveLinks { events: EVENTS.to_owned(), orders }
    }

    pub(crate) fn admit(&self, head: &Parts) -> Result<Route, Refusal> {
        let host = host(head)?;
        if !self.hosts.has(host) {
            return Err(Refusal::WrongHost);
        }
        let in_link = (head.uri.path() == "/").then(|| token_of(head)).flatten();
        if !self.has_token(head, in_link) {
            return Err(Refusal::NoToken);
        }
        let navigation = navigation(head, host).ok_or(Refusal::WrongSite)?;
        let asked = match head.uri.path() {
            "/" if in_link.is_some() => Route::Link(navigation),
            "/" => Route::Page,
            EVENTS => Route::Events,
            "/report.html" => Route::Report,
            "/status.json" => Route::Status,
            ORDERS => Route::Order,
            _ => return Err(Refusal::NoSuchPage),
        };
        match (asked, &head.method) {
            (Route::Order, method) => self.may_order(head, method).map(|()| asked),
            (_, &Method::GET | &Method::HEAD) => Ok(asked),
            _ => Err(Refusal::WrongMethod),
        }
    }

    /// A browser sends the cookie with any request, so `Origin` must show that our own page sent it.
    fn may_order(&self, head: &Parts, method: &Method) -> Result<(), Refusal> {
        if !self.allow_orders {
            return Err(Refusal::OnlyToLookAt);
        }
        if method != Method::POST {
            return Err(Refusal::OnlyToPost);
        }
        if !self.has_token_in_header(head) && !head.headers.contains_key(ORIGIN) {
            return Err(Refusal::WrongSite);
        }
        let kind = only(&head.headers, CONTENT_TYPE).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        // Forms of other sites cannot send this type.
        if kind.eq_ignore_ascii_case("application/json") { Ok(()) } else { Err(Refusal::NotJson) }
    }

    /// A token in the link takes precedence: a wrong one is refused even with a valid cookie.
    fn has_token(&self, head: &Parts, in_link: Option<&str>) -> bool {
        if let Some(given) = in_link {
            return self.token.is(given.as_bytes());
        }
        self.has_token_in_header(head)
            || cookies(&head.headers, &self.cookie).any(|given| self.token.is(given))
    }

    fn has_token_in_header(&self, head: &Parts) -> bool {
        let header = only(&head.headers, AUTHORIZATION).unwrap_or_default();
        let bearer = header.split_once(' ').filter(|(kind, _)| kind.eq_ignore_ascii_case("bearer"));
        bearer.is_some_and(|(_, given)| self.token.is(given.as_bytes()))
    }
}

/// The host of a well-formed request. Ambiguous requests and bodies of GET requests are refused.
fn host(head: &Parts) -> Result<&str, Refusal> {
    let is_plain = head.uri.scheme().is_none() && head.uri.authority().is_none();
    let is_known = matches!(head.version, Version::HTTP_10 | Version::HTTP_11);
    let length = head.headers.get(CONTENT_LENGTH);
    let has_body = head.headers.contains_key(TRANSFER_ENCODING)
        || length.is_some_and(|length| length.as_bytes() != b"0");
    let reads = matches!(head.method, Method::GET | Method::HEAD);
    if !is_plain || !is_known || (reads && has_body) {
        return Err(Refusal::Malformed);
    }
    only(&head.headers, HOST).ok_or(Refusal::Malformed)
}

/// `None` if another site sent the request and it is not a navigation to the page.
fn navigation(head: &Parts, host: &str) -> Option<Navigation> {
    let is = |name: &'static str, values: &[&str]| {
        let given = only(&head.headers, HeaderName::from_static(name));
        given.is_some_and(|given| values.contains(&given))
    };
    let is_ours = |origin: &str| {
        let name = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        name.is_some_and(|name| name.eq_ignore_ascii_case(host))
    };
    let has_site = head.headers.contains_key("sec-fetch-site");
    let site_is_fine = !has_site || is("sec-fetch-site", &["same-origin", "none"]);
    let has_origin = head.headers.contains_key(ORIGIN);
    let origin_is_fine = !has_origin || only(&head.headers, ORIGIN).is_some_and(is_ours);
    if site_is_fine && origin_is_fine {
        return Some(Navigation::Direct);
    }
    let wants_the_page = head.uri.path() == "/"
        && head.method == Method::GET
        && is("sec-fetch-mode", &["navigate"])
        && is("sec-fetch-dest", &["document"]);
    (wants_the_page && !has_origin).then_some(Navigation::CrossSite)
}

/// The value of a header that occurs once.
fn only(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    if values.next().is_some() { None } else { value.to_str().ok() }
}

fn token_of(head: &Parts) -> Option<&str> {
    head.uri.query()?.split('&').find_map(|pair| pair.strip_prefix("token="))
}

fn cookies<'h>(headers: &'h HeaderMap, name: &'h str) -> impl Iterator<Item = &'h [u8]> {
    let pairs = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = pairs.flat_map(|value| value.split(';')).filter_map(|pair| pair.split_once('='));
    pairs.filter(move |(key, _)| key.trim() == name).map(|(_, value)| value.trim().as_bytes())
}
