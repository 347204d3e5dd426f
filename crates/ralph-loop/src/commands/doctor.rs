//! `ralph-loop doctor`.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use super::{Done, layout, print};
use crate::cli::DoctorArgs;
use crate::command_error::CommandError;
use crate::display;
use crate::doctor::{Examined, Extent, examine, render};

/// Something stands in the way of a run.
const UNWELL: u8 = 1;

/// To the start of the line, and nothing behind it.
const WIPE: &str = "\r\x1b[K";

pub(crate) fn doctor(args: &DoctorArgs) -> Done {
    let layout = layout(&args.project)?;
    let extent = if args.no_self_test { Extent::WithoutSelfTest } else { Extent::Everything };
    let is_watched = std::io::stderr().is_terminal() && !args.json;
    let examined = examine(&layout, &args.flags(), extent, &mut |doing| {
        if is_watched {
            progress(&format!("{WIPE}{doing}..."));
        }
    });
    if is_watched {
        progress(WIPE);
    }
    let Examined { checkup, settings } = examined?;
    if args.json {
        let json = serde_json::to_string_pretty(&checkup)
            .map_err(|error| CommandError::io("write JSON")(error.into()))?;
        print(&format!("{json}\n"));
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
