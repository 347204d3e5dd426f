//! `ralph-loop watch`: a run on the whole terminal, in another process than the run's own.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use dashboard::{Left, Watch, WatchError};
use events::{RunState, run_logs};
use settings::Flags;

use super::report::meant;
use super::{Done, layout, print};
use crate::cli::WatchArgs;
use crate::command_error::precondition;
use crate::{display, resolve, signals};

pub(crate) fn watch(args: &WatchArgs) -> Done {
    let layout = layout(&args.project)?;
    if run_logs::ids(&layout).context("cannot read the runs")?.is_empty() {
        return Err(precondition(
            "there is no run to watch",
            "start one with `ralph-loop`, or see it at once with `ralph-loop run --tui`",
        ));
    }
    let run = meant(&layout, args.run.as_deref())?;
    display::refuse_no_terminal(
        "`ralph-loop status` (with --json for machines) says where it stands",
    )?;
    // Broken settings are for the next run to complain about.
    let loaded = resolve::settings(&layout, &Flags::default()).ok();
    let display = loaded.map(|loaded| loaded.settings.display).unwrap_or_default();
    let over = Arc::new(AtomicBool::new(false));
    signals::note(&over).context("cannot listen for signals")?;
    let left = dashboard::watch(Watch {
        layout: &layout,
        run,
        look: display::dashboard_look(&args.look.over(display)),
        offset: display::offset(),
        replay: args.replay.then_some(args.speed),
        over,
    });
    match left {
        Ok(left) => {
            print(&farewell(&left));
            Ok(ExitCode::SUCCESS)
        }
        Err(error @ WatchError::Silent(_)) => {
            Err(precondition(error.to_string(), "try again in a moment"))
        }
        Err(WatchError::Log(error)) => {
            Err(anyhow::Error::from(error).context("cannot read the run's events"))
        }
        Err(WatchError::Terminal(error)) => {
            Err(anyhow::Error::from(error).context("cannot use the terminal"))
        }
    }
}

/// On the normal screen: what goes on, and the way back.
fn farewell(left: &Left) -> String {
    let Left { run, state } = left;
    match state {
        Some(RunState::Running) => {
            format!(
                "Run {run} goes on. Back to it: ralph-loop watch; how it stands: ralph-loop status\n"
            )
        }
        Some(RunState::Ended | RunState::Died) => {
            format!("Run {run} is over. What became of it: ralph-loop report {run}\n")
        }
        None => {
            format!("Back to run {run}: ralph-loop watch {run}; how it stands: ralph-loop status\n")
        }
    }
}
