//! The page around its sections: content security policy, navigation, and the connection of the live
//! page.

use std::sync::LazyLock;

use data_encoding::BASE64;
use sha2::{Digest, Sha256};

use crate::html::{Element, Html, element, live_script, stylesheet};
use crate::{LiveLinks, PageInput, orders, script, sections, style};

pub(crate) fn of(input: &PageInput<'_>, live: Option<&LiveLinks>) -> String {
    let policy = if live.is_some() { live_policy() } else { report_policy() };
    whole(&sections::title(input), policy, body(input, sections::all(input), live))
}

pub(crate) fn whole(title: &str, policy: &str, body: Html) -> String {
    let html = element("html").attr("lang", "en").add(head(title, policy)).add(body);
    format!("<!DOCTYPE html>\n{}\n", Html::from(html).into_string())
}

/// Content security policy of the static page: only its own style.
pub fn report_policy() -> &'static str {
    static POLICY: LazyLock<String> = LazyLock::new(|| {
        format!(
            "default-src 'none'; style-src {}; base-uri 'none'; form-action 'none'",
            hash(style::text())
        )
    });
    &POLICY
}

/// Content security policy of the live page: also its script, and connections to its own server. A
/// server sends it as a header too.
pub fn live_policy() -> &'static str {
    static POLICY: LazyLock<String> = LazyLock::new(|| {
        let script = hash(script::text());
        format!("{}; script-src {script}; connect-src 'self'", report_policy())
    });
    &POLICY
}

fn hash(text: &str) -> String {
    format!("'sha256-{}'", BASE64.encode(&Sha256::digest(text)))
}

fn head(title: &str, policy: &str) -> Html {
    let meta = |name, content: &str| element("meta").attr("name", name).attr("content", content);
    element("head")
        .add(element("meta").attr("charset", "utf-8"))
        .add(element("meta").attr("http-equiv", "Content-Security-Policy").attr("content", policy))
        .add(meta("viewport", "width=device-width, initial-scale=1"))
        .add(meta("color-scheme", "light dark"))
        .add(meta("referrer", "no-referrer"))
        .add(element("title").add(title))
        .add(stylesheet())
        .into()
}

fn link(id: &str, name: &str) -> Element {
    element("a").attr("href", format!("#{id}")).add(name)
}

/// The first element of a body: for keyboards.
pub(crate) fn skip(name: &str) -> Element {
    link("main", name).class("skip")
}

pub(crate) fn navigation(sections: &[(&str, &str)]) -> Element {
    let links = sections.iter().map(|(id, name)| element("li").add(link(id, name)));
    element("nav").attr("aria-label", "Sections").add(element("ul").add_all(links))
}

pub(crate) fn main(sections: impl IntoIterator<Item = Html>) -> Element {
    element("main").id("main").attr("tabindex", -1).add_all(sections)
}

fn body(
    input: &PageInput<'_>,
    sections: Vec<(&'static str, Html)>,
    live: Option<&LiveLinks>,
) -> Html {
    let mut page = sections.into_iter().map(|(_, html)| html);
    let (head, mut rest) = (page.next(), page.collect::<Vec<_>>());
    let about = rest.pop();
    let controls = live.and_then(|links| links.orders.as_deref());
    let body = element("body")
        .add(skip("Skip to the run"))
        .add(head)
        .add(controls.map(|to| orders::controls(to, input.view)))
        .add(navigation(&sections::NAVIGATION))
        .add(main(rest))
        .add(about);
    match live {
        None => body.into(),
        Some(links) => body
            .attr("data-events", &links.events)
            .add(
                element("p")
                    .id("connection")
                    .attr("role", "status")
                    .attr("aria-live", "polite")
                    .add("connecting"),
            )
            .add(live_script())
            .into(),
    }
}
