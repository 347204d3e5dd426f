//! Runs of a proof's tests in, the state of each criterion out.

use ProofPhase::{Green, Red, WithoutWork};
use ProofResult::{Broken, Failed, NotRun, Passed, Unstable};

use super::*;
use crate::{ProofPhase, ProofResult};

fn proof(runs: &[LoopEvent]) -> StoryProof {
    folded(&a_run_with_a_proof(runs)).proofs.remove(&id("US-002")).unwrap()
}

/// Of the three tests.
fn states(runs: &[LoopEvent]) -> [ProofState; 3] {
    let criteria = proof(runs).criteria();
    let states: Vec<_> =
        criteria.iter().flat_map(|one| &one.tests).map(|test| test.state).collect();
    states.try_into().unwrap()
}

#[test]
fn a_test_is_green_if_it_failed_without_the_work_and_passes_with_it() {
    use ProofState::{Green as IsGreen, NoResult, ProvesNothing, Red as IsRed};
    let red = proof_ran(Red, [Failed; 3]);
    let green = proof_ran(Green, [Passed; 3]);
    let without = |results| proof_ran(WithoutWork, results);
    for (runs, expected) in [
        (vec![red.clone()], [IsRed; 3]),
        (vec![proof_ran(Red, [Failed, Passed, Broken])], [IsRed, ProvesNothing, NoResult]),
        (
            vec![red.clone(), proof_ran(Green, [Passed, Failed, Unstable])],
            [IsGreen, IsRed, NoResult],
        ),
        (vec![red.clone(), green.clone()], [IsGreen; 3]),
        (
            vec![red.clone(), green.clone(), without([Failed, Passed, NotRun])],
            [IsGreen, ProvesNothing, IsGreen],
        ),
        // New tests: the old runs are over.
        (vec![red.clone(), green.clone(), without([Passed; 3]), red.clone()], [IsRed; 3]),
        // An earlier log has the red run.
        (vec![green.clone()], [IsGreen; 3]),
    ] {
        assert_eq!(states(&runs), expected, "{runs:?}");
    }
}

#[test]
fn a_criterion_has_the_state_of_its_worst_test() {
    let criteria = proof(&a_proof()).criteria();
    let states: Vec<_> = criteria.iter().map(|criterion| criterion.state).collect();
    assert_eq!(states, [ProofState::Green, ProofState::ProvesNothing, ProofState::Manual]);
    assert_eq!(criteria[2].manual.as_deref(), Some("a person must look at it"));
    let test = &criteria[0].tests[0];
    let commits =
        [&test.red, &test.green, &test.without_work].map(|run| &run.as_ref().unwrap().commit[..4]);
    assert_eq!(commits, ["1ed0", "93ee", "0000"]);
    assert_eq!(test.place(), "tests/test_sum.py: test_empty");
}

#[test]
fn the_summary_counts_tests_and_names_the_criteria_without_one() {
    let summary = proof(&a_proof()).summary();
    assert_eq!((summary.criteria, summary.tests), (3, 3));
    assert_eq!((summary.green, summary.proves_nothing), (2, 1));
    assert_eq!((summary.red, summary.no_result), (0, 0));
    assert_eq!(summary.manual, ["The sum looks like the <design>\u{1b}[2J"]);
}

#[test]
fn the_problems_are_those_of_the_newest_runs() {
    let with_problem = |mut event: LoopEvent, problem: &str| {
        if let LoopEvent::ProofRan(run) = &mut event {
            run.problems = vec![problem.into()];
        }
        event
    };
    let [red, green, without] = a_proof();
    let red = with_problem(red, "in red");
    assert_eq!(proof(std::slice::from_ref(&red)).problems(), ["in red"]);
    assert_eq!(proof(&[red.clone(), green.clone()]).problems(), Vec::<String>::new());
    let all = proof(&[red, with_problem(green, "in green"), with_problem(without, "without")]);
    assert_eq!(all.problems(), ["in green", "without"]);
}

#[test]
fn a_run_without_proofs_does_not_name_them_in_its_json_form() {
    let json = |events: &[Stamped]| serde_json::to_value(folded(events)).unwrap();
    assert!(json(&a_run()).get("proofs").is_none());
    assert!(json(&a_run_with_a_proof(&a_proof()))["proofs"]["US-002"]["withoutWork"].is_object());
}
