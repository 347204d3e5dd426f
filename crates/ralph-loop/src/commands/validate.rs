//! `ralph-loop validate`.

use std::process::ExitCode;

use bounded_read::FileError;
use plan_check::{Origin, OtherChecks, Plan, Prd};
use project::{LARGEST_TASK_LIST, Layout};
use settings::{Flags, Settings};

use super::{Done, layout, print};
use crate::cli::ValidateArgs;
use crate::command_error::CommandError;
use crate::validate::{Validation, Verdict, render};
use crate::{display, resolve, scaffold};

/// The plan is not fit to be run.
const UNFIT: u8 = 1;
/// A PRD that is longer is there, whatever it says.
const LARGEST_PRD: u64 = 8 * 1024 * 1024;

pub(crate) fn validate(args: &ValidateArgs) -> Done {
    let layout = layout(&args.project)?;
    // Broken settings are for the next run to complain about.
    let loaded = resolve::settings(&layout, &Flags::default()).ok();
    let settings = loaded.map(|loaded| loaded.settings).unwrap_or_default();
    let validation = validation(&layout, &settings)?;
    if args.json {
        let json = serde_json::to_string_pretty(&validation.wire())
            .map_err(|error| CommandError::io("write JSON")(error.into()))?;
        print(&format!("{json}\n"));
    } else {
        let display = args.look.over(settings.display);
        print(&render(&validation, &display::look(&display)));
    }
    Ok(match validation.verdict() {
        Verdict::Ok => ExitCode::SUCCESS,
        Verdict::Warnings if !args.strict => ExitCode::SUCCESS,
        Verdict::Warnings | Verdict::Errors => ExitCode::from(UNFIT),
    })
}

fn validation(layout: &Layout, settings: &Settings) -> Result<Validation, CommandError> {
    let file = layout.tasks_name();
    let bytes = match bounded_read::read_file(&layout.tasks(), LARGEST_TASK_LIST) {
        Ok(bytes) => bytes,
        Err(FileError::TooLarge { bytes, limit }) => {
            return Ok(Validation::unread(file, plan_check::too_large(bytes, limit)));
        }
        Err(FileError::Absent) => {
            return Err(CommandError::precondition(
                format!("there is no {file} to validate"),
                "`ralph-loop init` makes one to start from, and /ralph-plan in Claude Code writes \
                 the stories with you",
            ));
        }
        Err(error) => {
            let what = format!("{file} cannot be read: {error}");
            return Err(CommandError::precondition(what, "put a task list there, and try again"));
        }
    };
    let list = tasks::inspect(&bytes);
    let is_template = list.list.as_ref().is_some_and(scaffold::is_untouched_template);
    let prd = read_prd(layout);
    let findings = plan_check::check(&Plan {
        list: &list,
        origin: if is_template { Origin::Template } else { Origin::Written },
        prd: match &prd {
            Ok(text) => Prd::Text(text),
            Err(FileError::Absent) => Prd::Missing,
            Err(_) => Prd::Unread,
        },
        reviews: resolve::review_policy(settings),
        detected_checks: &scaffold::detected_checks(layout.root()),
        other_checks: match settings.guardrails.as_slice() {
            [] => OtherChecks::None,
            _ => OtherChecks::Some,
        },
    });
    Ok(Validation::of(file, list.list, findings))
}

fn read_prd(layout: &Layout) -> Result<String, FileError> {
    let bytes = bounded_read::read_file(&layout.ralph_dir().join("prd.md"), LARGEST_PRD)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
