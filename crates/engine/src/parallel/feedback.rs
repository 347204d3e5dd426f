//! What the next session of a story reads about a merge that failed.

use crate::checks::FailedGuardrail;

/// Characters of conflicting lines or output.
pub(crate) const LONGEST: usize = 6000;

pub(crate) fn about_conflict(
    branch: &str,
    paths: &[String],
    messages: &[String],
    lines: &str,
) -> String {
    let mut text = format!(
        "Your work conflicts with {branch}, which got other work meanwhile. {branch} is merged into your branch. \
         Resolve the conflicts between the lines <<<<<<< and >>>>>>>, keep what both sides want, and remove these \
         lines. Files: {}.\n",
        paths.join(", ")
    );
    messages.iter().for_each(|message| text.extend([message, "\n"]));
    if !lines.is_empty() {
        text.extend(["\n", lines]);
    }
    text
}

pub(crate) fn about_proof(branch: &str, problems: &[String]) -> String {
    let most = LONGEST / problems.len().max(1);
    let mut text = format!(
        "Your work is merged with {branch}, and tests of the story's proof do not pass on the result, in a fresh clone \
         that has only committed files.\n"
    );
    for problem in problems {
        let problem: String = problem.chars().take(most).collect();
        text.push_str(&format!("- {problem}\n"));
    }
    text
}

pub(crate) fn about_checks(branch: &str, failed: &[FailedGuardrail]) -> String {
    let mut text = format!(
        "Your work is merged with {branch}, and a check fails on the result, in a fresh clone that has only \
         committed files.\n"
    );
    let most = LONGEST / failed.len().max(1);
    for failed in failed {
        let output: String = failed.tail.join("\n").chars().take(most).collect();
        text.push_str(&format!("\n`{}` {}:\n{output}\n", failed.command, failed.how));
    }
    text
}
