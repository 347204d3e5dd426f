//! `ralph-loop status`.

use std::process::ExitCode;

use anyhow::{Context, Result};
use project::Layout;
use settings::Settings;

use super::{CommandResult, layout, print, settings_or_default};
use crate::cli::StatusArgs;
use crate::status::{self, ProjectStatus, RunStatus, TaskFile};
use crate::{display, json, resolve};

pub(super) fn status(args: &StatusArgs) -> CommandResult {
    let layout = layout(&args.project)?;
    let settings = settings_or_default(&layout);
    let status = situation(&layout, &settings)?;
    let look = || display::look(&args.look.over(settings.display));
    let text = || status::render(&status, &look(), display::offset());
    print(&json::or_text(args.json, &status, text)?);
    Ok(ExitCode::SUCCESS)
}

pub(super) fn situation(layout: &Layout, settings: &Settings) -> Result<ProjectStatus> {
    let run = status::newest_run(layout).context("cannot read the runs")?;
    // The log of a story loop has its review policy; without one the settings apply.
    let policy = run.as_ref().and_then(RunStatus::review_policy);
    let policy = policy.unwrap_or_else(|| resolve::review_policy(settings));
    Ok(ProjectStatus::of(events::now(), TaskFile::judged(layout), run, policy))
}
