//! The story sections of a report, by result.

use std::fmt::Write;

use events::{EscalationTier, FailedAttempt, StoryCommits};

use super::super::kept_work::KeptWork;
use super::super::safe_markdown::{code, code_cell, text};
use super::super::{FailedStory, RunReport, StoryFacts};
use super::at_cap_mark;
use crate::report::{count, format, money};

/// Longest error in a table; the last error is shown in full above it.
const LONGEST_CELL: usize = 100;

pub(super) fn completed(report: &RunReport) -> Vec<String> {
    if report.completed.is_empty() {
        return Vec::new();
    }
    let mut table = String::from(
        "| Story | Title | Reviews | Failed attempts | Cost |\n|---|---|---:|---:|---:|\n",
    );
    for story in &report.completed {
        let mark = story.auto_approved.as_ref().map(|_| format!(" {}", at_cap_mark()));
        let StoryFacts { id, title, reviews, failed_attempts, .. } = &story.facts;
        let (title, mark) = (text(title), mark.unwrap_or_default());
        let cost = cost(&story.facts, report);
        let _ =
            writeln!(table, "| {id} | {title}{mark} | {reviews} | {failed_attempts} | {cost} |");
    }
    let mut paragraphs = vec![table];
    let mut concerns = String::new();
    for story in &report.completed {
        if let Some(concern) = &story.auto_approved {
            let concern =
                if concern.is_empty() { "no concerns recorded".into() } else { text(concern) };
            let _ = writeln!(concerns, "- **{}**: {concern}", story.facts.id);
        }
    }
    if !concerns.is_empty() {
        paragraphs.push(
            "Approved only because the review limit was reached. Concerns of the last review:"
                .into(),
        );
        paragraphs.push(concerns);
    }
    paragraphs
}

pub(super) fn failed(report: &RunReport) -> Vec<String> {
    report.failed.iter().flat_map(|story| failed_story(story, report)).collect()
}

fn failed_story(story: &FailedStory, report: &RunReport) -> Vec<String> {
    let (facts, given_up) = (&story.facts, &story.given_up);
    let why = match format::given_up_reason(given_up) {
        "" => String::new(),
        why => format!(" ({why})"),
    };
    let mut lines = vec![
        format!("Attempts: {}/{}{}", given_up.attempts, given_up.of, why),
        format!("Last check: {}", given_up.last_gate),
        format!(
            "Branch: {}",
            branch(given_up.branch.as_deref(), &given_up.commits, &report.branch)
        ),
        match given_up.error_hash.as_str() {
            "" => format!("Error: {}", code(&given_up.error)),
            hash => format!("Error: {} (hash {})", code(&given_up.error), code(hash)),
        },
        match format::stuck(given_up.stuck) {
            Some(how) => format!("Stuck: Yes ({how})"),
            None => "Stuck: No".to_owned(),
        },
        format!("Quality warnings: {}", quality_warnings(story, report)),
        format!("Reviews: {}", facts.reviews),
        format!("Cost: {}", cost(facts, report)),
    ];
    if !given_up.dependants.is_empty() {
        lines.push(format!("Dependent stories: {}", format::names(&given_up.dependants)));
    }
    let lines: String = lines.iter().map(|line| format!("- {line}\n")).collect();
    let heading = format!("### {}: {}", facts.id, text(&facts.title));
    let mut paragraphs = vec![heading, lines];
    paragraphs.extend(history(&story.history));
    let outputs = KeptWork::of(given_up, &report.branch).and_then(|work| work.show_outputs());
    paragraphs.extend(outputs.map(|command| format!("All outputs: {}", code(&command))));
    paragraphs
}

/// Most failed stories had no quality check, which differs from a check without warnings.
fn quality_warnings(story: &FailedStory, report: &RunReport) -> String {
    let checked = report.quality.iter().find(|quality| quality.story == story.facts.id);
    match checked.map(|quality| format::quality_failure(quality.outcome)) {
        None => "0 (not checked)".to_owned(),
        Some(Some(failure)) if story.quality_warnings.is_empty() => {
            format!("unknown: the quality check {failure}")
        }
        Some(_) => story.quality_warnings.len().to_string(),
    }
}

