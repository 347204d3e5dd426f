//! Title and text of the pull request for a run: values in, Markdown out.
//!
//! Texts of agents and issues are escaped, and quiet: they send no notifications and close no issue. Only the lines that this
//! program adds do that.

use std::fmt::Write;

use chrono::{Offset, Utc};
use events::{CheckOutcome, CheckRecord, RunView, StoryBrief};
use forge::{MOST_PULL_BODY, Repository};
use tasks::StoryId;

use super::body::{MARKS, kept, marked};
use super::quiet::quiet;
use crate::report::{beginning, count, duration, format, neutral_line, reviews, story_state};
use crate::run_report::{FailedStory, RunReport, markdown, markdown_code, markdown_text};

/// Characters of the parts. The report has what is left.
const LONGEST_TITLE: usize = 120;
const LONGEST_ERROR: usize = 300;
const MOST_TABLE: usize = 20_000;
const MOST_GIVEN_UP: usize = 12_000;
const MOST_CLOSED: usize = 50;

/// What the text is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunResult<'r> {
    pub(crate) view: &'r RunView,
    pub(crate) report: &'r RunReport,
    /// Of the task list.
    pub(crate) description: &'r str,
    /// Whose issues are closed.
    pub(crate) repository: &'r Repository,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PullText {
    pub(crate) title: String,
    /// With its marks.
    pub(crate) section: String,
}

impl PullText {
    /// For a pull request whose body is `existing` now.
    pub(crate) fn of(run: &RunResult<'_>, existing: &str) -> Self {
        let given_up = given_up(run.report);
        let parts = [summary(run.report), table(run), given_up, warnings(run.report)];
        let mut text = quiet(&parts.map(|part| part.trim_end().to_owned()).join("\n\n"));
        for issue in closed(run) {
            let _ = write!(text, "\n\nCloses #{issue}");
        }
        let used = text.chars().count() + kept(existing) + MARKS;
        if let Some(report) = details(run.report, MOST_PULL_BODY.saturating_sub(used)) {
            let _ = write!(text, "\n\n{report}");
        }
        Self { title: title(run), section: marked(&run.report.run, &collapsed_gaps(&text)) }
    }
}

/// Omitted parts leave no gaps.
fn collapsed_gaps(text: &str) -> String {
    let mut text = text.to_owned();
    while text.contains("\n\n\n") {
        text = text.replace("\n\n\n", "\n\n");
    }
    text
}

fn title(run: &RunResult<'_>) -> String {
    /// Words by which forges know a draft.
    const DRAFT: [&str; 5] = ["wip:", "[wip]", "draft:", "[draft]", "(draft)"];
    let line = |text: &str| neutral_line(text.trim().lines().next().unwrap_or_default());
    let name = line(if run.report.name.is_empty() { &run.report.run } else { &run.report.name });
    let title = match line(run.description).as_str() {
        "" => format!("{name}: {}", count(run.report.stories, "story", "stories")),
        description => format!("{name}: {description}"),
    };
    let lower = title.to_lowercase();
    let is_draft = DRAFT.iter().any(|word| lower.starts_with(word));
    let title = if is_draft { format!("Run of {title}") } else { title };
    quiet(&beginning(&title, LONGEST_TITLE, "…"))
}

fn summary(report: &RunReport) -> String {
    let all = count(report.stories, "story", "stories");
    let done = report.completed.len() as u64;
    let is = if report.stories == 1 { "is" } else { "are" };
    let mut others = Vec::new();
    for (number, what) in [
        (report.failed.len(), "given up"),
        (report.blocked.len(), "blocked"),
        (report.unfinished.len(), "not finished"),
    ] {
        others.extend((number > 0).then(|| format!("{number} {what}")));
    }
    let others = match &others[..] {
        [] => String::new(),
        others => format!(" ({})", others.join(", ")),
    };
    let iterations = count(report.iterations, "iteration", "iterations");
    let (cost, time) = (format::cost(report.cost_usd), duration(report.seconds));
    let agent = match report.agent.as_str() {
        "" => String::new(),
        agent => format!(" with {}", markdown_text(agent)),
    };
    format!("**{done} of {all} {is} done**{others}: {iterations}, {cost}, {time} of work{agent}.")
}

fn table(run: &RunResult<'_>) -> String {
    let blocked = run.view.blocked();
    let row = |story: &StoryBrief| {
        let state = match run.view.is_done(story) {
            true if run.view.concerns.contains_key(&story.id) => "done, at the review limit",
            true => "done",
            false => story_state(story, blocked.contains_key(&story.id), None).1,
        };
        let StoryBrief { id, failed_attempts, .. } = story;
        let title = markdown_text(&beginning(&story.title, LONGEST_TITLE, "…"));
        let (checks, reviews) = (checks(run.view, id), reviews(story));
        let cost = format::cost_cell(run.report.cost_usd.map(|_| story.cost_usd));
        format!(
            "| {id} | {title} | {state} | {checks} | {reviews} | {failed_attempts} | {cost} |\n"
        )
    };
    let head = "| Story | Title | State | Checks | Reviews | Failed attempts | Cost |\n\
                |---|---|---|---|---:|---:|---:|\n";
    let (rows, left_out) = bounded(run.view.stories.iter().map(row), MOST_TABLE);
    let more = match left_out {
        0 => String::new(),
        more => format!("\n{} more are in the report.\n", count(more, "story", "stories")),
    };
    format!("{head}{rows}{more}")
}

