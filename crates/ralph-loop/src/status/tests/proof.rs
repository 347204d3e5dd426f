//! The stories that tests must prove.

use events::{ProofPhase, ProofResult};

use super::*;
use crate::report::test_events::{a_proof, a_run_with_a_proof, proof_ran};

fn with_proof(proof: &[LoopEvent]) -> ProjectStatus {
    running_status(300, task_list(), run(&a_run_with_a_proof(proof)))
}

#[test]
fn a_story_with_a_proof_has_a_line_and_the_others_none() {
    let text = shown(&with_proof(&a_proof()), Some(80));
    let lines = "\n\n  proof of US-002: 2 of 3 tests green · 1 proves nothing · 3 criteria · \
        no test: The sum looks like the <design>\n  ralph-loop proof STORY  shows the tests\n\n";
    assert!(text.contains(lines), "{text}");
    assert_eq!(text.matches("proof").count(), 2, "{text}");
    let none = shown(&status(300, task_list(), run(&a_run())), Some(80));
    assert!(!none.contains("proof") && !none.contains("no test"), "{none}");
}

#[test]
fn red_tests_are_counted() {
    use ProofResult::{Broken, Failed};
    let red = proof_ran(ProofPhase::Red, [Failed, Failed, Broken]);
    let text = shown(&with_proof(&[red]), None);
    assert!(text.contains(": 2 of 3 tests red · 1 without a result · 3 criteria · "), "{text}");
}

#[test]
fn many_and_long_criteria_without_a_test_are_shortened() {
    let mut red = proof_ran(ProofPhase::Red, [ProofResult::Failed; 3]);
    if let LoopEvent::ProofRan(run) = &mut red {
        let manual =
            events::ProvenCriterion { criterion: "x".repeat(200), ..run.criteria[2].clone() };
        run.criteria.extend(vec![manual; 3]);
    }
    let text = shown(&with_proof(&[red]), None);
    let line = format!("no test: The sum looks like the <design>; {}…; 2 more\n", "x".repeat(60));
    assert!(text.contains(&line), "{text}");
}

#[test]
fn the_json_form_has_the_summary_and_the_runs() {
    let json = serde_json::to_value(with_proof(&a_proof())).unwrap();
    let manual = "The sum looks like the <design>\u{1b}[2J";
    assert_eq!(
        json["stories"][1]["proof"],
        json!({
            "criteria": 3, "tests": 3, "green": 2, "provesNothing": 1, "red": 0, "noResult": 0,
            "manual": [manual],
        })
    );
    assert!(json["stories"][0].get("proof").is_none());
    assert_eq!(json["run"]["proofs"]["US-002"]["red"]["phase"], "red");
}
