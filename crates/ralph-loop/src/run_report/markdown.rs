//! The Markdown form of a report, readable as plain text too. Empty sections are omitted.

use std::fmt::Write;

use chrono::FixedOffset;

use super::RunReport;
use super::safe_markdown::{block, code, text, words};
use crate::report::duration;
use crate::report::format::quality_failure;
use events::{AT_CAP, TimeLimitKind, TimeLimitReached, VoidVerdict};

mod memory;
mod stories;
mod summary;

/// `offset` is the time zone of the times shown.
pub fn markdown(report: &RunReport, offset: FixedOffset) -> String {
    let mut out = String::from("# Ralph Loop Execution Summary\n");
    section(&mut out, "", summary::summary(report, offset));
    if report.stories > 0 {
        let heading = format!("Completed: {}/{} stories", report.completed.len(), report.stories);
        section(&mut out, &heading, stories::completed(report));
    }
    section(&mut out, "Failed stories (require human attention)", stories::failed(report));
    section(&mut out, "Blocked stories", stories::blocked(report));
    section(&mut out, "Not finished", stories::unfinished(report));
    section(&mut out, "Void verdicts", void_verdicts(report));
    section(&mut out, "Weakened tests", weakened_tests(report));
    section(&mut out, "Quality warnings", quality(report));
    section(&mut out, "Time limits", time_limits(report));
    section(&mut out, "Memory", memory::memory(report));
    section(&mut out, "Changes to the plan", memory::plan_changes(report));
    section(&mut out, "Rolled back", memory::rollbacks(report));
    section(&mut out, "What to do next", next_steps(report));
    out
}

fn section(out: &mut String, heading: &str, paragraphs: Vec<String>) {
    // The heading itself has the count.
    if paragraphs.is_empty() && !heading.starts_with("Completed") {
        return;
    }
    if !heading.is_empty() {
        out.push_str(&format!("\n## {heading}\n"));
    }
    for paragraph in paragraphs {
        out.push_str(&format!("\n{}\n", paragraph.trim_end()));
    }
}

fn void_verdicts(report: &RunReport) -> Vec<String> {
    if report.void_verdicts.is_empty() {
        return Vec::new();
    }
    let line = |void: &VoidVerdict| {
        format!("- iteration {} ({}): {}\n", void.iteration, void.story, text(&void.text))
    };
    let lines = report.void_verdicts.iter().map(line).collect();
    vec![
        "Reviews in which the task list and the reviewer's message gave different verdicts:".into(),
        lines,
    ]
}

fn weakened_tests(report: &RunReport) -> Vec<String> {
    if report.weakened_tests.is_empty() {
        return Vec::new();
    }
    let mut lines = String::new();
    for file in &report.weakened_tests {
        let (path, story, iteration) = (code(&file.path), &file.story, file.iteration);
        let _ = writeln!(lines, "- {path} (iteration {iteration}, {story})");
        for finding in &file.findings {
            let _ = writeln!(lines, "  - {}", words(finding));
        }
    }
    vec!["Tests that were deleted, skipped or loosened:".to_owned(), lines]
}

fn quality(report: &RunReport) -> Vec<String> {
    let mut lines = String::new();
    for quality in &report.quality {
        if let Some(failure) = quality_failure(quality.outcome) {
            let _ = writeln!(lines, "- {}: the quality check {failure}", quality.story);
        }
        for warning in &quality.warnings {
            let _ = writeln!(lines, "- {}: {}", quality.story, text(warning));
        }
    }
    if lines.is_empty() { Vec::new() } else { vec![lines] }
}

fn time_limits(report: &RunReport) -> Vec<String> {
    let lines: String = report.time_limits.iter().map(|limit| time_limit(limit) + "\n").collect();
    if lines.is_empty() { Vec::new() } else { vec![lines] }
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
    format!("- {place}{} {what}{}", reached.what, time.unwrap_or_default())
}

fn next_steps(report: &RunReport) -> Vec<String> {
    let mut paragraphs = Vec::new();
    for step in &report.next {
        paragraphs.push(step.text.clone());
        if !step.commands.is_empty() {
            paragraphs.push(block(&step.commands));
        }
    }
    paragraphs
}

fn at_cap_mark() -> String {
    format!("**{AT_CAP}**")
}
