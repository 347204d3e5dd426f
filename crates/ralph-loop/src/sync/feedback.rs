//! The text of the feedback: quotes of other people, bounded. Pure.

use std::fmt::Write;

use forge::{Check, Comment};

use super::points::{Point, author, place};
use crate::report::{beginning, format, neutral_block, neutral_line};

/// Characters of a comment, of a thread, and of the feedback of a story.
const LONGEST_COMMENT: usize = 4_000;
const LONGEST_POINT: usize = 12_000;
const LONGEST: usize = 60_000;

const LONGEST_LINE: usize = 500;

const QUOTED: &str = "Lines that begin with `>` are quoted from the forge.";
const END: &str = "Fix each point. If a point needs no change, say why in `notes`.";

/// Feedback of one pull request for one story, in the order of its points.
#[derive(Debug)]
pub(super) struct Feedback {
    /// What the story has from pull requests already.
    before: String,
    mark: String,
    entries: Vec<String>,
}

impl Feedback {
    pub(super) fn new(pull: u64, before: &str) -> Self {
        let (mark, before) = (tasks::pull_request_mark(pull), before.trim().to_owned());
        Self { before, mark, entries: Vec::new() }
    }

    /// `false` if it is full.
    pub(super) fn add(&mut self, point: &Point) -> bool {
        let entry = entry(point);
        if self.before.contains(&entry) {
            return true;
        }
        self.entries.push(entry);
        let fits = self.entries.len() == 1 && self.before.is_empty()
            || self.text().chars().count() <= LONGEST;
        if !fits {
            self.entries.pop();
        }
        fits
    }

    pub(super) fn text(&self) -> String {
        if self.entries.is_empty() {
            return self.before.clone();
        }
        let mut text = self.before.clone();
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        let _ = writeln!(text, "{} {QUOTED}", self.mark);
        for entry in &self.entries {
            let _ = writeln!(text, "\n{entry}");
        }
        let _ = write!(text, "\n{END}");
        text
    }
}

fn entry(point: &Point) -> String {
    match point {
        Point::Thread { at, comments } => {
            let mut text = format!("- {} {}", line(&place(at)), line(&at.url));
            for comment in comments {
                let quote = quote(comment);
                if text.chars().count() + quote.chars().count() > LONGEST_POINT {
                    text.push_str("\n  (more comments are at this address)");
                    break;
                }
                text.push_str(&quote);
            }
            text
        }
        Point::Check { check: Check { name, url, description, .. }, commit } => {
            let commit = format::short_id(commit);
            let mut text = format!("- a check of the forge failed at {commit}");
            if let Some(url) = url {
                let _ = write!(text, " {}", line(url));
            }
            let _ = write!(text, "\n  > {}: {}", line(name), line(description));
            text
        }
    }
}

fn quote(comment: &Comment) -> String {
    let body = beginning(&comment.body, LONGEST_COMMENT, "…");
    let lines = neutral_block(&body);
    let mut text = format!("\n  {} wrote:", line(author(comment)));
    for line in &lines {
        let _ = write!(text, "\n  {}", format!("> {line}").trim_end());
    }
    if body != comment.body {
        text.push_str("\n  (the rest is at the address)");
    }
    text
}

fn line(text: &str) -> String {
    beginning(&neutral_line(text), LONGEST_LINE, "…")
}

#[cfg(test)]
mod tests;
