//! An answer of the forge: status, headers, body.

use std::time::{Duration, UNIX_EPOCH};

use crate::Retry;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    /// Reads headers and body as `curl --include` prints them. Interim answers (1xx) are skipped.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let mut rest = text;
        loop {
            let (head, body) = split_head(rest)?;
            let head = String::from_utf8_lossy(head);
            let mut lines = head.lines();
            let status = lines.next()?.strip_prefix("HTTP/")?.split(' ').nth(1)?.parse().ok()?;
            if (100..200).contains(&status) {
                rest = body;
                continue;
            }
            let headers = lines.filter_map(|line| line.split_once(':'));
            let headers =
                headers.map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()));
            return Some(Self { status, headers: headers.collect(), body: body.to_vec() });
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(each, _)| each == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// The query of the next page. Only the query, because the forge may know itself by another address.
    pub(crate) fn next_query(&self) -> Option<&str> {
        let links = self.header("link")?.split(',');
        let next = links.filter_map(|link| link.split_once(';'));
        let mut next = next.filter(|(_, attributes)| attributes.contains("rel=\"next\""));
        let (url, _) = next.next()?;
        let (_, query) = url.trim().trim_matches(['<', '>']).split_once('?')?;
        query.bytes().all(|byte| byte.is_ascii_graphic()).then_some(query)
    }

    /// The number of entries on all pages.
    pub(crate) fn total(&self) -> Option<usize> {
        self.header("x-total-count").or_else(|| self.header("x-total"))?.parse().ok()
    }

    /// Whether a limit on requests is the reason, and when it ends.
    pub(crate) fn rate_limit(&self) -> Option<Option<Retry>> {
        let number = |name| self.header(name).and_then(|value| value.parse::<u64>().ok());
        let after = number("retry-after").map(|seconds| Retry::After(Duration::from_secs(seconds)));
        let left = number("x-ratelimit-remaining").or_else(|| number("ratelimit-remaining"));
        let is_limit = match self.status {
            429 => true,
            403 => {
                let text = String::from_utf8_lossy(&self.body).to_ascii_lowercase();
                after.is_some() || left == Some(0) || text.contains("rate limit")
            }
            _ => false,
        };
        let reset = number("x-ratelimit-reset").or_else(|| number("ratelimit-reset"));
        let reset = reset.and_then(|at| UNIX_EPOCH.checked_add(Duration::from_secs(at)));
        is_limit.then(|| after.or_else(|| reset.map(Retry::At)))
    }
}

fn split_head(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = |mark: &[u8]| text.windows(mark.len()).position(|window| window == mark);
    let (at, length) = match (end(b"\r\n\r\n"), end(b"\n\n")) {
        (Some(crlf), Some(lf)) if lf < crlf => (lf, 2),
        (Some(crlf), _) => (crlf, 4),
        (None, lf) => (lf?, 2),
    };
    Some((&text[..at], &text[at + length..]))
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    fn answer(text: &str) -> Answer {
        Answer::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn head_and_body_are_separated_and_interim_answers_skipped() {
        let found = answer("HTTP/1.1 100 Continue\r\n\r\nHTTP/2 201 \r\nX-A: b:c\r\n\r\n{\n\n}");
        assert_eq!((found.status, found.header("x-a")), (201, Some("b:c")));
        assert_eq!(found.body, b"{\n\n}");
        assert_eq!(answer("HTTP/1.1 204 No Content\r\n\r\n").body, b"");
        for text in ["", "HTTP/1.1 200 OK\r\n", "200 OK\r\n\r\n", "HTTP/1.1 x\r\n\r\n"] {
            assert_eq!(Answer::parse(text.as_bytes()), None, "{text:?}");
        }
    }

    #[test]
    fn the_next_page_is_the_query_of_the_link() {
        let next = |link: &str| {
            let found = answer(&format!("HTTP/1.1 200 OK\r\nLink: {link}\r\n\r\n"));
            found.next_query().map(str::to_owned)
        };
        let both = r#"<https://x/a?page=1>; rel="prev", <https://evil/b?page=3&q=x>; rel="next""#;
        assert_eq!(next(both).as_deref(), Some("page=3&q=x"));
        for none in ["", r#"<https://x/a?page=9>; rel="last""#, r#"<https://x/a>; rel="next""#] {
            assert_eq!(next(none), None, "{none}");
        }
    }

    #[test]
    fn a_limit_on_requests_is_recognised_with_its_end() {
        let limit = |status: u16, headers: &str, body: &str| {
            answer(&format!("HTTP/1.1 {status} X\r\n{headers}\r\n\r\n{body}")).rate_limit()
        };
        let at = Retry::At(UNIX_EPOCH + Duration::from_secs(1_700_000_000));
        let headers = "x-ratelimit-remaining: 0\r\nx-ratelimit-reset: 1700000000";
        assert_eq!(limit(403, headers, ""), Some(Some(at)));
        let gitlab = "RateLimit-Remaining: 0\r\nRateLimit-Reset: 1700000000";
        assert_eq!(limit(429, gitlab, ""), Some(Some(at)));
        let after = Retry::After(Duration::from_secs(60));
        assert_eq!(limit(403, "Retry-After: 60", ""), Some(Some(after)));
        assert_eq!(limit(403, "x: y", "secondary Rate Limit"), Some(None));
        assert_eq!(limit(429, "x: y", ""), Some(None));
        assert_eq!(limit(403, "x-ratelimit-remaining: 7", "no"), None);
        assert_eq!(limit(500, "Retry-After: 60", ""), None);
        assert_eq!(at.wait(UNIX_EPOCH + Duration::from_secs(1_699_999_990)).as_secs(), 10);
        assert_eq!(at.wait(SystemTime::now()), Duration::ZERO);
    }
}
