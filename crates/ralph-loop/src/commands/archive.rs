//! `ralph-loop archive`.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use chrono::Local;
use engine::LastRun;
use project::{Layout, LockError, RunLock};
use vcs::WorkTree;

use super::{Done, layout, print};
use crate::archive::{
    self, ArchiveError, ArchiveOptions, ArchiveReport, CommitOutcome, Unfinished,
};
use crate::cli::ArchiveArgs;
use crate::command_error::{git_failed, precondition};
use crate::run_report::take_over_commands;

/// A run that works is not one that was cut off.
fn refuse_running(layout: &Layout) -> Result<()> {
    if !RunLock::is_held(layout) {
        return Ok(());
    }
    match RunLock::acquire(layout) {
        Err(LockError::Held { pid }) => {
            let pid = pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default();
            let hint = "`ralph-loop stop` ends it after the agent's answer; archive then";
            Err(precondition(format!("a run is in progress{pid}"), hint))
        }
        // It ended just now, or the archive reports what is wrong with the lock.
        Ok(_) | Err(LockError::Io { .. }) => Ok(()),
    }
}

/// Names the flag where one helps.
fn refusal(error: ArchiveError) -> anyhow::Error {
    let hint = match &error {
        ArchiveError::Unfinished { .. } => {
            "`ralph-loop` works on them; `ralph-loop archive --unfinished` puts the loop away as it is"
        }
        ArchiveError::BrokenList { .. } | ArchiveError::NoList => {
            "`ralph-loop validate` says what is wrong; `ralph-loop archive --unfinished` puts the loop \
             away as it is"
        }
        _ => return error.into(),
    };
    precondition(error.to_string(), hint)
}

const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn archive(args: &ArchiveArgs) -> Done {
    let layout = layout(&args.project)?;
    refuse_running(&layout)?;
    if engine::has_unjudged_iteration(&layout) {
        return Err(precondition(
            "the last run was cut off, and what its iteration left is not judged yet",
            "let `ralph-loop` judge it first; `ralph-loop run --fresh` forgets it",
        ));
    }
    let state = layout.state();
    let tree = WorkTree::open(layout.root()).ok();
    let options = ArchiveOptions {
        layout,
        label: args.label.clone(),
        unfinished: if args.unfinished { Unfinished::Archive } else { Unfinished::Refuse },
    };
    let today = engine::now().with_timezone(&Local).date_naive();
    let report = match tree {
        None => archive::archive(&options, today, None).map_err(refusal)?,
        Some(tree) => {
            let last = engine::last_run(&options.layout);
            let mut commit = |paths: &[String], message: &str| {
                let committed = tree.commit_paths(paths, message, Instant::now() + PATIENCE);
                committed.map(drop).map_err(|error| error.to_string())
            };
            let report = archive::archive(&options, today, Some(&mut commit)).map_err(refusal)?;
            ArchiveReport { take_over: take_over(&tree, report.branch.as_deref(), last), ..report }
        }
    };
    // Counters and failures belong to the stories that are put away.
    match std::fs::remove_file(&state) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(
                anyhow::Error::from(error).context(format!("cannot remove {}", state.display()))
            );
        }
        _ => {}
    }
    print(&report.to_string());
    if let CommitOutcome::Failed { why } = &report.commit {
        let what = format!("everything is archived, but not committed: {why}");
        return Err(git_failed(what, "commit it yourself"));
    }
    Ok(ExitCode::SUCCESS)
}

/// What brings the work of the list's branch to the branch that the last run began on, else to the default branch.
fn take_over(tree: &WorkTree, branch: Option<&str>, last: Option<LastRun>) -> Option<String> {
    let branch = branch?;
    let deadline = Instant::now() + PATIENCE;
    // Some lists name a branch that no run has made.
    tree.branch_tip(branch, deadline).ok().flatten()?;
    let known = last.filter(|last| last.branch == branch).and_then(|last| last.base);
    let base = known.or_else(|| tree.default_branch(deadline).ok().flatten())?;
    take_over_commands(branch, Some(&base)).map(|commands| commands.join(" && "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(error: &anyhow::Error) -> String {
        let mut out = Vec::new();
        crate::command_error::report(error, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_run_in_progress_is_named_with_the_way_to_end_it() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        assert!(refuse_running(&layout).is_ok());
        assert!(!layout.data_dir().exists(), "it only looks");
        let _lock = RunLock::acquire(&layout).unwrap();
        let text = said(&refuse_running(&layout).unwrap_err());
        let pid =
            if cfg!(windows) { String::new() } else { format!(" (pid {})", std::process::id()) };
        let expected = format!("error: a run is in progress{pid}\nhint: `ralph-loop stop` ");
        assert!(text.starts_with(&expected), "{text}");
    }

    #[test]
    fn who_is_refused_for_open_stories_is_told_the_flag() {
        let open = ArchiveError::Unfinished { open: vec!["US-1".into()], total: 2 };
        for error in [open, ArchiveError::NoList] {
            assert!(said(&refusal(error)).contains("`ralph-loop archive --unfinished`"));
        }
    }
}
