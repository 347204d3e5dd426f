//! `ralph-loop status`.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use events::RunView;
use project::Layout;
use settings::Settings;
use vcs::WorkTree;

use super::{CommandResult, layout, print, questions, settings_or_default};
use crate::cli::StatusArgs;
use crate::run_report::merge_commands;
use crate::status::{self, Next, ProjectStatus, RunStatus, TaskFile};
use crate::{display, json, resolve};

const GIT_TIMEOUT: Duration = Duration::from_secs(10);

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
    let mut run = status::newest_run(layout).context("cannot read the runs")?;
    if let Some(run) = &mut run {
        questions::remove_answered(layout, &mut run.view);
    }
    // The log of a story loop has its review policy; without one the settings apply.
    let policy = run.as_ref().and_then(RunStatus::review_policy);
    let policy = policy.unwrap_or_else(|| resolve::review_policy(settings));
    let mut status = ProjectStatus::of(events::now(), TaskFile::judged(layout), run, policy);
    if status.next == Next::Complete {
        status.merge = status.run.as_ref().and_then(|run| merge(layout, &run.view));
    }
    Ok(status)
}

/// The commands that merge the work of a run, if its branch is checked out and not merged.
fn merge(layout: &Layout, view: &RunView) -> Option<[String; 2]> {
    let start = view.start.as_ref()?;
    let base = start.base.as_deref()?;
    let commands = merge_commands(&start.branch, Some(base))?;
    let deadline = Instant::now() + GIT_TIMEOUT;
    let tree = WorkTree::open(layout.root()).ok()?;
    let tip = |branch| tree.branch_tip(branch, deadline).ok()?;
    let (own, base) = (tip(&start.branch)?, tip(base)?);
    let is_checked_out = tree.head(deadline).ok()?.as_ref() == Some(&own);
    let is_merged = tree.is_ancestor(&own, &base, deadline).ok()?;
    (is_checked_out && !is_merged).then_some(commands)
}
