//! Git commands for the work of a failed story on its own branch, to be run in the project's root. They
//! exclude the runner's files beside the task list.

use events::{GivenUp, StoryCommits};
use project::Layout;

use super::shell::{diff, quoted};

pub(super) struct KeptWork<'r> {
    branch: &'r str,
    /// The branch of the run.
    run: &'r str,
    given_up: &'r GivenUp,
}

impl<'r> KeptWork<'r> {
    /// `None` without changes to keep.
    pub(super) fn of(given_up: &'r GivenUp, run: &'r str) -> Option<Self> {
        Some(Self { branch: given_up.branch.as_deref()?, run, given_up })
    }

    /// A sentence with its branch and the command that shows it.
    pub(super) fn summary(&self) -> String {
        let on = format!("The story was given up; its work is on branch {}", self.branch);
        match self.diff() {
            Some(diff) => format!("{on}. Show it with `{diff}`."),
            None => format!("{on}."),
        }
    }

    /// Every output of every attempt.
    pub(super) fn show_outputs(&self) -> Option<String> {
        let file = self.given_up.diagnostics.as_ref()?;
        // `./`: relative to the current folder, which may be below the repository's root.
        Some(format!("git show {}", quoted(&format!("{}:./{file}", self.branch))))
    }

    /// `None` if the work is still on the branch of the run.
    pub(super) fn diff(&self) -> Option<String> {
        Some(diff(&self.changes()?, &self.list_paths()))
    }

    pub(super) fn take_over(&self) -> Option<[String; 2]> {
        let diff = diff(&format!("--binary {}", self.changes()?), &self.list_paths());
        Some([format!("git switch {}", quoted(self.run)), format!("{diff} | git apply -3")])
    }

    /// What `git diff` compares; `None` if the work is still on the branch of the run.
    fn changes(&self) -> Option<String> {
        match &self.given_up.commits {
            StoryCommits::Nothing | StoryCommits::Rewound => {
                Some(quoted(&format!("{}...{}", self.run, self.branch)))
            }
            // The run's branch has these commits and a revert of them, so only the revert differs.
            StoryCommits::Reverted { commit, .. } => {
                Some(format!("{} {}", quoted(commit), quoted(self.branch)))
            }
            StoryCommits::Kept { .. } => None,
        }
    }

    /// The task list and the runner's files beside it, with its diagnostics.
    fn list_paths(&self) -> Vec<String> {
        let layout = Layout::new("");
        let Some(file) = &self.given_up.diagnostics else { return layout.list_paths() };
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut paths = layout.with_ralph_dir(folder).list_paths();
        if folder.is_empty() {
            paths.push(file.clone());
        }
        paths
    }
}

#[cfg(test)]
mod tests {
    use events::{ChecksWithout, GiveUpReason};

    use super::*;
    use crate::report::test_events::given_up;

    fn kept(commits: StoryCommits, diagnostics: Option<&str>) -> GivenUp {
        GivenUp {
            branch: Some("wip/f".into()),
            diagnostics: diagnostics.map(Into::into),
            ..given_up(GiveUpReason::AttemptsUsed, commits)
        }
    }

    fn diff(diagnostics: Option<&str>) -> String {
        let given_up = kept(StoryCommits::Rewound, diagnostics);
        KeptWork::of(&given_up, "ralph/shop").unwrap().diff().unwrap()
    }

    #[test]
    fn the_list_and_the_files_beside_it_are_excluded() {
        let work = "git diff ralph/shop...wip/f -- .";
        assert_eq!(diff(Some("ralph/failure-A.md")), format!("{work} ':!ralph'"));
        assert_eq!(
            diff(Some("my plan/x/failure-A.md")),
            format!("{work} ':(exclude,literal)my plan/x'")
        );
        assert_eq!(diff(None), format!("{work} ':!ralph'"));
        assert_eq!(
            diff(Some("failure-A.md")),
            format!(
                "{work} ':!tasks.json' ':!progress.txt' ':!prd.md' ':!prompt.md' \
                 ':!first-iteration.md' ':!memory-prompt.md' ':!failure-A.md'"
            )
        );
    }

    #[test]
    fn the_commands_depend_on_the_state_of_the_commits() {
        let over = |commits| {
            let given_up = kept(commits, Some("ralph/failure-A.md"));
            KeptWork::of(&given_up, "ralph/shop").unwrap().take_over()
        };
        let rewound = over(StoryCommits::Rewound).unwrap();
        assert_eq!(
            rewound,
            [
                "git switch ralph/shop",
                "git diff --binary ralph/shop...wip/f -- . ':!ralph' | git apply -3"
            ]
        );
        assert_eq!(over(StoryCommits::Nothing).unwrap(), rewound);
        assert_eq!(
            over(StoryCommits::Reverted { commit: "abc".into(), checks: ChecksWithout::NotRun })
                .unwrap()[1],
            "git diff --binary abc wip/f -- . ':!ralph' | git apply -3"
        );
        assert_eq!(over(StoryCommits::Kept { conflicts: vec![] }), None);
    }

    #[test]
    fn the_outputs_are_read_from_the_failure_branch() {
        let shown = |diagnostics| {
            let given_up = kept(StoryCommits::Rewound, diagnostics);
            KeptWork::of(&given_up, "main").unwrap().show_outputs()
        };
        assert_eq!(
            shown(Some("ralph/failure-A.md")).unwrap(),
            "git show wip/f:./ralph/failure-A.md"
        );
        assert_eq!(shown(Some("a b/failure-A.md")).unwrap(), "git show 'wip/f:./a b/failure-A.md'");
        assert_eq!(shown(None), None);
        let none = GivenUp { branch: None, ..kept(StoryCommits::Nothing, None) };
        assert!(KeptWork::of(&none, "main").is_none());
    }
}