fn branch(failed: Option<&str>, commits: &StoryCommits, run: &str) -> String {
    let Some(failed) = failed else { return "none, no changes to keep".to_owned() };
    let commits = format::story_commits(commits, run, code);
    format!("{} ({commits})", code(failed))
}

fn history(attempts: &[FailedAttempt]) -> Option<String> {
    if attempts.is_empty() {
        return None;
    }
    let mut table = String::from(
        "| # | Iteration | Check | Error | Error hash | Strategy shift |\n|---:|---:|---|---|---|---|\n",
    );
    let mut before = None;
    for FailedAttempt { attempt, iteration, gate, error, error_hash, given, .. } in attempts {
        let error = match before.replace(error_hash) {
            Some(before) if before == error_hash => "same".to_owned(),
            _ => code_cell(&beginning(error)),
        };
        let (hash, shift) = (code_cell(error_hash), shift(given));
        let _ =
            writeln!(table, "| {attempt} | {iteration} | {gate} | {error} | {hash} | {shift} |");
    }
    Some(table)
}

fn beginning(error: &str) -> String {
    match error.char_indices().nth(LONGEST_CELL) {
        Some((end, _)) => format!("{}…", &error[..end]),
        None => error.to_owned(),
    }
}

fn shift(given: &[EscalationTier]) -> &'static str {
    match (
        given.contains(&EscalationTier::StrategyShift),
        given.contains(&EscalationTier::ContextExpansion),
    ) {
        (false, false) => "no",
        (true, false) => "yes",
        (false, true) => "no, but more context",
        (true, true) => "yes, and more context",
    }
}

pub(super) fn blocked(report: &RunReport) -> Vec<String> {
    let lines = report.blocked.iter().map(|story| {
        let StoryFacts { id, title, .. } = &story.facts;
        let (title, waits_for) = (text(title), format::names(&story.waits_for));
        format!("- {id} {title}: waits for {waits_for}{}\n", spent(&story.facts))
    });
    // Other reasons are shown in the run's own text.
    let reasons = match &report.end {
        Some(end) if report.blocked.is_empty() && report.failed.is_empty() => &end.reasons[..],
        _ => &[],
    };
    let reasons = reasons.iter().map(|reason| format!("- {}\n", text(reason)));
    let lines: String = lines.chain(reasons).collect();
    if lines.is_empty() { Vec::new() } else { vec![lines] }
}

pub(super) fn unfinished(report: &RunReport) -> Vec<String> {
    let lines = report.unfinished.iter().map(|story| {
        let StoryFacts { id, title, reviews, failed_attempts, .. } = &story.facts;
        let mut line = format!("- {id} {}: {}", text(title), story.state);
        if *reviews > 0 {
            let _ = write!(line, ", {}", count(*reviews, "review", "reviews"));
        }
        if *failed_attempts > 0 {
            let of = report.max_attempts.map(|of| format!(" of {of}")).unwrap_or_default();
            let _ = write!(line, ", {failed_attempts}{of} attempts failed");
        }
        if let Some(last) = story.history.last() {
            let _ = write!(line, ", the last at {}: {}", last.gate, code(&last.error));
        }
        line + &spent(&story.facts) + "\n"
    });
    let lines: String = lines.collect();
    if lines.is_empty() { Vec::new() } else { vec![lines] }
}

/// The cost of an unfinished story, if any.
fn spent(facts: &StoryFacts) -> String {
    if facts.cost_usd > 0.0 { format!(" (cost {})", money(facts.cost_usd)) } else { String::new() }
}

/// Unknown if the cost of the run is unknown.
fn cost(facts: &StoryFacts, report: &RunReport) -> String {
    format::cost_cell(report.cost_usd.map(|_| facts.cost_usd))
}
