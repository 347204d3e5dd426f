//! `ralph-loop steer`, `pause`, `resume`, `skip` and `stop`: send an order to the running loop. The page of
//! `ralph-loop serve` sends orders through this module too.

use std::io::Read;
use std::process::ExitCode;

use anyhow::{Context, Result};
use events::{Pause, RunView, StoryBrief, format};
use project::orders::{self, LONGEST_STEER, MOST_STEERS, Order, OrderError};
use project::{Layout, RunLock};
use serde::Serialize;
use tasks::StoryId;

use super::{CommandResult, layout, print_result};
use crate::cli::{OrderArgs, SteerArgs};
use crate::command_error::precondition;
use crate::{json, status};

/// The version of the JSON form.
const VERSION: u64 = 1;

/// More than the longest accepted text needs in any encoding.
const MOST_BYTES: u64 = 4 * LONGEST_STEER as u64 + 1;

const RUN_FIRST: &str = "start one with `ralph-loop`; see the last result with `ralph-loop status`";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum OrderStatus {
    #[serde(rename = "given")]
    Sent,
    /// The run does so already.
    NotNeeded,
}

/// The result of an order.
#[derive(Debug, Serialize)]
pub(super) struct OrderReply<'a> {
    version: u64,
    run: &'a str,
    order: &'a Order,
    answer: OrderStatus,
    text: String,
}

impl<'a> OrderReply<'a> {
    pub(super) fn sent(run: &'a str, order: &'a Order, text: String) -> Self {
        Self { version: VERSION, run, order, answer: OrderStatus::Sent, text }
    }
}

pub(super) fn steer(args: &SteerArgs) -> CommandResult {
    let text = match &args.text[..] {
        [only] if only == "-" => read_text()?,
        words => words.join(" "),
    };
    let order = Order::steer(&text).map_err(refused)?;
    give(&args.order, order.for_story(args.story.clone()))
}

