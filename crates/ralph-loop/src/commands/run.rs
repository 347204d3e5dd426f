//! `ralph-loop [run]`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use engine::{
    AgentOptions, CutOff, DirtyPolicy, Finished, HookPrograms, LoopResult, MemoryOptions,
    OnTimeout, QualityOptions, RunError, SessionIsolation, StopSwitch, StoryOptions, TimeLimits,
};
use project::Layout;
use settings::{Loaded, Settings};

use super::{Done, dry_run, layout_with, rerun, stopped};
use crate::cli::RunArgs;
use crate::command_error::{self, precondition};
use crate::display::Audience;
use crate::guard::Unguarded;
use crate::preconditions::{refuse_root, refuse_template};
use crate::resolve::{self, Loop, Machine, Part};
use crate::status::TaskFile;
use crate::{experience, guard, signals};

/// At least so many iterations, however short the list is.
pub(super) const STORY_LOOP: Loop = Loop {
    max_iterations: 15,
    on_timeout: OnTimeout::UseUp,
    session: TimeLimits::IMPLEMENT,
    run: TimeLimits::RUN,
};

/// Enough for a story to be reviewed twice, or to use up its attempts, so that the ones after it get
/// their turn.
pub(super) const ITERATIONS_PER_STORY: u64 = 5;

/// Enough for an attempt to be implemented and reviewed, and once more if its review is void.
const ITERATIONS_PER_ATTEMPT: u64 = 3;

pub(crate) fn run(args: &RunArgs) -> Done {
    let layout = layout_with(&args.common.project, &args.common.config)?;
    // Whoever writes the first story next wants to hear of broken settings now.
    if args.common.trust_settings {
        engine::trust_settings(&layout)?;
    }
    let loaded = resolve::settings_to_obey(&layout, &args.flags(), CutOff::Judged)?;
    refuse_template(&layout)?;
    let settings = &loaded.settings;
    let program = args.common.agent_program.as_deref();
    let agent = resolve::agent(Part::Worker, &loaded, program, layout.root())?;
    let reviewer = reviewer(&loaded, &agent, args, layout.root())?;
    let quality = quality(&loaded, &agent, args, layout.root())?;
    let memory = memory(&loaded, &agent, args, layout.root())?;
    let agents = Agents { agent, reviewer, quality, memory, guard: None };
    let guard = guard(&agents, args.common.isolation.unguarded())?;
    let mut options = options(args, layout, &loaded, Agents { guard, ..agents })?;
    let machine =
        Machine::new(settings, &options.run.layout)?.guarded_by(options.run.guard.as_ref());
    resolve::choose_isolation(options.agents_mut(), &machine)?;
    if let Some(MemoryOptions { agent, .. }) = &mut options.memory
        && let SessionIsolation::Sandbox(sandbox) = &mut agent.isolation.chosen
    {
        // The server with the memory of the project writes there.
        sandbox.project_folders.push(options.run.layout.memory_dir());
    }
    options.run.checks = resolve::check_sandbox(settings, &options.run.layout, &machine)?;
    options
        .agents()
        .try_for_each(|agent| refuse_root(agent.agent, agent.isolation.chosen.kind()))?;
    if args.common.dry_run {
        return dry_run::show(&options, args.common.output);
    }
    match rerun::asked(&args.common, &options.run) {
        Ok(start) => options.run.start = start.unwrap_or(options.run.start),
        Err(silence) => return stopped(silence, "nothing was started"),
    }
    let audience = Audience::new(&loaded, &args.common, options.run.layout.clone())?;
    drive(settings, audience, |switch, audience| engine::run(&options, switch, audience))
}

/// Who works on the stories, and what guards their sessions.
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

/// Runs a loop with everybody listening, to its exit code.
pub(super) fn drive(
    settings: &Settings,
    mut audience: Audience,
    run: impl FnOnce(&StopSwitch, &mut Audience) -> Result<LoopResult, RunError>,
) -> Done {
    let switch = listening(settings, &mut audience)?;
    let finished = match run(&switch, &mut audience)? {
        LoopResult::Ran(finished) => finished,
        LoopResult::NothingToDo { stories } => {
            audience.tell_nothing_to_do(&nothing_to_do(stories));
            return Ok(ExitCode::SUCCESS);
        }
    };
    Ok(ExitCode::from(closed(finished, audience, &switch).end.exit_code()))
}

/// A loop that always runs, to how it ended. What ended it early is reported.
pub(super) fn driven(
    settings: &Settings,
    mut audience: Audience,
    run: impl FnOnce(&StopSwitch, &mut Audience) -> Result<Finished, RunError>,
) -> Result<Finished> {
    let switch = listening(settings, &mut audience)?;
    let finished = run(&switch, &mut audience)?;
    Ok(closed(finished, audience, &switch))
}

fn listening(settings: &Settings, audience: &mut Audience) -> Result<StopSwitch> {
    let switch = StopSwitch::new(settings.time_limits.stop_grace.duration());
    let told = audience.take_seats(&switch)?;
    signals::listen(switch.clone(), told).context("cannot listen for signals")?;
    Ok(switch)
}

fn closed(mut finished: Finished, audience: Audience, switch: &StopSwitch) -> Finished {
    // The terminal is given back before anything else is said.
    audience.leave(switch.requests());
    if let Some(error) = finished.error.take() {
        command_error::report(&error.into(), &mut anstream::stderr());
    }
    finished
}

fn nothing_to_do(stories: u64) -> String {
    let done = match stories {
        1 => "the one story is done".to_owned(),
        stories => format!("all {stories} stories are done"),
    };
    format!(
        "{done}: nothing to do\n\
         hint: `ralph-loop report` shows the last run; `ralph-loop archive` puts the loop away\n"
    )
}

