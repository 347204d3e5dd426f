//! `ralph-loop validate`.

use std::process::ExitCode;

use settings::Flags;

use super::{Done, answer, layout_with, print};
use crate::cli::ValidateArgs;
use crate::validate::{NotRead, Validation, Verdict, render};
use crate::{display, json, resolve};

/// Warnings, where they count.
const WARNED: u8 = 1;
/// As `run`, which refuses the same list.
const REFUSED: u8 = 2;

pub(crate) fn validate(args: &ValidateArgs) -> Done {
    let done = judge(args);
    if let (true, Err(error)) = (args.json, &done) {
        print(&json::pretty(&NotRead::of(error))?);
    }
    done
}

fn judge(args: &ValidateArgs) -> Done {
    let layout = layout_with(&args.project, &args.config)?;
    // Broken settings are for the next run to complain about.
    let loaded = resolve::settings(&layout, &Flags::default()).ok();
    let settings = loaded.map(|loaded| loaded.settings).unwrap_or_default();
    let validation = Validation::read(&layout, &settings)?;
    if args.json {
        answer(&json::pretty(&validation.wire())?)?;
    } else {
        let display = args.look.over(settings.display);
        answer(&render(&validation, &display::look(&display)))?;
    }
    Ok(match validation.verdict() {
        Verdict::Ok => ExitCode::SUCCESS,
        Verdict::Warnings if !args.strict => ExitCode::SUCCESS,
        Verdict::Warnings => ExitCode::from(WARNED),
        Verdict::Errors => ExitCode::from(REFUSED),
    })
}
