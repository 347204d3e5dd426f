//! `ralph-loop validate`.

use std::process::ExitCode;

use anyhow::Result;
use bounded_read::FileError;
use plan_check::{Branch, Origin, OtherChecks, Plan, Prd};
use project::{LARGEST_TASK_LIST, Layout};
use settings::{Flags, Settings};

use super::{Done, answer, layout_with, print};
use crate::cli::ValidateArgs;
use crate::command_error::precondition;
use crate::validate::{NotRead, Validation, Verdict, render};
use crate::{display, json, resolve, scaffold};

/// Warnings, where they count.
const WARNED: u8 = 1;
/// As `run`, which refuses the same list.
const REFUSED: u8 = 2;
/// More than any session could take in.
const LARGEST_PRD: u64 = 8 * 1024 * 1024;

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
    let validation = validation(&layout, &settings)?;
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

fn validation(layout: &Layout, settings: &Settings) -> Result<Validation> {
    let file = layout.tasks_name();
    let bytes = match bounded_read::read_file(&layout.tasks(), LARGEST_TASK_LIST) {
        Ok(bytes) => bytes,
        Err(FileError::TooLarge { bytes, limit }) => {
            return Ok(Validation::unread(file, plan_check::too_large(bytes, limit)));
        }
        Err(FileError::Absent) => {
            return Err(precondition(
                format!("there is no {file} to validate"),
                "`ralph-loop init` makes one to start from, and /ralph-plan in Claude Code writes \
                 the stories with you",
            ));
        }
        Err(error) => {
            let what = format!("{file} cannot be read: {error}");
            return Err(precondition(what, "put a task list there, and try again"));
        }
    };
    let list = tasks::inspect(&bytes);
    let is_template = list.list.as_ref().is_some_and(scaffold::is_untouched_template);
    let branch = list.list.as_ref().map(|list| list.branch_name.as_str());
    let prd = read_prd(layout);
    let findings = plan_check::check(&Plan {
        list: &list,
        origin: if is_template { Origin::Template } else { Origin::Written },
        branch: match branch.is_none_or(vcs::is_branch_name) {
            true => Branch::Legal,
            false => Branch::Illegal,
        },
        prd: match &prd {
            ReadPrd::Missing => Prd::Missing,
            ReadPrd::Text(text) => Prd::Text(text),
            ReadPrd::Unreadable(why) => Prd::Unreadable(why),
        },
        reviews: resolve::review_policy(settings),
        detected_checks: &scaffold::detected_checks(layout.root()),
        other_checks: match settings.guardrails.as_slice() {
            [] => OtherChecks::None,
            _ => OtherChecks::Some,
        },
    });
    Ok(Validation::of(file, list, findings))
}

enum ReadPrd {
    Missing,
    Text(String),
    Unreadable(String),
}

fn read_prd(layout: &Layout) -> ReadPrd {
    let bytes = match bounded_read::read_file(&layout.ralph_dir().join("prd.md"), LARGEST_PRD) {
        Ok(bytes) => bytes,
        Err(FileError::Absent) => return ReadPrd::Missing,
        Err(error) => return ReadPrd::Unreadable(error.to_string()),
    };
    match String::from_utf8(bytes) {
        // UTF-16 of plain English is UTF-8 with a zero behind each letter.
        Ok(text) if !text.contains('\0') => ReadPrd::Text(text),
        _ => ReadPrd::Unreadable("it is not text in UTF-8".into()),
    }
}
