//! The verification of an iteration: reverted changes, checks, claims of completion and version control.

use super::{Detail, Form, Mark, Statement};
use crate::format::{check_failure, count, duration, listed, short_id};
use crate::{
    CheckRecord, ChecksOutcome, ClaimBasis, FailAction, IterationMode, KnownFailure,
    RevertedChanges, Role, RunView, ScmOutcome,
};

pub(super) fn reverted(reverted: &RevertedChanges) -> Vec<Statement> {
    let head = Statement::marked(Role::Bad, Mark::Failed)
        .with(Role::Alarm, "the agent broke a rule")
        .with(Role::Bad, "; its changes were reverted");
    let mut statements = vec![head];
    for (texts, role, mark) in [
        (&reverted.findings, Role::Bad, Mark::Start),
        (&reverted.corrections, Role::Good, Mark::Back),
    ] {
        statements.extend(texts.iter().map(|text| Statement::note(role, mark, text).at(2)));
    }
    let commit = reverted.commit.as_ref().map(|id| format!("commit {}", short_id(id)));
    statements.extend(commit.map(|text| Statement::text(Role::Dim, text).at(2)));
    statements
}

pub(super) fn work_committed(paths: &[String], commit: &str) -> Statement {
    let text = format!("committed leftover changes as {}: {}", short_id(commit), some_of(paths));
    Statement::note(Role::Accent, Mark::Back, text)
}

/// A check, or a setup command.
pub(super) fn step_started(what: &str, command: &str, number: u64, of: u64) -> Statement {
    Statement::marked(Role::Dim, Mark::Start)
        .with(Role::Accent, format!("{what} {number}/{of}"))
        .with(Role::Dim, format!("  {command}"))
        .detail(Detail::Start)
}

/// The check while it ran has its number. A check of the base has none, and its output is not for a prompt.
pub(super) fn ended(check: &CheckRecord, view: &RunView, lane: Option<u64>) -> Vec<Statement> {
    let CheckRecord { command, outcome, seconds, fail_action, log, tail } = check;
    let gate = view.check_in(lane);
    let tests_only = view.iteration_in(lane).is_some_and(|it| it.mode == IterationMode::Specify);
    let which = gate.map(|gate| format!(" {}/{}", gate.number, gate.of)).unwrap_or_default();
    let failure = check_failure(*outcome);
    let (role, mark) = match failure {
        None => (Role::Good, Mark::Ok),
        Some(_) => (Role::Bad, Mark::Failed),
    };
    let head = Statement::marked(role, mark)
        .with(Role::Accent, format!("check{which}"))
        .with(Role::Plain, format!("  {command}  "))
        .with(Role::Dim, duration(*seconds));
    let Some(failure) = failure else { return vec![head] };
    let quoted = |text: String| {
        let line = Statement::marked(Role::Bad, Mark::Margin).at(3);
        line.with(Role::Plain, text).form(Form::Cut)
    };
    let effect = |_| match fail_action {
        _ if tests_only => "accepted if the new tests explain it",
        FailAction::Append => "appended to the next prompt",
        FailAction::Prepend => "prepended to the next prompt",
        FailAction::Replace => "replaces the next prompt",
    };
    let mut statements = vec![head.with(Role::Bad, format!("  {failure}"))];
    statements.extend(sanitize::block(&tail.join("\n")).into_iter().map(quoted));
    statements.push(Statement::below(Role::Dim, format!("full output: {log}")));
    statements.extend(gate.map(effect).map(|effect| Statement::below(Role::Dim, effect)));
    statements
}

/// Each check has its own statements; these are the cases without one.
pub(super) fn judged(tree: &str, outcome: ChecksOutcome) -> Vec<Statement> {
    vec![match outcome {
        ChecksOutcome::Failed => return Vec::new(),
        ChecksOutcome::Passed => {
            Statement::note(Role::Good, Mark::Ok, "all checks passed").detail(Detail::Verbose)
        }
        ChecksOutcome::PassedBefore => {
            let text = format!("checks already passed on this tree ({})", short_id(tree));
            Statement::note(Role::Good, Mark::Ok, text)
        }
        ChecksOutcome::None => Statement::text(Role::Dim, "no checks configured"),
    }]
}

pub(super) fn base_checked(commit: &str, checks: u64, failures: &[KnownFailure]) -> Vec<Statement> {
    let commit = short_id(commit);
    if failures.is_empty() {
        let text = format!("{} on commit {commit}", count(checks, "check passes", "checks pass"));
        return vec![Statement::note(Role::Good, Mark::Ok, text)];
    }
    let fail = count(failures.len() as u64, "check fails", "checks fail");
    let text = format!("{fail} on commit {commit}, without the work of this run");
    let mut statements = vec![Statement::warning(text)];
    for KnownFailure { command, error, is_unstable } in failures {
        let unstable = if *is_unstable { " (differently each time)" } else { "" };
        let text = sanitize::line(&format!("{command}: {error}{unstable}"));
        statements.push(Statement::note(Role::Bad, Mark::Failed, text).at(2));
    }
    let meaning = "a story is not rejected for this, unless one of its criteria names the command";
    statements.push(Statement::below(Role::Dim, meaning));
    statements
}

pub(super) fn scm(task: &str, outcome: ScmOutcome, text: &str) -> Statement {
    let (role, mark, head) = match (outcome, task) {
        (ScmOutcome::Done, "commit") => (Role::Good, Mark::Ok, "committed".to_owned()),
        (ScmOutcome::Done, "push") => (Role::Good, Mark::Ok, "pushed".to_owned()),
        (ScmOutcome::Done, task) => (Role::Good, Mark::Ok, format!("{task} done")),
        (ScmOutcome::NothingToDo, task) => (Role::Dim, Mark::Start, format!("nothing to {task}")),
        (ScmOutcome::Failed, task) => (Role::Bad, Mark::Failed, format!("{task} failed")),
    };
    let body = if outcome == ScmOutcome::Failed { Role::Bad } else { Role::Plain };
    let text = match text.trim() {
        "" => head,
        // Some texts already begin with the result.
        text if text.starts_with(&head) => text.to_owned(),
        text => format!("{head}: {text}"),
    };
    Statement::marked(role, mark).with(body, text).form(Form::Excerpt)
}

pub(super) fn completion_claimed(accepted: bool, basis: ClaimBasis) -> Statement {
    let text = match (accepted, basis) {
        (true, ClaimBasis::TaskList) => "the agent reports completion, and all stories are done",
        (false, ClaimBasis::TaskList) => {
            "the agent reports completion, but not all stories are done"
        }
        (true, ClaimBasis::Checks) => "the agent reports completion, and all checks passed",
        (true, ClaimBasis::Nothing) => "the agent reports completion (no checks configured)",
        (false, ClaimBasis::Checks | ClaimBasis::Nothing) => {
            "the agent reports completion, but the plan does not confirm it"
        }
    };
    match accepted {
        true => Statement::note(Role::Good, Mark::Ok, text),
        false => Statement::warning(text),
    }
}

pub(super) fn some_of(paths: &[String]) -> String {
    const SHOWN: usize = 4;
    let mut shown: Vec<String> =
        paths.iter().take(SHOWN).map(|path| sanitize::line(path)).collect();
    if let more @ 1.. = paths.len().saturating_sub(SHOWN) {
        shown.push(format!("{more} more"));
    }
    listed(&shown)
}
