//! `ralph-loop [run]`.

mod clones;
mod panel;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use engine::{
    AgentOptions, BranchList, FinishedRun, HelpOptions, HookPrograms, InterruptedIteration,
    LoopResult, MemoryOptions, OnTimeout, ProofOptions, QualityOptions, RollbackOptions, RunError,
    RunOptions, SessionIsolation, StartMode, StopSwitch, StoryOptions, TimeLimit,
};
use events::{RunEnd, Statistics};
use project::Layout;
use proof::PathPatterns;
use run_options::{FinalReviewUse, ProofUse};
use settings::{LoadedSettings, Settings};

use super::{CommandResult, dry_run, layout_with_config, pr, stopped};
use crate::cli::{LoopArgs, OutputFormat, RunArgs};
use crate::command_error::{self, precondition};
use crate::dialogue::{self, NoAnswer, RunLimits, Terminal};
use crate::display::{self, RunOutput};
use crate::preconditions::{hooks_for, refuse_root, refuse_template};
use crate::resolve::{self, AgentRole, LoopDefaults, Machine};
use crate::run_report::quoted;
use crate::status::TaskFile;
use crate::{keep_awake, signals};

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

pub(super) fn run(args: &RunArgs) -> CommandResult {
    let layout = layout_with_config(&args.common.place)?;
    let judged = InterruptedIteration::Judged;
    let loaded = resolve::loop_settings(&layout, &args.common, &args.flags(), judged)?;
    refuse_template(&layout)?;
    let mut options = session_options(args, layout, &loaded)?;
    clones::refuse_without_effect(args, &options)?;
    if args.common.dry_run {
        return dry_run::show(&options, args.common.output);
    }
    match ask_start(&args.common, &options.run) {
        Ok(start) => options.run.start = start.unwrap_or(options.run.start),
        Err(no_answer) => return stopped(no_answer, "nothing was started"),
    }
    clones::warn_of_uncommitted(&options);
    let layout = &options.run.layout;
    // Read before an agent can change the remote, the settings or the environment.
    let publisher = pr::publisher(layout, &loaded)?;
    let run = |switch: &StopSwitch, output: &mut RunOutput| {
        let result = engine::run(&options, switch, output)?;
        if let Some(publisher) = &publisher {
            pr::publish_ended(publisher, layout, &result, switch.requests(), output);
        }
        Ok(result)
    };
    drive(&loaded, &args.common, layout, run).map(exit_code)
}

/// Options with everything that sessions need on this machine: agents, hooks, isolation.
pub(super) fn session_options(
    args: &RunArgs,
    layout: Layout,
    loaded: &LoadedSettings,
) -> Result<StoryOptions> {
    let settings = &loaded.settings;
    let program = args.common.agent_program.as_deref();
    let mut agents = Agents::resolve(loaded, program, &layout)?;
    agents.guard = hooks_for(agents.all(), args.common.isolation.allow_missing_hooks)?;
    let mut options = options(args, layout, loaded, agents)?;
    let machine = Machine::new(settings, &options.run.layout, options.run.guard.as_ref())?;
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
    Ok(options)
}

/// Asks on a terminal whether to resume an incomplete run or to start afresh. `None` if no question is needed: a flag
/// decides, the output is for machines, there is no terminal, or the last run leaves no choice.
fn ask_start(args: &LoopArgs, run: &RunOptions) -> Result<Option<StartMode>, NoAnswer> {
    if args.resume || args.fresh || args.output != OutputFormat::Human {
        return Ok(None);
    }
    let last = engine::last_run(&run.layout)
        .filter(|last| !last.resumes_automatically && last.ended != Some(RunEnd::Complete));
    let Some(last) = last else { return Ok(None) };
    let Some(mut terminal) = Terminal::open().map_err(NoAnswer::Failed)? else { return Ok(None) };
    let allowed = RunLimits {
        iterations: run.policy.max_iterations,
        seconds: run.limits.run.hard.map(|time| time.as_secs_f64()),
        cost_usd: run.policy.max_cost_usd,
    };
    let now = (events::now(), display::offset());
    dialogue::fresh_or_resume(&last, allowed, now, &mut terminal).map(Some)
}

