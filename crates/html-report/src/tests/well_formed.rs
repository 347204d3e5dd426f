//! Properties of every page.

use std::collections::BTreeSet;

use roxmltree::{Document, Node};
use sha2::{Digest, Sha256};

use super::{Sample, parsed, samples, statistics};
use crate::{LiveLinks, document, live, sections};

fn each(look: impl Fn(&str, &Document<'_>)) {
    let pages = samples().into_iter().map(|(name, sample)| (name, sample.page()));
    for (name, page) in pages.chain(statistics::pages()) {
        look(name, &parsed(&page));
    }
}

fn elements<'d>(document: &'d Document<'d>, name: &str) -> Vec<Node<'d, 'd>> {
    document.descendants().filter(|node| node.has_tag_name(name)).collect()
}

/// A page without active content.
pub(super) fn assert_harmless(name: &str, document: &Document<'_>) {
    const FORBIDDEN: [&str; 10] =
        ["script", "img", "iframe", "object", "embed", "link", "base", "form", "image", "use"];
    for node in document.descendants().filter(Node::is_element) {
        let tag = node.tag_name().name();
        assert!(!FORBIDDEN.contains(&tag), "{name}: {tag}");
        for attribute in node.attributes() {
            let (key, value) = (attribute.name(), attribute.value());
            assert!(!key.starts_with("on") && key != "style" && key != "src", "{name}: {key}");
            assert!(key != "href" || value.starts_with('#'), "{name}: {value}");
        }
    }
}

#[test]
fn nothing_runs_and_nothing_is_fetched() {
    each(assert_harmless);
    let pages = samples().into_iter().map(|(name, sample)| (name, sample.page()));
    for (name, page) in pages.chain(statistics::pages()) {
        assert!(!page.contains("<script") && !page.contains("javascript:"), "{name}");
        assert!(!page.contains("http:") && !page.contains("https:"), "{name}");
    }
}

#[test]
fn ids_are_unique_and_references_resolve() {
    each(|name, document| {
        let ids: Vec<&str> =
            document.descendants().filter_map(|node| node.attribute("id")).collect();
        let unique: BTreeSet<&str> = ids.iter().copied().collect();
        assert_eq!(ids.len(), unique.len(), "{name}: {ids:?}");
        for node in document.descendants().filter(Node::is_element) {
            let labels = node.attribute("aria-labelledby").unwrap_or_default().split(' ');
            let link = node.attribute("href").and_then(|link| link.strip_prefix('#'));
            for id in labels.filter(|id| !id.is_empty()).chain(link) {
                assert!(unique.contains(id), "{name}: {id}");
            }
        }
    });
}

#[test]
fn collapsed_elements_have_unique_keys() {
    each(|name, document| {
        let keys: Vec<_> = elements(document, "details")
            .iter()
            .map(|node| node.attribute("data-key").unwrap().to_owned())
            .collect();
        let unique: BTreeSet<&String> = keys.iter().collect();
        assert_eq!(keys.len(), unique.len(), "{name}: {keys:?}");
    });
}

#[test]
fn heading_levels_are_not_skipped() {
    each(|name, document| {
        let mut before = 0;
        for node in document.descendants() {
            let tag = node.tag_name().name();
            let Some(level) = ["h1", "h2", "h3", "h4"].iter().position(|one| *one == tag) else {
                continue;
            };
            assert!(level <= before + 1, "{name}: {tag} after h{}", before + 1);
            before = level;
        }
        assert_eq!(elements(document, "h1").len(), 1, "{name}");
    });
}

#[test]
fn tables_have_captions_and_scroll_by_keyboard() {
    each(|name, document| {
        for table in elements(document, "table") {
            let caption = table.first_element_child().unwrap();
            assert!(caption.has_tag_name("caption") && caption.text().is_some(), "{name}");
            let scroll = table.parent().unwrap();
            assert_eq!(scroll.attribute("tabindex"), Some("0"), "{name}");
            assert!(scroll.attribute("aria-label").is_some(), "{name}");
        }
        for heading in elements(document, "th") {
            assert!(matches!(heading.attribute("scope"), Some("col" | "row")), "{name}");
        }
    });
}

