//! What the runs of a proof's tests mean, and the state of a proof.

use super::{Mark, Statement};
use crate::format::count;
use crate::{
    ProofPhase, ProofResult, ProofRun, ProofState, ProofSummary, ProofTest, Role, TestRun,
};

/// Tests and problems that are listed.
const LISTED: usize = 10;

pub(super) fn ran(run: &ProofRun) -> Vec<Statement> {
    let tests = run.tests().count() as u64;
    let all = count(tests, "test", "tests");
    let story = &run.story;
    let head = match (run.phase, run.accepted) {
        (ProofPhase::Red, true) => Statement::note(
            Role::Good,
            Mark::Ok,
            format!("proof of {story}: {all} fail without the work"),
        ),
        (ProofPhase::Green, true) => {
            Statement::note(Role::Good, Mark::Ok, format!("proof of {story}: {all} pass"))
        }
        (ProofPhase::WithoutWork, true) => {
            let text = format!("proof of {story}: {all} fail again without the work");
            Statement::note(Role::Good, Mark::Ok, text)
        }
        (ProofPhase::WithoutWork, false) => {
            let text = format!("proof of {story}: tests that pass without the work prove nothing");
            Statement::warning(text)
        }
        (ProofPhase::Red | ProofPhase::Green, false) => {
            Statement::note(Role::Bad, Mark::Failed, format!("proof of {story} is not accepted"))
        }
    };
    let mut lines: Vec<String> = run.problems.clone();
    if lines.is_empty() && !run.accepted {
        lines = run.unexpected().map(line).collect();
    }
    let more = lines.len().saturating_sub(LISTED);
    lines.truncate(LISTED);
    lines.extend((more > 0).then(|| format!("and {more} more")));
    let listed =
        lines.into_iter().map(|text| Statement::text(Role::Plain, sanitize::line(&text)).at(2));
    std::iter::once(head).chain(listed).collect()
}

/// `tests/test_sum.py: test_empty failed: assert 0 == 1`
fn line(test: &ProofTest) -> String {
    let message = test.message.lines().next().unwrap_or_default();
    let colon = if message.is_empty() { "" } else { ": " };
    format!("{} {}{colon}{message}", test.place(), test.result)
}

pub fn proof_state(state: ProofState) -> (Role, &'static str) {
    match state {
        ProofState::Manual => (Role::Dim, "no test"),
        ProofState::Green => (Role::Good, "green"),
        ProofState::ProvesNothing => (Role::Warn, "proves nothing"),
        ProofState::Red => (Role::Bad, "red"),
        ProofState::NoResult => (Role::Warn, "no result"),
    }
}

/// What a test did with the work taken away again.
pub fn without_work(run: &TestRun) -> (Role, String) {
    match run.result {
        ProofResult::Failed => (Role::Good, "fails again".to_owned()),
        ProofResult::Passed => (Role::Warn, "proves nothing".to_owned()),
        result => (Role::Warn, result.to_string()),
    }
}

/// `2 of 3 tests green`, `1 proves nothing`, `2 criteria`.
pub fn proof_summary(summary: &ProofSummary) -> Vec<(Role, String)> {
    let ProofSummary { criteria, tests, green, proves_nothing, red, no_result, .. } = *summary;
    let one_or_many = if proves_nothing == 1 { "proves nothing" } else { "prove nothing" };
    let mut of = format!(" of {}", count(tests, "test", "tests"));
    let parts = [
        (ProofState::Green, green, "green"),
        (ProofState::Red, red, "red"),
        (ProofState::ProvesNothing, proves_nothing, one_or_many),
        (ProofState::NoResult, no_result, "without a result"),
    ];
    let parts = parts.into_iter().filter(|(_, number, _)| *number > 0);
    // Only the first part names all tests.
    let parts = parts.map(|(state, number, words)| {
        (proof_state(state).0, format!("{number}{} {words}", std::mem::take(&mut of)))
    });
    let mut parts: Vec<_> = parts.collect();
    parts.push((Role::Plain, count(criteria, "criterion", "criteria")));
    parts
}
