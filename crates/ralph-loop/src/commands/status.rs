//! `ralph-loop status`.

use std::collections::BTreeSet;
use std::process::ExitCode;

use chrono::Utc;
use project::RunLock;
use tasks::{DEFAULT_REVIEW_CAP, ReviewPolicy};

use super::{Done, layout, print};
use crate::cli::StatusArgs;
use crate::command_error::CommandError;
use crate::display;
use crate::status::{self, Liveness, Situation, Status, TaskFile};

pub(crate) fn status(args: &StatusArgs) -> Done {
    let layout = layout(&args.project)?;
    let run = status::newest_run(&layout).map_err(CommandError::io("read the runs"))?;
    // A run says itself whether it has reviews; before the first one, they are on.
    let skips_review = run.as_ref().is_some_and(|run| run.skips_review());
    let policy = if skips_review {
        ReviewPolicy::Skipped
    } else {
        ReviewPolicy::Required { cap: DEFAULT_REVIEW_CAP }
    };
    let status = Status::of(Situation {
        now: Utc::now(),
        tasks: TaskFile::read(&layout),
        run,
        liveness: if RunLock::is_held(&layout) { Liveness::Alive } else { Liveness::NotAlive },
        policy,
        set_aside: &BTreeSet::new(),
    });
    if args.json {
        let json = serde_json::to_string_pretty(&status)
            .map_err(|error| CommandError::io("write JSON")(error.into()))?;
        print(&format!("{json}\n"));
    } else {
        print(&status::render(&status, &display::look(&args.look), display::offset()));
    }
    Ok(ExitCode::SUCCESS)
}
