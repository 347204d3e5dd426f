//! `ralph-loop sync`.

use std::process::ExitCode;

use super::{CommandResult, layout, print_result};
use crate::cli::SyncArgs;
use crate::json;
use crate::sync::{self, SyncMode, SyncOptions};

pub(super) fn sync(args: &SyncArgs) -> CommandResult {
    let mode = if args.dry_run { SyncMode::DryRun } else { SyncMode::Change };
    let options = SyncOptions { pull: args.pr, mode };
    let report = sync::sync(&layout(&args.project)?, options)?;
    print_result(&json::or_text(args.json, &report, || report.text())?)?;
    Ok(ExitCode::SUCCESS)
}
