//! The runner's own entries in `progress.txt`: stories that were given up. Otherwise agents would read there that
//! the work exists.

use std::fmt::Write;

use bounded_read::FileError;
use events::{ChecksWithout, GiveUpReason, GivenUp, StoryCommits};
use tasks::StoryId;

use crate::coordinator::core::Coordinator;

const LARGEST: u64 = 4 * 1024 * 1024;

impl Coordinator<'_> {
    /// Can be repeated. Returns the file's name if the run may commit it. A failed write only warns.
    pub(crate) fn add_progress_entry(
        &mut self,
        story: &StoryId,
        given_up: &GivenUp,
    ) -> Option<String> {
        let name = self.layout.progress_name();
        let path = self.layout.root().join(&name);
        let text = match bounded_read::read_file(&path, LARGEST) {
            Ok(bytes) => bytes,
            Err(FileError::Absent) => Vec::new(),
            Err(error) => {
                self.control
                    .sink
                    .warn(format!("cannot record in {name} that {story} failed: {error}"));
                return None;
            }
        };
        if let Some(longer) = with_entry(text, &entry(story, given_up))
            && let Err(error) = project::replace_whole(&path, &longer)
        {
            self.control.sink.warn(format!("cannot record in {name} that {story} failed: {error}"));
            return None;
        }
        (!self.lane.workspace.baseline.is_dirty_before(&name)).then_some(name)
    }
}

/// `None` if the entry exists already.
fn with_entry(mut text: Vec<u8>, entry: &str) -> Option<Vec<u8>> {
    if String::from_utf8_lossy(&text).contains(entry) {
        return None;
    }
    if !text.is_empty() && !text.ends_with(b"\n") {
        text.push(b'\n');
    }
    text.extend_from_slice(entry.as_bytes());
    Some(text)
}

fn entry(story: &StoryId, given_up: &GivenUp) -> String {
    let GivenUp { attempts, of, last_gate, error, .. } = given_up;
    let failed = format!("{attempts} of {of} attempts, the last one at {last_gate}: {error}");
    let mut text = format!("## Ralph, {story}: given up\n");
    let _ = match (given_up.reason, attempts) {
        (GiveUpReason::Skipped, 0) => writeln!(text, "- Skipped by the user"),
        (GiveUpReason::Skipped, _) => writeln!(text, "- Skipped by the user; failed: {failed}"),
        _ => writeln!(text, "- Failed: {failed}"),
    };
    let branch = given_up.branch.as_deref().unwrap_or("its own branch");
    let _ = match &given_up.commits {
        StoryCommits::Nothing if given_up.branch.is_none() => writeln!(text, "- Its code: none"),
        StoryCommits::Nothing | StoryCommits::Rewound | StoryCommits::Reverted { .. } => {
            writeln!(
                text,
                "- Its code: on {branch}, not on this branch; entries about it above describe {branch}"
            )
        }
        StoryCommits::Kept { conflicts } => writeln!(
            text,
            "- Its code: still on this branch, unfinished, because later work depends on it ({}); also on {branch}",
            conflicts.join(", ")
        ),
    };
    if let StoryCommits::Reverted { checks: ChecksWithout::Failed { command, error, .. }, .. } =
        &given_up.commits
    {
        let command = command.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = writeln!(text, "- Without it `{command}` fails: {error}");
    }
    text.push_str("---\n");
    text
}

#[cfg(test)]
mod tests {

    use super::*;
    use events::{Gate, Stuck};

    fn given_up(commits: StoryCommits) -> GivenUp {
        GivenUp {
            given_up_at: events::now(),
            reason: GiveUpReason::AttemptsUsed,
            attempts: 5,
            of: 5,
            reviews: 0,
            last_gate: Gate::Tests,
            error: "error: 3 is not 4".into(),
            error_hash: String::new(),
            stuck: Stuck::No,
            branch: Some("wip/x".into()),
            diagnostics: None,
            commits,
            dependants: Vec::new(),
        }
    }

    fn text_of(given_up: &GivenUp) -> String {
        entry(&StoryId::new("US-1").unwrap(), given_up)
    }

    fn text_for(commits: StoryCommits) -> String {
        text_of(&given_up(commits))
    }

    #[test]
    fn a_story_that_was_skipped_did_not_fail() {
        let reason = GiveUpReason::Skipped;
        let skipped = |attempts| GivenUp { reason, attempts, ..given_up(StoryCommits::Nothing) };
        let text = text_of(&skipped(0));
        assert!(text.contains("- Skipped by the user\n") && !text.contains("ailed"), "{text}");
        let text = text_of(&skipped(2));
        assert!(
            text.contains("- Skipped by the user; failed: 2 of 5 attempts, the last"),
            "{text}"
        );
    }

    #[test]
    fn the_entry_names_the_branch_with_the_code() {
        let rewound = text_for(StoryCommits::Rewound);
        assert!(rewound.contains("5 of 5 attempts, the last one at tests: error: 3 is not 4"));
        assert!(rewound.contains("on wip/x, not on this branch"), "{rewound}");
        let kept = text_for(StoryCommits::Kept { conflicts: vec!["a.rs".into(), "b.rs".into()] });
        assert!(kept.contains("unfinished, because later work depends on it (a.rs, b.rs)"));
    }

    #[test]
    fn the_entry_names_a_check_that_fails_without_the_story() {
        let reverted = |checks| text_for(StoryCommits::Reverted { commit: "abc".into(), checks });
        let failed = ChecksWithout::Failed {
            command: "make\n  test".into(),
            error: "no helper".into(),
            approved: Vec::new(),
        };
        assert!(reverted(failed).contains("\n- Without it `make test` fails: no helper\n---\n"));
        for quiet in [ChecksWithout::Passed, ChecksWithout::NotRun] {
            assert!(!reverted(quiet).contains("Without"));
        }
    }

    #[test]
    fn an_entry_is_added_once() {
        let entry = text_for(StoryCommits::Nothing);
        let once = with_entry(b"# Progress".to_vec(), &entry).unwrap();
        assert_eq!(String::from_utf8(once.clone()).unwrap(), format!("# Progress\n{entry}"));
        assert_eq!(with_entry(once, &entry), None);
        assert_eq!(with_entry(Vec::new(), &entry).unwrap(), entry.as_bytes());
    }
}
