//! The texts for the model: what is wrong, what to do, and how to end the iteration.

use std::fmt::Write;

use hook_io::plain;
use project::{Layout, Marker, VerdictIn};
use tasks::ReviewVerdict;
use verify::{Finding, Section};

use crate::blocks::Block;

/// Findings shown per section; the rest follows when these are fixed.
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
    for &section in Section::ALL {
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
    let _ = write!(reason, "\nFix this, then end the iteration again (block {number} of {of}).");
    reason
}

pub(crate) fn allow_with_findings(findings: &[Finding], why: &str) -> String {
    format!(
        "ralph: the Stop hook allows this session to end with {} unresolved findings: {}. \
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
        Section::EndState => format!("Stories in {tasks} with an invalid review state:"),
        Section::Changes => format!("Changes to {tasks} that this iteration may not make:"),
        Section::Verdict => "This review has no valid verdict:".into(),
        Section::ProtectedFiles => "Protected files that were changed:".into(),
        Section::OutsideReview => "Files that this review changed:".into(),
        Section::OutsideTests => {
            "Files that are no tests, which this specify iteration changed:".into()
        }
        Section::Repository => "Changes to the repository that decide what is committed:".into(),
        Section::Uncommitted => "Uncommitted changes:".into(),
    }
}

/// What to do about the findings of a section.
fn advice(section: Section, marker: &Marker, layout: &Layout) -> Option<String> {
    let restore = || {
        let from = marker.checkpoint.as_deref().unwrap_or("HEAD");
        format!("`git checkout {} -- FILE`", plain(from))
    };
    match section {
        Section::TaskList | Section::EndState => None,
        Section::Changes => marker.checkpoint.as_deref().map(|checkpoint| {
            let (from, tasks) = (plain(checkpoint), plain(&layout.tasks_name()));
            format!("Run `git show {from}:{tasks}` to see the list from the start of this iteration.")
        }),
        Section::Marker => Some(
            "Only the runner may change the marker. Restore its exact contents if you have them. \
             Otherwise leave it alone: the runner judges this iteration by its own copy."
                .into(),
        ),
        Section::Verdict => Some(verdict_advice(marker, layout)),
        Section::ProtectedFiles => {
            let dispute = match proves(marker, layout) {
                true => {
                    " If a test of the proof is wrong, leave it and write `DISPUTE: <test>: <reason>` to the \
                     notes of the story."
                }
                false => "",
            };
            Some(format!(
                "They are fixed in this iteration. Restore each with {}.{dispute}",
                restore()
            ))
        }
        Section::OutsideReview => Some(format!(
            "A review judges, it does not fix. Revert these files with {} and delete new ones. Commit \
             the revert, and write to reviewFeedback what needs fixing.",
            restore()
        )),
        Section::OutsideTests => {
            let proof = marker.story_id.as_ref().map_or_else(
                || "the proof file".to_owned(),
                |story| plain(&layout.proof_name(story)),
            );
            Some(format!(
                "A specify iteration may change test files and {proof} only. Restore these files with {} \
                 and delete new ones. Then commit that. The next session writes the product.",
                restore()
            ))
        }
        Section::Repository => Some(
            "Restore each: run `git config --unset-all KEY` for a setting, restore a file's content. \
             The user can allow one by name with git.allow in .ralph/settings.json."
                .into(),
        ),
        Section::Uncommitted => Some(format!(
            "Write what was done and learned to {}, and lasting conventions to CLAUDE.md or \
             .claude/rules/. Then commit everything, including the task list. Remove files that do \
             not belong in the repository, or add them to .gitignore.",
            plain(&layout.progress_name())
        )),
    }
}

/// Whether tests prove the story of this iteration.
fn proves(marker: &Marker, layout: &Layout) -> bool {
    let proof = marker.story_id.as_ref().map(|story| layout.proof_name(story));
    proof.is_some_and(|proof| marker.protected_files.contains_key(&proof))
}

/// A program that the review ran may have written the list, so the reviewer's own verdict counts.
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
         did not write what the list says, correct the list, not your verdict.",
        plain(&layout.tasks_name())
    )
}
