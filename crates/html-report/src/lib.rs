//! Renders a run as one self-contained HTML page: as a file (`report`), and with a small script for the
//! server that shows a run live (`live`). Renders statistics across runs (`statistics`). Does no I/O.
//!
//! The live page opens an `EventSource` on `LiveLinks::events`. A message named `sections` has
//! `{"sections": {"<id>": "<html>"}}` as data: every section that changed since the last message. The page
//! replaces the elements with those ids. The first message on a connection has all sections. After a
//! message named `end` the page closes its connection. Only the head and the summary depend on `now`, and
//! the page updates their times itself, so a server need not send them for that.
//!
//! With `LiveLinks::orders` the page has controls. It posts orders such as `{"kind": "pause"}` (see
//! `project::orders`) there, and shows `text` of the JSON response, or `error` and `hint`. With `Answers::allowed`
//! each open question has a form for its answer.

mod chart;
mod diff;
mod document;
mod html;
mod orders;
mod palette;
mod script;
mod sections;
mod statistics;
mod style;
mod table;
mod tally;

use chrono::{DateTime, FixedOffset, Utc};
use events::{LogCheck, Period, RunState, RunView, Statistics};
use serde::Serialize;
use tasks::StoryId;

pub use diff::{DiffLine, Diffs, FileDiff, FileText, IterationRange, StoryDiff, read_diff};
pub use document::{live_policy, report_policy};

/// The input of a page.
#[derive(Debug, Clone, Copy)]
pub struct PageInput<'i> {
    /// The run id; a log without events has none.
    pub run: &'i str,
    pub view: &'i RunView,
    pub state: RunState,
    pub diffs: &'i Diffs,
    /// Next steps for the user.
    pub next_steps: &'i [NextStep],
    pub answers: &'i Answers,
    pub now: DateTime<Utc>,
    /// Time zone of the times shown.
    pub offset: FixedOffset,
    /// Lines of its log that cannot be read.
    pub unread_lines: u64,
    /// Whether the log was altered.
    pub log: &'i LogCheck,
}

/// An action for the user.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NextStep {
    pub text: String,
    /// Shell commands, in this order.
    pub commands: Vec<String>,
}

/// What a page knows about answers to its questions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answers {
    /// The page has forms for them. It posts them to `LiveLinks::orders`.
    pub allowed: bool,
    pub waiting: Vec<WaitingAnswer>,
}

/// An answer that the next session of the story receives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingAnswer {
    pub story: StoryId,
    /// Of the question, among those of the story.
    pub number: u64,
    pub text: String,
}

/// A part of the page that replaces the element with its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageSection {
    pub id: &'static str,
    pub html: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveLinks {
    /// The event stream.
    pub events: String,
    /// Where the page posts orders; `None` for a page without controls.
    pub orders: Option<String>,
}

/// A complete document without script and external resources.
pub fn report(input: &PageInput<'_>) -> String {
    let answers = Answers { allowed: false, ..input.answers.clone() };
    document::of(&PageInput { answers: &answers, ..*input }, None)
}

/// A complete document that follows its run.
pub fn live(input: &PageInput<'_>, links: &LiveLinks) -> String {
    document::of(input, Some(links))
}

/// The input of a page with statistics.
#[derive(Debug, Clone, Copy)]
pub struct StatisticsInput<'i> {
    pub statistics: &'i Statistics,
    pub period: &'i Period,
    /// The name of the project.
    pub project: &'i str,
    pub now: DateTime<Utc>,
}

/// Statistics across runs as a complete document without script and external resources.
pub fn statistics(input: &StatisticsInput<'_>) -> String {
    statistics::page(input)
}

/// Every section of the page, in order.
pub fn sections(input: &PageInput<'_>) -> Vec<PageSection> {
    let sections = sections::all(input);
    sections.into_iter().map(|(id, html)| PageSection { id, html: html.into_string() }).collect()
}

/// The sections whose size does not depend on the number of iterations.
pub fn short_sections(input: &PageInput<'_>) -> Vec<PageSection> {
    let sections = sections::short(input, &tally::stories(input));
    sections.into_iter().map(|(id, html)| PageSection { id, html: html.into_string() }).collect()
}

#[cfg(test)]
mod tests;
