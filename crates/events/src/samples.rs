//! Sample runs as events, with every kind of event at least once, for the tests of displays.

mod a_run;
mod failures;
mod lanes;
mod long;
mod memory;
mod prompt_loop;
mod proof;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::*;
use chrono::{DateTime, TimeDelta, Utc};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tasks::{Mode, ReviewStatus, StoryId};

use a_run::{A_RUN, OTHER_EVENTS};
pub use failures::*;
pub use lanes::{a_run_with_lanes, a_run_with_lanes_to_its_end, in_lane};
pub use long::a_long_run;
pub use memory::*;
pub use prompt_loop::{a_prompt_loop, a_prompt_loop_reporting};
pub use proof::{a_proof, a_run_with_a_proof, proof_ran};

pub const RUN: &str = "20261115-010000-ab12";

pub fn at(seconds: i64) -> DateTime<Utc> {
    "2026-11-15T01:00:00Z".parse::<DateTime<Utc>>().unwrap() + TimeDelta::seconds(seconds)
}

pub fn id(text: &str) -> StoryId {
    StoryId::new(text).unwrap()
}

pub fn stamped(seconds: i64, event: LoopEvent) -> Stamped {
    Stamped { at: at(seconds), run: RUN.into(), lane: None, event }
}

/// One event in each of these intervals.
fn every(seconds: usize, events: Vec<LoopEvent>) -> Vec<Stamped> {
    (0..).step_by(seconds).zip(events).map(|(seconds, event)| stamped(seconds, event)).collect()
}

pub fn story(name: &str, title: &str, status: ReviewStatus, reviews: u64) -> StoryBrief {
    StoryBrief {
        id: id(name),
        title: title.into(),
        passes: status == ReviewStatus::Approved,
        review_status: status,
        review_count: reviews,
        failed_attempts: 0,
        cost_usd: 0.0,
        given_up: None,
        question: None,
        source: None,
    }
}

pub fn stories() -> Vec<StoryBrief> {
    RunView::of(&a_run()[..1]).stories
}

pub fn a_run() -> Vec<Stamped> {
    static EVENTS: LazyLock<Vec<Stamped>> = LazyLock::new(|| {
        parsed(A_RUN).map(|(seconds, event): (i64, LoopEvent)| stamped(seconds, event)).collect()
    });
    EVENTS.clone()
}

fn parsed<T: DeserializeOwned>(texts: &'static str) -> impl Iterator<Item = T> {
    serde_json::Deserializer::from_str(texts).into_iter().map(Result::unwrap)
}

/// The log of these events as a runner writes it.
pub fn log(events: &[Stamped]) -> String {
    let (mut chain, mut text) = (Chain::default(), String::new());
    for stamped in events {
        let link = ChainLink::after(chain.head());
        let line = stamped.to_linked_line(link);
        chain.push(line.as_bytes(), Some(link));
        text += &(line + "\n");
    }
    text
}

/// An event of this type with other values in these fields.
fn like(kind: &str, fields: Value) -> LoopEvent {
    static FIRST_OF_TYPE: LazyLock<BTreeMap<String, Value>> = LazyLock::new(|| {
        let run = parsed(A_RUN).map(|(_, event): (i64, Value)| event);
        let mut first = BTreeMap::new();
        for event in run.chain(parsed(OTHER_EVENTS)) {
            first.entry(event["type"].as_str().unwrap().to_owned()).or_insert(event);
        }
        first
    });
    let mut event = FIRST_OF_TYPE[kind].clone();
    event.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    serde_json::from_value(event).unwrap()
}

pub fn iteration_started(iteration: u64, attempt: u64, mode: Mode) -> LoopEvent {
    like("iteration-started", json!({"iteration": iteration, "attempt": attempt, "mode": mode}))
}

/// A question about US-003, and its answer.
pub fn question_and_answer() -> [LoopEvent; 2] {
    ["question-asked", "question-answered"].map(|kind| like(kind, json!({})))
}

pub fn agent_ended(outcome: AgentOutcome, detail: &str, leftovers: &[&str]) -> LoopEvent {
    let fields = json!({"outcome": outcome, "detail": detail, "leftovers": leftovers});
    like("agent-ended", fields)
}

pub fn iteration_ended(iteration: u64, mode: Mode, status: IterationStatus) -> LoopEvent {
    let cost = 1.92 + 0.42 * (iteration as f64 - 3.0);
    let fields =
        json!({"iteration": iteration, "mode": mode, "status": status, "totalCostUsd": cost});
    like("iteration-ended", fields)
}

pub fn agent_called(command: &str, prompt: &str) -> LoopEvent {
    let fields = json!({"command": command, "promptBytes": prompt.len(), "prompt": prompt});
    like("agent-called", fields)
}

pub fn tool(id: &str, name: &str, summary: &str) -> LoopEvent {
    LoopEvent::ToolStarted { id: id.into(), name: name.into(), summary: summary.into() }
}

/// With an excerpt of the whole answer.
pub fn tool_ended(id: &str, outcome: ToolOutcome, answer: &str) -> LoopEvent {
    let excerpt = answer.trim_end().to_owned();
    let (lines, chars) = (excerpt.lines().count() as u64, answer.chars().count() as u64);
    let output = ToolOutput { excerpt, lines, chars };
    let summary = answer.lines().next().unwrap_or_default().into();
    LoopEvent::ToolEnded { id: id.into(), outcome, summary, output }
}

pub fn scm_ended(task: &str, outcome: ScmOutcome, text: &str) -> LoopEvent {
    LoopEvent::ScmEnded { task: task.into(), outcome, text: text.into() }
}

pub fn run_ended(end: RunEnd) -> LoopEvent {
    like("run-ended", json!({"end": end, "exitCode": end.exit_code()}))
}
