//! `ralph-loop doctor`.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use engine::StopSwitch;

use super::{Done, layout_with, print};
use crate::cli::DoctorArgs;
use crate::display;
use crate::doctor::{CheckTrials, Examined, Extent, Wish, examine, render};
use crate::json;
use crate::signals;

/// Something stands in the way of a run.
const UNWELL: u8 = 1;

/// To the start of the line, and nothing behind it.
const WIPE: &str = "\r\x1b[K";

pub(crate) fn doctor(args: &DoctorArgs) -> Done {
    let layout = layout_with(&args.project, &args.config)?;
    let switch = StopSwitch::new(Duration::ZERO);
    signals::listen(switch.clone(), |_| {}).context("cannot listen for signals")?;
    let wish = Wish {
        layout: &layout,
        flags: &args.flags(),
        agent_program: args.agent_program.as_deref(),
        unguarded: args.isolation.unguarded(),
        extent: if args.no_self_test { Extent::WithoutSelfTest } else { Extent::Everything },
        check_trials: if args.checks { CheckTrials::Wanted } else { CheckTrials::LeftOut },
        stop: switch.requests(),
    };
    let is_watched = std::io::stderr().is_terminal() && !args.json;
    let examined = examine(&wish, &mut |doing| {
        if is_watched {
            progress(&format!("{WIPE}{doing}..."));
        }
    });
    if is_watched {
        progress(WIPE);
    }
    // What was found until then may be wrong: programs were ended that had not answered yet.
    if let Some(signal) = switch.heard() {
        return Ok(ExitCode::from(signal.end().exit_code()));
    }
    let Examined { checkup, settings } = examined?;
    if args.json {
        print(&json::pretty(&checkup)?);
    } else {
        let display = args.look.over(settings.display);
        print(&render(&checkup, &display::look(&display)));
    }
    Ok(if checkup.is_well() { ExitCode::SUCCESS } else { ExitCode::from(UNWELL) })
}

fn progress(text: &str) {
    // Nobody watches a terminal that cannot be written to.
    let _ = std::io::stderr().write_all(text.as_bytes());
}
