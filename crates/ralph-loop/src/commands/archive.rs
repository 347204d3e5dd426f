//! `ralph-loop archive`.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use chrono::Local;
use engine::LastRun;
use project::{Layout, LockError, RunLock};
use vcs::WorkTree;

use super::{CommandResult, layout, print};
use crate::archive::{self, ArchiveError, ArchiveOptions, ArchiveReport, CommitOutcome};
use crate::cli::ArchiveArgs;
use crate::command_error::{git_failed, precondition};
use crate::run_report::merge_commands;

/// Refuses to archive while a run is in progress.
fn refuse_running(layout: &Layout) -> Result<()> {
    if !RunLock::is_held(layout) {
        return Ok(());
    }
    match RunLock::acquire(layout) {
        Err(LockError::Held { pid }) => {
            let pid = pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default();
            let hint = "run `ralph-loop stop`, then archive again";
            Err(precondition(format!("a run is in progress{pid}"), hint))
        }
        // The run ended just now, or `archive` reports the problem with the lock.
        Ok(_) | Err(LockError::Io { .. }) => Ok(()),
    }
}

/// Adds a hint with the flag that archives anyway.
fn refusal(error: ArchiveError) -> anyhow::Error {
    let hint = match &error {
        ArchiveError::Unfinished { .. } => {
            "finish them with `ralph-loop`, or archive as is with `ralph-loop archive --unfinished`"
        }
        ArchiveError::BrokenList { .. } | ArchiveError::NoList => {
            "see `ralph-loop validate`, or archive as is with `ralph-loop archive --unfinished`"
        }
        _ => return error.into(),
    };
    precondition(error.to_string(), hint)
}

const GIT_TIMEOUT: Duration = Duration::from_secs(60);

pub(crate) fn archive(args: &ArchiveArgs) -> CommandResult {
    let layout = layout(&args.project)?;
    refuse_running(&layout)?;
    if engine::has_unjudged_iteration(&layout) {
        return Err(precondition(
            "the last run was interrupted, and its last iteration is not verified yet",
            "run `ralph-loop` to verify it, or `ralph-loop run --fresh` to start without it",
        ));
    }
    let state = layout.state();
    let tree = WorkTree::open(layout.root()).ok();
    let options =
        ArchiveOptions { layout, label: args.label.clone(), allow_unfinished: args.unfinished };
    let today = events::now().with_timezone(&Local).date_naive();
    let report = match tree {
        None => archive::archive(&options, today, None).map_err(refusal)?,
        Some(tree) => {
            let last = engine::last_run(&options.layout);
            let mut commit = |paths: &[String], message: &str| {
                let committed = tree.commit_paths(paths, message, Instant::now() + GIT_TIMEOUT);
                committed.map(drop).map_err(|error| error.to_string())
            };
            let report = archive::archive(&options, today, Some(&mut commit)).map_err(refusal)?;
            ArchiveReport {
                merge_command: merge_command(&tree, report.branch.as_deref(), last),
                ..report
            }
        }
    };
    // Counters and failures belong to the archived stories.
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
        let what = format!("archived, but git could not commit the archive: {why}");
        return Err(git_failed(what, "commit it yourself"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Shell commands that merge the list's branch into the branch where the last run began, or the default branch.
fn merge_command(tree: &WorkTree, branch: Option<&str>, last: Option<LastRun>) -> Option<String> {
    let branch = branch?;
    let deadline = Instant::now() + GIT_TIMEOUT;
    // The list can name a branch that no run has created.
    tree.branch_tip(branch, deadline).ok().flatten()?;
    let known = last.filter(|last| last.branch == branch).and_then(|last| last.base);
    let base = known.or_else(|| tree.default_branch(deadline).ok().flatten())?;
    merge_commands(branch, Some(&base)).map(|commands| commands.join(" && "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(error: &anyhow::Error) -> String {
        let mut out = Vec::new();
        crate::command_error::report(error, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_run_in_progress_is_refused_with_a_hint() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        assert!(refuse_running(&layout).is_ok());
        assert!(!layout.data_dir().exists(), "the check writes nothing");
        let _lock = RunLock::acquire(&layout).unwrap();
        let text = rendered(&refuse_running(&layout).unwrap_err());
        let pid =
            if cfg!(windows) { String::new() } else { format!(" (pid {})", std::process::id()) };
        let expected = format!("error: a run is in progress{pid}\nhint: run `ralph-loop stop`");
        assert!(text.starts_with(&expected), "{text}");
    }

    #[test]
    fn refusals_for_open_stories_name_the_flag() {
        let open = ArchiveError::Unfinished { open: vec!["US-1".into()], total: 2 };
        for error in [open, ArchiveError::NoList] {
            assert!(rendered(&refusal(error)).contains("`ralph-loop archive --unfinished`"));
        }
    }
}