pub(super) fn give(args: &OrderArgs, order: Order) -> CommandResult {
    let layout = layout(&args.project)?;
    let view = running(&layout)?;
    let reply = send(&layout, &view, &order)?;
    let text = if args.json { json::line(&reply)? } else { reply.text };
    print_result(&format!("{text}\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// Sends the order to the run, unless it would change nothing.
pub(super) fn send<'a>(
    layout: &Layout,
    view: &'a RunView,
    order: &'a Order,
) -> Result<OrderReply<'a>> {
    let (answer, text) = reply(order, view)?;
    if answer == OrderStatus::Sent {
        orders::give(layout, &view.id, order).map_err(refused)?;
    }
    Ok(OrderReply { version: VERSION, run: &view.id, order, answer, text })
}

pub(super) fn refuse_idle(layout: &Layout) -> Result<()> {
    if RunLock::is_held(layout) {
        return Ok(());
    }
    Err(precondition("no loop is running here", RUN_FIRST))
}

pub(super) fn refused(error: OrderError) -> anyhow::Error {
    let hint = match error {
        OrderError::Empty => "example: ralph-loop steer Use the existing date helpers",
        OrderError::TooLong { .. } => {
            "shorten it, or write it to a project file and name that file"
        }
        OrderError::Unwritable { .. } => "check the write permissions of that folder",
    };
    precondition(error.to_string(), hint)
}

pub(super) fn read_text() -> Result<String> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(MOST_BYTES).read_to_end(&mut bytes);
    read.context("cannot read the text from standard input")?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The run in progress, read from its whole log.
fn running(layout: &Layout) -> Result<RunView> {
    refuse_idle(layout)?;
    let run = status::newest_run(layout).context("cannot read the runs")?;
    let view = run.map(|run| run.view).unwrap_or_default();
    match (&view.start, &view.end) {
        (Some(_), None) => Ok(view),
        _ => Err(precondition("the run is still starting", "try again in a moment")),
    }
}

fn reply(order: &Order, view: &RunView) -> Result<(OrderStatus, String)> {
    let (status, text) = match (order, view.pending_orders.pause) {
        (Order::Pause, Pause::Waiting { .. }) => {
            (OrderStatus::NotNeeded, "the run is already paused")
        }
        (Order::Pause, Pause::Requested) => {
            (OrderStatus::NotNeeded, "the run already pauses after this iteration")
        }
        (Order::Pause, Pause::No) => {
            (OrderStatus::Sent, "pausing after this iteration; resume with `ralph-loop resume`")
        }
        (Order::GoOn, Pause::No) => (OrderStatus::NotNeeded, "the run is not paused"),
        (Order::GoOn, _) => (OrderStatus::Sent, "the run resumes"),
        (Order::Stop, _) => (
            OrderStatus::Sent,
            "stopping after the agent's answer; a second `ralph-loop stop` kills the agent",
        ),
        (Order::Skip { story }, _) => return skip(story.as_ref(), view),
        (Order::Answer { .. }, _) => (OrderStatus::Sent, "answered"),
        (Order::Steer { .. }, _) if view.pending_orders.steers.len() >= MOST_STEERS => {
            return Err(precondition(
                format!("{MOST_STEERS} instructions already wait for the next session"),
                "try again after that session starts; `ralph-loop status` lists what waits",
            ));
        }
        (Order::Steer { story: Some(story), .. }, _) => return steer_story(story, view),
        (Order::Steer { .. }, _) => {
            (OrderStatus::Sent, "added to the next implementing session (never sent to reviews)")
        }
    };
    Ok((status, text.to_owned()))
}

fn steer_story(story: &StoryId, view: &RunView) -> Result<(OrderStatus, String)> {
    let has_lanes = view.start.as_ref().is_some_and(|start| start.options.jobs.is_some());
    if !has_lanes {
        let what = "this run works on one story at a time";
        return Err(precondition(what, "leave out --story"));
    }
    let is_open = |story: &StoryBrief| !story.passes && story.given_up.is_none();
    if !view.story(story).is_some_and(is_open) {
        let what = format!("{story} is not an open story of this run");
        return Err(precondition(what, "`ralph-loop status` lists the open stories"));
    }
    let text = format!("added to the next implementing session of {story}");
    Ok((OrderStatus::Sent, text))
}

fn skip(story: Option<&StoryId>, view: &RunView) -> Result<(OrderStatus, String)> {
    let refused = |why: String| precondition(why, "`ralph-loop status` lists the open stories");
    let is_open = |story: &StoryBrief| !story.passes && story.given_up.is_none();
    if !view.stories.iter().any(is_open) {
        return Err(refused("no story can be skipped".into()));
    }
    if let Some(id) = story {
        let why = match view.story(id) {
            None => "is not a story of this run",
            Some(story) if story.passes => "is already done",
            Some(story) if story.given_up.is_some() => "is already given up",
            Some(_) if view.pending_orders.skips.contains(id) => {
                let text = format!("{id} is already being skipped");
                return Ok((OrderStatus::NotNeeded, text));
            }
            Some(_) => "",
        };
        if !why.is_empty() {
            return Err(refused(format!("{id} {why}")));
        }
    }
    let all: Vec<&StoryId> =
        view.running().filter_map(|iteration| iteration.story.as_ref()).collect();
    let running = match (story, all.as_slice()) {
        (None, [_, _, ..]) => {
            let names = format::names(&all.into_iter().cloned().collect::<Vec<_>>());
            return Err(refused(format!("{names} are running; name the story to skip")));
        }
        (Some(story), all) if all.contains(&story) => Some(story),
        (_, all) => all.first().copied(),
    };
    let (name, when) = match (story.or(running), running) {
        (None, _) => ("the next story", "now"),
        (Some(story), Some(running)) if story != running => {
            (story.as_str(), "after this iteration")
        }
        (Some(story), _) => (story.as_str(), "now"),
    };
    let text = format!(
        "skipping {name} {when}: its work is kept on a branch, the run continues without it"
    );
    Ok((OrderStatus::Sent, text))
}

#[cfg(test)]
mod tests {
    use events::samples::{a_prompt_loop, a_run, a_run_with_lanes, at, id, stamped};
    use events::{LoopEvent, LoopKind};

    use super::*;

    fn view(events: Vec<LoopEvent>) -> RunView {
        let mut view = RunView::default();
        view.apply(&a_run()[0]);
        events.into_iter().for_each(|event| view.apply(&stamped(9, event)));
        view
    }

    fn taken(order: Order) -> LoopEvent {
        LoopEvent::OrderAccepted { order }
    }

    #[test]
    fn orders_without_effect_are_not_sent() {
        let views = [vec![], vec![taken(Order::Pause)], vec![LoopEvent::Paused]].map(view);
        let answers = |order: &Order| views.each_ref().map(|view| reply(order, view).unwrap().0);
        let (given, not) = (OrderStatus::Sent, OrderStatus::NotNeeded);
        assert_eq!(answers(&Order::Pause), [given, not, not]);
        assert_eq!(answers(&Order::GoOn), [not, given, given]);
        assert_eq!(answers(&Order::Stop), [given; 3]);
    }

    #[test]
    fn only_an_open_story_is_skipped() {
        let view = view(vec![]);
        let left = view.stories.iter().find(|story| !story.passes).unwrap().id.clone();
        let skip = |story: &str, view: &RunView| {
            reply(&Order::Skip { story: Some(id(story)) }, view).map_err(|why| why.to_string())
        };
        assert_eq!(skip(left.as_str(), &view).unwrap().0, OrderStatus::Sent);
        assert!(skip("US-999", &view).unwrap_err().contains("US-999 is not a story of this run"));
        let mut done = view.clone();
        done.stories.iter_mut().find(|story| story.id == left).unwrap().passes = true;
        assert!(skip(left.as_str(), &done).is_err());
        let mut prompt = RunView::default();
        prompt.apply(&a_prompt_loop(LoopKind::Prompt, "", 0.0)[0]);
        assert!(reply(&Order::Skip { story: None }, &prompt).is_err());
    }

    #[test]
    fn a_skip_names_its_story_if_several_run() {
        let events = a_run_with_lanes();
        let until = |seconds| RunView::of(events.iter().take_while(|one| one.at <= at(seconds)));
        let skip = |story: Option<&str>, seconds| {
            let order = Order::Skip { story: story.map(id) };
            reply(&order, &until(seconds)).map(|(_, text)| text).map_err(|why| why.to_string())
        };
        let why = skip(None, 150).unwrap_err();
        assert!(why.contains("US-001, US-002 and US-003 are running; name the story"), "{why}");
        assert!(skip(Some("US-002"), 150).unwrap().starts_with("skipping US-002 now"));
        assert!(skip(Some("US-004"), 150).unwrap().contains("US-004 after this iteration"));
        assert!(skip(None, 805).unwrap().starts_with("skipping US-005 now"));
    }

    #[test]
    fn a_ninth_instruction_is_refused() {
        let steer = Order::steer("Mind the gap.").unwrap();
        let mut events = vec![taken(steer.clone()); MOST_STEERS - 1];
        assert!(reply(&steer, &view(events.clone())).is_ok());
        events.push(taken(steer.clone()));
        assert!(reply(&steer, &view(events)).is_err());
    }
}
