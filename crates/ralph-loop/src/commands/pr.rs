//! `ralph-loop pr`, and the pull request at the end of `run --pr`.

use std::process::ExitCode;

use anyhow::Result;
use engine::{FinishedRun, InterruptedIteration, LoopResult, Observer};
use events::{LoopEvent, PullRequestOutcome, PullRequestResult, RunEnd, Stamped};
use project::Layout;
use run_options::PullRequestUse;
use serde::Serialize;
use settings::{Flags, LoadedSettings};
use supervise::StopRequests;

use super::{CommandResult, layout, print_result, report};
use crate::cli::PrArgs;
use crate::command_error;
use crate::display::RunOutput;
use crate::pull_request::{Publisher, Readiness, RunWork};
use crate::{json, resolve};

const VERSION: u64 = 1;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PullRequestJson<'r> {
    version: u64,
    run: &'r str,
    #[serde(flatten)]
    result: &'r PullRequestResult,
}

/// What would be published.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Draft<'r> {
    version: u64,
    run: &'r str,
    repository: String,
    branch: &'r str,
    /// `None`: the default branch of the repository.
    base: Option<&'r str>,
    title: String,
    body: String,
}

pub(super) fn pr(args: &PrArgs) -> CommandResult {
    let layout = layout(&args.project)?;
    let run = report::find_run(&layout, args.run.as_deref())?;
    let work = RunWork::read(&layout, &run)?;
    work.refuse_running()?;
    let branch = work.branch()?;
    let interrupted = InterruptedIteration::LeftAsIs;
    let loaded = resolve::trusted_settings(&layout, &Flags::new(), interrupted)?;
    if args.dry_run {
        return dry_run(args, &Publisher::read(&layout, &loaded)?, &work, branch);
    }
    let readiness = if args.ready { Readiness::Ready } else { Readiness::Draft };
    let publish = || {
        Publisher::read(&layout, &loaded)?.publish(&layout, &work, readiness, &StopRequests::new())
    };
    let result = match publish() {
        Ok(result) => result,
        Err(error) => {
            let code = command_error::report(&error, &mut anstream::stderr());
            command_error::say(&safe(branch, args), &mut anstream::stderr());
            return Ok(code);
        }
    };
    let json = PullRequestJson { version: VERSION, run: &work.report.run, result: &result };
    print_result(&json::or_text(args.json, &json, || text(&result))?)?;
    Ok(ExitCode::SUCCESS)
}

fn safe(branch: &str, args: &PrArgs) -> String {
    let run = args.run.as_ref().map_or_else(String::new, |run| format!(" --run {run}"));
    format!("note: the work is on branch {branch}; `ralph-loop pr{run}` tries again")
}

fn dry_run(args: &PrArgs, publisher: &Publisher, work: &RunWork, branch: &str) -> CommandResult {
    let text = work.text(publisher.repository(), "");
    let draft = Draft {
        version: VERSION,
        run: &work.report.run,
        repository: publisher.repository().path(),
        branch,
        base: publisher.base(),
        title: text.title,
        body: text.section,
    };
    let shown = || {
        let base = draft.base.unwrap_or("the default branch");
        let Draft { repository, title, body, .. } = &draft;
        format!("{title}\n{branch} into {base} of {repository}\n\n{body}\n")
    };
    print_result(&json::or_text(args.json, &draft, shown)?)?;
    Ok(ExitCode::SUCCESS)
}

fn text(result: &PullRequestResult) -> String {
    let what = match result.outcome {
        PullRequestOutcome::Created => "opened",
        PullRequestOutcome::Updated => "updated",
        PullRequestOutcome::Unchanged | PullRequestOutcome::Failed => "unchanged",
    };
    format!("Pull request {what}: {}\n", result.url.as_deref().unwrap_or_default())
}

/// `None` if the settings want no pull request. A run that could not publish its work is refused before it starts.
pub(super) fn publisher(layout: &Layout, loaded: &LoadedSettings) -> Result<Option<Publisher>> {
    match loaded.settings.forge.pull_request {
        PullRequestUse::Off => Ok(None),
        PullRequestUse::Run => {
            let publisher = Publisher::read(layout, loaded)?;
            publisher.require_token()?;
            Ok(Some(publisher))
        }
    }
}

/// After the run, whose result is settled: a failure is only reported.
pub(super) fn publish_ended(
    publisher: &Publisher,
    layout: &Layout,
    result: &LoopResult,
    stop: &StopRequests,
    output: &mut RunOutput,
) {
    let LoopResult::Ran(FinishedRun { run_id, end, error: None }) = result else { return };
    let is_over = matches!(
        end,
        RunEnd::Complete | RunEnd::StoriesFailed | RunEnd::QuestionsOpen | RunEnd::Blocked
    );
    let work = match RunWork::read(layout, run_id) {
        Ok(work) if is_over && !work.report.completed.is_empty() => work,
        // A log that cannot be read has no result to publish.
        Ok(_) | Err(_) => return,
    };
    let published = publisher.publish(layout, &work, Readiness::Draft, stop);
    let result = published.unwrap_or_else(|error| PullRequestResult {
        outcome: PullRequestOutcome::Failed,
        branch: work.report.branch.clone(),
        base: publisher.base().map(str::to_owned),
        number: None,
        url: None,
        text: one_line(&error),
    });
    // A log that cannot be written is no reason to lose the result of the run.
    let _ = output.event(&Stamped::now(run_id, LoopEvent::PullRequest(result)));
}

fn one_line(error: &anyhow::Error) -> String {
    let hint = command_error::hint(error).filter(|hint| !hint.is_empty());
    let hint = hint.map_or_else(String::new, |hint| format!(" ({hint})"));
    format!("{}{hint}", command_error::message(error))
}
