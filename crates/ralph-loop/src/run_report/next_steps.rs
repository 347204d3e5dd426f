//! What a person can do after a run, in commands that can be tried, chosen by what happened.

use engine::{AgentOutcome, ChecksWithout, LoopKind, RunEnd, StoryCommits};
use tasks::StoryId;

use super::kept_work::KeptWork;
use super::shell::{pathspec, quoted, take_over_commands};
use super::{FailedStory, NextStep, RunReport, WeakenedFile};
use crate::report::words::{listed, names};
use crate::status::RunState;

/// First how the rest gets done, where there is a rest; then what needs a person.
pub(super) fn of(report: &RunReport, last_outcome: Option<AgentOutcome>) -> Vec<NextStep> {
    let go_on = go_on(report, last_outcome);
    let is_over = report.end.as_ref().is_some_and(|end| end.end == RunEnd::Complete);
    let (first, last) = if is_over { (None, go_on) } else { (go_on, None) };
    let mut steps: Vec<NextStep> = fix_first(report).into_iter().chain(first).collect();
    for story in &report.failed {
        steps.extend(look_at(story, &report.branch));
    }
    steps.extend(try_again(report));
    steps.extend(weakened(report));
    steps.extend(auto_approved(report));
    let is_limited = report.only_story.is_some() && has_work_left(report);
    if is_over && !is_limited {
        steps.extend(take_over(report));
    }
    steps.extend(last);
    steps
}

/// More iterations would only meet the same failure.
fn fix_first(report: &RunReport) -> Option<NextStep> {
    let failure = report.repeated_failure.as_ref().filter(|_| report.state != RunState::Running)?;
    let text = "Fix what failed each time first: it fails the next iterations too.";
    let output = failure.log.as_ref().map(|log| format!("less {}", quoted(log)));
    Some(step(text, output))
}

fn take_over(report: &RunReport) -> Option<NextStep> {
    let commands = take_over_commands(&report.branch, report.base.as_deref())?;
    Some(step("Take the work over.", commands))
}

/// The evidence, and how to take it over.
fn look_at(story: &FailedStory, branch: &str) -> Vec<NextStep> {
    let (id, given_up) = (&story.facts.id, &story.given_up);
    let Some(work) = KeptWork::of(given_up, branch) else {
        let text = format!("{id}: there is no work to look at; its error says why.");
        return vec![step(text, [""; 0])];
    };
    if let StoryCommits::Kept { .. } = given_up.commits {
        let text = format!(
            "{id}: see what was tried. Its commits are still on the branch: finish them there, or \
             take them out by hand."
        );
        return vec![step(text, work.show_outputs())];
    }
    let over = format!(
        "{id}: or take the work over and finish it by hand. The next run builds on what you commit."
    );
    let tried = step(format!("{id}: see what was tried."), work.diff());
    let over = step(over, work.take_over().into_iter().flatten());
    rested_on(id, &given_up.commits).into_iter().chain([tried, over]).collect()
}

/// Approved work that does not work without the story.
fn rested_on(id: &StoryId, commits: &StoryCommits) -> Option<NextStep> {
    let StoryCommits::Reverted { checks: ChecksWithout::Failed { command, approved, .. }, .. } =
        commits
    else {
        return None;
    };
    let whose = match &approved[..] {
        [] => String::new(),
        approved => format!(" Look at {} first, approved since {id} began.", names(approved)),
    };
    let text =
        format!("{id}: a check fails now that its work is undone; something rested on it.{whose}");
    Some(step(text, [command.clone()]))
}

fn try_again(report: &RunReport) -> Option<NextStep> {
    let ids: Vec<_> = report.failed.iter().map(|story| story.facts.id.clone()).collect();
    if ids.is_empty() || report.state == RunState::Running {
        return None;
    }
    let them = if ids.len() == 1 { "it" } else { "each" };
    let when = if report.unfinished.is_empty() { "Or have" } else { "Once the rest is done, have" };
    let text = format!(
        "{when} {} tried again: make {them} smaller or its criteria clearer in the task list, \
         commit that, and begin anew. Failure branches become tags then.",
        names(&ids)
    );
    Some(step(text, again(report).map(|command| format!("{command} --fresh"))))
}

fn weakened(report: &RunReport) -> Option<NextStep> {
    // What a story did that was given up is on its own branch.
    let stands =
        |file: &&WeakenedFile| report.failed.iter().all(|failed| failed.facts.id != file.story);
    let files = || report.weakened_tests.iter().filter(stands);
    let mut paths: Vec<String> = files().map(|file| quoted(&pathspec(&file.path))).collect();
    paths.sort_unstable();
    paths.dedup();
    if paths.is_empty() {
        return None;
    }
    let text = "Look at the weakened tests: what they no longer check, nothing checks.";
    let before = files().find_map(|file| file.checkpoint.as_deref());
    let command = before.map(|before| {
        let (before, branch) = (quoted(before), quoted(&report.branch));
        format!("git diff {before} {branch} -- {}", paths.join(" "))
    });
    Some(step(text, command))
}

