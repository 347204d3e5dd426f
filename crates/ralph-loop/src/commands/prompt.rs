//! `ralph-loop prompt`, `plan` and `build`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use agents::{Completion, CompletionTag};
use anyhow::Result;
use engine::{InterruptedIteration, LoopResult, OnTimeout, PromptOptions, PromptSource, TimeLimit};
use project::Layout;
use settings::LoadedSettings;

use super::run::{drive, exit_code};
use super::{CommandResult, dry_run, layout, layout_with_config};
use crate::cli::{LoopArgs, PlanArgs, PromptArgs, PromptLoopArgs};
use crate::command_error::{self, precondition};
use crate::preconditions::{hooks_for, refuse_root};
use crate::resolve::{self, AgentRole, LoopDefaults, Machine};

pub(super) const PROMPT_LOOP: LoopDefaults = LoopDefaults {
    max_iterations: 10,
    on_timeout: OnTimeout::Retry,
    session: TimeLimit { soft: None, hard: Some(Duration::from_secs(60 * 60)) },
    run: TimeLimit { soft: None, hard: None },
};

pub(super) fn prompt(args: &PromptArgs) -> CommandResult {
    let layout = layout(&args.more.common.place.project)?;
    let root = layout.root();
    let source = match (&args.file, &args.prompt_file, &args.prompt) {
        (Some(file), _, _) => PromptSource::Template(prompt_file(file, root)?),
        (_, Some(file), _) => PromptSource::File(prompt_file(file, root)?),
        (_, _, Some(text)) if text.trim().is_empty() => {
            let what = "the prompt is empty";
            return Err(precondition(what, "pass the task after -p"));
        }
        (_, _, text) => PromptSource::Text(text.clone().unwrap_or_default()),
    };
    run(source, args.iterations, &args.more)
}

pub(super) fn plan(args: &PlanArgs) -> CommandResult {
    run(PromptSource::Plan, args.iterations, &args.more)
}

pub(super) fn build(args: &PlanArgs) -> CommandResult {
    run(PromptSource::Build, args.iterations, &args.more)
}

fn run(source: PromptSource, iterations: Option<u64>, args: &PromptLoopArgs) -> CommandResult {
    if args.former_max_iterations.is_some() {
        let note =
            "note: -m is deprecated for the number of iterations; use -n, as in `ralph-loop run`";
        command_error::say(note, &mut anstream::stderr());
    }
    let layout = layout_with_config(&args.common.place)?;
    let flags = args.flags(iterations, tag(&source));
    let left_as_is = InterruptedIteration::LeftAsIs;
    let loaded = resolve::loop_settings(&layout, &args.common, &flags, left_as_is)?;
    let options = options(source, layout, &loaded, &args.common)?;
    if args.common.dry_run {
        return dry_run::show_prompt(&options, args.common.output);
    }
    let finished = drive(&loaded, &args.common, &options.run.layout, |switch, output| {
        engine::run_prompt(&options, None, switch, output).map(LoopResult::Ran)
    });
    finished.map(exit_code)
}

/// The options of a prompt loop, with its agent and isolation resolved.
pub(super) fn options(
    source: PromptSource,
    layout: Layout,
    loaded: &LoadedSettings,
    args: &LoopArgs,
) -> Result<PromptOptions> {
    let settings = &loaded.settings;
    let program = args.agent_program.as_deref();
    let agent = resolve::agent(AgentRole::Worker, loaded, program, layout.root())?;
    let fallbacks = resolve::fallbacks(loaded, program, layout.root())?;
    let agents = [&agent].into_iter().chain(&fallbacks);
    let guard = hooks_for(agents, args.isolation.allow_missing_hooks)?;
    let mut run = resolve::run_options(layout, loaded, agent, guard, args, &PROMPT_LOOP)?;
    run.fallbacks = fallbacks;
    let machine = Machine::new(settings, &run.layout, run.guard.as_ref())?;
    resolve::choose_isolation(run.agents_mut(), &machine)?;
    run.checks = resolve::check_sandbox(settings, &run.layout, &machine)?;
    run.agents().try_for_each(|agent| refuse_root(agent.agent, agent.isolation.chosen.kind()))?;
    Ok(PromptOptions {
        run,
        completion: match tag(&source) {
            CompletionTag::Promise => Completion::promise(&settings.completion_promise),
            CompletionTag::Response => Completion::response(&settings.completion_response),
        },
        source,
        specs_dir: settings.specs_dir.clone(),
        plan_file: settings.plan_file.clone(),
    })
}

fn tag(source: &PromptSource) -> CompletionTag {
    match source {
        PromptSource::File(_) | PromptSource::Text(_) => CompletionTag::Response,
        _ => CompletionTag::Promise,
    }
}

/// Relative to the current folder, or to the project root.
fn prompt_file(file: &Path, root: &Path) -> Result<PathBuf> {
    let candidates = [file.to_path_buf(), root.join(file)];
    let mut there = candidates.iter().filter_map(|path| path.canonicalize().ok());
    if let Some(found) = there.clone().find(|path| path.is_file()) {
        return Ok(found);
    }
    let file = file.display();
    let what = match there.next() {
        None => format!("prompt file {file} not found"),
        Some(path) if path.is_dir() => format!("{file} is a folder, not a prompt file"),
        Some(_) => format!("{file} is not a regular file, so iterations cannot read it again"),
    };
    Err(precondition(what, "pass an existing file, or the prompt itself with -p"))
}
