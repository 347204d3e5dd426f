//! `ralph-loop init`.

use std::process::ExitCode;

use chrono::Local;

use super::{Done, layout, print};
use crate::cli::InitArgs;
use crate::scaffold::{self, Checks, Existing, InitOptions};

pub(crate) fn init(args: &InitArgs) -> Done {
    let options = InitOptions {
        layout: layout(&args.project)?,
        name: args.name.clone(),
        existing: if args.force { Existing::Replace } else { Existing::Keep },
        checks: if args.verify.is_empty() {
            Checks::Detect
        } else {
            Checks::Given(args.verify.clone())
        },
    };
    print(&scaffold::init(&options, Local::now().date_naive())?.to_string());
    Ok(ExitCode::SUCCESS)
}
