//! Stories: status, failed attempts, escalations, giving up, quality reviews and weakened tests.

use chrono::{DateTime, FixedOffset, Utc};
use tasks::{ReviewStatus, StoryId};

use super::checks::some_of;
use super::{Form, Mark, Statement};
use crate::format::{
    count, duration, given_up_reason, moment, money, names, quality_failure, review_state,
    review_verdict, story_commits, stuck,
};
use crate::{
    AgentReplaced, AttemptFailed, EscalationTier, GiveUpReason, GivenUp, IterationMode, LaneState,
    LoopEvent, QuestionEffect, Role, RunView, StoryBrief, Verdict, WeakenedTests,
};

pub(super) fn status_changed(event: &LoopEvent) -> Vec<Statement> {
    let LoopEvent::StoryStatusChanged { story, from, to, reviews, feedback, passes } = event else {
        return Vec::new();
    };
    let passes = *passes || *to == ReviewStatus::Approved;
    let (role, word) = match Verdict::of(*to, feedback) {
        Some(verdict) => review_verdict(verdict),
        None => review_state(passes, *to),
    };
    let head = Statement::marked(role, Mark::Moved)
        .with(Role::Strong, story.as_str())
        .with(Role::Plain, format!(" {} ", review_state(*from == ReviewStatus::Approved, *from).1))
        .with_mark(Role::Plain, Mark::Arrow)
        .with(role, word);
    let head = match reviews {
        0 => head,
        reviews => head.with(Role::Dim, format!(", review {reviews}")),
    };
    vec![head, Statement::below(Role::Plain, feedback).form(Form::Excerpt)]
}

pub(super) fn attempt_failed(failed: &AttemptFailed) -> Statement {
    let AttemptFailed { story, attempt, of, gate, error, error_hash, repeats, .. } = failed;
    let again = match repeats {
        0 | 1 => String::new(),
        repeats => format!(", {repeats} times in a row"),
    };
    let text = format!(
        "attempt {attempt} of {of} at {story} failed at {gate}: {error} ({error_hash}{again})"
    );
    Statement::note(Role::Bad, Mark::Failed, text)
}

pub(super) fn question_asked(event: &LoopEvent) -> Vec<Statement> {
    let LoopEvent::QuestionAsked { story, of, text, effect, .. } = event else {
        return Vec::new();
    };
    let (role, what) = match effect {
        QuestionEffect::Waits => (
            Role::Warn,
            format!("{story} waits for an answer; give it with `ralph-loop answer {story} TEXT`"),
        ),
        QuestionEffect::NotWaiting => {
            (Role::Accent, format!("{story} does not wait for the answer to its question"))
        }
        QuestionEffect::LimitReached => {
            let used = count(*of, "question", "questions");
            (Role::Warn, format!("{story} does not get an answer: {used} at most"))
        }
    };
    let head = Statement::note(role, Mark::Warning, what);
    vec![head, Statement::below(Role::Plain, text).form(Form::Excerpt)]
}

pub(super) fn escalated(event: &LoopEvent) -> Vec<Statement> {
    let LoopEvent::Escalated { story, tier, text, files } = event else { return Vec::new() };
    let what = match tier {
        EscalationTier::StrategyShift => "strategy shift",
        EscalationTier::ContextExpansion => "more context",
        EscalationTier::StrongerModel => "stronger model",
        EscalationTier::OtherAgent => "other agent",
        EscalationTier::Candidates => "candidates",
    };
    let text = format!("{what} for {story}: {text}");
    if files.is_empty() {
        return vec![Statement::note(Role::Accent, Mark::Shift, text)];
    }
    let text = format!("{text} ({})", some_of(files));
    let all = Statement::verbose(format!("files in the prompt: {}", files.join(" ")));
    vec![Statement::note(Role::Accent, Mark::Shift, text), all]
}

pub(super) fn escalation_ended(event: &LoopEvent) -> Vec<Statement> {
    let LoopEvent::EscalationEnded { story, help, cost_usd, solved } = event else {
        return Vec::new();
    };
    let cost = money(*cost_usd);
    let (role, mark, text) = match solved {
        true => (Role::Good, Mark::Moved, format!("{help} completed {story} for {cost}")),
        false => (Role::Bad, Mark::Failed, format!("{help} did not complete {story}, for {cost}")),
    };
    vec![Statement::note(role, mark, sanitize::line(&text))]
}

pub(super) fn candidate_ended(event: &LoopEvent) -> Vec<Statement> {
    let LoopEvent::CandidateEnded { story, number, of, passes, cost_usd, commit: _ } = event else {
        return Vec::new();
    };
    let (role, mark, how) = match passes {
        true => (Role::Good, Mark::Ok, "passed"),
        false => (Role::Bad, Mark::Failed, "did not pass"),
    };
    let text = format!("candidate {number} of {of} for {story} {how} ({})", money(*cost_usd));
    vec![Statement::note(role, mark, text)]
}

