//! `ralph-loop steer`, `pause`, `resume`, `skip` and `stop`: a word to the loop that runs here. The page of
//! `ralph-loop serve` says it the same way.

use std::io::{self, Read};
use std::process::ExitCode;

use anyhow::{Context, Result};
use engine::StoryBrief;
use events::{Pause, RunView, run_logs};
use project::orders::{self, LONGEST_STEER, MOST_STEERS, Order, OrderError};
use project::{Layout, RunLock};
use serde::Serialize;
use tasks::StoryId;

use super::{Done, answer, layout};
use crate::cli::{OrderArgs, SteerArgs};
use crate::command_error::precondition;
use crate::json;

/// The version of the JSON form.
const VERSION: u64 = 1;

/// Beyond the longest text in any encoding: what is longer is refused anyway.
const MOST_BYTES: u64 = 4 * LONGEST_STEER as u64 + 1;

const RUN_FIRST: &str =
    "start one with `ralph-loop`; `ralph-loop status` says how the last one ended";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Answer {
    Given,
    /// The run does so already.
    NotNeeded,
}

/// What became of an order.
#[derive(Debug, Serialize)]
pub(super) struct Given<'a> {
    version: u64,
    run: &'a str,
    order: &'a Order,
    answer: Answer,
    text: String,
}

impl Given<'_> {
    pub(super) fn to_json(&self) -> Result<String> {
        json::line(self)
    }
}

pub(crate) fn steer(args: &SteerArgs) -> Done {
    let text = match &args.text[..] {
        [only] if only == "-" => read_text()?,
        words => words.join(" "),
    };
    give(&args.order, Order::steer(&text).map_err(refused)?)
}

