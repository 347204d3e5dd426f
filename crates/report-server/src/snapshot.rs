//! Where the newest picture of a run hangs, for all who watch: painted once, put into the words of the
//! stream once, and shared.

use std::sync::Arc;

use html_report::Section;
use hyper::body::Bytes;

/// What there is to see.
#[derive(Debug, Clone, Default)]
pub(crate) struct Snapshot {
    pub(crate) picture: Option<Arc<Picture>>,
    pub(crate) outlook: Outlook,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Outlook {
    #[default]
    MoreToCome,
    /// The run is over, and no other one is waited for.
    NothingMore,
}

/// Every section of the page, in the page's order.
#[derive(Debug, Default)]
pub(crate) struct Picture(Vec<Part>);

#[derive(Debug, Clone)]
struct Part {
    id: &'static str,
    html: Bytes,
    /// `"id":"html"`, as JSON.
    json: Bytes,
}

impl Picture {
    /// What is as it was in the picture before, or is not painted anew, stays the very same.
    pub(crate) fn of(sections: Vec<Section>, before: Option<&Self>) -> Self {
        let mut parts = before.map(|before| before.0.clone()).unwrap_or_default();
        for Section { id, html } in sections {
            let json = || entry(id, &html);
            match parts.iter_mut().find(|part| part.id == id) {
                Some(part) if part.html == html => {}
                Some(part) => *part = Part { id, json: json(), html: html.into() },
                None => parts.push(Part { id, json: json(), html: html.into() }),
            }
        }
        Self(parts)
    }

    /// A message with the parts that are not the same in `seen`; nothing if all are.
    pub(crate) fn news(&self, seen: Option<&Self>) -> Vec<Bytes> {
        let is_new = |part: &&Part| {
            let old = seen.and_then(|seen| seen.part(part.id));
            old.is_none_or(|old| old.json.as_ptr() != part.json.as_ptr())
        };
        let mut message = Vec::new();
        for part in self.0.iter().filter(is_new) {
            let before: &[u8] = if message.is_empty() { OPENING } else { b"," };
            message.extend([Bytes::from_static(before), part.json.clone()]);
        }
        if !message.is_empty() {
            message.push(Bytes::from_static(CLOSING));
        }
        message
    }

    /// How much there is to tell whoever has seen `seen`.
    pub(crate) fn length_of_news(&self, seen: Option<&Self>) -> usize {
        self.news(seen).iter().map(Bytes::len).sum()
    }

    fn part(&self, id: &str) -> Option<&Part> {
        self.0.iter().find(|part| part.id == id)
    }
}

const OPENING: &[u8] = b"event: sections\ndata: {\"sections\":{";
const CLOSING: &[u8] = b"}}\n\n";

/// JSON keeps it on one line, which is what a message of the stream needs.
fn entry(id: &str, html: &str) -> Bytes {
    let (id, html) = (serde_json::Value::from(id), serde_json::Value::from(html));
    Bytes::from(format!("{id}:{html}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(parts: &[(&'static str, &str)], before: Option<&Picture>) -> Arc<Picture> {
        let section = |&(id, html): &(&'static str, &str)| Section { id, html: html.to_owned() };
        Arc::new(Picture::of(parts.iter().map(section).collect(), before))
    }

    fn news(picture: &Picture, seen: Option<&Picture>) -> String {
        String::from_utf8(picture.news(seen).concat()).unwrap()
    }

    #[test]
    fn whoever_has_seen_nothing_hears_everything_in_one_message() {
        let picture = picture(&[("a", "<p>\n\"x\"</p>"), ("b", "é")], None);
        assert_eq!(
            news(&picture, None),
            "event: sections\ndata: {\"sections\":\
             {\"a\":\"<p>\\n\\\"x\\\"</p>\",\"b\":\"é\"}}\n\n"
        );
    }

    #[test]
    fn whoever_has_seen_a_picture_hears_what_is_not_as_it_was() {
        let first = picture(&[("a", "1"), ("b", "1")], None);
        let second = picture(&[("a", "1"), ("b", "2")], Some(&first));
        let third = picture(&[("a", "1"), ("b", "2")], Some(&second));
        assert!(news(&second, Some(&first)).contains(r#"{"b":"2"}"#));
        assert_eq!(news(&third, Some(&second)), "");
        assert!(news(&third, Some(&first)).contains(r#"{"b":"2"}"#));
    }

    #[test]
    fn what_is_not_painted_anew_is_still_there() {
        let first = picture(&[("a", "1"), ("b", "1")], None);
        let second = picture(&[("a", "2")], Some(&first));
        assert!(news(&second, Some(&first)).contains(r#"{"a":"2"}"#));
        assert!(news(&second, None).contains(r#"{"a":"2","b":"1"}"#));
    }
}
