//! The latest rendered page of a run, shared by all watching pages: rendered and serialized once.

use std::sync::Arc;

use html_report::PageSection;
use hyper::body::Bytes;

/// The published state.
#[derive(Debug, Clone, Default)]
pub(crate) struct PageSnapshot {
    pub(crate) page: Option<Arc<RenderedPage>>,
    /// The run has ended, and the server waits for no other one.
    pub(crate) is_final: bool,
}

/// Every section of the page, in order.
#[derive(Debug, Default)]
pub(crate) struct RenderedPage(Vec<RenderedSection>);

#[derive(Debug, Clone)]
struct RenderedSection {
    id: &'static str,
    html: Bytes,
    /// `"id":"html"`, as JSON.
    json: Bytes,
}

impl RenderedPage {
    /// Sections that are unchanged or not rendered again are shared with `before`.
    pub(crate) fn of(sections: Vec<PageSection>, before: Option<&Self>) -> Self {
        let mut rendered = before.map(|before| before.0.clone()).unwrap_or_default();
        for PageSection { id, html } in sections {
            let json = || entry(id, &html);
            match rendered.iter_mut().find(|old| old.id == id) {
                Some(old) if old.html == html => {}
                Some(old) => *old = RenderedSection { id, json: json(), html: html.into() },
                None => rendered.push(RenderedSection { id, json: json(), html: html.into() }),
            }
        }
        Self(rendered)
    }

    /// A message with the sections that differ from `seen`; empty without differences.
    pub(crate) fn news(&self, seen: Option<&Self>) -> Vec<Bytes> {
        let is_new = |section: &&RenderedSection| {
            let old = seen.and_then(|seen| seen.section(section.id));
            old.is_none_or(|old| old.json.as_ptr() != section.json.as_ptr())
        };
        let mut message = Vec::new();
        for section in self.0.iter().filter(is_new) {
            let before: &[u8] = if message.is_empty() { OPENING } else { b"," };
            message.extend([Bytes::from_static(before), section.json.clone()]);
        }
        if !message.is_empty() {
            message.push(Bytes::from_static(CLOSING));
        }
        message
    }

    /// The length of that message.
    pub(crate) fn length_of_news(&self, seen: Option<&Self>) -> usize {
        self.news(seen).iter().map(Bytes::len).sum()
    }

    fn section(&self, id: &str) -> Option<&RenderedSection> {
        self.0.iter().find(|section| section.id == id)
    }
}

const OPENING: &[u8] = b"event: sections\ndata: {\"sections\":{";
const CLOSING: &[u8] = b"}}\n\n";

/// JSON has no line breaks, as a message of the stream requires.
fn entry(id: &str, html: &str) -> Bytes {
    let (id, html) = (serde_json::Value::from(id), serde_json::Value::from(html));
    Bytes::from(format!("{id}:{html}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(sections: &[(&'static str, &str)], before: Option<&RenderedPage>) -> Arc<RenderedPage> {
        let section =
            |&(id, html): &(&'static str, &str)| PageSection { id, html: html.to_owned() };
        Arc::new(RenderedPage::of(sections.iter().map(section).collect(), before))
    }

    fn news(page: &RenderedPage, seen: Option<&RenderedPage>) -> String {
        String::from_utf8(page.news(seen).concat()).unwrap()
    }

    #[test]
    fn a_new_client_gets_everything_in_one_message() {
        let page = page(&[("a", "<p>\n\"x\"</p>"), ("b", "é")], None);
        assert_eq!(
            news(&page, None),
            "event: sections\ndata: {\"sections\":\
             {\"a\":\"<p>\\n\\\"x\\\"</p>\",\"b\":\"é\"}}\n\n"
        );
    }

    #[test]
    fn a_client_gets_only_changed_sections() {
        let first = page(&[("a", "1"), ("b", "1")], None);
        let second = page(&[("a", "1"), ("b", "2")], Some(&first));
        let third = page(&[("a", "1"), ("b", "2")], Some(&second));
        assert!(news(&second, Some(&first)).contains(r#"{"b":"2"}"#));
        assert_eq!(news(&third, Some(&second)), "");
        assert!(news(&third, Some(&first)).contains(r#"{"b":"2"}"#));
    }

    #[test]
    fn sections_that_are_not_rendered_again_are_kept() {
        let first = page(&[("a", "1"), ("b", "1")], None);
        let second = page(&[("a", "2")], Some(&first));
        assert!(news(&second, Some(&first)).contains(r#"{"a":"2"}"#));
        assert!(news(&second, None).contains(r#"{"a":"2","b":"1"}"#));
    }
}
