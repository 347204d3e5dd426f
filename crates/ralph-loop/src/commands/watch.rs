//! `ralph-loop watch`: shows a run in a full-screen dashboard, from another process.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use dashboard::{WatchError, WatchOptions, WatchResult};
use events::{RunState, run_logs};

use super::report::find_run;
use super::{CommandResult, layout, print, settings_or_default};
use crate::cli::WatchArgs;
use crate::command_error::precondition;
use crate::{display, signals};

pub(super) fn watch(args: &WatchArgs) -> CommandResult {
    let layout = layout(&args.project)?;
    if run_logs::ids(&layout).context("cannot read the runs")?.is_empty() {
        return Err(precondition(
            "no run to watch",
            "start one with `ralph-loop`, or with `ralph-loop run --tui` to watch it at once",
        ));
    }
    let run = find_run(&layout, args.run.as_deref())?;
    display::refuse_no_terminal("use `ralph-loop status` (--json for machines)")?;
    let over = Arc::new(AtomicBool::new(false));
    signals::note(&over)?;
    let left = dashboard::watch(WatchOptions {
        layout: &layout,
        run,
        look: display::dashboard_look(&args.look.over(settings_or_default(&layout).display)),
        offset: display::offset(),
        replay: args.replay.then_some(args.speed),
        over,
    });
    let left = left.map_err(|error| match error {
        error @ WatchError::NoEvents(_) => precondition(error.to_string(), "try again in a moment"),
        WatchError::Log(error) => {
            anyhow::Error::from(error).context("cannot read the run's events")
        }
        WatchError::Terminal(error) => {
            anyhow::Error::from(error).context("cannot use the terminal")
        }
    })?;
    print(&farewell(&left));
    Ok(ExitCode::SUCCESS)
}

/// Printed after the dashboard closes: the state of the run and how to return.
fn farewell(left: &WatchResult) -> String {
    let WatchResult { run, state } = left;
    match state {
        Some(RunState::Running) => format!(
            "Run {run} continues. Watch it again: ralph-loop watch; its status: ralph-loop status\n"
        ),
        Some(RunState::Ended | RunState::Died) => {
            format!("Run {run} has ended. See the result: ralph-loop report {run}\n")
        }
        None => format!(
            "Watch run {run} again: ralph-loop watch {run}; its status: ralph-loop status\n"
        ),
    }
}
