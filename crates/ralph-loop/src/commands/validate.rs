//! `ralph-loop validate`.

use std::process::ExitCode;

use settings::Flags;

use super::{CommandResult, layout_with_config, print, print_result};
use crate::cli::ValidateArgs;
use crate::validate::{Validation, ValidationFailure, ValidationVerdict, render};
use crate::{display, json, resolve};

/// The exit code for warnings with `--strict`.
const WARNED: u8 = 1;
/// The exit code of `run` for the same list.
const REFUSED: u8 = 2;

pub(crate) fn validate(args: &ValidateArgs) -> CommandResult {
    let done = judge(args);
    if let (true, Err(error)) = (args.json, &done) {
        print(&json::pretty(&ValidationFailure::of(error))?);
    }
    done
}

fn judge(args: &ValidateArgs) -> CommandResult {
    let layout = layout_with_config(&args.project, &args.config)?;
    // The next run reports broken settings; here the defaults apply.
    let loaded = resolve::settings(&layout, &Flags::default()).ok();
    let settings = loaded.map(|loaded| loaded.settings).unwrap_or_default();
    let validation = Validation::read(&layout, &settings)?;
    if args.json {
        print_result(&json::pretty(&validation.to_json())?)?;
    } else {
        let display = args.look.over(settings.display);
        print_result(&render(&validation, &display::look(&display)))?;
    }
    Ok(match validation.verdict() {
        ValidationVerdict::Ok => ExitCode::SUCCESS,
        ValidationVerdict::Warnings if !args.strict => ExitCode::SUCCESS,
        ValidationVerdict::Warnings => ExitCode::from(WARNED),
        ValidationVerdict::Errors => ExitCode::from(REFUSED),
    })
}
