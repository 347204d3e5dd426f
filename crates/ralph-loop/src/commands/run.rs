//! `ralph-loop [run]`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use engine::{
    AgentOptions, FinishedRun, HookPrograms, InterruptedIteration, LoopResult, MemoryOptions,
    OnTimeout, QualityOptions, RunError, SessionIsolation, StopSwitch, StoryOptions, TimeLimit,
};
use project::Layout;
use settings::{LoadedSettings, Settings};

use super::{CommandResult, dry_run, layout_with_config, rerun, stopped};
use crate::cli::RunArgs;
use crate::command_error::{self, precondition};
use crate::display::RunOutput;
use crate::preconditions::{refuse_root, refuse_template};
use crate::resolve::{self, AgentRole, LoopDefaults, Machine};
use crate::status::TaskFile;
use crate::{experience, guard, signals};

/// The minimum of iterations, for short lists.
pub(super) const STORY_LOOP: LoopDefaults = LoopDefaults {
    max_iterations: 15,
    on_timeout: OnTimeout::CountIteration,
    session: TimeLimit::minutes(12, 20),
    run: TimeLimit::minutes(45, 60),
};

/// Enough for a story to be reviewed twice or to use up its attempts, so that later stories get iterations too.
pub(super) const ITERATIONS_PER_STORY: u64 = 5;

/// Enough for an attempt to be implemented and reviewed, and once more if its review is void.
const ITERATIONS_PER_ATTEMPT: u64 = 3;

pub(crate) fn run(args: &RunArgs) -> CommandResult {
    let layout = layout_with_config(&args.common.project, &args.common.config)?;
    if args.common.trust_settings {
        engine::trust_settings(&layout)?;
    }
    let loaded = resolve::trusted_settings(&layout, &args.flags(), InterruptedIteration::Judged)?;
    refuse_template(&layout)?;
    let settings = &loaded.settings;
    let program = args.common.agent_program.as_deref();
    let agent = resolve::agent(AgentRole::Worker, &loaded, program, layout.root())?;
    let reviewer = reviewer(&loaded, &agent, args, layout.root())?;
    let quality = quality(&loaded, &agent, args, layout.root())?;
    let memory = memory(&loaded, &agent, args, layout.root())?;
    let agents = Agents { agent, reviewer, quality, memory, guard: None };
    let guard = hook_programs(&agents, args.common.isolation.allow_missing_hooks)?;
    let mut options = options(args, layout, &loaded, Agents { guard, ..agents })?;
    let machine =
        Machine::new(settings, &options.run.layout)?.guarded_by(options.run.guard.as_ref());
    resolve::choose_isolation(options.agents_mut(), &machine)?;
    if let Some(MemoryOptions { agent, .. }) = &mut options.memory
        && let SessionIsolation::Sandbox(sandbox) = &mut agent.isolation.chosen
    {
        // The project's memory server writes there.
        sandbox.project_folders.push(options.run.layout.memory_dir());
    }
    options.run.checks = resolve::check_sandbox(settings, &options.run.layout, &machine)?;
    options
        .agents()
        .try_for_each(|agent| refuse_root(agent.agent, agent.isolation.chosen.kind()))?;
    if args.common.dry_run {
        return dry_run::show(&options, args.common.output);
    }
    match rerun::ask_start(&args.common, &options.run) {
        Ok(start) => options.run.start = start.unwrap_or(options.run.start),
        Err(no_answer) => return stopped(no_answer, "nothing was started"),
    }
    let output = RunOutput::new(&loaded, &args.common, options.run.layout.clone())?;
    drive(settings, output, |switch, output| engine::run(&options, switch, output))
}

/// The agents of a story loop and the hook programs of their sessions.
pub(super) struct Agents {
    pub(super) agent: AgentOptions,
    pub(super) reviewer: Option<AgentOptions>,
    pub(super) quality: Option<QualityOptions>,
    pub(super) memory: Option<MemoryOptions>,
    pub(super) guard: Option<HookPrograms>,
}

impl Agents {
    fn all(&self) -> impl Iterator<Item = &AgentOptions> {
        let quality = self.quality.as_ref().map(|quality| &quality.agent);
        let memory = self.memory.as_ref().map(|memory| &memory.agent);
        [Some(&self.agent), self.reviewer.as_ref(), quality, memory].into_iter().flatten()
    }
}

