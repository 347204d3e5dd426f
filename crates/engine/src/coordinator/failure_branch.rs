//! The branch with the work of a story that was given up: its name and its commit messages.

use std::fmt::Write;

use events::{GiveUpReason, GivenUp, Stuck};
use tasks::StoryId;
use vcs::CommitId;

use crate::lane::Attempt;

/// Followed by the story's id and the time.
const PREFIX: &str = "wip/ralph-fail-";

/// Used if a branch named `wip` exists, because git then cannot create branches below it.
const OTHER_PREFIX: &str = "wip-ralph-fail-";

/// Old failure branches become tags below this.
const ARCHIVE: &str = "ralph-archive/";

const MOST_NAMES: usize = 30;

/// Names to be tried in this order.
pub(crate) fn names(story: &StoryId, at: &str) -> impl Iterator<Item = String> {
    let base = format!("{}-{at}", safe(story));
    let name = move |prefix: &str, number: u64| match number {
        1 => format!("{prefix}{base}"),
        _ => format!("{prefix}{base}-{number}"),
    };
    let names = (1..).flat_map(move |number| {
        // Usually the exact name is taken, so a number is tried before the other prefix.
        [name(PREFIX, 2 * number - 1), name(PREFIX, 2 * number), name(OTHER_PREFIX, number)]
    });
    names.take(MOST_NAMES)
}

/// A story's id as part of a ref name. git allows no two consecutive dots, and file systems no dot at either
/// end.
pub(crate) fn safe(story: &StoryId) -> String {
    let mut name = story.as_str().to_owned();
    while name.contains("..") {
        name = name.replace("..", "._");
    }
    let name = name.trim_matches('.').to_owned();
    match name.strip_suffix(".lock") {
        Some(start) => format!("{start}_lock"),
        None if name.is_empty() => "_".to_owned(),
        None => name,
    }
}

/// Ref name for the previous tip. The tip makes it unique even if two ids have the same safe name.
pub(crate) fn backup(story: &StoryId, tip: &CommitId) -> String {
    format!("set-aside-{}-{tip}", safe(story))
}

pub(crate) fn tag(branch: &str) -> String {
    format!("{ARCHIVE}{branch}")
}

/// The file exists only on the failure branch.
pub(crate) fn diagnostics_name(ralph_dir: &str, story: &StoryId) -> String {
    let folder = if ralph_dir.is_empty() { String::new() } else { format!("{ralph_dir}/") };
    format!("{folder}failure-{}.md", safe(story))
}

pub(crate) fn message(story: &StoryId, outcome: &GivenUp, attempts: &[Attempt]) -> String {
    let failed = match outcome.reason {
        GiveUpReason::Skipped => "skipped",
        _ => "failed",
    };
    let mut text = format!(
        "Ralph Loop {failed}: {story}\n\nIterations: {}/{}\nLast gate: {}\nError: {}\nError hash: {}\n",
        outcome.attempts, outcome.of, outcome.last_gate, outcome.error, outcome.error_hash
    );
    let stuck = match outcome.stuck {
        Stuck::No => "no".to_owned(),
        Stuck::Yes { repeats, strategy_shifts } => {
            format!(
                "yes, the same error {repeats} times in a row, strategy shifts: {strategy_shifts}"
            )
        }
    };
    let _ = writeln!(text, "Stuck: {stuck}");
    if outcome.diagnostics.is_none() {
        return text;
    }
    text.push_str("\nAttempts:\n");
    for (index, attempt) in attempts.iter().enumerate() {
        let _ = writeln!(
            text,
            "{}. iteration {} ({}), {}, {}: {}",
            index + 1,
            attempt.iteration,
            attempt.mode,
            attempt.gate,
            attempt.symptom.hash,
            attempt.symptom.error
        );
    }
    let _ = write!(text, "\nSee failure-{}.md for the outputs.\n", safe(story));
    text
}

pub(crate) fn revert_message(story: &StoryId, outcome: &GivenUp) -> String {
    format!(
        "ralph: give up {story} after {} failed attempts\n\nIts work is on its own branch \
         (…ralph-fail-{}-…). All other files are as before the story began.\n",
        outcome.attempts,
        safe(story)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> StoryId {
        StoryId::new(text).unwrap()
    }

    #[test]
    fn the_name_contains_story_and_time() {
        let names: Vec<String> = names(&id("US-003"), "20260121-103045").collect();
        assert_eq!(
            names[..6],
            [
                "wip/ralph-fail-US-003-20260121-103045",
                "wip/ralph-fail-US-003-20260121-103045-2",
                "wip-ralph-fail-US-003-20260121-103045",
                "wip/ralph-fail-US-003-20260121-103045-3",
                "wip/ralph-fail-US-003-20260121-103045-4",
                "wip-ralph-fail-US-003-20260121-103045-2"
            ]
        );
        assert_eq!(names.len(), MOST_NAMES);
        assert_eq!(tag("wip/ralph-fail-a-1"), "ralph-archive/wip/ralph-fail-a-1");
    }

    #[test]
    fn ids_become_valid_ref_names() {
        for (story, name) in [
            ("US-003", "US-003"),
            ("a..b", "a._b"),
            ("...", "_"),
            (".", "_"),
            (".hidden.", "hidden"),
            ("x.lock", "x_lock"),
            ("-x", "-x"),
        ] {
            assert_eq!(safe(&id(story)), name, "{story}");
        }
    }
}
