//! The words that reach the model: what is wrong, what to do, and how to end the iteration.

use std::fmt::Write;

use hook_io::plain;
use project::{Layout, Marker, VerdictIn};
use tasks::ReviewVerdict;
use verify::{Finding, Section};

use crate::blocks::Block;

/// Findings of one section that are spelled out; a model that puts these right is asked again.
const SHOWN: usize = 20;

pub(crate) fn block(
    findings: &[Finding],
    marker: &Marker,
    layout: &Layout,
    block: Block,
) -> String {
    let mode = marker.iteration_mode.map(|mode| format!("{mode} ")).unwrap_or_default();
    let story = marker.story_id.as_ref().map(|id| format!(" on story {id}")).unwrap_or_default();
    let mut reason = format!("Ralph: this {mode}iteration{story} may not end yet.\n");
    for section in Section::ALL {
        let found: Vec<&Finding> =
            findings.iter().filter(|finding| finding.section() == section).collect();
        if found.is_empty() {
            continue;
        }
        let _ = write!(reason, "\n{}\n", heading(section, layout));
        for finding in found.iter().take(SHOWN) {
            let _ = writeln!(reason, "- {finding}");
        }
        if found.len() > SHOWN {
            let _ = writeln!(reason, "- … and {} more", found.len() - SHOWN);
        }
        if let Some(advice) = advice(section, marker, layout) {
            let _ = writeln!(reason, "{advice}");
        }
    }
    let Block { number, of } = block;
    let _ =
        write!(reason, "\nPut this right, then end the iteration again (block {number} of {of}).");
    reason
}

pub(crate) fn give_in(findings: &[Finding], why: &str) -> String {
    format!(
        "ralph: the stop guard lets this session end with {} unresolved findings, because {}. \
         The runner judges the result.",
        findings.len(),
        plain(why)
    )
}

fn heading(section: Section, layout: &Layout) -> String {
    let tasks = plain(&layout.tasks_name());
    match section {
        Section::Marker => "The loop's marker (.ralph-active) was tampered with:".into(),
        Section::TaskList => format!("Problems in {tasks}:"),
        Section::EndState => format!("Stories in {tasks} whose review state cannot be:"),
        Section::Changes => format!("Changes to {tasks} that this iteration may not make:"),
        Section::Verdict => "This review has no verdict that counts:".into(),
        Section::ProtectedFiles => "Protected files that were changed:".into(),
        Section::OutsideReview => "Files that this review changed:".into(),
        Section::Repository => "Changes to the repository that decide what is committed:".into(),
        Section::Uncommitted => "Uncommitted changes:".into(),
    }
}

/// What to do about all of it, where its lines do not say so themselves.
fn advice(section: Section, marker: &Marker, layout: &Layout) -> Option<String> {
    let restore = || {
        let from = marker.checkpoint.as_deref().unwrap_or("HEAD");
        format!("`git checkout {} -- FILE`", plain(from))
    };
    match section {
        Section::TaskList | Section::EndState => None,
        Section::Changes => marker.checkpoint.as_deref().map(|checkpoint| {
            let (from, tasks) = (plain(checkpoint), plain(&layout.tasks_name()));
            format!("`git show {from}:{tasks}` shows the list as this iteration began with it.")
        }),
        Section::Marker => Some(
            "The marker is the runner's. Put back its exact contents if you have them, else \
             leave it alone: the runner judges this iteration by its own copy."
                .into(),
        ),
        Section::Verdict => Some(verdict_advice(marker, layout)),
        Section::ProtectedFiles => {
            Some(format!("They are the user's. Restore each with {}.", restore()))
        }
        Section::OutsideReview => Some(format!(
            "A review judges, it does not fix. Undo these with {} (delete what is new), commit \
             the undo, and say in reviewFeedback what has to be fixed.",
            restore()
        )),
        Section::Repository => Some(
            "Restore each: `git config --unset-all KEY` for a setting, the old content for a file. \
             The user can allow one by its name with git.allow in .ralph/settings.json."
                .into(),
        ),
        Section::Uncommitted => Some(format!(
            "Write what was done and learned to {}, move lasting conventions to CLAUDE.md or \
             .claude/rules/, then commit everything, the task list included. Files that do \
             not belong in the repository: remove them or add them to .gitignore.",
            plain(&layout.progress_name())
        )),
    }
}

/// A program that the review ran may have written the list: the reviewer's own judgement counts.
fn verdict_advice(marker: &Marker, layout: &Layout) -> String {
    let [approved, rejected] = ReviewVerdict::ALL;
    let place = match marker.verdict_in {
        Some(VerdictIn::Answer) => {
            format!("in the field `verdict` of your answer: \"{approved}\" or \"{rejected}\"")
        }
        Some(VerdictIn::Message) | None => format!(
            "as the last line of your final message, with nothing after it: `{}` or `{}`",
            approved.tag(),
            rejected.tag()
        ),
    };
    format!(
        "Give your verdict in both places: in the review fields of {}, committed, and {place}. If you \
         did not write what the list says, correct the list and not your verdict.",
        plain(&layout.tasks_name())
    )
}