fn auto_approved(report: &RunReport) -> Option<NextStep> {
    let at_cap = report.completed.iter().filter(|story| story.auto_approved.is_some());
    let ids: Vec<&str> = at_cap.map(|story| story.facts.id.as_str()).collect();
    let text = format!(
        "Review {} yourself: approved only because the review cap was reached, not because a reviewer \
         was convinced.",
        listed(&ids)
    );
    (!ids.is_empty()).then(|| step(text, [""; 0]))
}

fn go_on(report: &RunReport, last_outcome: Option<AgentOutcome>) -> Option<NextStep> {
    let end = match (report.state, &report.end) {
        (RunState::Running, _) => {
            return Some(step("It still runs: see where it stands.", ["ralph-loop status"]));
        }
        (RunState::Ended, Some(end)) => end.end,
        (RunState::Ended | RunState::Died, _) => {
            let text = "Go on where it was cut off. An iteration that it did not judge counts for nothing \
                        until the next run judges it.";
            return Some(step(text, again(report)));
        }
    };
    by_end(end, report, last_outcome)
}

fn by_end(end: RunEnd, report: &RunReport, last_outcome: Option<AgentOutcome>) -> Option<NextStep> {
    let resume = |text: &str, flags: &str| {
        Some(step(text, again(report).map(|command| format!("{command} --resume{flags}"))))
    };
    match end {
        RunEnd::Complete if report.only_story.is_some() && has_work_left(report) => {
            Some(step("Go on with the other stories.", ["ralph-loop"]))
        }
        RunEnd::Complete if report.kind == LoopKind::Stories => {
            Some(step("All is done: put the loop away.", ["ralph-loop archive"]))
        }
        RunEnd::Complete | RunEnd::StoriesFailed => None,
        RunEnd::IterationsUsed => {
            let more = report.max_iterations.max(report.iterations).saturating_mul(2);
            resume("Go on with more iterations.", &format!(" -n {more}"))
        }
        RunEnd::TimeUsed => {
            let hours = (report.seconds / 3600.0).ceil().max(1.0) as u64 + 1;
            resume("Go on with more time.", &format!(" --run-timeout {hours}h"))
        }
        RunEnd::CostCeiling => {
            let more = (report.cost_usd.unwrap_or_default() * 2.0).ceil().max(1.0) as u64;
            resume("Go on with a higher ceiling.", &format!(" --max-cost-usd {more}"))
        }
        RunEnd::QuotaCeiling => resume("Go on when the usage limit is reset.", ""),
        RunEnd::Blocked if report.failed.is_empty() => Some(step(
            "Put `dependsOn` in the task list right: no story that is left can be begun.",
            ["ralph-loop status"],
        )),
        RunEnd::Blocked => None,
        RunEnd::PlanMissing => Some(step("Make a plan first.", ["ralph-loop plan"])),
        RunEnd::AgentFailed if last_outcome == Some(AgentOutcome::LoginNeeded) => {
            let text = format!("Log in: start {} once by hand. Then go on.", report.agent);
            resume(&text, "")
        }
        RunEnd::AgentFailed => resume("See why the agent failed, then go on.", ""),
        RunEnd::ReviewerFailed => resume(
            "See in the folders of its reviews what the reviewer answered (`outcome.json`), and what \
             wrote the task list. Then go on, with another reviewer if need be.",
            " --review-agent …",
        ),
        RunEnd::ProcessesLeft => {
            Some(step("End the processes that the run could not end, then go on.", again(report)))
        }
        RunEnd::GitFailed => Some(step("Put the repository right, then go on.", again(report))),
        RunEnd::DiskFailed => Some(step("Make room on the disk, then go on.", again(report))),
        RunEnd::Stopped | RunEnd::Interrupted | RunEnd::Terminated | RunEnd::HungUp => {
            Some(step("Go on where it stopped.", again(report)))
        }
    }
}

fn has_work_left(report: &RunReport) -> bool {
    (report.completed.len() as u64) < report.stories
}

/// The command that such a run is started with.
fn again(report: &RunReport) -> [String; 1] {
    let command = match (report.kind, &report.only_story) {
        (LoopKind::Stories, Some(story)) => return [format!("ralph-loop run --story={story}")],
        (LoopKind::Stories, None) => "ralph-loop",
        (LoopKind::Plan, _) => "ralph-loop plan",
        (LoopKind::Build, _) => "ralph-loop build",
        (LoopKind::Prompt, _) => "ralph-loop prompt …",
    };
    [command.to_owned()]
}

fn step<C: Into<String>>(
    text: impl Into<String>,
    commands: impl IntoIterator<Item = C>,
) -> NextStep {
    NextStep { text: text.into(), commands: commands.into_iter().map(Into::into).collect() }
}

#[cfg(test)]
mod tests;