pub(crate) fn give(args: &OrderArgs, order: Order) -> Done {
    let layout = layout(&args.project)?;
    let view = running(&layout)?;
    let given = put(&layout, &view, &order)?;
    let said = if args.json { given.to_json()? } else { given.text };
    answer(&format!("{said}\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// Into the mailbox of the run that goes on, if it needs to hear it.
pub(super) fn put<'a>(layout: &Layout, view: &'a RunView, order: &'a Order) -> Result<Given<'a>> {
    let (answer, text) = in_words(order, view)?;
    if answer == Answer::Given {
        orders::give(layout, &view.id, order).map_err(refused)?;
    }
    Ok(Given { version: VERSION, run: &view.id, order, answer, text })
}

pub(super) fn refuse_idle(layout: &Layout) -> Result<()> {
    if RunLock::is_held(layout) {
        return Ok(());
    }
    Err(precondition("no loop is running here", RUN_FIRST))
}

fn refused(error: OrderError) -> anyhow::Error {
    let hint = match error {
        OrderError::Empty => "ralph-loop steer Use the existing date helpers".to_owned(),
        OrderError::TooLong { .. } => {
            "say it shorter, or write it into a file of the project and name that".to_owned()
        }
        OrderError::Unwritable { .. } => "see who may write there".to_owned(),
    };
    precondition(error.to_string(), hint)
}

fn read_text() -> Result<String> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(MOST_BYTES).read_to_end(&mut bytes);
    read.context("cannot read the text from standard input")?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The run that goes on here, as its whole log tells it.
fn running(layout: &Layout) -> Result<RunView> {
    refuse_idle(layout)?;
    let view = spoke_last(layout).context("cannot read the runs")?;
    match (&view.start, &view.end) {
        (Some(_), None) => Ok(view),
        _ => Err(precondition("the loop here is only just starting", "say it again in a moment")),
    }
}

fn spoke_last(layout: &Layout) -> io::Result<RunView> {
    let mut view = RunView::default();
    if let Some(run) = run_logs::latest(layout)? {
        run_logs::read(layout, &run, |stamped| view.apply(&stamped))?;
    }
    Ok(view)
}

fn in_words(order: &Order, view: &RunView) -> Result<(Answer, String)> {
    let text = match (order, view.wishes.pause) {
        (Order::Pause, Pause::Waiting { .. }) => {
            return Ok(not_needed("the run is paused already"));
        }
        (Order::Pause, Pause::Wished) => {
            return Ok(not_needed("the run pauses after this iteration already"));
        }
        (Order::Pause, Pause::No) => {
            "the run pauses after this iteration; `ralph-loop resume` lets it work again".to_owned()
        }
        (Order::GoOn, Pause::No) => return Ok(not_needed("the run is not paused")),
        (Order::GoOn, _) => "the run goes on".to_owned(),
        (Order::Stop, _) => {
            "the run ends once the agent has finished its answer; a second stop kills the agent"
                .to_owned()
        }
        (Order::Skip { story }, _) => return skip(story.as_ref(), view),
        (Order::Steer { .. }, _) if view.wishes.steers.len() >= MOST_STEERS => {
            return Err(precondition(
                format!("{MOST_STEERS} words wait for the next session already"),
                "say it once that session has begun; `ralph-loop status` shows what waits",
            ));
        }
        (Order::Steer { .. }, _) => {
            "the next session that codes is told; the one that runs and reviews are not".to_owned()
        }
    };
    Ok((Answer::Given, text))
}

fn skip(story: Option<&StoryId>, view: &RunView) -> Result<(Answer, String)> {
    let refused =
        |why: String| precondition(why, "`ralph-loop status` shows the stories that are left");
    let is_open = |story: &StoryBrief| !story.passes && story.given_up.is_none();
    if !view.stories.iter().any(is_open) {
        return Err(refused("there is no story here that could be skipped".into()));
    }
    if let Some(id) = story {
        let why = match view.story(id) {
            None => "is no story of this run",
            Some(story) if story.passes => "is done already",
            Some(story) if story.given_up.is_some() => "is set aside already",
            Some(_) if view.wishes.skips.contains(id) => {
                return Ok(not_needed(&format!("{id} is to be set aside already")));
            }
            Some(_) => "",
        };
        if !why.is_empty() {
            return Err(refused(format!("{id} {why}")));
        }
    }
    let running = view.iteration.as_ref().and_then(|iteration| iteration.story.as_ref());
    let (name, when) = match (story.or(running), running) {
        (None, _) => ("the story that comes next", "now"),
        (Some(story), Some(running)) if story != running => {
            (story.as_str(), "after this iteration")
        }
        (Some(story), _) => (story.as_str(), "now"),
    };
    let text = format!(
        "{name} is to be set aside {when}, its work kept on a branch; the run goes on without it"
    );
    Ok((Answer::Given, text))
}

fn not_needed(text: &str) -> (Answer, String) {
    (Answer::NotNeeded, text.to_owned())
}

#[cfg(test)]
mod tests {
    use engine::{LoopEvent, LoopKind};
    use events::samples::{a_prompt_loop, a_run, id, stamped};

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
    fn what_a_run_does_already_is_not_said_again() {
        let views = [vec![], vec![taken(Order::Pause)], vec![LoopEvent::Paused]].map(view);
        let answers = |order: &Order| views.each_ref().map(|view| in_words(order, view).unwrap().0);
        let (given, not) = (Answer::Given, Answer::NotNeeded);
        assert_eq!(answers(&Order::Pause), [given, not, not]);
        assert_eq!(answers(&Order::GoOn), [not, given, given]);
        assert_eq!(answers(&Order::Stop), [given; 3]);
    }

    #[test]
    fn only_a_story_that_is_left_is_skipped() {
        let view = view(vec![]);
        let left = view.stories.iter().find(|story| !story.passes).unwrap().id.clone();
        let skip = |story: &str, view: &RunView| {
            in_words(&Order::Skip { story: Some(id(story)) }, view).map_err(|why| why.to_string())
        };
        assert_eq!(skip(left.as_str(), &view).unwrap().0, Answer::Given);
        assert!(skip("US-999", &view).unwrap_err().contains("US-999 is no story of this run"));
        let mut done = view.clone();
        done.stories.iter_mut().find(|story| story.id == left).unwrap().passes = true;
        assert!(skip(left.as_str(), &done).is_err());
        let mut prompt = RunView::default();
        prompt.apply(&a_prompt_loop(LoopKind::Prompt, "", 0.0)[0]);
        assert!(in_words(&Order::Skip { story: None }, &prompt).is_err());
    }

    #[test]
    fn a_ninth_word_is_refused() {
        let steer = Order::steer("Mind the gap.").unwrap();
        let mut events = vec![taken(steer.clone()); MOST_STEERS - 1];
        assert!(in_words(&steer, &view(events.clone())).is_ok());
        events.push(taken(steer.clone()));
        assert!(in_words(&steer, &view(events)).is_err());
    }
}
