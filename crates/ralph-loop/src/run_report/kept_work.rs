//! The git commands about the work that a failed story left on a branch of its own, to be given in the
//! project's root. What the runner keeps beside the task list is no part of that work.

use engine::{PutBack, SetAside};
use project::Layout;

use super::shell::{left_out, quoted};

pub(super) struct KeptWork<'r> {
    branch: &'r str,
    /// The branch of the run.
    run: &'r str,
    aside: &'r SetAside,
}

impl<'r> KeptWork<'r> {
    /// `None` if there was nothing to keep.
    pub(super) fn of(aside: &'r SetAside, run: &'r str) -> Option<Self> {
        Some(Self { branch: aside.branch.as_deref()?, run, aside })
    }

    /// Where it is and what shows it, in a sentence.
    pub(super) fn told(&self) -> String {
        let on = format!("The story was set aside; its work is on branch {}", self.branch);
        match self.diff() {
            Some(diff) => format!("{on}, and `{diff}` shows it."),
            None => format!("{on}."),
        }
    }

    /// Every output of every attempt.
    pub(super) fn show_outputs(&self) -> Option<String> {
        let file = self.aside.diagnostics.as_ref()?;
        // From the folder one is in, which need not be that of the repository.
        Some(format!("git show {}", quoted(&format!("{}:./{file}", self.branch))))
    }

    /// `None` if the work is still on the branch of the run.
    pub(super) fn diff(&self) -> Option<String> {
        self.diff_with("")
    }

    pub(super) fn take_over(&self) -> Option<[String; 2]> {
        let diff = self.diff_with(" --binary")?;
        Some([format!("git switch {}", quoted(self.run)), format!("{diff} | git apply -3")])
    }

    fn diff_with(&self, option: &str) -> Option<String> {
        let what = match &self.aside.put_back {
            PutBack::Nothing | PutBack::Rewound => {
                quoted(&format!("{}...{}", self.run, self.branch))
            }
            // The run's branch has these commits too, and one that undoes them: only with that one is
            // there a difference.
            PutBack::Undone { commit, .. } => format!("{} {}", quoted(commit), quoted(self.branch)),
            PutBack::Stays { .. } => return None,
        };
        let without: String =
            self.list_paths().iter().map(|path| format!(" {}", quoted(&left_out(path)))).collect();
        Some(format!("git diff{option} {what} -- .{without}"))
    }

    /// The task list and what lies beside it, as the runner names it: its diagnostics are there too.
    fn list_paths(&self) -> Vec<String> {
        let layout = Layout::new("");
        let Some(file) = &self.aside.diagnostics else { return layout.list_paths() };
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
    use engine::{ChecksWithout, SetAsideReason};

    use super::*;
    use crate::report::test_events::set_aside;

    fn kept(put_back: PutBack, diagnostics: Option<&str>) -> SetAside {
        SetAside {
            branch: Some("wip/f".into()),
            diagnostics: diagnostics.map(Into::into),
            ..set_aside(SetAsideReason::AttemptsUsed, put_back)
        }
    }

    fn diff(diagnostics: Option<&str>) -> String {
        let aside = kept(PutBack::Rewound, diagnostics);
        KeptWork::of(&aside, "ralph/shop").unwrap().diff().unwrap()
    }

    #[test]
    fn the_list_and_what_lies_beside_it_are_left_out() {
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
    fn it_is_taken_over_by_what_became_of_it() {
        let over = |put_back| {
            let aside = kept(put_back, Some("ralph/failure-A.md"));
            KeptWork::of(&aside, "ralph/shop").unwrap().take_over()
        };
        let rewound = over(PutBack::Rewound).unwrap();
        assert_eq!(
            rewound,
            [
                "git switch ralph/shop",
                "git diff --binary ralph/shop...wip/f -- . ':!ralph' | git apply -3"
            ]
        );
        assert_eq!(over(PutBack::Nothing).unwrap(), rewound);
        assert_eq!(
            over(PutBack::Undone { commit: "abc".into(), checks: ChecksWithout::NotRun }).unwrap()
                [1],
            "git diff --binary abc wip/f -- . ':!ralph' | git apply -3"
        );
        assert_eq!(over(PutBack::Stays { conflicts: vec![] }), None);
    }

    #[test]
    fn the_outputs_are_where_the_runner_left_them() {
        let shown = |diagnostics| {
            let aside = kept(PutBack::Rewound, diagnostics);
            KeptWork::of(&aside, "main").unwrap().show_outputs()
        };
        assert_eq!(
            shown(Some("ralph/failure-A.md")).unwrap(),
            "git show wip/f:./ralph/failure-A.md"
        );
        assert_eq!(shown(Some("a b/failure-A.md")).unwrap(), "git show 'wip/f:./a b/failure-A.md'");
        assert_eq!(shown(None), None);
        let none = SetAside { branch: None, ..kept(PutBack::Nothing, None) };
        assert!(KeptWork::of(&none, "main").is_none());
    }
}