/// The last ones of the story: of its merge, or of its last iteration that had some.
fn checks(view: &RunView, story: &StoryId) -> String {
    let merged = view.merged(story).map(|merge| &merge.checks).filter(|checks| !checks.is_empty());
    let of_story = view.records.iter().filter(|record| record.story.as_ref() == Some(story));
    let of_iteration = || of_story.map(|record| &record.checks).rfind(|checks| !checks.is_empty());
    // A repeated check counts once, with its last result.
    let mut last: Vec<&CheckRecord> = Vec::new();
    for check in merged.or_else(of_iteration).into_iter().flatten() {
        last.retain(|known| known.command != check.command);
        last.push(check);
    }
    let passed = last.iter().filter(|check| check.outcome == CheckOutcome::Passed).count();
    match (last.len(), last.len() - passed) {
        (0, _) => "–".to_owned(),
        (all, 0) => format!("{all} passed"),
        (all, failed) => format!("{failed} of {all} failed"),
    }
}

fn given_up(report: &RunReport) -> String {
    let item = |story: &FailedStory| {
        let (facts, given_up) = (&story.facts, &story.given_up);
        let title = markdown_text(&beginning(&facts.title, LONGEST_TITLE, "…"));
        let why = match format::given_up_reason(given_up) {
            "" => format!("{} of {} attempts failed", given_up.attempts, given_up.of),
            why => why.to_owned(),
        };
        let error = match given_up.error.trim() {
            "" => String::new(),
            error => {
                let error = markdown_code(&beginning(error, LONGEST_ERROR, "…"));
                format!(", last at {}: {error}", given_up.last_gate)
            }
        };
        format!("- {} {title}: {why}{error}\n", facts.id)
    };
    let (items, left_out) = bounded(report.failed.iter().map(item), MOST_GIVEN_UP);
    let more = match left_out {
        0 => String::new(),
        more => format!("- {more} more\n"),
    };
    match items.as_str() {
        "" => String::new(),
        items => format!("### Given up\n\n{items}{more}"),
    }
}

fn warnings(report: &RunReport) -> String {
    report.log.altered().map_or_else(String::new, |text| {
        format!(
            "**Warning**: {}. This text may be wrong, and no issue is closed.",
            markdown_text(text)
        )
    })
}

/// Lines until they are too long, and how many were left out.
fn bounded(lines: impl Iterator<Item = String>, most: usize) -> (String, u64) {
    let (mut out, mut length, mut left_out) = (String::new(), 0_usize, 0);
    for line in lines {
        length += line.chars().count();
        if length > most {
            left_out += 1;
        } else {
            out.push_str(&line);
        }
    }
    (out, left_out)
}

/// The numbers of issues of this repository whose stories are all done. An agent may have written an altered log.
fn closed(run: &RunResult<'_>) -> Vec<u64> {
    if run.report.log.altered().is_some() {
        return Vec::new();
    }
    let issue = |story: &StoryBrief| run.repository.issue_of(story.source.as_deref()?);
    let mut issues: Vec<u64> = run.view.stories.iter().filter_map(issue).collect();
    issues.sort_unstable();
    issues.dedup();
    let is_open = |story: &&StoryBrief| !run.view.is_done(story);
    let open: Vec<u64> = run.view.stories.iter().filter(is_open).filter_map(issue).collect();
    issues.retain(|number| !open.contains(number));
    issues.truncate(MOST_CLOSED);
    issues
}

/// The report with as many whole sections as fit; `None` if not even the first does.
fn details(report: &RunReport, most: usize) -> Option<String> {
    const HEAD: &str = "<details>\n<summary>Report of the run</summary>\n\n";
    const END: &str = "\n\n</details>";
    const CUT: &str = "\n\nThe rest is in the report of `ralph-loop report`.";
    let whole = quiet(&markdown(&report.shared(), Utc.fix()));
    let most = most.checked_sub([HEAD, END, CUT].map(str::len).iter().sum())?;
    let mut kept = 0;
    for end in section_ends(&whole) {
        if whole[..end].chars().count() <= most {
            kept = end;
        }
    }
    let cut = if kept < whole.len() { CUT } else { "" };
    (kept > 0).then(|| format!("{HEAD}{}{cut}{END}", whole[..kept].trim()))
}

/// Only there nothing is open, such as a code block.
fn section_ends(report: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let (mut at, mut fence) = (0, None);
    for line in report.split_inclusive('\n') {
        let ticks = line.bytes().take_while(|byte| *byte == b'`').count();
        match fence {
            Some(open) if ticks >= open && line.trim_end().len() == ticks => fence = None,
            None if ticks >= 3 => fence = Some(ticks),
            None if line.starts_with("## ") => ends.push(at),
            _ => {}
        }
        at += line.len();
    }
    ends.push(at);
    ends
}

#[cfg(test)]
mod tests;
