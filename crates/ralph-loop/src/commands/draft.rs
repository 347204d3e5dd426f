//! `ralph-loop draft`: an agent writes the PRD and the stories; the runner validates them and requests repairs.

mod finish;
mod interactive;
mod outcome;
mod plan_files;
mod prompt;
mod repository;

use std::io::Read;

use agents::Completion;
use anyhow::{Context, Result};
use engine::{
    InterruptedIteration, PromptOptions, PromptSource, RunError, SessionIsolation, StartMode,
};
use events::RunEnd;
use project::{Layout, RunLock};
use settings::LoadedSettings;

use finish::DraftFinish;
use outcome::{DraftOutcome, DraftResult};
use plan_files::{PlanFiles, PrdOwner};
use repository::Repository;

use super::run::drive_to_end;
use super::status::situation;
use super::{CommandResult, dry_run, layout, print};
use crate::cli::{DraftArgs, LoopArgs, OutputFormat};
use crate::command_error::precondition;
use crate::display::RunOutput;
use crate::report::{Look, Marks, Palette};
use crate::validate::ValidationFailure;
use crate::{display, json, resolve, status};

/// Repair sessions after the one that wrote the plan.
const REPAIR_ROUNDS: u64 = 3;
const LONGEST_DESCRIPTION: u64 = 64 * 1024;

pub(crate) fn draft(args: &DraftArgs) -> CommandResult {
    let done = plan(args);
    if let (true, Err(error)) = (args.json, &done) {
        print(&json::pretty(&ValidationFailure::of(error))?);
    }
    done
}

fn plan(args: &DraftArgs) -> CommandResult {
    refuse_others(&args.common)?;
    let layout = layout(&args.common.project)?;
    refuse_missing_folder(&layout)?;
    let description = description(&args.description)?;
    if args.common.trust_settings {
        engine::trust_settings(&layout)?;
    }
    let output = if args.json { OutputFormat::Result } else { OutputFormat::Human };
    let common = LoopArgs { output, ..args.common.clone() };
    let loaded = resolve::trusted_settings(&layout, &args.flags(), InterruptedIteration::LeftAsIs)?;
    let files = PlanFiles::read(&layout, &loaded.settings)?;
    let status = status_text(&layout, &loaded)?;
    let prompt = |interactive| prompt::text(&description, &status, &layout, interactive);
    let source = PromptSource::Draft { description: description.clone(), prompt: prompt(false) };
    let options = options(source, &layout, &loaded, &common, files.prd_owner())?;
    if common.dry_run {
        return dry_run::show_prompt(&options, common.output);
    }
    let may_talk = !args.headless && !args.json && common.isolation.sandbox.is_none();
    let prompt = prompt(true);
    let talk = may_talk.then(|| interactive::command(&options.run.agent, &prompt)).flatten();
    let repository = Repository::open(&layout)?;
    let mut session = DraftSessions { options, files, loaded: &loaded, common: &common };
    let (end, rounds) = match talk {
        Some(line) => session.with_user(line)?,
        None => session.headless()?,
    };
    let outcome = session.outcome(&end, rounds, repository.as_ref())?;
    DraftFinish { args, loaded: &loaded, repository, names: session.files.names(), description }
        .finish(&outcome, &end)
}

/// How the sessions ended.
struct DraftEnd {
    run: Option<RunEnd>,
    run_id: Option<String>,
}

impl DraftEnd {
    /// An interactive session that left nothing to repair.
    const VALID: Self = Self { run: None, run_id: None };

    fn is_accepted(&self) -> bool {
        self.run.is_none_or(|end| end == RunEnd::Complete)
    }
}

/// All sessions of one draft.
struct DraftSessions<'a> {
    options: PromptOptions,
    files: PlanFiles<'a>,
    loaded: &'a LoadedSettings,
    common: &'a LoopArgs,
}

