//! `ralph-loop [run]`.

use std::process::ExitCode;
use std::time::Duration;

use engine::{
    AgentOptions, DirtyPolicy, GuardSource, OnUsageLimit, Policy, Retries, RunOptions, Start,
    StopSwitch, TimeLimits,
};
use project::Layout;
use supervise::Keeper;
use tasks::ReviewPolicy;

use super::{Done, dry_run, layout};
use crate::cli::{OnLimit, RunArgs};
use crate::command_error::CommandError;
use crate::display::Audience;
use crate::{git_settings, programs, scaffold, signals};

pub(crate) fn run(args: &RunArgs) -> Done {
    let layout = layout(&args.project)?;
    refuse_subfolder(&layout)?;
    refuse_template(&layout)?;
    let agent = programs::agent(args.agent_program.as_deref())?;
    refuse_root()?;
    let options = options(args, layout, agent, programs::guard()?)?;
    if args.dry_run {
        return dry_run::show(&options, args.output);
    }
    drive(&options, args)
}

/// Runs the loop with everybody listening, to its exit code.
pub(super) fn drive(options: &RunOptions, args: &RunArgs) -> Done {
    let switch = StopSwitch::new(args.stop_grace);
    signals::listen(switch.clone()).map_err(CommandError::io("listen for signals"))?;
    let mut audience = Audience::new(args, options.layout.clone())
        .map_err(CommandError::io("write to the terminal"))?;
    let finished = engine::run(options, &switch, &mut audience)?;
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
    program: std::path::PathBuf,
    guard: GuardSource,
) -> Result<RunOptions, CommandError> {
    let limit = |time: Duration| (!time.is_zero()).then_some(time);
    let inherited = std::env::var("GIT_CONFIG_COUNT").ok();
    Ok(RunOptions {
        layout,
        agent: AgentOptions {
            program,
            model: args.model.clone(),
            max_turns: args.max_turns,
            extra_args: args.agent_arg.clone(),
            environment: git_settings::environment(inherited.as_deref()),
        },
        policy: policy(args),
        limits: TimeLimits {
            iteration: limit(args.iteration_timeout),
            idle: limit(args.idle_timeout),
            gate: limit(args.gate_timeout),
            linger: args.linger,
            ..TimeLimits::default()
        },
        dirty: if args.allow_dirty { DirtyPolicy::Allow } else { DirtyPolicy::Refuse },
        start: match (args.resume, args.fresh) {
            (true, _) => Start::Resume,
            (_, true) => Start::Fresh,
            _ => Start::Auto,
        },
        guard,
        max_blocks: None,
        keeper: Keeper::this_program().map_err(CommandError::io("find this program on disk"))?,
    })
}

fn policy(args: &RunArgs) -> Policy {
    let review = if args.skip_review {
        ReviewPolicy::Skipped
    } else {
        ReviewPolicy::Required { cap: args.review_cap }
    };
    Policy {
        max_iterations: args.max_iterations,
        review,
        max_cost_usd: args.max_cost_usd,
        max_quota: args.max_quota.map(|percent| f64::from(percent) / 100.0),
        on_usage_limit: match args.on_limit {
            OnLimit::Wait => OnUsageLimit::Wait,
            OnLimit::Stop => OnUsageLimit::Stop,
        },
        retries: Retries { most: args.retries, first_wait: args.retry_wait, ..Retries::default() },
        pause: args.pause,
    }
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
fn refuse_root() -> Result<(), CommandError> {
    if !is_root() || std::env::var_os("IS_SANDBOX").is_some_and(|value| !value.is_empty()) {
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
