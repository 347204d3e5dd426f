//! The story sections of a report, by result.

use std::fmt::Write;

use chrono::FixedOffset;
use events::{AT_CAP, EscalationTier, FailedAttempt, RunEnd};

use super::super::kept_work::KeptWork;
use super::super::safe_markdown::{code, code_cell, text};
use super::super::{FailedStory, MergedStory, RunReport, StoryFacts};
use super::{introduced, list};
use crate::report::{beginning, count, format, money};

/// Longest error in a table; the last error is shown in full above it.
const LONGEST_CELL: usize = 100;

/// `ralph-loop questions` shows all of it.
const LONGEST_QUESTION: usize = 300;

pub(super) fn completed(report: &RunReport, offset: FixedOffset) -> Vec<String> {
    if report.completed.is_empty() {
        return Vec::new();
    }
    let merges = report.completed.iter().any(|story| story.merged.is_some());
    let [head, rule] = if merges { [" Merged |", "---|"] } else { ["", ""] };
    let mut table = format!(
        "| Story | Title | Reviews | Failed attempts | Cost |{head}\n|---|---|---:|---:|---:|{rule}\n",
    );
    let merged = |merged: &MergedStory| {
        let at = merged.at.with_timezone(&offset).format("%Y-%m-%d %H:%M").to_string();
        merged.lane.map_or(at.clone(), |lane| format!("{at}, lane {lane}"))
    };
    for story in &report.completed {
        let mark = story.auto_approved.as_ref().map(|_| format!(" **{AT_CAP}**"));
        let StoryFacts { id, title, reviews, failed_attempts, .. } = &story.facts;
        let (title, mark) = (text(title), mark.unwrap_or_default());
        let cost = cost(&story.facts, report);
        let _ = write!(table, "| {id} | {title}{mark} | {reviews} | {failed_attempts} | {cost} |");
        if merges {
            let _ = write!(table, " {} |", story.merged.as_ref().map_or(String::new(), merged));
        }
        table.push('\n');
    }
    let concerns = report.completed.iter().filter_map(|story| {
        let concern = match story.auto_approved.as_deref()? {
            "" => "no concerns recorded".to_owned(),
            concern => text(concern),
        };
        Some(format!("**{}**: {concern}", story.facts.id))
    });
    let mut paragraphs = vec![table];
    paragraphs.extend(introduced(
        "Approved only because the review limit was reached. Concerns of the last review:",
        list(concerns),
    ));
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
    let branch = given_up.branch.as_deref().map(|branch| {
        let commits = format::story_commits(&given_up.commits, &report.branch, code);
        format!("{} ({commits})", code(branch))
    });
    let hash = match given_up.error_hash.as_str() {
        "" => String::new(),
        hash => format!(" (hash {})", code(hash)),
    };
    let stuck = format::stuck(given_up.stuck).map(|how| format!("Yes ({how})"));
    let dependants = &given_up.dependants;
    let dependants = (!dependants.is_empty())
        .then(|| format!("Dependent stories: {}", format::names(dependants)));
    let lines = [
        format!("Attempts: {}/{}{why}", given_up.attempts, given_up.of),
        format!("Last check: {}", given_up.last_gate),
        format!("Branch: {}", branch.as_deref().unwrap_or("none, no changes to keep")),
        format!("Error: {}{hash}", code(&given_up.error)),
        format!("Stuck: {}", stuck.as_deref().unwrap_or("No")),
        format!("Quality warnings: {}", quality_warnings(story, report)),
        format!("Reviews: {}", facts.reviews),
        format!("Cost: {}", cost(facts, report)),
    ];
    let outputs = KeptWork::of(given_up, &report.branch).and_then(|work| work.show_outputs());
    let outputs = outputs.map(|command| format!("All outputs: {}", code(&command)));
    vec![
        format!("### {}: {}", facts.id, text(&facts.title)),
        list(lines.into_iter().chain(dependants)),
        history(&story.history),
        outputs.unwrap_or_default(),
    ]
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

fn history(attempts: &[FailedAttempt]) -> String {
    if attempts.is_empty() {
        return String::new();
    }
    let mut table = String::from(
        "| # | Iteration | Check | Error | Error hash | Strategy shift |\n|---:|---:|---|---|---|---|\n",
    );
    let mut before = None;
    for FailedAttempt { attempt, iteration, gate, error, error_hash, given, .. } in attempts {
        let error = match before.replace(error_hash) {
            Some(before) if before == error_hash => "same".to_owned(),
            _ => code_cell(&beginning(error, LONGEST_CELL, "…")),
        };
        let (hash, shift) = (code_cell(error_hash), shift(given));
        let _ =
            writeln!(table, "| {attempt} | {iteration} | {gate} | {error} | {hash} | {shift} |");
    }
    table
}

fn shift(given: &[EscalationTier]) -> &'static str {
    if given.contains(&EscalationTier::StrongerModel) {
        return "stronger model";
    }
    if given.contains(&EscalationTier::Candidates) {
        return "candidates";
    }
    if given.contains(&EscalationTier::OtherAgent) {
        return "other agent";
    }
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

pub(super) fn blocked(report: &RunReport) -> String {
    let stories = report.blocked.iter().map(|story| {
        let StoryFacts { id, title, .. } = &story.facts;
        let (title, waits_for) = (text(title), format::names(&story.waits_for));
        format!("{id} {title}: waits for {waits_for}{}", spent(&story.facts))
    });
    // Other reasons are shown in the run's own text.
    let reasons = match &report.end {
        // The questions are shown with the stories.
        Some(end) if end.end == RunEnd::QuestionsOpen => &[],
        Some(end) if report.blocked.is_empty() && report.failed.is_empty() => &end.reasons[..],
        _ => &[],
    };
    list(stories.chain(reasons.iter().map(|reason| text(reason))))
}

pub(super) fn unfinished(report: &RunReport) -> String {
    list(report.unfinished.iter().map(|story| {
        let StoryFacts { id, title, reviews, failed_attempts, .. } = &story.facts;
        let mut line = format!("{id} {}: {}", text(title), story.state);
        if let Some(question) = &story.question {
            let _ = write!(line, " to: {}", text(&beginning(question, LONGEST_QUESTION, "…")));
        }
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
        line + &spent(&story.facts)
    }))
}

/// The cost of an unfinished story, if any.
fn spent(facts: &StoryFacts) -> String {
    if facts.cost_usd > 0.0 { format!(" (cost {})", money(facts.cost_usd)) } else { String::new() }
}

/// Unknown if the cost of the run is unknown.
fn cost(facts: &StoryFacts, report: &RunReport) -> String {
    format::cost_cell(report.cost_usd.map(|_| facts.cost_usd))
}
