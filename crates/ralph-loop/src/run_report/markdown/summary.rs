//! The first section: result of the run, progress of the stories, time and cost.

use chrono::{DateTime, FixedOffset, Utc};
use events::{GiveUpReason, PullRequestResult, RunEnd};
use tasks::StoryId;

use super::super::safe_markdown::{code, text, words};
use super::super::{Ending, FailedStory, RepeatedFailure, RunReport};
use super::list;
use crate::report::format::{cost_cell, listed, without_checks};
use crate::report::{count, duration, prompt_loop_name};
use crate::status::RunState;

/// `2026-11-15`
const DAY: usize = 10;

/// More stories are counted instead of named.
const NAMED: usize = 4;

pub(super) fn summary(report: &RunReport, offset: FixedOffset) -> Vec<String> {
    let name = text(if report.name.is_empty() { &report.run } else { &report.name });
    let head = format!("**{name}**: {}{}", ending(report), progress(report));
    let mut facts = Vec::from_iter((!report.agent.is_empty()).then(|| place(report)));
    facts.extend(report.only_story.as_ref().map(|story| format!("Limited to story {story}")));
    facts.extend(times(report, offset));
    facts.extend((report.starts > 0).then(|| spent(report)));
    facts.extend(report.pull_request.as_ref().map(pull_request));
    if !report.folder.is_empty() {
        facts.push(format!("Files: {}", code(&format!("{}/", report.folder))));
        facts.push(format!("Event log: {}", report.log.figures()));
    }
    let mut paragraphs = vec![head];
    paragraphs.extend(report.repeated_failure.as_ref().map(repeated));
    paragraphs.push(list(facts));
    let without_checks = without_checks(report.checks, report.kind, report.review_cap);
    paragraphs.extend(without_checks.map(|warning| format!("**Warning**: {warning}.")));
    let altered = report.log.altered();
    let noticed = report.log_alterations.iter().map(String::as_str);
    let altered = altered.into_iter().chain(noticed.filter(|text| altered != Some(*text)));
    paragraphs.extend(altered.map(|warning| format!("**Warning**: {}.", text(warning))));
    if report.unread_lines > 0 {
        let lines = count(report.unread_lines, "line of its log is", "lines of its log are");
        paragraphs.push(format!("{lines} unreadable: this report may be incomplete."));
    }
    paragraphs
}

fn pull_request(result: &PullRequestResult) -> String {
    match &result.url {
        Some(url) => format!("Pull request: {}", text(url)),
        None => format!("No pull request: {}", text(&result.text)),
    }
}

fn repeated(failure: &RepeatedFailure) -> String {
    let RepeatedFailure { times, tries, text, .. } = failure;
    let of = count(*tries, "iteration", "iterations");
    format!("**{times} of {of} failed in the same way**: {}.", words(text).trim_end_matches('.'))
}

fn ending(report: &RunReport) -> String {
    match (report.state, &report.end) {
        (RunState::Running, _) => "**still running**.".to_owned(),
        (_, Some(end)) => {
            let what = match is_skipped(end, report) {
                true => "stories skipped".to_owned(),
                false => end.end.to_string(),
            };
            let head = format!("**{what}** (exit code {})", end.exit_code);
            match text(&end.text) {
                why if why.is_empty() || is_redundant(end, report) => format!("{head}."),
                why if why.ends_with(['.', '!', '?']) => format!("{head}: {why}"),
                why => format!("{head}: {why}."),
            }
        }
        (_, None) if report.starts == 0 => "**no events recorded**.".to_owned(),
        (_, None) => {
            "**ended without a result**: it was killed, or the machine went down.".to_owned()
        }
    }
}

/// Whether the user skipped every story that was given up.
fn is_skipped(end: &Ending, report: &RunReport) -> bool {
    let is_skipped = |story: &FailedStory| story.given_up.reason == GiveUpReason::Skipped;
    end.end == RunEnd::StoriesFailed
        && !report.failed.is_empty()
        && report.failed.iter().all(is_skipped)
}

/// Whether the result, the story counts or the next steps already contain the text of the end.
fn is_redundant(end: &Ending, report: &RunReport) -> bool {
    match end.end {
        RunEnd::Complete | RunEnd::StoriesFailed => report.stories > 0,
        RunEnd::IterationsUsed
        | RunEnd::QuestionsOpen
        | RunEnd::TimeUsed
        | RunEnd::QuotaCeiling
        | RunEnd::Stopped
        | RunEnd::Interrupted
        | RunEnd::Terminated
        | RunEnd::HungUp => true,
        RunEnd::Blocked
        | RunEnd::PlanMissing
        | RunEnd::BaseFails
        | RunEnd::CostCeiling
        | RunEnd::AgentFailed
        | RunEnd::ReviewerFailed
        | RunEnd::ProcessesLeft
        | RunEnd::GitFailed
        | RunEnd::DiskFailed => end.text == end.end.to_string(),
    }
}

