//! The next steps after a run: texts and shell commands, chosen by its result.

use std::collections::BTreeSet;

use events::{
    AgentOutcome, ChecksWithout, LoopKind, PullRequestOutcome, RunEnd, StoryCommits, WeakenedFile,
};
use tasks::StoryId;

use super::kept_work::KeptWork;
use super::shell::{merge_commands, pathspec, quoted};
use super::{FailedStory, NextStep, RunReport};
use crate::report::format::{listed, names};
use crate::status::RunState;

/// First how to continue an unfinished run, then what needs the user's attention.
pub(super) fn of(report: &RunReport, last_outcome: Option<AgentOutcome>) -> Vec<NextStep> {
    let continue_run = continue_run(report, last_outcome);
    let is_over = report.end.as_ref().is_some_and(|end| end.end == RunEnd::Complete);
    let (first, last) = if is_over { (None, continue_run) } else { (continue_run, None) };
    let mut steps: Vec<NextStep> = fix_first(report).into_iter().chain(first).collect();
    steps.extend(report.failed.iter().flat_map(|story| failed_story(story, &report.branch)));
    steps.extend(retry_failed(report));
    steps.extend(weakened(report));
    steps.extend(auto_approved(report));
    steps.extend(publish_again(report));
    let is_limited = report.only_story.is_some() && has_work_left(report);
    if is_over && !is_limited {
        let commands = merge_commands(&report.branch, report.base.as_deref());
        steps.extend(commands.map(|commands| step("Merge the work.", commands)));
    }
    steps.extend(last);
    steps
}

/// More iterations would meet the same failure.
fn fix_first(report: &RunReport) -> Option<NextStep> {
    let failure = report.repeated_failure.as_ref().filter(|_| report.state != RunState::Running)?;
    let text = "Fix the repeated failure first: the next iterations fail the same way.";
    let output = failure.log.as_ref().map(|log| format!("less {}", quoted(log)));
    Some(step(text, output))
}

/// How to see and how to reuse the work of a failed story.
fn failed_story(story: &FailedStory, branch: &str) -> Vec<NextStep> {
    let (id, given_up) = (&story.facts.id, &story.given_up);
    let Some(work) = KeptWork::of(given_up, branch) else {
        return vec![step(format!("{id}: it left no changes; see its error."), [""; 0])];
    };
    if let StoryCommits::Kept { .. } = given_up.commits {
        let text = format!(
            "{id}: see what was tried. Its commits are still on the branch: finish them there, or \
            revert them."
        );
        return vec![step(text, work.show_outputs())];
    }
    let over = format!(
        "{id}: or apply the work and finish it yourself. The next run builds on your commits."
    );
    let tried = step(format!("{id}: see what was tried."), work.diff());
    let over = step(over, work.take_over().into_iter().flatten());
    broken_by_revert(id, &given_up.commits).into_iter().chain([tried, over]).collect()
}

/// A check that fails without the reverted work of the story.
fn broken_by_revert(id: &StoryId, commits: &StoryCommits) -> Option<NextStep> {
    let StoryCommits::Reverted { checks: ChecksWithout::Failed { command, approved, .. }, .. } =
        commits
    else {
        return None;
    };
    let whose = match &approved[..] {
        [] => String::new(),
        approved => format!(" Check {} first, approved after {id} began.", names(approved)),
    };
    let text =
        format!("{id}: a check fails without its reverted work; other code depends on it.{whose}");
    Some(step(text, [command.clone()]))
}

fn retry_failed(report: &RunReport) -> Option<NextStep> {
    let ids: Vec<_> = report.failed.iter().map(|story| story.facts.id.clone()).collect();
    if ids.is_empty() || report.state == RunState::Running {
        return None;
    }
    let when = if report.unfinished.is_empty() { "Or retry" } else { "After the rest, retry" };
    let text = format!(
        "{when} {}: make the stories smaller or their criteria clearer in the task list, commit, \
         and start a new run. Failure branches become tags.",
        names(&ids)
    );
    Some(step(text, [format!("{} --fresh", again(report))]))
}

fn weakened(report: &RunReport) -> Option<NextStep> {
    // The work of a given-up story is on its own branch.
    let is_merged =
        |file: &&WeakenedFile| report.failed.iter().all(|failed| failed.facts.id != file.story);
    let files = || report.weakened_tests.iter().filter(is_merged);
    let paths: BTreeSet<String> = files().map(|file| quoted(&pathspec(&file.path))).collect();
    if paths.is_empty() {
        return None;
    }
    let text = "Review the weakened tests: they check less than before.";
    let before = files().find_map(|file| file.checkpoint.as_deref());
    let command = before.map(|before| {
        let (before, branch) = (quoted(before), quoted(&report.branch));
        let paths: String = paths.iter().map(|path| format!(" {path}")).collect();
        format!("git diff {before} {branch} --{paths}")
    });
    Some(step(text, command))
}

