//! The sandbox for the checks of a run, and whether the project's checks pass inside it.

use std::time::Duration;

use anyhow::Result;
use engine::isolation::{CheckTrial, CheckTrialRunner, Sandbox};
use engine::{AllowedChanges, CheckSandbox};
use events::CheckOutcome;
use isolation::Obstacle;
use project::Layout;
use settings::Settings;
use supervise::StopRequests;

use super::check::{Check, CheckId, Fix};
use crate::programs;
use crate::report::format::network_text;
use crate::status::TaskFile;

/// Time limit of one check, inside and outside the sandbox.
const CHECK_TIMEOUT: Duration = Duration::from_secs(15 * 60);

/// Further hidden variables are only counted.
const MOST_NAMES: usize = 8;

pub(crate) fn judge(found: &Result<CheckSandbox>) -> Check {
    match found {
        Err(error) => CheckId::CheckSandbox.refused(error),
        Ok(CheckSandbox::Used(sandbox)) => {
            let network = network_text(sandbox.network.kind());
            CheckId::CheckSandbox.ok(format!("checks run in a sandbox, {network}"))
        }
        Ok(CheckSandbox::Missing(Obstacle { why, fix })) => {
            let found = format!("checks run without a sandbox: {why}");
            let fix = fix.clone().unwrap_or_else(|| "see docs/isolation.md".into());
            CheckId::CheckSandbox.warning(found, Fix::todo(fix))
        }
        Ok(CheckSandbox::Off) => {
            let fix = "remove isolation.checks or --no-sandbox";
            let found = "checks run without a sandbox, as configured";
            CheckId::CheckSandbox.warning(found, Fix::todo(fix))
        }
    }
}

/// Runs each check of the project inside and outside its sandbox.
pub(crate) fn try_checks(
    settings: &Settings,
    layout: &Layout,
    sandbox: &CheckSandbox,
    stop: &StopRequests,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<Check>> {
    let CheckSandbox::Used(sandbox) = sandbox else {
        return Ok(vec![CheckId::CheckTrial.not_checked("no sandbox to run them in")]);
    };
    let keeper = programs::keeper()?;
    let allowed = AllowedChanges::new(settings.git.allow.iter().cloned());
    let trier =
        CheckTrialRunner { keeper: &keeper, layout, allowed: &allowed, stop, limit: CHECK_TIMEOUT };
    let commands = commands(settings, layout);
    if commands.is_empty() {
        return Ok(vec![CheckId::CheckTrial.not_checked("the project has no checks")]);
    }
    let tried = commands.iter().map(|command| {
        progress(&format!("running `{command}` in the sandbox"));
        let inside = trier.try_check(command, Some(sandbox));
        if inside.outcome == CheckOutcome::Passed {
            return judge_trial(command, &inside, None, sandbox);
        }
        progress(&format!("running `{command}` outside the sandbox"));
        let outside = trier.try_check(command, None);
        judge_trial(command, &inside, Some(&outside), sandbox)
    });
    Ok(tried.collect())
}

fn commands(settings: &Settings, layout: &Layout) -> Vec<String> {
    // Only verified commands: they run with the user's rights.
    let listed = TaskFile::judged(layout).0.verify_commands();
    let guardrails = settings.guardrails.iter().map(|guardrail| guardrail.command.clone());
    let mut commands: Vec<String> = Vec::new();
    for command in listed.into_iter().chain(guardrails) {
        if !commands.contains(&command) {
            commands.push(command);
        }
    }
    commands
}

/// `outside` is `None` if the check passed inside.
fn judge_trial(
    command: &str,
    trial: &CheckTrial,
    outside: Option<&CheckTrial>,
    sandbox: &Sandbox,
) -> Check {
    let check = match outside.map(|trial| trial.outcome) {
        None => CheckId::CheckTrial.ok(format!("`{command}` passes in the sandbox")),
        Some(CheckOutcome::Passed) => {
            let inside = describe(trial.outcome);
            let found = format!("`{command}` passes outside the sandbox, but {inside} inside it");
            CheckId::CheckTrial.warning(found, Fix::todo(suggestion(trial, sandbox)))
        }
        Some(outside) => {
            let found = format!("`{command}` {} inside and outside the sandbox", describe(outside));
            CheckId::CheckTrial.ok(found)
        }
    };
    let last_line = (outside.is_some() && !trial.last_line.is_empty())
        .then(|| format!("output in the sandbox: {}", trial.last_line));
    check.with_notes(trial.refused.iter().cloned().chain(last_line))
}

fn suggestion(inside: &CheckTrial, sandbox: &Sandbox) -> String {
    if !inside.refused.is_empty() {
        return "allow the items above in .ralph/settings.json".into();
    }
    let names = sandbox.hidden_variables();
    let hidden = match &names[..] {
        [] => "none".to_owned(),
        names if names.len() <= MOST_NAMES => names.join(", "),
        names => {
            let (shown, more) = names.split_at(MOST_NAMES);
            format!("{} and {} more", shown.join(", "), more.len())
        }
    };
    format!(
        "the output does not show what is missing: a file outside the project (isolation.readablePaths), a \
         variable (isolation.environment; not passed: {hidden}), or a local service on a Unix socket"
    )
}

fn describe(outcome: CheckOutcome) -> String {
    match outcome {
        CheckOutcome::Passed => "passes".into(),
        CheckOutcome::Failed(Some(code)) => format!("fails with exit code {code}"),
        CheckOutcome::Failed(None) => "is ended by a signal".into(),
        CheckOutcome::TimedOut => "takes longer than 15 minutes".into(),
        CheckOutcome::NotStarted => "cannot be started".into(),
    }
}