/// Story counts by result, and the stories that need attention.
fn progress(report: &RunReport) -> String {
    let given_up = |is_wanted: fn(GiveUpReason) -> bool| -> Vec<&StoryId> {
        let found = report.failed.iter().filter(|story| is_wanted(story.given_up.reason));
        found.map(|story| &story.facts.id).collect()
    };
    let failed = given_up(|reason| reason != GiveUpReason::Skipped);
    let skipped = given_up(|reason| reason == GiveUpReason::Skipped);
    let blocked: Vec<&StoryId> = report.blocked.iter().map(|story| &story.facts.id).collect();
    let open: Vec<&StoryId> = report.unfinished.iter().map(|story| &story.facts.id).collect();
    let (all, done) = (report.stories, report.completed.len() as u64);
    let others = [
        some(&failed, "failed", "failed"),
        some(&skipped, "was skipped", "were skipped"),
        some(&blocked, "is blocked", "are blocked"),
        some(&open, "is not finished", "are not finished").filter(|_| open.len() as u64 != all),
    ];
    let others = match others.into_iter().flatten().collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => none,
        others => format!("; {others}"),
    };
    match (done, all) {
        (_, 0) => String::new(),
        (1, 1) => " **The one story is done.**".to_owned(),
        (0, 1) => format!(" **The one story is not done{others}.**"),
        (0, _) => format!(" **None of {all} stories is done{others}.**"),
        (_, _) if done == all => format!(" **All {all} stories are done.**"),
        (1, _) => format!(" **1 of {all} stories is done{others}.**"),
        (_, _) => format!(" **{done} of {all} stories are done{others}.**"),
    }
}

/// `US-003 and US-005 failed`; `None` without ids.
fn some(ids: &[&StoryId], one: &str, many: &str) -> Option<String> {
    let names: Vec<&str> = ids.iter().map(|id| id.as_str()).collect();
    match names.len() {
        0 => None,
        1 => Some(format!("{} {one}", names[0])),
        2..=NAMED => Some(format!("{} {many}", listed(&names))),
        number => Some(format!("{number} {many}")),
    }
}

/// Branch, agent and isolation.
fn place(report: &RunReport) -> String {
    let branch = match report.branch.as_str() {
        "" => String::new(),
        branch => format!("Branch {}, ", code(branch)),
    };
    let kind = prompt_loop_name(report.kind).map(|name| format!("the {name} "));
    let kinds = report.isolation.iter().map(|(agent, isolation)| match report.isolation.len() {
        1 => isolation.to_string(),
        _ => format!("{} {isolation}", text(agent)),
    });
    let isolation = match kinds.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => none,
        kinds => format!(", isolation: {kinds}"),
    };
    format!("{branch}{}with {}{isolation}", kind.unwrap_or_default(), text(&report.agent))
}

fn times(report: &RunReport, offset: FixedOffset) -> Option<String> {
    let at = |at: DateTime<Utc>| at.with_timezone(&offset).format("%Y-%m-%d %H:%M").to_string();
    let (from, to) = (at(report.started?), at(report.last_event?));
    let same_day = from[..DAY] == to[..DAY];
    let until = if same_day { &to[DAY + 1..] } else { &to };
    let seen = if report.state == RunState::Ended { "" } else { "last event at " };
    let starts = match report.starts {
        0 | 1 => String::new(),
        starts => format!(" in {starts} starts"),
    };
    let worked = duration(report.seconds);
    Some(format!("From {from} to {seen}{until} (UTC{offset}), {worked} of work{starts}"))
}

fn spent(report: &RunReport) -> String {
    let (used, most) = (report.iterations, report.max_iterations);
    let used = match most {
        // A resumed run may have a lower limit than it already used.
        most if used > most => {
            format!("{} used, {most} allowed", count(used, "iteration", "iterations"))
        }
        most => format!("{used} of {} used", count(most, "iteration", "iterations")),
    };
    let cost = Some(format!("cost {}", cost_cell(report.cost_usd)));
    let turns = (report.turns > 0).then(|| count(report.turns, "turn", "turns"));
    [Some(used), turns, cost].into_iter().flatten().collect::<Vec<_>>().join(", ")
}
