//! What would confine the checks of a run, and whether the checks of this project work in it.

use std::time::Duration;

use anyhow::Result;
use engine::isolation::{CheckTrial, Sandbox, TrialOutcome, Trier};
use engine::{AllowedChanges, CheckSandbox};
use isolation::Obstacle;
use project::Layout;
use settings::Settings;
use supervise::StopRequests;

use super::check::{Check, Fix, Id};
use crate::programs;
use crate::report::words::network_words;
use crate::status::TaskFile;

/// For one check, once inside and once outside.
const LONGEST: Duration = Duration::from_secs(15 * 60);

pub(crate) fn judge(found: &Result<CheckSandbox>) -> Check {
    match found {
        Err(error) => Check::refused(Id::CheckSandbox, error),
        Ok(CheckSandbox::Used(sandbox)) => {
            let network = network_words(sandbox.network.kind());
            Check::ok(Id::CheckSandbox, format!("checks run in a sandbox, {network}"))
        }
        Ok(CheckSandbox::Missing(Obstacle { why, fix })) => {
            let found = format!("checks run with your rights: {why}");
            let fix = fix.clone().unwrap_or_else(|| "see docs/isolation.md".into());
            Check::warning(Id::CheckSandbox, found, Fix::todo(fix))
        }
        Ok(CheckSandbox::Off) => {
            let fix = "remove isolation.checks or --no-sandbox";
            let found = "checks run with your rights, as the settings say";
            Check::warning(Id::CheckSandbox, found, Fix::todo(fix))
        }
    }
}

/// Runs each check of the project inside and outside its sandbox.
pub(crate) fn try_checks(
    settings: &Settings,
    layout: &Layout,
    sandbox: &CheckSandbox,
    stop: &StopRequests,
    tell: &mut dyn FnMut(&str),
) -> Result<Vec<Check>> {
    let CheckSandbox::Used(sandbox) = sandbox else {
        return Ok(vec![Check::not_checked(Id::CheckTrial, "there is no sandbox to try them in")]);
    };
    let keeper = programs::keeper()?;
    let allowed = AllowedChanges::new(settings.git.allow.iter().cloned());
    let trier = Trier { keeper: &keeper, layout, allowed: &allowed, stop, limit: LONGEST };
    let commands = commands(settings, layout);
    if commands.is_empty() {
        return Ok(vec![Check::not_checked(Id::CheckTrial, "the project has no checks")]);
    }
    let tried = commands.iter().map(|command| {
        tell(&format!("trying `{command}` in the sandbox"));
        let inside = trier.try_check(command, Some(sandbox));
        if inside.outcome == TrialOutcome::Passed {
            return judge_trial(command, &inside, None, sandbox);
        }
        tell(&format!("trying `{command}` outside the sandbox"));
        let outside = trier.try_check(command, None);
        judge_trial(command, &inside, Some(&outside), sandbox)
    });
    Ok(tried.collect())
}

fn commands(settings: &Settings, layout: &Layout) -> Vec<String> {
    // Not what a session wrote that was never judged: it would run with the rights of the user.
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

/// `outside` is missing where nothing is to be compared.
fn judge_trial(
    command: &str,
    trial: &CheckTrial,
    outside: Option<&CheckTrial>,
    sandbox: &Sandbox,
) -> Check {
    let check = match outside.map(|trial| trial.outcome) {
        None => Check::ok(Id::CheckTrial, format!("`{command}` passes in the sandbox")),
        Some(TrialOutcome::Passed) => {
            let inside = words(trial.outcome);
            let found = format!("`{command}` passes outside the sandbox, and {inside} in it");
            Check::warning(Id::CheckTrial, found, Fix::todo(way_out(trial, sandbox)))
        }
        Some(outside) => {
            let found = format!("`{command}` {} in the sandbox and outside of it", words(outside));
            Check::ok(Id::CheckTrial, found)
        }
    };
    let said = (outside.is_some() && !trial.last_line.is_empty())
        .then(|| format!("in the sandbox it said: {}", trial.last_line));
    check.with_notes(trial.refused.iter().cloned().chain(said))
}

fn way_out(inside: &CheckTrial, sandbox: &Sandbox) -> String {
    if !inside.refused.is_empty() {
        return "allow what is named below in .ralph/settings.json".into();
    }
    let hidden = hidden_variables(sandbox);
    format!(
        "the output does not name what is missing: a file outside the project (isolation.readablePaths), a \
         variable (isolation.environment; not passed: {hidden}), or a service of this machine on a Unix socket"
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

fn words(outcome: TrialOutcome) -> String {
    match outcome {
        TrialOutcome::Passed => "passes".into(),
        TrialOutcome::Failed(Some(code)) => format!("fails with exit code {code}"),
        TrialOutcome::Failed(None) => "is ended by a signal".into(),
        TrialOutcome::TookTooLong => "takes longer than 15 minutes".into(),
        TrialOutcome::NotStarted => "cannot be started".into(),
    }
}