/// Runs a loop with signal handling and its event outputs; returns the exit code.
pub(super) fn drive(
    settings: &Settings,
    mut output: RunOutput,
    run: impl FnOnce(&StopSwitch, &mut RunOutput) -> Result<LoopResult, RunError>,
) -> CommandResult {
    let switch = listen_for_stops(settings, &mut output)?;
    let finished = match run(&switch, &mut output)? {
        LoopResult::Ran(finished) => finished,
        LoopResult::NothingToDo { stories } => {
            output.print_nothing_to_do(&nothing_to_do(stories));
            return Ok(ExitCode::SUCCESS);
        }
    };
    Ok(ExitCode::from(finish(finished, output, &switch).end.exit_code()))
}

/// Like [`drive`], for a loop that always has work. Prints the error that ended it early.
pub(super) fn drive_to_end(
    settings: &Settings,
    mut output: RunOutput,
    run: impl FnOnce(&StopSwitch, &mut RunOutput) -> Result<FinishedRun, RunError>,
) -> Result<FinishedRun> {
    let switch = listen_for_stops(settings, &mut output)?;
    let finished = run(&switch, &mut output)?;
    Ok(finish(finished, output, &switch))
}

fn listen_for_stops(settings: &Settings, output: &mut RunOutput) -> Result<StopSwitch> {
    let switch = StopSwitch::new(settings.time_limits.stop_grace.duration());
    let show_stop = output.open(&switch)?;
    signals::listen(switch.clone(), show_stop).context("cannot listen for signals")?;
    Ok(switch)
}

fn finish(mut finished: FinishedRun, output: RunOutput, switch: &StopSwitch) -> FinishedRun {
    // The terminal is restored before anything else is printed.
    output.close(switch.requests());
    if let Some(error) = finished.error.take() {
        command_error::report(&error.into(), &mut anstream::stderr());
    }
    finished
}

fn nothing_to_do(stories: u64) -> String {
    let done = match stories {
        1 => "the only story is done".to_owned(),
        stories => format!("all {stories} stories are done"),
    };
    format!(
        "{done}: nothing to do\n\
         hint: `ralph-loop report` shows the last run; `ralph-loop archive` archives the loop\n"
    )
}

pub(super) fn options(
    args: &RunArgs,
    layout: Layout,
    loaded: &LoadedSettings,
    agents: Agents,
) -> Result<StoryOptions> {
    let settings = &loaded.settings;
    let stories = TaskFile::read(&layout).stories() as u64;
    let experience = experience::experience(&layout);
    let for_all = match args.story {
        None => ITERATIONS_PER_STORY.saturating_mul(stories),
        Some(_) => ITERATIONS_PER_ATTEMPT.saturating_mul(settings.attempts.most),
    };
    let kind =
        LoopDefaults { max_iterations: STORY_LOOP.max_iterations.max(for_all), ..STORY_LOOP };
    let run =
        resolve::run_options(layout, loaded, agents.agent, agents.guard, &args.common, &kind)?;
    Ok(StoryOptions {
        run,
        only_story: args.story.clone(),
        reviewer: agents.reviewer,
        review: resolve::review_policy(settings),
        at_review_cap: settings.review.at_cap,
        attempts: settings.attempts,
        validation: settings.validation,
        quality: agents.quality,
        memory: agents.memory,
        servers: settings.mcp_servers,
        rollback: resolve::rollback(settings),
        allow_dirty: args.allow_dirty,
        max_blocks: settings.guard.max_blocks,
        experience,
    })
}

/// `None` without reviews, or if the implementing agent reviews too.
fn reviewer(
    loaded: &LoadedSettings,
    agent: &AgentOptions,
    args: &RunArgs,
    root: &Path,
) -> Result<Option<AgentOptions>> {
    let settings = &loaded.settings;
    let reviewer = settings.reviewer();
    if settings.review.skip || reviewer == settings.agent {
        return Ok(None);
    }
    agent_for_role(AgentRole::Reviewer, &reviewer, loaded, agent, args, root).map(Some)
}

/// `None` if the quality review is off.
fn quality(
    loaded: &LoadedSettings,
    agent: &AgentOptions,
    args: &RunArgs,
    root: &Path,
) -> Result<Option<QualityOptions>> {
    let settings = &loaded.settings;
    if !settings.quality.enabled {
        return Ok(None);
    }
    let wanted = settings.quality_agent();
    let agent = if wanted == settings.agent {
        agent.clone()
    } else {
        agent_for_role(AgentRole::Quality, &wanted, loaded, agent, args, root)?
    };
    let named = settings.quality.prompt_file.as_deref();
    let prompt = named.map(|file| quality_prompt(file, root)).transpose()?;
    Ok(Some(QualityOptions { agent, prompt }))
}

