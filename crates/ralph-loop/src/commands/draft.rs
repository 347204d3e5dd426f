//! `ralph-loop draft`: an agent writes the PRD and the stories; the runner validates them and requests repairs.

mod finish;
mod interactive;
mod outcome;
mod plan_files;
mod prompt;
mod repository;

use std::io::Read;

use anyhow::{Context, Result};
use engine::{
    FinishedRun, InterruptedIteration, LoopResult, PromptOptions, PromptSource, RunError,
    SessionIsolation, StartMode,
};
use events::RunEnd;
use project::{Layout, RunLock};
use settings::LoadedSettings;
use tasks::VerifyCommand;

use outcome::{DraftOutcome, DraftResult};
use plan_files::PlanFiles;
use repository::Repository;

use super::run::drive;
use super::status::situation;
use super::{CommandResult, dry_run, layout, refuse_given, with_json_error};
use crate::cli::{DraftArgs, LoopArgs, OutputFormat};
use crate::command_error::precondition;
use crate::report::{Look, Marks, Palette};
use crate::{display, resolve, status};

/// Repair sessions after the one that wrote the plan.
const REPAIR_ROUNDS: u64 = 3;
const LONGEST_DESCRIPTION: u64 = 64 * 1024;

pub(super) fn draft(args: &DraftArgs) -> CommandResult {
    with_json_error(args.json, plan(args))
}

fn plan(args: &DraftArgs) -> CommandResult {
    refuse_others(&args.common)?;
    let layout = layout(&args.common.place.project)?;
    refuse_missing_folder(&layout)?;
    let description = description(&args.description)?;
    let output = if args.json { OutputFormat::Result } else { OutputFormat::Human };
    let common = LoopArgs { output, ..args.common.clone() };
    let left_as_is = InterruptedIteration::LeftAsIs;
    let loaded = resolve::loop_settings(&layout, &common, &args.flags(), left_as_is)?;
    let files = PlanFiles::read(&layout, &loaded.settings)?;
    let status = status_text(&layout, &loaded)?;
    let prompt = |interactive| prompt::text(&description, &status, &layout, interactive);
    let source = PromptSource::Draft { description: description.clone(), prompt: prompt(false) };
    let options = options(source, &layout, &loaded, &common, files.session_writes_prd)?;
    if common.dry_run {
        return dry_run::show_prompt(&options, common.output);
    }
    let may_talk = !args.headless && !args.json && common.isolation.sandbox.is_none();
    let prompt = prompt(true);
    let talk = may_talk.then(|| interactive::command(&options.run.agent, &prompt)).flatten();
    let repository = Repository::open(&layout)?;
    let (loaded, common) = (&loaded, &common);
    let mut draft = Draft { args, options, files, loaded, common, repository, description };
    let run = match talk {
        Some(line) => draft.with_user(line)?,
        None => draft.headless(1 + REPAIR_ROUNDS)?,
    };
    let outcome = draft.outcome(run.as_ref())?;
    draft.finish(outcome, run.map(|run| run.end))
}

/// All sessions of one draft. `finish` shows and commits their result.
struct Draft<'a> {
    args: &'a DraftArgs,
    options: PromptOptions,
    files: PlanFiles<'a>,
    loaded: &'a LoadedSettings,
    common: &'a LoopArgs,
    repository: Option<Repository<'a>>,
    description: String,
}

