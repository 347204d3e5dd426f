//! Where the reader of a live page tells its run something. What the run makes of it is seen on the page.

use crate::html::{Element, Html, element};

/// `to` is where the script posts what was chosen; without the script nothing here does anything.
pub(crate) fn desk(to: &str) -> Html {
    let button = |kind: &str, words: &str| {
        element("button").attr("type", "button").attr("data-order", kind).add(words)
    };
    let buttons = element("p")
        .add(button("pause", "Pause after this iteration"))
        .add(button("go-on", "Go on"))
        .add(button("skip", "Skip the story…"))
        .add(button("stop", "Stop the run…"));
    element("aside")
        .id("orders")
        .attr("aria-label", "Tell the run something")
        .attr("data-to", to)
        .add(buttons)
        .add(steer())
        .add(element("p").id("order-answer").attr("role", "status").attr("aria-live", "polite"))
        .into()
}

fn steer() -> Element {
    let label = "Say something to the next session that codes";
    element("form")
        .id("steer")
        .add(element("label").attr("for", "steer-text").add(label))
        .add(
            element("input")
                .id("steer-text")
                .attr("autocomplete", "off")
                .attr("required", "required"),
        )
        .add(element("button").attr("type", "submit").add("Send"))
}
