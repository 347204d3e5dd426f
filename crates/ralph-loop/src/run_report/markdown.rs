//! The Markdown form of a report, readable as plain text too. Empty sections are omitted.

use std::fmt::Write;

use chrono::FixedOffset;

use super::RunReport;
use super::safe_markdown::{block, code, text, words};
use crate::report::duration;
use crate::report::format::{money, quality_failure};
use events::{TimeLimitKind, TimeLimitReached};

mod final_review;
mod memory;
mod proofs;
mod stories;
mod summary;

/// `offset` is the time zone of the times shown.
pub(crate) fn markdown(report: &RunReport, offset: FixedOffset) -> String {
    let mut out = String::from("# Ralph Loop Execution Summary\n");
    add(&mut out, &summary::summary(report, offset));
    if report.stories > 0 {
        let (done, all) = (report.completed.len(), report.stories);
        let _ = writeln!(out, "\n## Completed: {done}/{all} stories");
        add(&mut out, &stories::completed(report, offset));
    }
    for (heading, paragraphs) in [
        ("Failed stories (require human attention)", stories::failed(report)),
        ("Blocked stories", vec![stories::blocked(report)]),
        ("Not finished", vec![stories::unfinished(report)]),
        ("Proofs", proofs::proofs(report)),
        ("Void verdicts", void_verdicts(report)),
        ("Checks that failed without the work of this run", vec![known_failures(report)]),
        ("Stronger help", vec![stronger_help(report)]),
        ("Weakened tests", weakened_tests(report)),
        ("Quality warnings", vec![quality(report)]),
        ("Verdicts of several reviewers", vec![final_review::reviewer_verdicts(report)]),
        ("Final review", final_review::final_reviews(report)),
        ("Time limits", vec![list(report.time_limits.iter().map(time_limit))]),
        ("Memory", vec![memory::memory(report)]),
        ("Changes to the plan", vec![memory::plan_changes(report)]),
        ("Rolled back", vec![memory::rollbacks(report)]),
        ("What to do next", next_steps(report)),
    ] {
        if paragraphs.iter().any(|paragraph| !paragraph.is_empty()) {
            let _ = writeln!(out, "\n## {heading}");
            add(&mut out, &paragraphs);
        }
    }
    out
}

fn add(out: &mut String, paragraphs: &[String]) {
    for paragraph in paragraphs.iter().filter(|paragraph| !paragraph.is_empty()) {
        let _ = writeln!(out, "\n{}", paragraph.trim_end());
    }
}

fn list(items: impl IntoIterator<Item = String>) -> String {
    items.into_iter().map(|item| format!("- {item}\n")).collect()
}

/// Items below an item.
fn sublist(items: impl IntoIterator<Item = String>) -> String {
    items.into_iter().map(|item| format!("\n  - {item}")).collect()
}

/// A list with a sentence before it; nothing for an empty list.
fn introduced(sentence: &str, list: String) -> Vec<String> {
    if list.is_empty() { Vec::new() } else { vec![sentence.to_owned(), list] }
}

fn void_verdicts(report: &RunReport) -> Vec<String> {
    let voids = report
        .void_verdicts
        .iter()
        .map(|void| format!("iteration {} ({}): {}", void.iteration, void.story, text(&void.text)));
    introduced(
        "Reviews in which the task list and the reviewer's message gave different verdicts:",
        list(voids),
    )
}

fn known_failures(report: &RunReport) -> String {
    list(report.known_failures.iter().map(|known| {
        let (command, error) = (code(&known.failure.command), text(&known.failure.error));
        match &known.fixed_by {
            Some(story) => format!("{command}: {error}; passes since {story}"),
            None => format!("{command}: {error}"),
        }
    }))
}

fn stronger_help(report: &RunReport) -> String {
    list(report.stronger_help.iter().map(|help| {
        let (name, story, cost) = (text(&help.help), &help.story, money(help.cost_usd));
        match help.solved {
            true => format!("{name} completed {story} for {cost}"),
            false => format!("{name} did not complete {story}, for {cost}"),
        }
    }))
}

fn weakened_tests(report: &RunReport) -> Vec<String> {
    let files = report.weakened_tests.iter().map(|file| {
        let (path, story, iteration) = (code(&file.path), &file.story, file.iteration);
        let findings = sublist(file.findings.iter().map(|finding| words(finding)));
        format!("{path} (iteration {iteration}, {story}){findings}")
    });
    introduced("Tests that were deleted, skipped or loosened:", list(files))
}

fn quality(report: &RunReport) -> String {
    list(report.quality.iter().flat_map(|quality| {
        let failure = quality_failure(quality.outcome);
        let failure = failure.map(|failure| format!("the quality check {failure}"));
        let warnings = quality.warnings.iter().map(|warning| text(warning));
        let all = failure.into_iter().chain(warnings);
        all.map(|what| format!("{}: {what}", quality.story))
    }))
}

fn time_limit(reached: &TimeLimitReached) -> String {
    let place = match (reached.iteration, &reached.story) {
        (Some(iteration), Some(story)) => format!("iteration {iteration} ({story}): "),
        (Some(iteration), None) => format!("iteration {iteration}: "),
        _ => String::new(),
    };
    let what = match reached.limit {
        TimeLimitKind::Soft => "passed its soft limit",
        TimeLimitKind::Hard => "was ended at its hard limit",
    };
    let time = reached.seconds.map(|seconds| format!(" ({})", duration(seconds)));
    format!("{place}{} {what}{}", reached.what, time.unwrap_or_default())
}

fn next_steps(report: &RunReport) -> Vec<String> {
    let commands = |commands: &[String]| match commands {
        [] => String::new(),
        commands => block(commands),
    };
    report.next.iter().flat_map(|step| [step.text.clone(), commands(&step.commands)]).collect()
}
