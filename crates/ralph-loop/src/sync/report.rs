//! What `ralph-loop sync` did, as text and JSON.

use std::fmt::Write;

use serde::Serialize;
use tasks::StoryId;

use super::points::{Ignored, Point};
use crate::report::{count, neutral_line};

/// The version of the JSON form.
const VERSION: u64 = 1;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SyncReport {
    version: u64,
    pub(super) pull: PullBrief,
    pub(super) branch: String,
    /// Nothing was written or sent.
    pub(super) dry_run: bool,
    pub(super) handed_over: Vec<StoryFeedback>,
    pub(super) answered: Vec<Answer>,
    /// Accepted again, but not answered yet.
    pub(super) waiting: Vec<Ignored>,
    /// Who was asked for another review.
    pub(super) reviewers: Vec<String>,
    pub(super) ignored: Vec<Ignored>,
    /// What did not work and is no error.
    pub(super) warnings: Vec<String>,
    /// The command that fixes the open stories.
    pub(super) next: Option<&'static str>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PullBrief {
    pub(super) number: u64,
    pub(super) url: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StoryFeedback {
    pub(super) story: StoryId,
    pub(super) points: Vec<PointBrief>,
    /// Its whole feedback.
    pub(super) feedback: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PointBrief {
    what: String,
    url: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Answer {
    pub(super) story: StoryId,
    pub(super) what: String,
    pub(super) url: String,
    /// Short names and subjects, newest first.
    pub(super) commits: Vec<String>,
}

impl From<&Point> for PointBrief {
    fn from(point: &Point) -> Self {
        Self { what: point.shown(), url: point.url().to_owned() }
    }
}

impl SyncReport {
    pub(super) fn new(pull: PullBrief, branch: &str, dry_run: bool) -> Self {
        Self {
            version: VERSION,
            pull,
            branch: branch.to_owned(),
            dry_run,
            handed_over: Vec::new(),
            answered: Vec::new(),
            waiting: Vec::new(),
            reviewers: Vec::new(),
            ignored: Vec::new(),
            warnings: Vec::new(),
            next: None,
        }
    }

    pub(crate) fn text(&self) -> String {
        let PullBrief { number, url } = &self.pull;
        let mut lines = vec![format!("Pull request #{number} of {}: {url}", self.branch)];
        for StoryFeedback { story, points, .. } in &self.handed_over {
            lines.push(format!("{story}: {}", count(points.len() as u64, "point", "points")));
            lines.extend(points.iter().map(|point| format!("  {}", point.what)));
        }
        list(&mut lines, "Answered:", &self.answered, |Answer { story, what, commits, .. }| {
            let commits =
                if commits.is_empty() { "no commit".to_owned() } else { commits.join(", ") };
            format!("{what} ({story}): {commits}")
        });
        list(&mut lines, "Review requested from:", &self.reviewers, Clone::clone);
        list(&mut lines, "Not answered yet:", &self.waiting, ignored);
        list(&mut lines, "Ignored:", &self.ignored, ignored);
        list(&mut lines, "Warnings:", &self.warnings, Clone::clone);
        if self.handed_over.is_empty() && self.answered.is_empty() {
            lines.push("Nothing to do.".to_owned());
        }
        if self.dry_run {
            lines.push("Dry run: nothing was written or sent.".to_owned());
        } else if let Some(next) = self.next {
            lines.push(format!("Next: {next}"));
        }
        lines.iter().fold(String::new(), |mut text, line| {
            let _ = writeln!(text, "{}", neutral_line(line));
            text
        })
    }
}

fn ignored(ignored: &Ignored) -> String {
    format!("{}: {}", ignored.what, ignored.why)
}

fn list<T>(lines: &mut Vec<String>, head: &str, items: &[T], shown: impl Fn(&T) -> String) {
    if !items.is_empty() {
        lines.push(head.to_owned());
        lines.extend(items.iter().map(|item| format!("  {}", shown(item))));
    }
}