fn auto_approved(report: &RunReport) -> Option<NextStep> {
    let at_cap = report.completed.iter().filter(|story| story.auto_approved.is_some());
    let ids: Vec<&str> = at_cap.map(|story| story.facts.id.as_str()).collect();
    let text = format!(
        "Review {} yourself: approved only because the review limit was reached.",
        listed(&ids)
    );
    (!ids.is_empty()).then(|| step(text, [""; 0]))
}

fn continue_run(report: &RunReport, last_outcome: Option<AgentOutcome>) -> Option<NextStep> {
    match (report.state, &report.end) {
        (RunState::Running, _) => {
            Some(step("The run is still running: see its state.", ["ralph-loop status"]))
        }
        (RunState::Ended, Some(end)) => by_end(end.end, report, last_outcome),
        (RunState::Ended | RunState::Died, _) => Some(step(
            "Continue where it stopped. An unfinished iteration does not count until the next run \
             verifies it.",
            [again(report)],
        )),
    }
}

fn by_end(end: RunEnd, report: &RunReport, last_outcome: Option<AgentOutcome>) -> Option<NextStep> {
    let again = again(report);
    let with = |text: &str, command: &str| Some(step(text, [command]));
    let resume = |text: &str, flags: &str| with(text, &format!("{again} --resume{flags}"));
    match end {
        RunEnd::Complete if report.only_story.is_some() && has_work_left(report) => {
            with("Continue with the other stories.", "ralph-loop")
        }
        RunEnd::Complete if report.kind == LoopKind::Stories => {
            with("All stories are done: archive the plan.", "ralph-loop archive")
        }
        RunEnd::Complete | RunEnd::StoriesFailed => None,
        RunEnd::QuestionsOpen => Some(step(
            "Answer the questions, then continue.",
            ["ralph-loop questions".to_owned(), "ralph-loop answer STORY TEXT".to_owned(), again],
        )),
        RunEnd::IterationsUsed => {
            let more = report.max_iterations.max(report.iterations).saturating_mul(2);
            resume("Continue with more iterations.", &format!(" -n {more}"))
        }
        RunEnd::TimeUsed => {
            let hours = (report.seconds / 3600.0).ceil().max(1.0) as u64 + 1;
            resume("Continue with more time.", &format!(" --run-timeout {hours}h"))
        }
        RunEnd::CostCeiling => {
            let more = (report.cost_usd.unwrap_or_default() * 2.0).ceil().max(1.0) as u64;
            resume("Continue with a higher cost limit.", &format!(" --max-cost-usd {more}"))
        }
        RunEnd::QuotaCeiling => resume("Continue after the usage limit resets.", ""),
        RunEnd::Blocked if report.failed.is_empty() => with(
            "Fix `dependsOn` in the task list: none of the remaining stories can be started.",
            "ralph-loop status",
        ),
        RunEnd::Blocked => None,
        RunEnd::BaseFails => {
            with("Make the checks pass, or start without --require-green-base.", "ralph-loop run")
        }
        RunEnd::PlanMissing => with("Create a plan first.", "ralph-loop plan"),
        RunEnd::AgentFailed if last_outcome == Some(AgentOutcome::LoginNeeded) => {
            let text = format!("Log in: start {} once yourself. Then continue.", report.agent);
            resume(&text, "")
        }
        RunEnd::AgentFailed => resume("Find out why the agent failed, then continue.", ""),
        RunEnd::ReviewerFailed => resume(
            "See the reviewer's answers (`outcome.json` in the folders of its reviews), and find out what \
             changed the task list. Then continue, if necessary with another reviewer.",
            " --review-agent …",
        ),
        RunEnd::ProcessesLeft => {
            with("Kill the processes that the run could not kill, then continue.", &again)
        }
        RunEnd::GitFailed => with("Fix the repository, then continue.", &again),
        RunEnd::DiskFailed => with("Free disk space, then continue.", &again),
        RunEnd::Stopped | RunEnd::Interrupted | RunEnd::Terminated | RunEnd::HungUp => {
            with("Continue where it stopped.", &again)
        }
    }
}

fn publish_again(report: &RunReport) -> Option<NextStep> {
    let result = report.pull_request.as_ref()?;
    let text = format!("The pull request failed: {}. Try again.", result.text);
    (result.outcome == PullRequestOutcome::Failed).then(|| step(text, ["ralph-loop pr"]))
}

fn has_work_left(report: &RunReport) -> bool {
    (report.completed.len() as u64) < report.stories
}

/// The command that starts this kind of run.
fn again(report: &RunReport) -> String {
    match (report.kind, &report.only_story) {
        (LoopKind::Stories, Some(story)) => format!("ralph-loop run --story={story}"),
        (LoopKind::Stories, None) => "ralph-loop".to_owned(),
        (LoopKind::Plan, _) => "ralph-loop plan".to_owned(),
        (LoopKind::Build, _) => "ralph-loop build".to_owned(),
        (LoopKind::Prompt, _) => "ralph-loop prompt …".to_owned(),
    }
}

fn step<C: Into<String>>(
    text: impl Into<String>,
    commands: impl IntoIterator<Item = C>,
) -> NextStep {
    NextStep { text: text.into(), commands: commands.into_iter().map(Into::into).collect() }
}

#[cfg(test)]
mod tests;