pub(super) fn agent_replaced(
    AgentReplaced { story, mode, agent, instead_of, until }: &AgentReplaced,
    offset: FixedOffset,
    now: DateTime<Utc>,
) -> Statement {
    let verb = match mode {
        Some(IterationMode::Review) => "reviews",
        Some(IterationMode::FinalReview) => "reviews all work",
        Some(IterationMode::Specify) => "writes the tests of",
        Some(_) if story.is_some() => "works on",
        Some(_) => "works",
        None => "gets this session",
    };
    let story = story.as_ref().map(|story| format!(" {story}")).unwrap_or_default();
    let why = match until {
        Some(until) => format!("is at its usage limit until {}", moment(*until, now, offset)),
        None => "implemented it".to_owned(),
    };
    let text = format!("{agent} {verb}{story} instead of {instead_of}, which {why}");
    Statement::note(Role::Accent, Mark::Shift, sanitize::line(&text))
}

pub(super) fn given_up(story: &StoryId, given_up: &GivenUp, branch: &str) -> Vec<Statement> {
    let GivenUp { attempts, of, .. } = given_up;
    let mut texts = Vec::new();
    texts.extend(stuck(given_up.stuck).map(|how| format!("stuck: {how}")));
    if matches!(given_up.reason, GiveUpReason::ReviewCap | GiveUpReason::Skipped) {
        texts.push(given_up_reason(given_up).to_owned());
    }
    texts.push(work(given_up));
    if given_up.branch.is_some() {
        texts.push(story_commits(&given_up.commits, branch, sanitize::line));
    }
    let dependants = names(&given_up.dependants);
    match given_up.dependants.len() {
        0 => {}
        1 => texts.push(format!("{dependants} waits for it")),
        _ => texts.push(format!("{dependants} wait for it")),
    }
    let head = Statement::marked(Role::Bad, Mark::GivenUp)
        .with(Role::Alarm, "GIVEN UP:")
        .with(Role::Bad, format!(" {story} after {attempts} of {of} attempts"));
    let details = texts.into_iter().map(|text| Statement::below(Role::Plain, text));
    std::iter::once(head).chain(details).collect()
}

pub(super) fn quality_checked(event: &LoopEvent) -> Vec<Statement> {
    let LoopEvent::QualityChecked { story, outcome, warnings, seconds, .. } = event else {
        return Vec::new();
    };
    let took = duration(*seconds);
    let result = match quality_failure(*outcome) {
        Some(failure) => {
            Some(Statement::warning(format!("the quality check of {story} {failure} ({took})")))
        }
        None if warnings.is_empty() => {
            let text = format!("no quality warnings for {story} ({took})");
            Some(Statement::text(Role::Dim, text))
        }
        None => None,
    };
    let warnings =
        warnings.iter().map(|warning| Statement::warning(format!("quality of {story}: {warning}")));
    result.into_iter().chain(warnings).collect()
}

pub(super) fn tests_weakened(story: &StoryId, files: &[WeakenedTests]) -> Vec<Statement> {
    let changed = count(files.len() as u64, "file", "files");
    let head = Statement::marked(Role::Warn, Mark::Warning)
        .with(Role::Alarm, "TESTS WEAKENED")
        .with(Role::Warn, format!(" in {changed} by {story}"));
    let mut statements = vec![head];
    for file in files {
        let path = Statement::marked(Role::Warn, Mark::Start).at(2);
        statements.push(path.with(Role::Warn, sanitize::line(&file.path)));
        let findings = file.findings.iter().map(|finding| sanitize::line(finding));
        statements.extend(findings.map(|text| Statement::text(Role::Plain, text).at(4)));
    }
    statements
}

/// A failed story in two lines.
#[derive(Debug)]
pub struct FailedStoryText {
    pub head: String,
    pub work: String,
}

/// `None` if the story was not given up.
pub fn failed_story_text(story: &StoryBrief) -> Option<FailedStoryText> {
    let given_up = story.given_up.as_ref()?;
    let (id, GivenUp { attempts, of, last_gate, error, .. }) = (&story.id, given_up);
    let why = given_up_reason(given_up);
    let head = match (given_up.reason, attempts) {
        (GiveUpReason::Skipped, 0) => format!("{id} was {why}"),
        _ => {
            let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
            format!(
                "{id} failed after {attempts} of {of} attempts{why}, the last at {last_gate}: {error}"
            )
        }
    };
    Some(FailedStoryText { head, work: work(given_up) })
}

/// What the run does with the story now; `None` if it does nothing with it.
pub fn story_in_work(view: &RunView, story: &StoryId) -> Option<&'static str> {
    if let Some(running) = view.running().find(|one| one.story.as_ref() == Some(story)) {
        return Some(match running.mode {
            IterationMode::Review => "in review",
            IterationMode::ReviewFix => "fixing review",
            IterationMode::Specify => "writing tests",
            _ => "in progress",
        });
    }
    let lane = view.lanes.iter().find(|lane| lane.story.as_ref() == Some(story))?;
    (lane.state != LaneState::Working).then(|| lane.state.into())
}

fn work(given_up: &GivenUp) -> String {
    match &given_up.branch {
        Some(branch) => format!("its work is on {branch}"),
        None => "no changes to keep".to_owned(),
    }
}

pub(super) fn lane_prepared(folder: &str, is_new: bool, copied: u64) -> Statement {
    let words = match (is_new, copied) {
        (true, 0) => format!("new clone in {folder}"),
        (true, copied) => {
            let files = count(copied, "ignored file", "ignored files");
            format!("new clone in {folder} with {files}")
        }
        (false, _) => format!("clone in {folder}"),
    };
    Statement::note(Role::Dim, Mark::Start, sanitize::line(&words))
}