impl Draft<'_> {
    /// One planning session on the terminal, then headless repair sessions. `None` if there was nothing to repair.
    fn with_user(&mut self, line: agents::CommandLine) -> Result<Option<FinishedRun>> {
        let layout = &self.options.run.layout;
        let lock = RunLock::acquire(layout).map_err(RunError::from)?;
        engine::refuse_unjudged_stories(layout)?;
        interactive::run(line, &self.options.run)?;
        drop(lock);
        let assessed = self.files.assess_dialogue()?;
        if assessed.objections.is_empty() {
            return Ok(None);
        }
        if let PromptSource::Draft { prompt, .. } = &mut self.options.source {
            *prompt = format!("{prompt}\n{}\n", assessed.objections.join("\n\n"));
        }
        self.headless(REPAIR_ROUNDS)
    }

    fn headless(&mut self, sessions: u64) -> Result<Option<FinishedRun>> {
        let Self { options, files, loaded, common, .. } = self;
        options.run.policy.max_iterations = sessions;
        let layout = options.run.layout.clone();
        drive(loaded, common, &layout, |switch, output| {
            engine::run_prompt(options, Some(files), switch, output).map(LoopResult::Ran)
        })
    }

    fn outcome(&self, run: Option<&FinishedRun>) -> Result<DraftOutcome> {
        let files = &self.files;
        let result = match run.map(|run| run.end) {
            None | Some(RunEnd::Complete) if files.is_unchanged() => DraftResult::Unchanged,
            None | Some(RunEnd::Complete) => DraftResult::Planned,
            Some(RunEnd::IterationsUsed) => DraftResult::Errors,
            Some(_) => DraftResult::Stopped,
        };
        let mut outcome = DraftOutcome::new(result, files);
        if let (DraftResult::Errors | DraftResult::Stopped, Some(run)) = (result, run) {
            let folder = self.options.run.layout.run_dir(&run.run_id);
            outcome.drafts = files.restore_and_save(&folder)?;
        }
        if result == DraftResult::Planned {
            outcome.warnings.extend(removed_checks(files, &outcome.verify_commands));
        }
        if let Some(repository) = &self.repository {
            outcome.warnings.extend(repository.other_changes(&files.names())?);
        }
        Ok(outcome)
    }
}

/// Without checks only reviews find broken work, so the user is warned.
fn removed_checks(files: &PlanFiles<'_>, now: &[VerifyCommand]) -> Option<String> {
    let before = files.checks_before();
    let gone = before.iter().filter(|check| !now.contains(check));
    let gone: Vec<&str> = gone.map(|check| check.run.as_str()).collect();
    (!gone.is_empty()).then(|| format!("the session removed checks: {}", gone.join(", ")))
}

fn options(
    source: PromptSource,
    layout: &Layout,
    loaded: &LoadedSettings,
    common: &LoopArgs,
    session_writes_prd: bool,
) -> Result<PromptOptions> {
    let mut options = super::prompt::options(source, layout.clone(), loaded, common)?;
    let run = &mut options.run;
    run.start = StartMode::Fresh;
    run.policy.max_iterations = 1 + REPAIR_ROUNDS;
    // Guardrails check code, and a draft writes none.
    run.guardrails.clear();
    run.scm = None;
    if let (SessionIsolation::Sandbox(sandbox), true) =
        (&mut run.agent.isolation.chosen, session_writes_prd)
    {
        sandbox.project_files.push(layout.ralph_dir().join("prd.md"));
    }
    Ok(options)
}

/// The output of `ralph-loop status` without a terminal.
fn status_text(layout: &Layout, loaded: &LoadedSettings) -> Result<String> {
    let status = situation(layout, &loaded.settings)?;
    let look = Look { palette: Palette::plain(), marks: Marks::ASCII, width: None };
    Ok(status::render(&status, &look, display::offset()))
}

fn description(words: &[String]) -> Result<String> {
    let text = match words {
        [dash] if dash == "-" => {
            let mut text = String::new();
            let mut input = std::io::stdin().lock().take(LONGEST_DESCRIPTION);
            input.read_to_string(&mut text).context("cannot read standard input")?;
            text
        }
        words => words.join(" "),
    };
    match text.trim() {
        "" => Err(precondition("the description is empty", "describe in a sentence what to plan")),
        text => Ok(text.to_owned()),
    }
}

fn refuse_missing_folder(layout: &Layout) -> Result<()> {
    if layout.ralph_dir().is_dir() {
        return Ok(());
    }
    let what = format!("folder {}/ not found", layout.ralph_dir_name());
    Err(precondition(what, "create it with `ralph-loop init`"))
}

/// Refuses loop options that do not apply to a draft.
fn refuse_others(common: &LoopArgs) -> Result<()> {
    let given = [
        ("--resume", common.resume),
        ("--output", common.output != OutputFormat::Human),
        ("--tui", common.tui),
    ];
    let hint = "omit it; use --json for machine-readable output";
    refuse_given(&given, |flag| precondition(format!("draft does not support {flag}"), hint))
}
