//! The parts of a prompt that are more than a word: a story, feedback, a failure.

use std::fmt::Write;

use tasks::Story;

use crate::state::{FailedGate, Failure};

pub(super) fn story(story: &Story) -> String {
    let mut block = format!("### {}: {}\n", story.id, story.title);
    if !story.description.trim().is_empty() {
        let _ = write!(block, "\n{}\n", story.description.trim());
    }
    block.push_str("\nAcceptance criteria:\n");
    for criterion in &story.acceptance_criteria {
        let _ = writeln!(block, "- {criterion}");
    }
    if !story.depends_on.is_empty() {
        let ids: Vec<&str> = story.depends_on.iter().map(tasks::StoryId::as_str).collect();
        let _ = write!(block, "\nBuilds on: {}\n", ids.join(", "));
    }
    if !story.notes.trim().is_empty() {
        let _ = write!(block, "\nNotes so far:\n{}\n", story.notes.trim());
    }
    block.trim_end().to_owned()
}

pub(super) fn feedback(story: &Story) -> String {
    if story.review_feedback.trim().is_empty() {
        return String::new();
    }
    format!("### Feedback of the last review\n\n{}", story.review_feedback.trim())
}

pub(super) fn commands(commands: &[String]) -> String {
    if commands.is_empty() {
        return "(none are configured)".to_owned();
    }
    let lines: Vec<String> = commands.iter().map(|command| format!("- `{command}`")).collect();
    lines.join("\n")
}

/// Where to look for what was done on the story so far.
pub(super) fn range(began_at: &str) -> String {
    let short = began_at.get(..12).unwrap_or(began_at);
    format!(
        "Work on this story began at commit {short}: `git log --oneline {short}..HEAD` and `git diff \
         {short}..HEAD` show what was done since, by this story and whatever came in between."
    )
}

pub(super) fn failure(failure: &Failure) -> String {
    if failure.is_empty() {
        return String::new();
    }
    let mode = match (failure.mode, &failure.story) {
        (Some(mode), Some(story)) => format!(" ({mode} of {story})"),
        _ => String::new(),
    };
    let mut block = format!(
        "### What was wrong with iteration {}{mode}\n\nIt was not accepted. Do not repeat this.\n",
        failure.iteration
    );
    if !failure.findings.is_empty() {
        block.push_str("\nNot allowed, and undone by the runner:\n");
        for finding in &failure.findings {
            let _ = writeln!(block, "- {finding}");
        }
    }
    if let Some(gate) = &failure.gate {
        block.push_str(&failed_gate(gate));
    }
    if let Some(other) = &failure.other {
        let _ = write!(block, "\n{other}\n");
    }
    block.trim_end().to_owned()
}

fn failed_gate(gate: &FailedGate) -> String {
    let fence = fence_around(&gate.tail);
    let mut block = format!("\nThe runner ran `{}`, and it {}.", gate.command, gate.how);
    let _ = write!(block, " The end of its output (all of it: {}):\n{fence}\n", gate.log);
    for line in &gate.tail {
        let _ = writeln!(block, "{line}");
    }
    let _ = writeln!(block, "{fence}");
    block
}

/// A fence that nothing in the output can close.
fn fence_around(lines: &[String]) -> String {
    let ticks = |line: &String| line.chars().take_while(|c| *c == '`').count();
    let longest = lines.iter().map(ticks).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_check_is_told_verbatim_in_a_fence_it_cannot_leave() {
        let told = failure(&Failure {
            iteration: 3,
            mode: Some(tasks::Mode::ReviewFix),
            story: tasks::StoryId::new("US-7").ok(),
            findings: vec!["ralph/prd.md: changed".into()],
            gate: Some(FailedGate {
                command: "make test".into(),
                how: "failed with exit code 2".into(),
                tail: vec!["FAIL  a".into(), "```".into()],
                log: "x.log".into(),
            }),
            other: None,
        });
        assert_eq!(
            told,
            "### What was wrong with iteration 3 (review-fix of US-7)\n\nIt was not accepted. Do not repeat \
             this.\n\nNot allowed, and undone by the runner:\n- ralph/prd.md: changed\n\nThe runner \
             ran `make test`, and it failed with exit code 2. The end of its output (all of it: \
             x.log):\n````\nFAIL  a\n```\n````"
        );
    }

    #[test]
    fn nothing_to_say_is_nothing() {
        assert_eq!(failure(&Failure::default()), "");
        assert_eq!(commands(&[]), "(none are configured)");
    }
}
