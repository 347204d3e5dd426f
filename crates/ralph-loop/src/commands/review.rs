//! `ralph-loop review`: reviews a range of commits without a run.

mod commits;
mod printed;
mod progress;

use std::process::ExitCode;

use engine::{InterruptedIteration, LensReview, NoFindings, StopSwitch, merged_findings};
use run_options::ReviewLens;

use printed::ReviewResult;
use progress::Progress;

use super::{CommandResult, layout_with_config, outside, print_result, with_json_error};
use crate::cli::ReviewArgs;
use crate::command_error;
use crate::{display, json, resolve, signals};

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
    let (folder, _lock) = outside::folder(&loaded, &layout, "reviews")?;
    let reviewer = loaded.settings.reviewer();
    let options = outside::options(reviewer, &args.common, layout, loaded.clone())?;
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
