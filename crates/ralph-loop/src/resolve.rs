//! Turns flags and settings into the options of a run: finds programs, converts strings to types.

mod agent;
mod agent_settings;
mod command_rules;
mod docker;
mod hosts;
mod isolation;
mod jobs;
mod lanes;
mod other_agents;
mod sandbox;
mod time_limits;

use std::path::Path;

use anyhow::Result;
use engine::{
    AgentOptions, AllowedChanges, CheckSandbox, HookPrograms, InterruptedIteration, OnTimeout,
    RunOptions, RunPolicy, StartMode, TimeLimit,
};
use project::{Layout, env};
use run_options::Guardrail;
use settings::{Flags, LoadedSettings, Settings, Source};
use tasks::ReviewPolicy;

use crate::cli::LoopArgs;
use crate::command_error::precondition;
use crate::programs::{self, Base};
use crate::run_export;

pub(crate) use agent::{AgentRole, agent, kind};
pub(crate) use isolation::{Machine, choose_isolation};
pub(crate) use lanes::{lanes, lanes_dir};
pub(crate) use other_agents::{fallbacks, help};
pub(crate) use sandbox::check_sandbox;
pub(crate) use time_limits::time_limits;

use time_limits::multiplied;

/// The project settings, overridden by environment and flags, for display. To run commands from them, use
/// [`trusted_settings`].
pub(crate) fn settings(layout: &Layout, flags: &Flags) -> Result<LoadedSettings> {
    settings_from(&layout.settings(), layout, flags)
}

/// [`settings`] without changes that an agent made in an interrupted session.
pub(crate) fn trusted_settings(
    layout: &Layout,
    flags: &Flags,
    interrupted: InterruptedIteration,
) -> Result<LoadedSettings> {
    settings_from(&engine::trusted_settings(layout, interrupted)?, layout, flags)
}

/// [`trusted_settings`] of a loop, after `--trust-settings`.
pub(crate) fn loop_settings(
    layout: &Layout,
    args: &LoopArgs,
    flags: &Flags,
    interrupted: InterruptedIteration,
) -> Result<LoadedSettings> {
    if args.trust_settings {
        engine::trust_settings(layout)?;
    }
    trusted_settings(layout, flags, interrupted)
}

fn settings_from(base: &Path, layout: &Layout, flags: &Flags) -> Result<LoadedSettings> {
    let mut flags = flags.clone();
    let webhook = env::variable(env::RALPH_WEBHOOK_URL);
    flags.set_if(env::RALPH_WEBHOOK_URL, &["notifications", "webhook"], webhook);
    let loaded = settings::load(base, &layout.local_settings(), &flags)?;
    refuse_built_in_names(&loaded)?;
    Ok(loaded)
}

/// A variable with a built-in name would never reach a prompt.
fn refuse_built_in_names(loaded: &LoadedSettings) -> Result<()> {
    let own = loaded.settings.variables.keys();
    let taken = own.map(String::as_str).find(|name| engine::BUILT_IN_VARIABLES.contains(name));
    let Some(name) = taken else { return Ok(()) };
    let path = format!("variables.{name}");
    let place = place(loaded, &path);
    Err(precondition(
        format!("{place}: ${{{name}}} is a built-in variable"),
        format!("choose another name; reserved: {}", engine::BUILT_IN_VARIABLES.join(", ")),
    ))
}

/// Where a value is set: a flag, or a file with the key.
fn place(loaded: &LoadedSettings, path: &str) -> String {
    match loaded.source(path) {
        Source::Flag(name) => (*name).to_owned(),
        source => format!("{source}: {path}"),
    }
}

/// Defaults that depend on the kind of loop.
pub(crate) struct LoopDefaults {
    /// If the settings have none.
    pub(crate) max_iterations: u64,
    pub(crate) on_timeout: OnTimeout,
    /// One implementing session, if the settings have no limit.
    pub(crate) session: TimeLimit,
    /// The whole run, if the settings have no limit.
    pub(crate) run: TimeLimit,
}

/// Options that every kind of loop needs.
pub(crate) fn run_options(
    layout: Layout,
    loaded: &LoadedSettings,
    agent: AgentOptions,
    guard: Option<HookPrograms>,
    args: &LoopArgs,
    kind: &LoopDefaults,
) -> Result<RunOptions> {
    let settings = &loaded.settings;
    let root = layout.root().to_path_buf();
    let commands = command_rules::rules(&layout, settings, guard.as_ref())?;
    Ok(RunOptions {
        layout,
        // Chosen after the isolation of the sessions.
        checks: CheckSandbox::Off,
        guard,
        commands,
        allowed_changes: AllowedChanges::new(settings.git.allow.iter().cloned()),
        agent,
        fallbacks: Vec::new(),
        policy: policy(settings, kind),
        limits: time_limits(loaded, kind)?,
        guardrails: guardrails(settings),
        quoted_output: usize::try_from(settings.output_truncate_chars).unwrap_or(usize::MAX),
        variables: settings.variables.clone(),
        include_iteration_count: settings.include_iteration_count_in_prompt,
        scm: settings.scm.as_ref().map(|scm| programs::scm(scm, Base::Root(&root))).transpose()?,
        start: match (args.resume, args.fresh) {
            (true, _) => StartMode::Resume,
            (_, true) => StartMode::Fresh,
            _ => StartMode::Auto,
        },
        keeper: programs::keeper()?,
        lane: None,
        trace: run_export::trace(settings),
    })
}

pub(crate) fn review_policy(settings: &Settings) -> ReviewPolicy {
    if settings.review.skip {
        ReviewPolicy::Skipped
    } else {
        ReviewPolicy::Required { cap: settings.review.cap }
    }
}

fn policy(settings: &Settings, kind: &LoopDefaults) -> RunPolicy {
    RunPolicy {
        max_iterations: settings.maximum_iterations.unwrap_or(kind.max_iterations),
        max_cost_usd: settings.max_cost_usd,
        max_quota: settings.max_quota_percent.map(|percent| f64::from(percent) / 100.0),
        on_usage_limit: settings.on_usage_limit,
        on_timeout: kind.on_timeout,
        retries: settings.retries,
        pause: settings.pause.duration(),
    }
}

/// With multiplied time limits, and without blank hints.
fn guardrails(settings: &Settings) -> Vec<Guardrail> {
    let by = settings.time_limits.multiplier;
    let adapted = |guardrail: &Guardrail| Guardrail {
        hint: guardrail.hint.clone().filter(|hint| !hint.trim().is_empty()),
        time_limit: guardrail.time_limit.map(|time| multiplied(time.duration(), by).into()),
        ..guardrail.clone()
    };
    settings.guardrails.iter().map(adapted).collect()
}

#[cfg(test)]
mod tests {
    use run_options::TimeSpan;

    use super::*;

    #[test]
    fn a_guardrails_own_limit_is_multiplied_like_all() {
        let own = |seconds: Option<u64>| {
            let time_limit = seconds.map(TimeSpan::from_secs);
            let mut settings = Settings::default();
            settings.time_limits.multiplier = 1.5;
            settings.guardrails = vec![Guardrail { time_limit, ..Guardrail::of_command("make") }];
            guardrails(&settings)[0].time_limit
        };
        assert_eq!(own(Some(10)), Some(TimeSpan::from_secs(15)));
        assert_eq!((own(Some(0)), own(None)), (Some(TimeSpan::from_secs(0)), None));
    }
}
