//! `ralph-loop doctor`.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use engine::StopSwitch;

use super::{CommandResult, layout_with_config, print};
use crate::cli::DoctorArgs;
use crate::display;
use crate::doctor::{DoctorOptions, examine, render};
use crate::json;
use crate::signals;

/// The exit code if a run cannot start.
const NOT_READY: u8 = 1;

/// Clears the current line of the terminal.
const CLEAR_LINE: &str = "\r\x1b[K";

pub(super) fn doctor(args: &DoctorArgs) -> CommandResult {
    let layout = layout_with_config(&args.place)?;
    let switch = StopSwitch::new(Duration::ZERO);
    signals::listen(switch.clone(), |_| {})?;
    let options = DoctorOptions {
        layout: &layout,
        flags: &args.flags(),
        agent_program: args.agent_program.as_deref(),
        allow_missing_hooks: args.isolation.allow_missing_hooks,
        self_test: !args.no_self_test,
        check_trials: args.checks,
        stop: switch.requests(),
    };
    let is_watched = std::io::stderr().is_terminal() && !args.json;
    let examined = examine(&options, &mut |doing| {
        if is_watched {
            progress(&format!("{CLEAR_LINE}{doing}..."));
        }
    });
    if is_watched {
        progress(CLEAR_LINE);
    }
    // Partial results can be wrong: the signal also ended programs that had not answered yet.
    if let Some(signal) = switch.requested() {
        return Ok(ExitCode::from(signal.end().exit_code()));
    }
    let (checkup, settings) = examined?;
    let look = || display::look(&args.look.over(settings.display));
    print(&json::or_text(args.json, &checkup, || render(&checkup, &look()))?);
    Ok(if checkup.ok { ExitCode::SUCCESS } else { ExitCode::from(NOT_READY) })
}

fn progress(text: &str) {
    // Progress is optional, so write errors are ignored.
    let _ = std::io::stderr().write_all(text.as_bytes());
}