pub(super) fn options(
    args: &RunArgs,
    layout: Layout,
    loaded: &Loaded,
    agents: Agents,
) -> Result<StoryOptions> {
    let settings = &loaded.settings;
    let stories = TaskFile::read(&layout).stories() as u64;
    let experience = experience::experience(&layout);
    let for_all = match args.story {
        None => ITERATIONS_PER_STORY.saturating_mul(stories),
        Some(_) => ITERATIONS_PER_ATTEMPT.saturating_mul(settings.attempts.most),
    };
    let kind = Loop { max_iterations: STORY_LOOP.max_iterations.max(for_all), ..STORY_LOOP };
    let run =
        resolve::run_options(layout, loaded, agents.agent, agents.guard, &args.common, &kind)?;
    Ok(StoryOptions {
        run,
        only_story: args.story.clone(),
        reviewer: agents.reviewer,
        review: resolve::review_policy(settings),
        at_review_cap: resolve::at_review_cap(settings),
        attempts: resolve::attempts(settings),
        validation: resolve::validation(settings),
        quality: agents.quality,
        memory: agents.memory,
        servers: resolve::servers(settings),
        rollback: resolve::rollback(settings),
        dirty: if args.allow_dirty { DirtyPolicy::Allow } else { DirtyPolicy::Refuse },
        max_blocks: settings.guard.max_blocks,
        experience,
    })
}

/// None if the agent reviews as it works.
fn reviewer(
    loaded: &Loaded,
    agent: &AgentOptions,
    args: &RunArgs,
    root: &Path,
) -> Result<Option<AgentOptions>> {
    let settings = &loaded.settings;
    let reviewer = settings.reviewer();
    if settings.review.skip || reviewer == settings.agent {
        return Ok(None);
    }
    second(Part::Reviewer, &reviewer, loaded, agent, args, root).map(Some)
}

/// None if nobody is to look.
fn quality(
    loaded: &Loaded,
    agent: &AgentOptions,
    args: &RunArgs,
    root: &Path,
) -> Result<Option<QualityOptions>> {
    let settings = &loaded.settings;
    if !settings.quality.enabled {
        return Ok(None);
    }
    let looker = settings.quality_agent();
    let agent = if looker == settings.agent {
        agent.clone()
    } else {
        second(Part::Quality, &looker, loaded, agent, args, root)?
    };
    let named = settings.quality.prompt_file.as_deref();
    let prompt = named.map(|file| quality_prompt(file, root)).transpose()?;
    Ok(Some(QualityOptions { agent, prompt }))
}

/// None if iterations leave no handoffs.
fn memory(
    loaded: &Loaded,
    agent: &AgentOptions,
    args: &RunArgs,
    root: &Path,
) -> Result<Option<MemoryOptions>> {
    let settings = &loaded.settings;
    if !settings.memory.handoffs {
        return Ok(None);
    }
    let compacting = settings.memory_agent();
    let agent = second(Part::Memory, &compacting, loaded, agent, args, root)?;
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
        format!("quality.promptFile: there is no file {file}"),
        "a path from the project's root is meant; without the key, the built-in prompt is used",
    ))
}

/// An agent for another part than the work.
fn second(
    part: Part,
    wanted: &settings::Agent,
    loaded: &Loaded,
    worker: &AgentOptions,
    args: &RunArgs,
    root: &Path,
) -> Result<AgentOptions> {
    let agent = &loaded.settings.agent;
    // The same program, where the user said it is.
    let same = wanted.command == agent.command && wanted.kind == agent.kind;
    let program = args.common.agent_program.as_deref().filter(|_| same);
    let resolved = resolve::agent(part, loaded, program, root)?;
    let kind = if same { worker.agent } else { resolved.agent };
    Ok(AgentOptions { agent: kind, ..resolved })
}

pub(super) fn has_hooks(agent: &AgentOptions) -> bool {
    agent.agent.abilities().hooks
}

/// Programs of the guard are needed where an agent has hooks to call them by.
fn guard(agents: &Agents, unguarded: Unguarded) -> Result<Option<HookPrograms>> {
    match agents.all().any(has_hooks) {
        true => guard::guard(unguarded),
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

    /// With an agent whose program is where a flag says.
    fn looked_at(
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
        let worker = resolve::agent(Part::Worker, &loaded, program, dir.path()).unwrap();
        let quality = quality(&loaded, &worker, &args, dir.path()).unwrap()?;
        assert_eq!(quality.agent.program, worker.program);
        let prompt = quality.prompt.map(|path| path.strip_prefix(dir.path()).unwrap().to_owned());
        Some((quality.agent.agent, quality.agent.model, prompt))
    }

    #[test]
    fn the_worker_looks_at_the_quality_with_what_differs_if_anybody_does() {
        assert_eq!(looked_at("{}", &[]), None);
        assert_eq!(looked_at("{}", &["--quality-model", "mini"]), None, "that asks for nothing");
        let big = Some("big".to_owned());
        assert_eq!(looked_at("{}", &["--quality"]), Some((Agent::Codex, big.clone(), None)));
        let other = ["--quality", "--quality-model", "mini"];
        assert_eq!(looked_at("{}", &other), Some((Agent::Codex, Some("mini".into()), None)));
        let own = r#"{"quality": {"enabled": true, "promptFile": "look.md"}}"#;
        assert_eq!(looked_at(own, &[]), Some((Agent::Codex, big, Some("look.md".into()))));
        assert_eq!(looked_at(own, &["--no-quality"]), None);
    }
}