/// The agents of a story loop and the hook programs of their sessions.
pub(super) struct Agents {
    pub(super) agent: AgentOptions,
    pub(super) reviewer: Option<AgentOptions>,
    pub(super) panel: Vec<AgentOptions>,
    pub(super) quality: Option<QualityOptions>,
    pub(super) memory: Option<MemoryOptions>,
    pub(super) fallbacks: Vec<AgentOptions>,
    pub(super) help: HelpOptions,
    pub(super) guard: Option<HookPrograms>,
}

impl Agents {
    /// Without hook programs. `program` is the path from `--agent-program`.
    fn resolve(loaded: &LoadedSettings, program: Option<&Path>, layout: &Layout) -> Result<Self> {
        let root = layout.root();
        let settings = &loaded.settings;
        let of_role = |role: AgentRole<'_>| resolve::agent(role, loaded, program, root);
        let agent = of_role(AgentRole::Worker)?;
        // The implementing agent reviews too, unless the settings name another one.
        let has_reviews = !settings.review.skip || settings.review.at_end != FinalReviewUse::Off;
        let has_reviewer = has_reviews && settings.reviewer() != settings.agent;
        let reviewer = has_reviewer.then(|| of_role(AgentRole::Reviewer)).transpose()?;
        let panel = match settings.review.skip {
            true => Vec::new(),
            false => panel::panel(reviewer.as_ref().unwrap_or(&agent), settings, of_role)?,
        };
        let quality = settings.quality.enabled.then(|| {
            let agent = match settings.quality_agent() == settings.agent {
                true => agent.clone(),
                false => of_role(AgentRole::Quality)?,
            };
            let named = settings.quality.prompt_file.as_deref();
            let prompt = named.map(|file| quality_prompt(file, root)).transpose()?;
            anyhow::Ok(QualityOptions { agent, prompt })
        });
        let quality = quality.transpose()?;
        let memory = &settings.memory;
        let compacting = memory.handoffs.then(|| of_role(AgentRole::Memory)).transpose()?;
        let memory = compacting.map(|agent| MemoryOptions {
            agent,
            context_tokens: memory.context_tokens,
            compact_after_iterations: memory.compact_after_iterations,
            compact_after_bytes: memory.compact_after_bytes,
        });
        let fallbacks = resolve::fallbacks(loaded, program, root)?;
        let help = resolve::help(&agent, loaded, program, layout)?;
        Ok(Self { agent, reviewer, panel, quality, memory, fallbacks, help, guard: None })
    }

    fn all(&self) -> impl Iterator<Item = &AgentOptions> {
        let quality = self.quality.as_ref().map(|quality| &quality.agent);
        let memory = self.memory.as_ref().map(|memory| &memory.agent);
        let of_roles = [Some(&self.agent), self.reviewer.as_ref(), quality, memory];
        let others = self.panel.iter().chain(&self.fallbacks).chain(&self.help.agents);
        of_roles.into_iter().flatten().chain(others)
    }
}

/// Runs a loop with signal handling and its event outputs, and prints the error that ended it early. `None` if there was
/// nothing to do.
pub(super) fn drive(
    loaded: &LoadedSettings,
    args: &LoopArgs,
    layout: &Layout,
    run: impl FnOnce(&StopSwitch, &mut RunOutput) -> Result<LoopResult, RunError>,
) -> Result<Option<FinishedRun>> {
    let mut output = RunOutput::new(loaded, args, layout.clone())?;
    if loaded.settings.keep_awake {
        output.announces_awake(keep_awake::start());
    }
    let switch = StopSwitch::new(loaded.settings.time_limits.stop_grace.duration());
    let show_stop = output.open(&switch)?;
    signals::listen(switch.clone(), show_stop)?;
    match run(&switch, &mut output)? {
        LoopResult::NothingToDo { stories } => {
            output.print_nothing_to_do(&nothing_to_do(stories, layout));
            Ok(None)
        }
        LoopResult::Ran(mut finished) => {
            // The terminal is restored before anything else is printed.
            output.close(switch.requests());
            if let Some(error) = finished.error.take() {
                command_error::report(&error.into(), &mut anstream::stderr());
            }
            Ok(Some(finished))
        }
    }
}

