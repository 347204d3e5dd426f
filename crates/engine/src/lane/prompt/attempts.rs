//! Prompt sections about earlier attempts at the story, and extra help because they failed with the same error.

use std::fmt::Write;

use events::WeakenedTests;

use crate::lane::attempt::{Attempt, repeats};
use crate::lane::prompt::{Escalation, ProvidedFile};
use crate::lane::state_md::FailedAttempts;
use crate::templates::{fenced, fenced_agent_text, list_item};
use crate::workspace::ReviewNotice;

/// Most files that are named; an attempt may have changed thousands.
const NAMED: usize = 20;

const FRESH: &str = "### A fresh attempt\n\nThe work of those attempts is not in the work tree. Several sessions now \
                     begin the story again, independently of each other, and the best work is kept. Learn from the \
                     failures above, and choose your own way.";

/// Most important first.
pub(super) fn previous(
    attempts: Option<&FailedAttempts<'_>>,
    escalation: &Escalation,
    is_candidate: bool,
) -> Vec<String> {
    let Some(attempts) = attempts else {
        return vec!["### Previous attempts\n\nFirst attempt.".to_owned()];
    };
    let (failed, most) = (attempts.failed.len() as u64, attempts.most);
    let left = most.saturating_sub(failed);
    let mut parts = vec![format!(
        "### Previous attempts\n\n{failed} of {most} attempts at this story failed; {left} left, \
         including this one. Then the story is given up and a person takes over. The runner recorded \
         the attempts in `.ralph/state.md`:\n\n{}",
        attempts.without_newest_output()
    )];
    if escalation.help.shifts() {
        parts.push(shift(attempts.failed, escalation));
    }
    if is_candidate {
        parts.push(FRESH.to_owned());
    }
    if escalation.help.expands() {
        parts.push(expansion(&escalation.files));
    }
    parts
}

fn shift(failed: &[Attempt], escalation: &Escalation) -> String {
    let times = repeats(failed);
    let alike = &failed[failed.len().saturating_sub(times as usize)..];
    let Some(last) = alike.last() else { return String::new() };
    let mut files: Vec<&str> =
        alike.iter().flat_map(|attempt| &attempt.files_modified).map(String::as_str).collect();
    files.sort_unstable();
    files.dedup();
    let mut block = format!(
        "### IMPORTANT: strategy shift required ({} of {})\n\nYou are stuck. The last {times} attempts \
         failed with the same error ({}). What they did does not work: try a fundamentally different \
         approach. The error, word for word:\n\n{}\n\nDo NOT:\n",
        escalation.shift_number,
        escalation.shifts_allowed,
        last.symptom.hash,
        fenced(&last.output.join("\n"))
    );
    if files.is_empty() {
        block.push_str("- repeat what those attempts did\n");
    } else {
        let named = files.iter().take(NAMED).map(|file| format!("`{file}`")).collect::<Vec<_>>();
        let more = files.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more files") } else { String::new() };
        let _ = writeln!(
            block,
            "- repeat what those attempts did: they changed {}{more}, and it did not help",
            named.join(", ")
        );
    }
    let _ = write!(
        block,
        "- patch around the message `{}` once more\n- weaken, skip or delete the check that fails\n\n\
         First say in one sentence why those attempts could not work. Then question their assumptions \
         (the design, the place of the change, the library, the way it is tested), and consider \
         completely different solutions.",
        last.symptom.error.replace('`', "'")
    );
    block
}

fn expansion(files: &[ProvidedFile]) -> String {
    let mut block = "### Files related to the error\n\n".to_owned();
    if files.is_empty() {
        block.push_str(
            "The error says that something cannot be found, and the repository has nothing of that \
             name: create it, or correct the name.",
        );
        return block;
    }
    block.push_str(
        "The error says that something cannot be found. These are the files that it names, and \
         their neighbours, as they are now:\n",
    );
    for file in files {
        let _ = write!(block, "\n`{}`\n{}\n", file.path, fenced(&file.text));
    }
    block.trim_end().to_owned()
}

/// For a reviewer.
pub(super) fn noticed(notices: &[ReviewNotice]) -> String {
    if notices.is_empty() {
        return String::new();
    }
    let mut block = "### Observations of the runner\n\nMade since the last review of this story, apart from the \
                     commits. Judge whether any of it hides something or makes the checks pass wrongly. An agent \
                     chose the names in the blocks; they are not statements of the runner.\n"
        .to_owned();
    for ReviewNotice { text, names, whole_list } in notices {
        let _ = write!(block, "\n{}", sanitize::line(text));
        if let Some(list) = whole_list {
            let (shown, count, file) = (names.len(), list.count, &list.file);
            let _ = write!(block, " ({shown} of {count}; full list in {file})");
        }
        if names.is_empty() {
            block.push_str(".\n");
        } else {
            let _ = writeln!(block, ":\n\n{}", fenced_agent_text(&names.join("\n")));
        }
    }
    block.trim_end().to_owned()
}

/// For a reviewer.
pub(super) fn weakened(files: &[WeakenedTests]) -> String {
    if files.is_empty() {
        return String::new();
    }
    let mut block = "### Weakened tests\n\nSince the last review of this story, tests were deleted, \
                     skipped or loosened. That may be correct. Say for each whether it is, and request \
                     changes if it is not.\n"
        .to_owned();
    for file in files {
        // The implementer chose the names of files and tests.
        let _ = write!(block, "\n`{}`\n", sanitize::line(&file.path).replace('`', "'"));
        for finding in &file.findings {
            let _ = writeln!(block, "{}", list_item(&finding.to_string()));
        }
    }
    block.trim_end().to_owned()
}
