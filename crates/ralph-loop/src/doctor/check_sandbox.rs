//! The sandbox for the checks of a run, and whether the project's checks pass inside it.

use std::time::Duration;

use anyhow::Result;
use engine::isolation::{CheckTrial, CheckTrialRunner, Sandbox, TrialOutcome};
use engine::{AllowedChanges, CheckSandbox};
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

pub(crate) fn judge(found: &Result<CheckSandbox>) -> Check {
    match found {
        Err(error) => Check::refused(CheckId::CheckSandbox, error),
        Ok(CheckSandbox::Used(sandbox)) => {
            let network = network_text(sandbox.network.kind());
            Check::ok(CheckId::CheckSandbox, format!("checks run in a sandbox, {network}"))
        }
        Ok(CheckSandbox::Missing(Obstacle { why, fix })) => {
            let found = format!("checks run without a sandbox: {why}");
            let fix = fix.clone().unwrap_or_else(|| "see docs/isolation.md".into());
            Check::warning(CheckId::CheckSandbox, found, Fix::todo(fix))
        }
        Ok(CheckSandbox::Off) => {
            let fix = "remove isolation.checks or --no-sandbox";
            let found = "checks run without a sandbox, as configured";
            Check::warning(CheckId::CheckSandbox, found, Fix::todo(fix))
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
        return Ok(vec![Check::not_checked(CheckId::CheckTrial, "no sandbox to run them in")]);
    };
    let keeper = programs::keeper()?;
    let allowed = AllowedChanges::new(settings.git.allow.iter().cloned());
    let trier =
        CheckTrialRunner { keeper: &keeper, layout, allowed: &allowed, stop, limit: CHECK_TIMEOUT };
    let commands = commands(settings, layout);
    if commands.is_empty() {
        return Ok(vec![Check::not_checked(CheckId::CheckTrial, "the project has no checks")]);
    }
    let tried = commands.iter().map(|command| {
        progress(&format!("running `{command}` in the sandbox"));
        let inside = trier.try_check(command, Some(sandbox));
        if inside.outcome == TrialOutcome::Passed {
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
    let mut commands: Vec<String> = listed.into_iter().chain(guardrails).collect();
    let mut seen = Vec::new();
    commands.retain(|command| {
        let is_new = !seen.contains(command);
        seen.push(command.clone());
        is_new
    });
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
        None => Check::ok(CheckId::CheckTrial, format!("`{command}` passes in the sandbox")),
        Some(TrialOutcome::Passed) => {
            let inside = describe(trial.outcome);
            let found = format!("`{command}` passes outside the sandbox, but {inside} inside it");
            Check::warning(CheckId::CheckTrial, found, Fix::todo(suggestion(trial, sandbox)))
        }
        Some(outside) => {
            let found = format!("`{command}` {} inside and outside the sandbox", describe(outside));
            Check::ok(CheckId::CheckTrial, found)
        }
    };
    let last_line = (outside.is_some() && !trial.last_line.is_empty())
        .then(|| format!("output in the sandbox: {}", trial.last_line));
    check.with_notes(trial.refused.iter().cloned().chain(last_line))
}

fn suggestion(inside: &CheckTrial, sandbox: &Sandbox) -> String {
    if !inside.refused.is_empty() {
        return "allow the items below in .ralph/settings.json".into();
    }
    let hidden = hidden_variables(sandbox);
    format!(
        "the output does not show what is missing: a file outside the project (isolation.readablePaths), a \
         variable (isolation.environment; not passed: {hidden}), or a local service on a Unix socket"
    )
}

fn hidden_variables(sandbox: &Sandbox) -> String {
    let names: Vec<String> = sandbox.hidden_variables();
    let shown = names.iter().take(8).cloned().collect::<Vec<_>>().join(", ");
    match names.len() {
        0 => "none".into(),
        more if more > 8 => format!("{shown} and {} more", more - 8),
        _ => shown,
    }
}

fn describe(outcome: TrialOutcome) -> String {
    match outcome {
        TrialOutcome::Passed => "passes".into(),
        TrialOutcome::Failed(Some(code)) => format!("fails with exit code {code}"),
        TrialOutcome::Failed(None) => "is ended by a signal".into(),
        TrialOutcome::TookTooLong => "takes longer than 15 minutes".into(),
        TrialOutcome::NotStarted => "cannot be started".into(),
    }
}
