//! The tests that prove a story.

use events::{ProofPhase, ProofResult, samples::proof_ran};

use super::*;

#[test]
fn a_proof_is_a_table_from_criterion_to_review() {
    let found = words(&proven("x").section("stories"));
    for expected in [
        "Proofs by story|US-002| Sums with tax: 2 of 3 tests green, 1 proves nothing, 3 criteria|",
        "The sum of an empty cart is 0|✓| green|tests/test_sum.py: test_empty|1ed01ed01e|93ee93ee93|✓| fails again|!| changes requested|",
        "Sums are rounded half to even|!| proves nothing|tests/test_tax.py: test_half[0.5 | <b>]|1ed01ed01e|93ee93ee93|!| proves nothing|!| changes requested|",
        "The sum looks like the <design>|○| no test|a person must look at it|!| changes requested|",
        "|tests/test_tax.py: test_half[0.5 | <b>] passes without the work",
    ] {
        assert!(found.contains(expected), "{expected} is not in {found}");
    }
}

#[test]
fn a_commit_leads_to_the_changes_of_its_story_if_the_page_has_them() {
    let with = proven("x").page();
    assert_eq!(with.matches("<a href=\"#diff-US-002\"><code>1ed01ed01e</code></a>").count(), 3);
    assert!(with.contains("<div id=\"diff-US-002\">"));
    let without = Sample { diffs: Diffs::default(), ..proven("x") }.page();
    assert!(!without.contains("#diff-") && without.contains("<code>1ed01ed01e</code>"));
}

#[test]
fn an_unwanted_result_is_shown_with_its_commit() {
    let red =
        proof_ran(ProofPhase::Red, [ProofResult::Failed, ProofResult::Passed, ProofResult::Broken]);
    let found = words(&Sample::of(&a_run_with_a_proof(&[red])).section("stories"));
    for expected in ["|1ed01ed01e| |!| passed|", "|1ed01ed01e| |!| is broken|", "|✕| red|"] {
        assert!(found.contains(expected), "{expected} is not in {found}");
    }
}

#[test]
fn a_run_without_proofs_does_not_name_them() {
    assert!(!Sample::of(&a_run()).section("stories").contains("roof"));
}
