//! The footer: sources of the page, and log lines that could not be read.

use events::format::{count, isolation_text};

use super::{code, quiet};
use crate::PageInput;
use crate::html::{Html, element};
use crate::tally::zone;

pub(super) fn about(input: &PageInput<'_>) -> Html {
    let view = input.view;
    let by = view.start.as_ref().map(|start| format!(" The runner was Ralph {}.", start.version));
    let made = element("p")
        .add("Made by Ralph ")
        .add(env!("CARGO_PKG_VERSION"))
        .add(" from ")
        .add(code(&format!(".ralph/runs/{}/events.jsonl", input.run)))
        .add(" and git.")
        .add(by);
    let isolation = view.isolation.iter().map(|(agent, isolation)| {
        quiet(format!("Isolation of {agent}: {}.", isolation_text(agent, *isolation)))
    });
    let unread = (input.unread_lines > 0).then(|| {
        let lines = count(input.unread_lines, "line of its log is", "lines of its log are");
        element("p").class("warn").add(format!("{lines} unreadable: this page may be incomplete."))
    });
    let log = quiet(format!("Event log: {}.", input.log.figures()));
    let url = view.pull_request.as_ref().and_then(|result| result.url.as_ref());
    let pull_request = url.map(|url| element("p").add(format!("Pull request: {url}")));
    let zone = quiet(format!("Times are {}.", zone(input.offset)));
    element("footer")
        .id("about")
        .add(unread)
        .add(pull_request)
        .add(made)
        .add(log)
        .add_all(isolation)
        .add(zone)
        .into()
}
