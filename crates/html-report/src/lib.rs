//! A run as one HTML page that needs nothing else: for a file (`report`) and, with a small script that
//! takes in what changed, for the server that shows a run while it goes on (`live`).
//!
//! Pure: what is known of a run goes in, HTML comes out. Not here: where any of it comes from, and the
//! server.
//!
//! The live page and its server: the page opens an `EventSource` on `LiveLinks::events`. Each message is
//! named `sections`, with `{"sections": {"<id>": "<html>"}}` as data: every section that is not as it was
//! sent last (`sections` gives all of them, always the same ids in the same order), and the page puts
//! them in place of the elements with those ids. A page that connects anew may have missed some, so the
//! first message on a connection has all of them. A message named `end` says that nothing more will come,
//! and the page closes its connection. Nothing in a section but the head and the summary changes with
//! `now` alone, and the times in these tick by themselves: a server need not send them for that.
//!
//! With `LiveLinks::orders` the page also has buttons and a line to write: it posts `{"kind": "pause"}` and
//! the like there, as `project::orders` reads them, and shows `text` of the JSON that it is answered with, or
//! `error` and `hint`.

mod chart;
mod diff;
mod document;
mod html;
mod orders;
mod palette;
mod script;
mod sections;
mod style;
mod table;
mod tally;

use chrono::{DateTime, FixedOffset, Utc};
use events::{History, LogCheck, RunState};

pub use diff::{Diffs, FileDiff, FileText, Line, StoryDiff, Stretch, read_diff};
pub use document::{live_policy, report_policy};

/// All that a page is made of.
#[derive(Debug, Clone, Copy)]
pub struct Input<'i> {
    /// Its id: a log that says nothing does not say whose it is either.
    pub run: &'i str,
    pub history: &'i History,
    pub state: RunState,
    pub diffs: &'i Diffs,
    /// What a person can do now.
    pub next_steps: &'i [NextStep],
    pub now: DateTime<Utc>,
    /// Of the times that are shown.
    pub offset: FixedOffset,
    /// Lines of its log that were not understood.
    pub unread_lines: u64,
    /// Whether the log is as the runner wrote it.
    pub log: &'i LogCheck,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NextStep {
    /// In a sentence or two.
    pub text: String,
    /// For a shell, in this order.
    pub commands: Vec<String>,
}

/// A part of the page that can be put in place of the element with its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    pub id: &'static str,
    pub html: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveLinks {
    /// Where the page hears what changed.
    pub events: String,
    /// Where it sends what its reader tells the run, if that is wanted.
    pub orders: Option<String>,
}

/// A whole document without any script, which asks nobody for anything.
pub fn report(input: &Input<'_>) -> String {
    document::of(input, None)
}

/// The same, which follows its run.
pub fn live(input: &Input<'_>, links: &LiveLinks) -> String {
    document::of(input, Some(links))
}

/// Every section of the page, in its order.
pub fn sections(input: &Input<'_>) -> Vec<Section> {
    let sections = sections::all(input);
    sections.into_iter().map(|(id, html)| Section { id, html: html.into_string() }).collect()
}

/// Those of them that are as short after thousands of iterations as after one.
pub fn short_sections(input: &Input<'_>) -> Vec<Section> {
    let sections = sections::short(input, &tally::stories(input.history));
    sections.into_iter().map(|(id, html)| Section { id, html: html.into_string() }).collect()
}

#[cfg(test)]
mod tests;
