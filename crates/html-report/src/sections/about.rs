//! The foot of the page: what it is made from, and what it could not take in.

use events::words::{count, isolation_words};

use super::{code, quiet};
use crate::Input;
use crate::html::{Html, element};
use crate::tally::zone;

pub(super) fn about(input: &Input<'_>) -> Html {
    let view = &input.history.view;
    let by = view.start.as_ref().map(|start| format!(" Ralph {} ran it.", start.version));
    let made = element("p")
        .add("Made by Ralph ")
        .add(env!("CARGO_PKG_VERSION"))
        .add(" from ")
        .add(code(&format!(".ralph/runs/{}/events.jsonl", input.run)))
        .add(" and nothing else but git.")
        .add(by);
    let isolation = view.isolation.iter().map(|(agent, isolation)| {
        quiet(format!("Around {agent}: {}.", isolation_words(agent, *isolation)))
    });
    let unread = (input.unread_lines > 0).then(|| {
        let lines = count(input.unread_lines, "line of its log was", "lines of its log were");
        element("p")
            .class("warn")
            .add(format!("{lines} not understood: something may be missing here."))
    });
    let log = quiet(format!("Event log: {}.", input.log.figures()));
    let zone = quiet(format!("Times are {}.", zone(input.offset)));
    element("footer").id("about").add(unread).add(made).add(log).add_all(isolation).add(zone).into()
}