/// `None` if handoffs are off.
fn memory(
    loaded: &LoadedSettings,
    agent: &AgentOptions,
    args: &RunArgs,
    root: &Path,
) -> Result<Option<MemoryOptions>> {
    let settings = &loaded.settings;
    if !settings.memory.handoffs {
        return Ok(None);
    }
    let compacting = settings.memory_agent();
    let agent = agent_for_role(AgentRole::Memory, &compacting, loaded, agent, args, root)?;
    let settings::Memory { context_tokens, compact_after_iterations, compact_after_bytes, .. } =
        settings.memory;
    Ok(Some(MemoryOptions { agent, context_tokens, compact_after_iterations, compact_after_bytes }))
}

fn quality_prompt(file: &str, root: &Path) -> Result<PathBuf> {
    let path = root.join(file);
    if path.is_file() {
        return Ok(path);
    }
    Err(precondition(
        format!("quality.promptFile: file {file} not found"),
        "use a path relative to the project root, or remove the key to use the built-in prompt",
    ))
}

/// An agent for a role other than implementing.
fn agent_for_role(
    role: AgentRole,
    wanted: &settings::Agent,
    loaded: &LoadedSettings,
    worker: &AgentOptions,
    args: &RunArgs,
    root: &Path,
) -> Result<AgentOptions> {
    let agent = &loaded.settings.agent;
    // `--agent-program` applies to every role that uses the same agent.
    let same = wanted.command == agent.command && wanted.kind == agent.kind;
    let program = args.common.agent_program.as_deref().filter(|_| same);
    let resolved = resolve::agent(role, loaded, program, root)?;
    let kind = if same { worker.agent } else { resolved.agent };
    Ok(AgentOptions { agent: kind, ..resolved })
}

pub(super) fn has_hooks(agent: &AgentOptions) -> bool {
    agent.agent.abilities().hooks
}

/// The hook programs, if any agent supports hooks.
fn hook_programs(agents: &Agents, allow_missing: bool) -> Result<Option<HookPrograms>> {
    match agents.all().any(has_hooks) {
        true => guard::require_hooks(allow_missing),
        false => Ok(None),
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use agents::Agent;
    use clap::Parser;

    use super::*;
    use crate::cli::Cli;

    /// With an agent whose program a flag names.
    fn quality_agent(
        settings: &str,
        flags: &[&str],
    ) -> Option<(Agent, Option<String>, Option<PathBuf>)> {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        std::fs::create_dir(layout.data_dir()).unwrap();
        std::fs::write(layout.settings(), settings).unwrap();
        std::fs::write(dir.path().join("look.md"), "Look.").unwrap();
        let given = ["ralph-loop", "--agent", "codex", "--agent-program", "/bin/sh", "-m", "big"];
        let args = Cli::parse_from([&given[..], flags].concat()).run;
        let loaded = resolve::settings(&layout, &args.flags()).unwrap();
        let program = args.common.agent_program.as_deref();
        let worker = resolve::agent(AgentRole::Worker, &loaded, program, dir.path()).unwrap();
        let quality = quality(&loaded, &worker, &args, dir.path()).unwrap()?;
        assert_eq!(quality.agent.program, worker.program);
        let prompt = quality.prompt.map(|path| path.strip_prefix(dir.path()).unwrap().to_owned());
        Some((quality.agent.agent, quality.agent.model, prompt))
    }

    #[test]
    fn the_quality_agent_is_the_worker_with_its_own_overrides() {
        assert_eq!(quality_agent("{}", &[]), None);
        assert_eq!(
            quality_agent("{}", &["--quality-model", "mini"]),
            None,
            "a model alone does not enable it"
        );
        let big = Some("big".to_owned());
        assert_eq!(quality_agent("{}", &["--quality"]), Some((Agent::Codex, big.clone(), None)));
        let other = ["--quality", "--quality-model", "mini"];
        assert_eq!(quality_agent("{}", &other), Some((Agent::Codex, Some("mini".into()), None)));
        let own = r#"{"quality": {"enabled": true, "promptFile": "look.md"}}"#;
        assert_eq!(quality_agent(own, &[]), Some((Agent::Codex, big, Some("look.md".into()))));
        assert_eq!(quality_agent(own, &["--no-quality"]), None);
    }
}
