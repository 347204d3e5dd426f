//! What the runner itself enters in `progress.txt`: that a story was set aside. Agents read there that
//! its work was done, and would look for it in vain.

use std::fmt::Write;

use bounded_read::FileError;
use tasks::StoryId;

use crate::stories::run::Run;
use crate::{ChecksWithout, GiveUpReason, GivenUp, StoryCommits};

/// Longer than a run's worth of entries.
const LARGEST: u64 = 4 * 1024 * 1024;

impl Run<'_> {
    /// Can be done again. The file's name if it is the run's to commit; nothing ends because it cannot
    /// be written.
    pub(crate) fn enter_in_progress(
        &mut self,
        story: &StoryId,
        given_up: &GivenUp,
    ) -> Option<String> {
        let name = self.layout.progress_name();
        let path = self.layout.root().join(&name);
        let told = match bounded_read::read_file(&path, LARGEST) {
            Ok(bytes) => bytes,
            Err(FileError::Absent) => Vec::new(),
            Err(error) => {
                self.sink.warn(format!("{name} does not say that {story} failed: {error}"));
                return None;
            }
        };
        if let Some(longer) = with_entry(told, &entry(story, given_up))
            && let Err(error) = project::replace_whole(&path, &longer)
        {
            self.sink.warn(format!("{name} does not say that {story} failed: {error}"));
            return None;
        }
        (!self.state.is_dirty_before(&name)).then_some(name)
    }
}

/// None if it is there.
fn with_entry(mut told: Vec<u8>, entry: &str) -> Option<Vec<u8>> {
    if String::from_utf8_lossy(&told).contains(entry) {
        return None;
    }
    if !told.is_empty() && !told.ends_with(b"\n") {
        told.push(b'\n');
    }
    told.extend_from_slice(entry.as_bytes());
    Some(told)
}

fn entry(story: &StoryId, given_up: &GivenUp) -> String {
    let GivenUp { attempts, of, last_gate, error, .. } = given_up;
    let failed = format!("{attempts} of {of} attempts, the last one at {last_gate}: {error}");
    let mut text = format!("## Ralph, {story}: set aside\n");
    let _ = match (given_up.reason, attempts) {
        (GiveUpReason::Skipped, 0) => writeln!(text, "- Skipped by the user"),
        (GiveUpReason::Skipped, _) => writeln!(text, "- Skipped by the user; failed: {failed}"),
        _ => writeln!(text, "- Failed: {failed}"),
    };
    let branch = given_up.branch.as_deref().unwrap_or("a branch of its own");
    let _ = match &given_up.commits {
        StoryCommits::Nothing => writeln!(text, "- Its code: there is none"),
        StoryCommits::Rewound | StoryCommits::Reverted { .. } => {
            writeln!(
                text,
                "- Its code: on {branch}, not here; entries about it above describe that branch"
            )
        }
        StoryCommits::Kept { conflicts } => writeln!(
            text,
            "- Its code: still here, unfinished, because later work builds on it ({}); also on {branch}",
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
    use crate::{Gate, Stuck};

    fn given_up(commits: StoryCommits) -> GivenUp {
        GivenUp {
            given_up_at: crate::now(),
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

    fn told(given_up: &GivenUp) -> String {
        entry(&StoryId::new("US-1").unwrap(), given_up)
    }

    fn told_of(commits: StoryCommits) -> String {
        told(&given_up(commits))
    }

    #[test]
    fn a_story_that_was_skipped_did_not_fail() {
        let reason = GiveUpReason::Skipped;
        let skipped = |attempts| GivenUp { reason, attempts, ..given_up(StoryCommits::Nothing) };
        let text = told(&skipped(0));
        assert!(text.contains("- Skipped by the user\n") && !text.contains("ailed"), "{text}");
        let text = told(&skipped(2));
        assert!(
            text.contains("- Skipped by the user; failed: 2 of 5 attempts, the last"),
            "{text}"
        );
    }

    #[test]
    fn it_says_where_the_code_is() {
        let rewound = told_of(StoryCommits::Rewound);
        assert!(rewound.contains("5 of 5 attempts, the last one at tests: error: 3 is not 4"));
        assert!(rewound.contains("on wip/x, not here"), "{rewound}");
        let stays = told_of(StoryCommits::Kept { conflicts: vec!["a.rs".into(), "b.rs".into()] });
        assert!(
            stays.contains("still here, unfinished, because later work builds on it (a.rs, b.rs)")
        );
    }

    #[test]
    fn it_says_what_does_not_work_without_it() {
        let undone = |checks| told_of(StoryCommits::Reverted { commit: "abc".into(), checks });
        let failed = ChecksWithout::Failed {
            command: "make\n  test".into(),
            error: "no helper".into(),
            approved: Vec::new(),
        };
        assert!(undone(failed).contains("\n- Without it `make test` fails: no helper\n---\n"));
        for quiet in [ChecksWithout::Passed, ChecksWithout::NotRun] {
            assert!(!undone(quiet).contains("Without"));
        }
    }

    #[test]
    fn it_is_entered_once() {
        let entry = told_of(StoryCommits::Nothing);
        let once = with_entry(b"# Progress".to_vec(), &entry).unwrap();
        assert_eq!(String::from_utf8(once.clone()).unwrap(), format!("# Progress\n{entry}"));
        assert_eq!(with_entry(once, &entry), None);
        assert_eq!(with_entry(Vec::new(), &entry).unwrap(), entry.as_bytes());
    }
}
