//! The head of the page: the run, its state, and a sentence about it.

use chrono::SecondsFormat;
use events::describe::pending_orders;
use events::format::{moment, span};
use events::{LaneState, Pause, Role, RunState};
use tasks::StoryId;

use super::{badge, look, name, title};
use crate::PageInput;
use crate::html::{Element, Html, element};
use crate::tally::{run_state, when, zone};

pub(super) fn head(input: &PageInput<'_>) -> Html {
    let (role, word) = run_state(input);
    let (class, mark) = look(role);
    let mark = element("span").class("mark").attr("aria-hidden", "true").add(mark);
    let state =
        element("p").class(format!("state {class}")).add(mark).add(element("strong").add(word));
    // The live page takes its title from here.
    let head = element("header").id("head").attr("data-title", title(input));
    let head = match running_story(input) {
        Some(story) => head.attr("data-story", story),
        None => head,
    };
    head.add(element("p").class("quiet").add(place(input)))
        .add(element("h1").add(name(input)))
        .add(state)
        .add_all(sentence(input).map(|words| element("p").class("lead").add(words)))
        .add(orders(input))
        .into()
}

/// Orders of the user that the run has not applied yet.
fn orders(input: &PageInput<'_>) -> Option<Element> {
    let orders = pending_orders(&input.view.pending_orders);
    let is_shown = input.state == RunState::Running && !orders.is_empty();
    is_shown.then(|| element("ul").add_all(orders.iter().map(|order| element("li").add(order))))
}

/// The story that the button "Skip" refers to.
fn running_story<'i>(input: &PageInput<'i>) -> Option<&'i StoryId> {
    // With several, the user has to name one.
    let mut running = input.view.running();
    let only = running.next().filter(|_| running.next().is_none())?;
    only.story.as_ref().filter(|_| input.state == RunState::Running)
}

/// Elapsed time, which the live page updates.
pub(super) fn elapsed(input: &PageInput<'_>, since: chrono::DateTime<chrono::Utc>) -> Element {
    let text = span(input.now - since);
    let moment = since.to_rfc3339_opts(SecondsFormat::Secs, true);
    element("time").attr("data-since", moment).add(text)
}

fn place(input: &PageInput<'_>) -> String {
    let Some(start) = &input.view.start else { return format!("Ralph run {}", input.run) };
    let branch = match start.branch.as_str() {
        "" => String::new(),
        branch => format!(" on branch {branch}"),
    };
    let at = when(input.view.started.unwrap_or(start.at), input.offset);
    let limited = start.only_story.as_ref().map(|story| format!(", limited to {story}"));
    let limited = limited.unwrap_or_default();
    format!("Ralph run of {at} {}{branch}, by {}{limited}", zone(input.offset), start.agent)
}

pub(super) fn sentence(input: &PageInput<'_>) -> Option<Html> {
    let view = input.view;
    if let Some(end) = &view.end {
        return (!end.text.trim().is_empty()).then(|| end.text.as_str().into());
    }
    view.start.as_ref()?;
    if input.state != RunState::Running {
        let died = "It ended without a result: it was killed, or the machine went down.";
        return Some(died.into());
    }
    if let Pause::Waiting { since } = view.pending_orders.pause {
        let text = element("span").add("The user paused it ").add(elapsed(input, since));
        return Some(
            text.add(" ago. Resume it with ").add(element("code").add("ralph-loop resume")).into(),
        );
    }
    if let Some(rest) = &view.rest {
        let until = moment(rest.until, input.now, input.offset);
        return Some(format!("{} It resumes at {until}.", closed(&rest.text)).into());
    }
    if !view.lanes.is_empty() {
        return Some(lanes(input));
    }
    let Some(running) = view.iteration() else { return Some("Between iterations.".into()) };
    let mode = badge((Role::Accent, &running.mode.to_string()));
    let line = element("span")
        .add(format!("Iteration {}, ", running.number))
        .add(mode)
        .add(format!(" {}, for ", running.subject()))
        .add(elapsed(input, running.started_at));
    let check = running.gate.as_ref();
    Some(line.add_all(check.map(|check| format!("; checking {}", check.command))).into())
}

/// What each lane with a story does.
fn lanes(input: &PageInput<'_>) -> Html {
    let view = input.view;
    let busy = view.lanes.iter().filter(|lane| lane.state != LaneState::Idle);
    let busy: Vec<Html> = busy
        .map(|lane| {
            let iteration = view.iteration_in(Some(lane.number));
            let state = iteration.map_or(lane.state.to_string(), |one| one.mode.to_string());
            let since = iteration.map_or(lane.since, |one| one.started_at);
            let story = lane.story.as_ref().map(|story| format!(" {story}")).unwrap_or_default();
            let line = element("span").add(format!("Lane {}{story}: ", lane.number));
            line.add(state).add(" for ").add(elapsed(input, since)).add(". ").into()
        })
        .collect();
    if busy.is_empty() {
        "No lane has a story.".into()
    } else {
        element("span").add_all(busy).into()
    }
}

fn closed(text: &str) -> String {
    match text.trim() {
        text if text.ends_with(['.', '!', '?']) => text.to_owned(),
        text => format!("{text}."),
    }
}
