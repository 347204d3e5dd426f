//! The proof of the story in work.

use events::samples::proof_ran;
use events::{ProofPhase, ProofResult};

use super::*;

/// The last iteration is one of the proven story.
fn proven(proof: &[LoopEvent]) -> DashboardState {
    state_of(&a_run_with_a_proof(proof))
}

fn red() -> LoopEvent {
    use ProofResult::{Broken, Failed};
    proof_ran(ProofPhase::Red, [Failed, Failed, Broken])
}

#[test]
fn each_criterion_is_below_the_checks_the_worst_first() {
    let text = screen(&mut proven(&a_proof()), LARGE);
    let rows: Vec<&str> = text
        .lines()
        .filter_map(|line| line.char_indices().nth(67).map(|(at, _)| &line[at..]))
        .collect();
    let first = rows.iter().position(|row| row.contains("Proof of US-002: ")).unwrap();
    for (row, expected) in rows[first..].iter().zip([
        "Proof of US-002: 2 of 3 tests green · 1 proves ",
        "◆ proves nothing Sums are rounded half to even",
        "✓ green The sum of an empty cart is 0",
        "· no test The sum looks like the <design>",
    ]) {
        assert!(row.contains(expected), "{expected}\n{text}");
    }
    assert!(text.contains("✗ cargo clippy exit code 101"), "{text}");
}

#[test]
fn in_a_usual_window_the_summary_is_in_front_of_the_checks() {
    let text = screen(&mut proven(&[red()]), USUAL);
    let line = "proof: 2 of 3 tests red · 1 without a result · 3 criteria  checks (3): ";
    assert!(text.contains(line), "{text}");
}

#[test]
fn many_criteria_do_not_hide_the_checks_and_are_counted() {
    let mut many = red();
    if let LoopEvent::ProofRan(run) = &mut many {
        let more = vec![run.criteria[0].clone(); 20];
        run.criteria.extend(more);
    }
    let text = screen(&mut proven(&[many]), LARGE);
    assert!(text.contains(" more criteria"), "{text}");
    assert!(text.contains("✗ cargo clippy") && text.contains("✓ cargo test"), "{text}");
}

#[test]
fn a_story_without_a_proof_has_none() {
    let mut events = a_run_with_a_proof(&a_proof());
    let mut other = events::samples::iteration_started(5, 1, tasks::Mode::Implement);
    if let LoopEvent::IterationStarted(started) = &mut other {
        started.story = Some(events::samples::id("US-003"));
    }
    events.push(stamped(5660, other));
    for size in [USUAL, LARGE] {
        assert!(!screen(&mut state_of(&events), size).to_lowercase().contains("proof"));
    }
}