#[test]
fn every_chart_has_a_text_alternative_and_a_table() {
    each(|name, document| {
        for picture in elements(document, "svg") {
            if picture.attribute("aria-hidden").is_some() {
                continue;
            }
            assert_eq!(picture.attribute("role"), Some("img"), "{name}");
            let title = picture.children().find(|node| node.has_tag_name("title")).unwrap();
            assert!(title.text().is_some_and(|text| !text.is_empty()), "{name}");
            let section = picture.ancestors().find(|node| node.has_tag_name("section")).unwrap();
            let has = |tag| section.descendants().any(|node| node.has_tag_name(tag));
            assert!(has("table") || has("dl"), "{name}: {:?}", section.attribute("id"));
        }
    });
}

#[test]
fn the_page_has_landmarks() {
    each(|name, document| {
        for landmark in ["header", "nav", "main", "footer"] {
            assert_eq!(elements(document, landmark).len(), 1, "{name}: {landmark}");
        }
        let first = elements(document, "a")[0];
        assert_eq!(
            (first.attribute("class"), first.attribute("href")),
            (Some("skip"), Some("#main"))
        );
    });
}

#[test]
fn sections_are_always_the_same() {
    let ids = |sample: &Sample| {
        let sections = sections(&sample.input());
        for section in &sections {
            let document = parsed(&section.html);
            assert_eq!(document.root_element().attribute("id"), Some(section.id));
            assert!(sample.page().contains(&section.html), "{}", section.id);
        }
        sections.into_iter().map(|section| section.id).collect::<Vec<_>>()
    };
    let all: BTreeSet<Vec<&str>> = samples().iter().map(|(_, sample)| ids(sample)).collect();
    assert_eq!(all.len(), 1, "{all:?}");
}

/// The hash of an element's contents, as a browser computes it.
fn hash_of(page: &str, tag: &str) -> String {
    let (_, after) = page.split_once(&format!("<{tag}>")).unwrap();
    let (text, _) = after.split_once(&format!("</{tag}>")).unwrap();
    format!("'sha256-{}'", data_encoding::BASE64.encode(&Sha256::digest(text)))
}

#[test]
fn the_policy_allows_only_the_style() {
    let (_, sample) = samples().swap_remove(0);
    let page = sample.page();
    let policy = document::report_policy();
    assert!(policy.starts_with("default-src 'none'; ") && !policy.contains("unsafe"), "{policy}");
    assert!(policy.contains(&format!("style-src {};", hash_of(&page, "style"))), "{policy}");
    assert!(page.contains(&policy.replace('\'', "&#39;")));
}

#[test]
fn the_live_page_runs_one_script_and_connects_to_its_own_server() {
    let (_, sample) = samples().swap_remove(0);
    let links = LiveLinks { events: "/events?token=a\"b&c".into(), orders: None };
    let page = live(&sample.input(), &links);
    let document = parsed(&page);
    assert_eq!(elements(&document, "script").len(), 1);
    let body = elements(&document, "body")[0];
    assert_eq!(body.attribute("data-events"), Some(links.events.as_str()));
    assert!(with_id(&document, "orders").is_none());
    assert_eq!(with_id(&document, "connection").unwrap().attribute("aria-live"), Some("polite"));
    let policy = document::live_policy();
    let script = hash_of(&page, "script");
    assert!(policy.contains(&format!("script-src {script}; connect-src 'self'")), "{policy}");
}

fn with_id<'a, 'd>(document: &'a Document<'d>, id: &str) -> Option<Node<'a, 'd>> {
    document.descendants().find(|node| node.attribute("id") == Some(id))
}

#[test]
fn the_controls_are_labelled_and_have_a_target() {
    let (_, sample) = samples().swap_remove(0);
    let links = LiveLinks { events: "/events".into(), orders: Some("/orders".into()) };
    let page = live(&sample.input(), &links);
    let document = parsed(&page);
    let controls = with_id(&document, "orders").unwrap();
    assert_eq!(controls.attribute("data-to"), Some("/orders"));
    let orders = controls.descendants().filter_map(|node| node.attribute("data-order"));
    assert_eq!(orders.collect::<Vec<_>>(), ["pause", "go-on", "skip", "stop"]);
    assert!(elements(&document, "button").iter().all(|button| button.text().is_some()));
    let label = elements(&document, "label")[0];
    let line = with_id(&document, label.attribute("for").unwrap()).unwrap();
    assert!(line.has_tag_name("input"));
    assert_eq!(with_id(&document, "order-answer").unwrap().attribute("role"), Some("status"));
}
