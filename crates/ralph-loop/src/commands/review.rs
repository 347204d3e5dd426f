//! `ralph-loop review`: reviews a range of commits without a run.

mod commits;
mod printed;
mod progress;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;
use engine::{
    InterruptedIteration, LensReview, NoFindings, RunError, StopSwitch, StoryOptions,
    merged_findings,
};
use project::{Layout, LockError, RunLock};
use run_options::ReviewLens;
use settings::{LoadedSettings, SecondAgent};

use printed::ReviewResult;
use progress::Progress;

use super::{CommandResult, layout_with_config, print_result, run, with_json_error};
use crate::cli::{Cli, ReviewArgs, RunArgs};
use crate::command_error::{self, precondition};
use crate::{display, json, resolve, signals};

/// Reviews of a project.
const MOST_AT_ONCE: u32 = 16;

pub(super) fn review(args: &ReviewArgs) -> CommandResult {
    with_json_error(args.json, done(args))
}

fn done(args: &ReviewArgs) -> CommandResult {
    let layout = layout_with_config(&args.common.place)?;
    let left_as_is = InterruptedIteration::LeftAsIs;
    let loaded = resolve::loop_settings(&layout, &args.common, &args.flags(), left_as_is)?;
    let range = commits::range(layout.root(), args.range.as_deref())?;
    let lenses = match &args.lens[..] {
        [] => vec![ReviewLens::Correctness],
        given => without_doubles(given),
    };
    let (folder, _lock) = folder(&loaded, &layout)?;
    let options = options(args, layout, loaded.clone())?;
    let switch = StopSwitch::new(loaded.settings.time_limits.stop_grace.duration());
    signals::listen(switch.clone(), |stop| {
        command_error::say(&signals::describe(stop), &mut anstream::stderr());
    })?;
    let mut progress = Progress::new(&lenses, args.common.verbose);
    let reviews = engine::review_range(&options, &range, &lenses, &folder, &switch, &mut progress)?;
    let findings = merged_findings(&reviews);
    let result = ReviewResult::new(&range, &options.run.agent.name(), &reviews, findings);
    let look = || display::look(&loaded.settings.display);
    print_result(&json::or_text(args.json, &result, || result.text(&look()))?)?;
    let signal = switch.requested().map(|signal| signal.end().exit_code());
    Ok(ExitCode::from(signal.unwrap_or_else(|| exit_code(&reviews))))
}

/// A lens without a list of findings must not look like one that found nothing.
fn exit_code(reviews: &[LensReview]) -> u8 {
    let is_failed = |why: fn(&NoFindings) -> bool| {
        reviews.iter().any(|review| review.findings.as_ref().is_err_and(why))
    };
    if is_failed(|why| matches!(why, NoFindings::CostCeiling)) {
        return 3;
    }
    if is_failed(|_| true) {
        return 4;
    }
    let has_findings = reviews.iter().flat_map(|review| &review.findings).any(|it| !it.is_empty());
    u8::from(has_findings)
}

fn without_doubles(lenses: &[ReviewLens]) -> Vec<ReviewLens> {
    let mut found = Vec::new();
    for lens in lenses {
        if !found.contains(lens) {
            found.push(*lens);
        }
    }
    found
}

/// The reviewer is the only agent.
fn options(args: &ReviewArgs, layout: Layout, mut loaded: LoadedSettings) -> Result<StoryOptions> {
    let settings = &mut loaded.settings;
    settings.agent = settings.reviewer();
    settings.review.by = SecondAgent::default();
    (settings.review.reviewers, settings.review.panel) = (None, Vec::new());
    (settings.quality.enabled, settings.memory.handoffs) = (false, false);
    (settings.separate, settings.jobs) = (false, 1);
    for place in [&mut settings.on, &mut settings.checks.on] {
        *place = settings::Executor::LOCAL.into();
    }
    let Cli { run, .. } = Cli::try_parse_from(["ralph-loop"])?;
    let args = RunArgs { common: args.common.clone(), ..run };
    run::session_options(&args, layout, &loaded)
}

/// A folder for clones, outside of the project, and the lock that keeps other reviews out of it. Its name is used again,
/// because sandboxes are named after their folder and kept.
fn folder(loaded: &LoadedSettings, layout: &Layout) -> Result<(PathBuf, RunLock)> {
    let of_all = resolve::lanes_dir(loaded, layout)?.join("reviews");
    for number in 1..=MOST_AT_ONCE {
        let folder = of_all.join(number.to_string());
        let of_folder = Layout::new(&folder);
        match std::fs::create_dir_all(of_folder.data_dir()) {
            Err(error) => {
                return Err(precondition(
                    format!("cannot create {}: {error}", folder.display()),
                    "choose another folder with lanes.dir in the settings",
                ));
            }
            Ok(()) => match RunLock::acquire(&of_folder) {
                Ok(lock) => return Ok((folder, lock)),
                Err(LockError::Held { .. }) => {}
                Err(error) => return Err(RunError::from(error).into()),
            },
        }
    }
    Err(precondition(
        format!("{MOST_AT_ONCE} reviews of this project are running"),
        "wait until one of them has ended",
    ))
}
