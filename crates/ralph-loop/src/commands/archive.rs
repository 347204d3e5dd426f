//! `ralph-loop archive`.

use std::process::ExitCode;

use anyhow::{Context, Result};
use engine::BranchList;
use project::{Layout, LockError, RunLock};
use vcs::WorkTree;

use super::{CommandResult, layout, print, today};
use crate::archive::{self, ArchiveOptions};
use crate::cli::ArchiveArgs;
use crate::command_error::{git_failed, precondition};
use crate::run_report::quoted;

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

pub(super) fn archive(args: &ArchiveArgs) -> CommandResult {
    let layout = layout(&args.project)?;
    refuse_running(&layout)?;
    if engine::has_unjudged_iteration(&layout) {
        return Err(precondition(
            "the last run was interrupted, and its last iteration is not verified yet",
            "run `ralph-loop` to verify it, or `ralph-loop run --fresh` to start without it",
        ));
    }
    if !args.unfinished
        && let Some(BranchList::Unmerged { branch, .. }) = engine::branch_list(&layout)
    {
        return Err(precondition(
            format!("the work of the last run is on branch {branch}, which is not merged"),
            format!("run `git merge {}`, then archive again", quoted(&branch)),
        ));
    }
    let state = layout.state();
    let tree = WorkTree::open(layout.root()).ok();
    let options =
        ArchiveOptions { layout, label: args.label.clone(), allow_unfinished: args.unfinished };
    let report = archive::archive(&options, today(), tree.as_ref())?;
    // Counters and failures belong to the archived stories.
    if let Err(error) = std::fs::remove_file(&state)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        return Err(error).with_context(|| format!("cannot remove {}", state.display()));
    }
    print(&report.to_string());
    if let Some(Err(why)) = &report.commit {
        let what = format!("archived, but git could not commit the archive: {why}");
        return Err(git_failed(what, "commit it yourself"));
    }
    Ok(ExitCode::SUCCESS)
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
}
