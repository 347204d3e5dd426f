//! `ralph-loop [run]`.

use std::path::Path;
use std::process::ExitCode;

use agents::{Ability, Agent};
use engine::{
    AgentOptions, DirtyPolicy, Finished, GuardSource, OnTimeout, RunError, StopSwitch, StoryOptions,
};
use project::Layout;
use settings::{Loaded, Settings};

use super::{Done, dry_run, layout};
use crate::cli::RunArgs;
use crate::command_error::CommandError;
use crate::display::Audience;
use crate::resolve::{self, Loop, Part};
use crate::{programs, scaffold, signals};

/// Seed of the review cycle: about five stories with their reviews.
pub(super) const STORY_LOOP: Loop = Loop { max_iterations: 15, on_timeout: OnTimeout::UseUp };

pub(crate) fn run(args: &RunArgs) -> Done {
    let layout = layout(&args.common.project)?;
    refuse_subfolder(&layout)?;
    // Whoever writes the first story next wants to hear of broken settings now.
    let loaded = resolve::settings(&layout, &args.flags())?;
    refuse_template(&layout)?;
    let settings = &loaded.settings;
    let program = args.common.agent_program.as_deref();
    let agent = resolve::agent(Part::Worker, &loaded, program, layout.root())?;
    let reviewer = reviewer(&loaded, &agent, args, layout.root())?;
    let guard = guard(&agent, reviewer.as_ref())?;
    for agent in [Some(&agent), reviewer.as_ref()].into_iter().flatten() {
        refuse_root(agent.agent)?;
    }
    let options = options(args, layout, settings, Agents { agent, reviewer, guard })?;
    if args.common.dry_run {
        return dry_run::show(&options, args.common.output);
    }
    let audience = Audience::new(&loaded, &args.common, options.run.layout.clone())?;
    drive(settings, audience, |switch, audience| engine::run(&options, switch, audience))
}

/// Who works on the stories, and what guards their sessions.
pub(super) struct Agents {
    pub(super) agent: AgentOptions,
    pub(super) reviewer: Option<AgentOptions>,
    pub(super) guard: Option<GuardSource>,
}

/// Runs a loop with everybody listening, to its exit code.
pub(super) fn drive(
    settings: &Settings,
    mut audience: Audience,
    run: impl FnOnce(&StopSwitch, &mut Audience) -> Result<Finished, RunError>,
) -> Done {
    let switch = StopSwitch::new(settings.time_limits.stop_grace.duration());
    signals::listen(switch.clone()).map_err(CommandError::io("listen for signals"))?;
    let finished = run(&switch, &mut audience)?;
    // The terminal is given back before anything else is said.
    drop(audience);
    if let Some(error) = finished.error {
        CommandError::from(error).report(&mut anstream::stderr());
    }
    Ok(ExitCode::from(finished.end.exit_code()))
}

pub(super) fn options(
    args: &RunArgs,
    layout: Layout,
    settings: &Settings,
    agents: Agents,
) -> Result<StoryOptions, CommandError> {
    let run = resolve::run_options(layout, settings, agents.agent, &args.common, &STORY_LOOP)?;
    Ok(StoryOptions {
        run,
        reviewer: agents.reviewer,
        review: resolve::review_policy(settings),
        dirty: if args.allow_dirty { DirtyPolicy::Allow } else { DirtyPolicy::Refuse },
        guard: agents.guard,
        max_blocks: settings.guard.max_blocks,
    })
}

/// None if the agent reviews as it works.
fn reviewer(
    loaded: &Loaded,
    agent: &AgentOptions,
    args: &RunArgs,
    root: &Path,
) -> Result<Option<AgentOptions>, CommandError> {
    let settings = &loaded.settings;
    let reviewer = settings.reviewer();
    if settings.review.skip || reviewer == settings.agent {
        return Ok(None);
    }
    // The same program, where the user said it is.
    let same = reviewer.command == settings.agent.command && reviewer.kind == settings.agent.kind;
    let program = args.common.agent_program.as_deref().filter(|_| same);
    let resolved = resolve::agent(Part::Reviewer, loaded, program, root)?;
    let kind = if same { agent.agent } else { resolved.agent };
    Ok(Some(AgentOptions { agent: kind, ..resolved }))
}

/// Programs of the guard are needed where an agent has hooks to call them by.
fn guard(
    agent: &AgentOptions,
    reviewer: Option<&AgentOptions>,
) -> Result<Option<GuardSource>, CommandError> {
    let has_hooks = |options: &AgentOptions| options.agent.abilities().hooks == Ability::Yes;
    let wanted = has_hooks(agent) || reviewer.is_some_and(has_hooks);
    wanted.then(programs::guard).transpose()
}

/// From a subfolder the loop is found, but not started: its root is where checks run.
fn refuse_subfolder(layout: &Layout) -> Result<(), CommandError> {
    if layout.tasks().exists() {
        return Ok(());
    }
    let ralph_dir = layout.ralph_dir_name();
    let mut above = layout.root().ancestors().skip(1);
    let Some(root) = above.find(|folder| folder.join(&ralph_dir).join("tasks.json").is_file())
    else {
        return Ok(());
    };
    Err(CommandError::precondition(
        format!("there is no {} here", layout.tasks_name()),
        format!("the loop is in {}: go there, or name it with -d", root.display()),
    ))
}

fn refuse_template(layout: &Layout) -> Result<(), CommandError> {
    let bytes = bounded_read::read_file(&layout.tasks(), project::LARGEST_TASK_LIST);
    let list = bytes.ok().and_then(|bytes| tasks::inspect(&bytes).list);
    if !list.is_some_and(|list| scaffold::is_untouched_template(&list)) {
        return Ok(());
    }
    Err(CommandError::precondition(
        format!("{} still holds only the example story", layout.tasks_name()),
        "describe what you want in prd.md and the stories in tasks.json; every story needs criteria \
         that somebody else could check",
    ))
}

/// Claude Code itself refuses to skip permissions for root, after a start for nothing.
pub(super) fn refuse_root(agent: Agent) -> Result<(), CommandError> {
    let sandboxed = || std::env::var_os("IS_SANDBOX").is_some_and(|value| !value.is_empty());
    if agent != Agent::Claude || !is_root() || sandboxed() {
        return Ok(());
    }
    Err(CommandError::precondition(
        "Claude Code does not run unattended as root",
        "run as another user; or, if this machine is a sandbox made for it, set IS_SANDBOX=1",
    ))
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::getuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}
