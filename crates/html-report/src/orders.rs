//! The controls of a live page: pause, resume, skip, stop, and an instruction for the next session.

use events::RunView;

use crate::html::{Element, Html, element};

/// `to` is the address that the script posts orders to.
pub(crate) fn controls(to: &str, view: &RunView) -> Html {
    let button = |kind: &str, words: &str| {
        element("button").attr("type", "button").attr("data-order", kind).add(words)
    };
    let buttons = element("p")
        .add(button("pause", "Pause after this iteration"))
        .add(button("go-on", "Resume"))
        .add(button("skip", "Skip the story…"))
        .add(button("stop", "Stop the run…"));
    element("aside")
        .id("orders")
        .attr("aria-label", "Control the run")
        .attr("data-to", to)
        .add(buttons)
        .add(steer(view))
        .add(element("p").id("order-answer").attr("role", "status").attr("aria-live", "polite"))
        .into()
}

fn steer(view: &RunView) -> Element {
    let label = "Instruction for the next implementing session";
    element("form")
        .id("steer")
        .add(choice_of_story(view))
        .add(element("label").attr("for", "steer-text").add(label))
        .add(
            element("input")
                .id("steer-text")
                .attr("autocomplete", "off")
                .attr("required", "required"),
        )
        .add(element("button").attr("type", "submit").add("Send"))
}

/// `None` for a run that works on one story at a time.
fn choice_of_story(view: &RunView) -> Option<Element> {
    view.start.as_ref()?.jobs?;
    let open = view.stories.iter().filter(|story| !story.passes && story.given_up.is_none());
    let options = open.map(|story| element("option").add(story.id.as_str()));
    let select = element("select").id("steer-story").attr("aria-label", "Story");
    Some(
        select.add(element("option").attr("value", "").add("every story in work")).add_all(options),
    )
}
