//! `ralph-loop archive`.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use chrono::Local;
use vcs::WorkTree;

use super::{Done, layout, print};
use crate::archive::{self, ArchiveOptions, CommitOutcome, Unfinished};
use crate::cli::ArchiveArgs;
use crate::command_error::{git_failed, precondition};

const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn archive(args: &ArchiveArgs) -> Done {
    let layout = layout(&args.project)?;
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
        None => archive::archive(&options, today, None)?,
        Some(tree) => {
            let mut commit = |paths: &[String], message: &str| {
                let committed = tree.commit_paths(paths, message, Instant::now() + PATIENCE);
                committed.map(drop).map_err(|error| error.to_string())
            };
            archive::archive(&options, today, Some(&mut commit))?
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
