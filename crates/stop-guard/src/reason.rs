//! The words that reach the model: what is wrong, what to do, and how to end the iteration.

use std::fmt::Write;

use bounded_read::FileError;
use project::{Layout, Marker, ProtectedChange, Tampering};

use crate::finding::Finding;

/// Findings of one kind that are spelled out; a model that puts these right is asked again.
const SHOWN: usize = 20;

/// One heading with what belongs under it.
struct Section {
    heading: String,
    lines: Vec<String>,
    /// What to do about all of it.
    advice: Option<String>,
}

pub(crate) fn block(
    findings: &[Finding],
    marker: &Marker,
    layout: &Layout,
    number: u64,
    of: u64,
) -> String {
    let mode = marker.iteration_mode.map(|mode| format!("{mode} ")).unwrap_or_default();
    let story = marker.story_id.as_ref().map(|id| format!(" on story {id}")).unwrap_or_default();
    let mut reason = format!("Ralph: this {mode}iteration{story} may not end yet.\n");
    for section in sections(findings, marker, layout) {
        if section.lines.is_empty() {
            continue;
        }
        let _ = write!(reason, "\n{}\n", section.heading);
        for line in section.lines.iter().take(SHOWN) {
            let _ = writeln!(reason, "- {line}");
        }
        if section.lines.len() > SHOWN {
            let _ = writeln!(reason, "- … and {} more", section.lines.len() - SHOWN);
        }
        if let Some(advice) = section.advice {
            let _ = writeln!(reason, "{advice}");
        }
    }
    let _ =
        write!(reason, "\nPut this right, then end the iteration again (block {number} of {of}).");
    reason
}

pub(crate) fn give_in(findings: &[Finding], why: &str) -> String {
    format!(
        "ralph: the stop guard lets this session end with {} unresolved findings, because {why}. \
         The runner judges the result.",
        findings.len()
    )
}

fn sections(findings: &[Finding], marker: &Marker, layout: &Layout) -> Vec<Section> {
    let lines = |of_kind: fn(&Finding) -> Option<String>| -> Vec<String> {
        findings.iter().filter_map(of_kind).collect()
    };
    let tasks = layout.tasks_name();
    let section = |heading: String, lines, advice| Section { heading, lines, advice };
    vec![
        section(
            "The loop's marker (.ralph-active) was tampered with:".into(),
            lines(|finding| match finding {
                Finding::Tampered(tampering) => Some(tampered(tampering)),
                _ => None,
            }),
            Some(
                "The marker is the runner's. Put back its exact contents if you have them, else leave \
                 it alone: the runner judges this iteration by its own copy."
                    .into(),
            ),
        ),
        section(
            format!("Problems in {tasks}:"),
            lines(|finding| match finding {
                Finding::NoTaskList(error) => Some(no_task_list(error)),
                Finding::Schema(problem) => Some(problem.to_string()),
                _ => None,
            }),
            None,
        ),
        section(
            format!("Stories in {tasks} whose review state cannot be:"),
            lines(|finding| match finding {
                Finding::Invariant(broken) => Some(broken.to_string()),
                _ => None,
            }),
            None,
        ),
        section(
            format!("Changes to {tasks} that this iteration may not make:"),
            lines(|finding| match finding {
                Finding::Transition(violation) => Some(violation.to_string()),
                _ => None,
            }),
            None,
        ),
        section(
            "Protected files that were changed:".into(),
            lines(|finding| match finding {
                Finding::Protected(change) => Some(protected(change)),
                _ => None,
            }),
            Some(format!("They are the user's. Restore each with {}.", restore(marker))),
        ),
        section(
            "Files that this review changed:".into(),
            lines(|finding| match finding {
                Finding::OutsideReview { path } => Some(plain(path)),
                _ => None,
            }),
            Some(format!(
                "A review judges, it does not fix. Undo these with {} (delete what is new), commit \
                 the undo, and say in reviewFeedback what has to be fixed.",
                restore(marker)
            )),
        ),
        section(
            "Uncommitted changes:".into(),
            lines(|finding| match finding {
                Finding::Uncommitted(dirty) => {
                    Some(format!("{}: {}", dirty.kind, plain(&dirty.path)))
                }
                _ => None,
            }),
            Some(format!(
                "Write what was done and learned to {}, move lasting conventions to CLAUDE.md or \
                 .claude/rules/, then commit everything, the task list included. Files that do not \
                 belong in the repository: remove them or add them to .gitignore.",
                layout.progress_name()
            )),
        ),
    ]
}

fn restore(marker: &Marker) -> String {
    let from = marker.checkpoint.as_deref().unwrap_or("HEAD");
    format!("`git checkout {} -- FILE`", plain(from))
}

fn tampered(tampering: &Tampering) -> String {
    match tampering {
        Tampering::Removed => "it was removed".into(),
        Tampering::Unreadable { why } => format!("it cannot be read any more: {why}"),
        Tampering::Altered { written, found } => {
            format!("its sha256 is {}…, the runner wrote {}…", found.short(), written.short())
        }
    }
}

fn no_task_list(error: &FileError) -> String {
    match error {
        FileError::Absent => {
            "it is missing. Restore it with git; the loop cannot go on without it".into()
        }
        FileError::TooLarge { bytes, limit } => format!(
            "it has {bytes} bytes, and {limit} is the most. Move long texts into files of their own"
        ),
        other => format!("it cannot be read: {other}. Put a regular file in its place"),
    }
}

fn protected(change: &ProtectedChange) -> String {
    let path = plain(change.path());
    match change {
        ProtectedChange::Altered { old, new, .. } => {
            format!("{path}: changed (sha256 {}… → {}…)", old.short(), new.short())
        }
        ProtectedChange::Removed { .. } => format!("{path}: removed"),
        ProtectedChange::Replaced { why, .. } => format!("{path}: replaced, {why}"),
    }
}

/// A name from disk without anything that could steer a terminal or break a line.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).take(300).collect()
}
