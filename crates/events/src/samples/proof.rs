//! The runs of the tests that prove US-002: three tests for two of its three criteria.

use serde_json::json;

use super::{a_run, like, stamped};
use crate::*;

/// A run with these results of the three tests.
pub fn proof_ran(phase: ProofPhase, results: [ProofResult; 3]) -> LoopEvent {
    let commit = match phase {
        ProofPhase::Red => "1ed0",
        ProofPhase::Green => "93ee",
        ProofPhase::WithoutWork => "0000",
    };
    let fields = json!({"phase": phase, "commit": commit.repeat(10)});
    let LoopEvent::ProofRan(mut run) = like("proof-ran", fields) else { unreachable!() };
    let tests = run.criteria.iter_mut().flat_map(|criterion| &mut criterion.tests);
    for (test, result) in tests.zip(results) {
        test.result = result;
        if result == ProofResult::Passed {
            test.message.clear();
        }
    }
    let is_accepted = run.unexpected().next().is_none();
    run.accepted = is_accepted;
    LoopEvent::ProofRan(run)
}

/// Red, green and without the work, where the third test passes.
pub fn a_proof() -> [LoopEvent; 3] {
    use ProofPhase::{Green, Red, WithoutWork};
    use ProofResult::{Failed, Passed};
    let mut without = proof_ran(WithoutWork, [Failed, Failed, Passed]);
    if let LoopEvent::ProofRan(run) = &mut without {
        let test = "tests/test_tax.py: test_half[0.5 | <b>]";
        run.problems = vec![format!("{test} passes without the work\u{1b}[2J")];
    }
    [proof_ran(Red, [Failed; 3]), proof_ran(Green, [Passed; 3]), without]
}

/// The usual run, with the events of a proof in its first iteration, before the verdict of the review.
pub fn a_run_with_a_proof(proof: &[LoopEvent]) -> Vec<Stamped> {
    let mut events = a_run();
    let is_verdict = |one: &Stamped| matches!(one.event, LoopEvent::StoryStatusChanged { .. });
    let verdict = events.iter().position(is_verdict).unwrap();
    let proof = proof.iter().map(|event| stamped(252, event.clone()));
    events.splice(verdict..verdict, proof);
    events
}
