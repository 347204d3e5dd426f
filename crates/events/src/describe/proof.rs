//! What the runs of a proof's tests mean.

use super::{Mark, Statement};
use crate::format::count;
use crate::{ProofPhase, ProofRun, ProofTest, Role};

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
