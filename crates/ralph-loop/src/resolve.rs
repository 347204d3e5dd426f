//! Turns flags and settings into the options of a run: finds programs, converts strings to types.

mod addresses;
mod agent;
mod agent_settings;
mod check_sandbox;
mod command_rules;
mod docker;
mod hosts;
mod isolation;
mod sandbox;
mod time_limits;

use std::path::Path;

use anyhow::Result;
use engine::{
    AgentOptions, AllowedChanges, AtReviewCap, AttemptLimits, CheckSandbox, Guardrail,
    GuardrailKind, GuardrailTime, HookPrograms, InterruptedIteration, OnTimeout, OnUsageLimit,
    Retries, RollbackOptions, RunOptions, RunPolicy, ScmOptions, ScmTask, ServerPolicy, StartMode,
    TimeLimit, ValidationStrategy,
};
use events::FailAction;
use project::{Layout, env};
use settings::{Flags, LoadedSettings, Settings, Source};
use tasks::ReviewPolicy;

use crate::cli::LoopArgs;
use crate::command_error::precondition;
use crate::programs::{self, Base};

pub(crate) use agent::{AgentRole, agent, kind};
pub(crate) use check_sandbox::check_sandbox;
pub(crate) use isolation::{Machine, choose_isolation};
pub(crate) use time_limits::time_limits;

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
        policy: policy(settings, kind),
        limits: time_limits(loaded, kind)?,
        guardrails: settings
            .guardrails
            .iter()
            .map(|wanted| guardrail(wanted, settings.time_limits.multiplier))
            .collect(),
        quoted_output: usize::try_from(settings.output_truncate_chars).unwrap_or(usize::MAX),
        variables: settings.variables.clone(),
        include_iteration_count: settings.include_iteration_count_in_prompt,
        scm: settings.scm.as_ref().map(|wanted| scm(wanted, &root)).transpose()?,
        start: match (args.resume, args.fresh) {
            (true, _) => StartMode::Resume,
            (_, true) => StartMode::Fresh,
            _ => StartMode::Auto,
        },
        keeper: programs::keeper()?,
    })
}

pub(crate) fn review_policy(settings: &Settings) -> ReviewPolicy {
    if settings.review.skip {
        ReviewPolicy::Skipped
    } else {
        ReviewPolicy::Required { cap: settings.review.cap }
    }
}

pub(crate) fn at_review_cap(settings: &Settings) -> AtReviewCap {
    match settings.review.at_cap {
        settings::AtCap::Approve => AtReviewCap::Approve,
        settings::AtCap::Fail => AtReviewCap::Fail,
    }
}

pub(crate) fn servers(settings: &Settings) -> ServerPolicy {
    match settings.mcp_servers {
        settings::McpServers::Isolated => ServerPolicy::Isolated,
        settings::McpServers::Inherited => ServerPolicy::Inherited,
    }
}

pub(crate) fn rollback(settings: &Settings) -> Option<RollbackOptions> {
    settings.rollback.then(|| RollbackOptions { prefix: settings.commit_prefix.clone() })
}

pub(crate) fn attempts(settings: &Settings) -> AttemptLimits {
    let settings::Attempts { most, stuck_after, strategy_shifts } = settings.attempts;
    AttemptLimits { most, stuck_after, strategy_shifts }
}

pub(crate) fn validation(settings: &Settings) -> ValidationStrategy {
    match settings.validation {
        settings::Validation::Strict => ValidationStrategy::Strict,
        settings::Validation::Lenient => ValidationStrategy::Lenient,
        settings::Validation::TestsOnly => ValidationStrategy::TestsOnly,
    }
}

fn policy(settings: &Settings, kind: &LoopDefaults) -> RunPolicy {
    RunPolicy {
        max_iterations: settings.maximum_iterations.unwrap_or(kind.max_iterations),
        max_cost_usd: settings.max_cost_usd,
        max_quota: settings.max_quota_percent.map(|percent| f64::from(percent) / 100.0),
        on_usage_limit: match settings.on_usage_limit {
            settings::OnUsageLimit::Wait => OnUsageLimit::Wait,
            settings::OnUsageLimit::Stop => OnUsageLimit::Stop,
        },
        on_timeout: kind.on_timeout,
        retries: Retries {
            most: settings.retries.most,
            first_wait: settings.retries.first_wait.duration(),
            ..Retries::default()
        },
        pause: settings.pause.duration(),
    }
}

fn guardrail(guardrail: &settings::Guardrail, multiplier: f64) -> Guardrail {
    Guardrail {
        command: guardrail.command.clone(),
        kind: match guardrail.kind {
            settings::GuardrailKind::Test => GuardrailKind::Test,
            settings::GuardrailKind::Lint => GuardrailKind::Lint,
            settings::GuardrailKind::Build => GuardrailKind::Build,
            settings::GuardrailKind::Other => GuardrailKind::Other,
        },
        fail_action: match guardrail.fail_action {
            settings::FailAction::Append => FailAction::Append,
            settings::FailAction::Prepend => FailAction::Prepend,
            settings::FailAction::Replace => FailAction::Replace,
        },
        hint: guardrail.hint.clone().filter(|hint| !hint.trim().is_empty()),
        time_limit: match guardrail.time_limit.map(settings::TimeSpan::limit) {
            None => GuardrailTime::AsAll,
            Some(None) => GuardrailTime::Unlimited,
            Some(Some(time)) => GuardrailTime::Within(time_limits::multiplied(time, multiplier)),
        },
    }
}

fn scm(scm: &settings::Scm, root: &Path) -> Result<ScmOptions> {
    let tasks = scm.tasks.iter().map(|task| match task {
        settings::ScmTask::Commit => ScmTask::Commit,
        settings::ScmTask::Push => ScmTask::Push,
    });
    Ok(ScmOptions {
        program: programs::scm(&scm.command, Base::Root(root))?,
        tasks: tasks.collect(),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_guardrails_own_limit_is_multiplied_like_all() {
        let own = |seconds: Option<u64>| {
            let wanted = settings::Guardrail {
                command: "make".into(),
                kind: settings::GuardrailKind::Test,
                fail_action: settings::FailAction::Append,
                hint: None,
                time_limit: seconds.map(settings::TimeSpan::from_secs),
            };
            guardrail(&wanted, 1.5).time_limit
        };
        assert_eq!(own(Some(10)), GuardrailTime::Within(Duration::from_secs(15)));
        assert_eq!((own(Some(0)), own(None)), (GuardrailTime::Unlimited, GuardrailTime::AsAll));
    }

    #[test]
    fn attempt_and_review_settings_reach_the_run() {
        let mut settings = Settings::default();
        assert_eq!(attempts(&settings), AttemptLimits::default());
        assert_eq!(at_review_cap(&settings), AtReviewCap::default());
        settings.attempts = settings::Attempts { most: 9, stuck_after: 4, strategy_shifts: 1 };
        settings.review.at_cap = settings::AtCap::Fail;
        let expected = AttemptLimits { most: 9, stuck_after: 4, strategy_shifts: 1 };
        assert_eq!((attempts(&settings), at_review_cap(&settings)), (expected, AtReviewCap::Fail));
    }
}
