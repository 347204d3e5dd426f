//! The tests that prove stories.

use events::{ProofPhase, ProofResult};
use serde_json::json;

use super::*;

fn section(text: &str) -> &str {
    let from = text.find("## Proofs").unwrap();
    let len = text[from + 3..].find("\n## ").unwrap();
    &text[from..from + 3 + len]
}

#[test]
fn a_proof_is_a_table_from_criterion_to_review() {
    let text = shown(&a_run_with_a_proof(&a_proof()));
    assert_eq!(
        section(&text),
        "\
## Proofs

### US-002: Sums with tax

2 of 3 tests green, 1 proves nothing, 3 criteria

| Criterion | Test | Red at | Green at | Without the work | Review |
|---|---|---|---|---|---|
| The sum of an empty cart is 0 | `tests/test_sum.py: test_empty` | `1ed01ed01e` | `93ee93ee93` | fails again | changes requested |
| Sums are rounded half to even | `tests/test_sum.py: test_half` | `1ed01ed01e` | `93ee93ee93` | fails again | changes requested |
|  | `tests/test_tax.py: test_half[0.5 \\| <b>]` | `1ed01ed01e` | `93ee93ee93` | proves nothing | changes requested |
| The sum looks like the \\<design\\> | no test: a person must look at it | - | - | - | changes requested |

- tests/test\\_tax.py: test\\_half\\[0.5 \\| \\<b\\>\\] passes without the work
"
        .replace("test\\_", "test_")
    );
}

#[test]
fn an_unwanted_result_is_named_and_a_phase_without_run_is_empty() {
    let red =
        proof_ran(ProofPhase::Red, [ProofResult::Failed, ProofResult::Passed, ProofResult::Broken]);
    let text = shown(&a_run_with_a_proof(&[red]));
    for cells in [
        "test_empty` | `1ed01ed01e` | - | - |",
        "test_half` | `1ed01ed01e`: passed | - | - |",
        "<b>]` | `1ed01ed01e`: is broken | - | - |",
    ] {
        assert!(text.contains(cells), "{cells}\n{text}");
    }
}

#[test]
fn a_run_without_proofs_has_no_such_section() {
    assert!(!shown(&a_run()).contains("Proofs"));
    assert!(report(&a_run()).proofs.is_empty());
}

#[test]
fn the_json_form_keeps_its_names() {
    let text = report(&a_run_with_a_proof(&a_proof())).to_json();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let proof = &json["proofs"][0];
    assert_eq!(
        (&proof["story"], &proof["review"]),
        (&json!("US-002"), &json!("changes requested"))
    );
    assert_eq!(proof["summary"]["provesNothing"], 1);
    let test = &proof["criteria"][1]["tests"][1];
    assert_eq!(
        (&test["state"], &test["withoutWork"]),
        (&json!("proves-nothing"), &json!({ "commit": "0000".repeat(10), "result": "passed" }))
    );
    assert_eq!(proof["criteria"][2]["manual"], "a person must look at it");
}
