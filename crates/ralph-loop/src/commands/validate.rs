//! `ralph-loop validate`.

use std::process::ExitCode;

use super::{
    CommandResult, layout_with_config, print_result, settings_or_default, with_json_error,
};
use crate::cli::ValidateArgs;
use crate::validate::{Validation, ValidationVerdict, render};
use crate::{display, json};

/// The exit code for warnings with `--strict`.
const WARNED: u8 = 1;
/// The exit code of `run` for the same list.
const REFUSED: u8 = 2;

pub(super) fn validate(args: &ValidateArgs) -> CommandResult {
    with_json_error(args.json, judge(args))
}

fn judge(args: &ValidateArgs) -> CommandResult {
    let layout = layout_with_config(&args.place)?;
    let settings = settings_or_default(&layout);
    let validation = Validation::read(&layout, &settings)?;
    let look = || display::look(&args.look.over(settings.display));
    let text = || render(&validation, &look());
    print_result(&json::or_text(args.json, &validation, text)?)?;
    Ok(match validation.verdict {
        ValidationVerdict::Errors => ExitCode::from(REFUSED),
        ValidationVerdict::Warnings if args.strict => ExitCode::from(WARNED),
        ValidationVerdict::Ok | ValidationVerdict::Warnings => ExitCode::SUCCESS,
    })
}
