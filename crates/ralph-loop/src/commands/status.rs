//! `ralph-loop status`.

use std::process::ExitCode;

use anyhow::{Context, Result};
use project::Layout;
use settings::{Flags, Settings};
use tasks::{DEFAULT_REVIEW_CAP, ReviewPolicy};

use super::{CommandResult, layout, print};
use crate::cli::StatusArgs;
use crate::status::{self, ProjectStatus, RunStatus, StatusInput, TaskFile};
use crate::{display, json, resolve};

pub(crate) fn status(args: &StatusArgs) -> CommandResult {
    let layout = layout(&args.project)?;
    // The next run reports broken settings; here the defaults apply.
    let loaded = resolve::settings(&layout, &Flags::default()).ok();
    let settings = loaded.map(|loaded| loaded.settings);
    let status = situation(&layout, settings.as_ref())?;
    if args.json {
        print(&json::pretty(&status)?);
    } else {
        let display = args.look.over(settings.map(|settings| settings.display).unwrap_or_default());
        print(&status::render(&status, &display::look(&display), display::offset()));
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn situation(layout: &Layout, settings: Option<&Settings>) -> Result<ProjectStatus> {
    let run = status::newest_run(layout).context("cannot read the runs")?;
    // The log of a story loop has its review policy; without one the settings apply.
    let policy = run.as_ref().and_then(RunStatus::review_policy);
    let policy = policy.or_else(|| settings.map(resolve::review_policy));
    let policy = policy.unwrap_or(ReviewPolicy::Required { cap: DEFAULT_REVIEW_CAP });
    let (tasks, judged) = TaskFile::judged(layout);
    Ok(ProjectStatus::of(StatusInput { now: events::now(), tasks, judged, run, policy }))
}