impl DraftSessions<'_> {
    /// One planning session and its repair sessions, all headless.
    fn headless(&mut self) -> Result<(DraftEnd, u64)> {
        let end = self.run(1 + REPAIR_ROUNDS)?;
        Ok((end, self.files.assessed.saturating_sub(1)))
    }

    /// One planning session on the terminal, then headless repair sessions.
    fn with_user(&mut self, line: agents::CommandLine) -> Result<(DraftEnd, u64)> {
        let layout = &self.options.run.layout;
        let lock = RunLock::acquire(layout).map_err(RunError::from)?;
        engine::refuse_unjudged_stories(layout)?;
        interactive::run(line, &self.options.run)?;
        drop(lock);
        let assessed = self.files.assess_dialogue()?;
        if assessed.objections.is_empty() {
            return Ok((DraftEnd::VALID, 0));
        }
        if let PromptSource::Draft { prompt, .. } = &mut self.options.source {
            *prompt = format!("{prompt}\n{}\n", assessed.objections.join("\n\n"));
        }
        let end = self.run(REPAIR_ROUNDS)?;
        Ok((end, self.files.assessed.saturating_sub(1)))
    }

    fn run(&mut self, sessions: u64) -> Result<DraftEnd> {
        let Self { options, files, loaded, common } = self;
        options.run.policy.max_iterations = sessions;
        let output = RunOutput::new(loaded, common, options.run.layout.clone())?;
        let finished = drive_to_end(&loaded.settings, output, |switch, output| {
            engine::run_draft(options, files, switch, output)
        })?;
        Ok(DraftEnd { run: Some(finished.end), run_id: Some(finished.run_id) })
    }

    fn outcome(
        &self,
        end: &DraftEnd,
        rounds: u64,
        repository: Option<&Repository<'_>>,
    ) -> Result<DraftOutcome> {
        let files = &self.files;
        let ended = match end.run {
            _ if end.is_accepted() && files.is_unchanged() => DraftResult::Unchanged,
            _ if end.is_accepted() => DraftResult::Planned,
            Some(RunEnd::IterationsUsed) => DraftResult::Errors,
            _ => DraftResult::Stopped,
        };
        let mut outcome = DraftOutcome {
            ended,
            validation: files.validation().ok(),
            list: files.list(),
            rounds,
            restored: files.restored.clone(),
            warnings: Vec::new(),
            drafts: Vec::new(),
        };
        if let (DraftResult::Errors | DraftResult::Stopped, Some(run)) = (ended, &end.run_id) {
            outcome.drafts = files.restore_and_save(&self.options.run.layout.run_dir(run))?;
        }
        if ended == DraftResult::Planned {
            outcome.warnings.extend(removed_checks(files, &outcome));
        }
        if let Some(repository) = repository {
            outcome.warnings.extend(repository.other_changes(&files.names())?);
        }
        Ok(outcome)
    }
}

/// Without checks only reviews find broken work, so the user is warned.
fn removed_checks(files: &PlanFiles<'_>, outcome: &DraftOutcome) -> Option<String> {
    let now = outcome.list.as_ref().map(|list| &list.verify_commands[..]).unwrap_or_default();
    let before = files.checks_before();
    let gone: Vec<&str> =
        before.iter().filter(|check| !now.contains(check)).map(String::as_str).collect();
    (!gone.is_empty()).then(|| format!("the session removed checks: {}", gone.join(", ")))
}

fn options(
    source: PromptSource,
    layout: &Layout,
    loaded: &LoadedSettings,
    common: &LoopArgs,
    prd: PrdOwner,
) -> Result<PromptOptions> {
    let completion = Completion::promise(&loaded.settings.completion_promise);
    let mut options = super::prompt::options(source, completion, layout.clone(), loaded, common)?;
    let run = &mut options.run;
    run.start = StartMode::Fresh;
    run.policy.max_iterations = 1 + REPAIR_ROUNDS;
    // Guardrails check code, and a draft writes none.
    run.guardrails.clear();
    run.scm = None;
    if let (SessionIsolation::Sandbox(sandbox), PrdOwner::Session) =
        (&mut run.agent.isolation.chosen, prd)
    {
        sandbox.project_files.push(layout.ralph_dir().join("prd.md"));
    }
    Ok(options)
}

/// The output of `ralph-loop status` without a terminal.
fn status_text(layout: &Layout, loaded: &LoadedSettings) -> Result<String> {
    let status = situation(layout, Some(&loaded.settings))?;
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
    match given.into_iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((flag, _)) => {
            let hint = "omit it; use --json for machine-readable output";
            Err(precondition(format!("draft does not support {flag}"), hint))
        }
    }
}