pub(super) fn exit_code(finished: Option<FinishedRun>) -> ExitCode {
    finished.map_or(ExitCode::SUCCESS, |finished| ExitCode::from(finished.end.exit_code()))
}

fn nothing_to_do(stories: u64, layout: &Layout) -> String {
    let done = match stories {
        1 => "the only story is done".to_owned(),
        stories => format!("all {stories} stories are done"),
    };
    let next = match engine::branch_list(layout) {
        Some(BranchList::Unmerged { branch, .. }) => {
            format!("`git merge {}` merges the work", quoted(&branch))
        }
        _ => "`ralph-loop archive` archives the loop".to_owned(),
    };
    format!("{done}: nothing to do\nhint: `ralph-loop report` shows the last run; {next}\n")
}

pub(super) fn options(
    args: &RunArgs,
    layout: Layout,
    loaded: &LoadedSettings,
    agents: Agents,
) -> Result<StoryOptions> {
    let settings = &loaded.settings;
    check_proof(settings)?;
    let stories = TaskFile::read(&layout).stories() as u64;
    let so_far = Statistics::of_newest_runs(&layout).stories;
    let for_all = match args.story {
        None => ITERATIONS_PER_STORY.saturating_mul(stories),
        Some(_) => {
            let attempts = settings.attempts.most.saturating_add(settings.escalation.count());
            ITERATIONS_PER_ATTEMPT.saturating_mul(attempts)
        }
    };
    let program = args.common.agent_program.as_deref();
    let lanes = resolve::lanes(loaded, &layout, program)?;
    let kind =
        LoopDefaults { max_iterations: STORY_LOOP.max_iterations.max(for_all), ..STORY_LOOP };
    let mut run =
        resolve::run_options(layout, loaded, agents.agent, agents.guard, &args.common, &kind)?;
    run.fallbacks = agents.fallbacks;
    Ok(StoryOptions {
        run,
        only_story: args.story.clone(),
        reviewer: agents.reviewer,
        panel: agents.panel,
        review: resolve::review_policy(settings),
        at_review_cap: settings.review.at_cap,
        final_review: settings.review.at_end,
        attempts: settings.attempts,
        help: agents.help,
        questions: settings.questions,
        proof: ProofOptions {
            stories: settings.proof.stories,
            test_paths: settings.proof.test_paths.clone(),
            run: settings.proof.run.clone(),
        },
        validation: settings.validation,
        base_checks: settings.checks.base,
        quality: agents.quality,
        memory: agents.memory,
        servers: settings.mcp_servers,
        rollback: settings
            .rollback
            .then(|| RollbackOptions { prefix: settings.commit_prefix.clone() }),
        allow_dirty: args.allow_dirty,
        max_blocks: settings.guard.max_blocks,
        so_far,
        lanes,
    })
}

fn check_proof(settings: &Settings) -> Result<()> {
    if let Err(error) = PathPatterns::new(&settings.proof.test_paths) {
        let next = "correct proof.testPaths in the settings";
        return Err(precondition(format!("proof.testPaths: {error}"), next));
    }
    if settings.review.skip && settings.proof.stories == ProofUse::Require {
        return Err(precondition(
            "proof without reviews: a review must accept each criterion that no test shows",
            "leave out --skip-review and review.skip, or give --proof=off",
        ));
    }
    Ok(())
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
        let agents = Agents::resolve(&loaded, program, &layout).unwrap();
        let quality = agents.quality?;
        assert_eq!(quality.agent.program, agents.agent.program);
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
