//! A corpus of vague and clear criteria, and the detection rates.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a panic fails the test, and the rates are for people"
)]

use std::collections::BTreeMap;

use plan_lint::{Code, Finding, Origin, Plan, Prd, check};
use serde::Deserialize;
use tasks::ReviewPolicy;

const LEAST: usize = 120;

#[derive(Deserialize)]
struct Gaps {
    gap: Vec<Gap>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Gap {
    text: String,
    why: String,
}

fn read(text: &str) -> Vec<String> {
    let kinds: BTreeMap<String, Vec<String>> = toml::from_str(text).unwrap();
    kinds.into_values().flatten().collect()
}

/// All criteria in one story, so that each file is one list.
fn judged(criteria: &[String]) -> Vec<Finding> {
    let story = serde_json::json!({
        "id": "US-1", "title": "A story", "acceptanceCriteria": criteria, "priority": 1,
        "passes": false, "reviewStatus": null, "reviewCount": 0, "reviewFeedback": ""
    });
    let list = serde_json::json!({
        "project": "p", "branchName": "b", "description": "", "verifyCommands": ["npm test"],
        "userStories": [story]
    });
    let inspection = tasks::inspect(list.to_string().as_bytes());
    assert!(inspection.problems.is_empty(), "{:?}", inspection.problems);
    check(&Plan {
        list: &inspection,
        origin: Origin::Written,
        is_branch_valid: true,
        prd: Prd::Text("We build."),
        reviews: ReviewPolicy::Skipped,
        detected_checks: &[],
        has_other_checks: false,
        proof: run_options::ProofUse::Off,
    })
}

/// The findings about each criterion.
fn findings(criteria: &[String]) -> Vec<Option<Finding>> {
    let mut found = vec![None; criteria.len()];
    for finding in judged(criteria) {
        let about_words = matches!(
            finding.code,
            Code::VagueCriterion | Code::CriterionWithoutClaim | Code::Placeholder
        );
        if let (true, tasks::FieldPath::Item(_, index)) = (about_words, &finding.field) {
            found[*index] = Some(finding.clone());
        }
    }
    found
}

#[test]
fn vague_criteria_are_found_and_clear_ones_are_not() {
    let vague = read(include_str!("corpus/vague.toml"));
    let clear = read(include_str!("corpus/clear.toml"));
    let missed: Vec<&String> = vague
        .iter()
        .zip(findings(&vague))
        .filter(|(_, found)| found.is_none())
        .map(|(c, _)| c)
        .collect();
    let wronged: Vec<String> = clear
        .iter()
        .zip(findings(&clear))
        .filter_map(|(criterion, found)| Some(format!("{criterion}\n    {}", found?.message)))
        .collect();
    eprintln!(
        "vague criteria found: {} of {}; clear ones passed: {} of {}",
        vague.len() - missed.len(),
        vague.len(),
        clear.len() - wronged.len(),
        clear.len()
    );
    assert!(missed.is_empty(), "not found:\n  {missed:#?}");
    assert!(wronged.is_empty(), "found by mistake:\n{}", wronged.join("\n"));
    assert!(vague.len() >= LEAST && clear.len() >= LEAST, "{} and {}", vague.len(), clear.len());
}

/// A closed gap must move to the vague criteria.
#[test]
fn every_known_gap_is_still_open_with_a_reason() {
    let Gaps { gap: gaps } = toml::from_str(include_str!("corpus/known-gaps.toml")).unwrap();
    assert!(gaps.iter().all(|gap| !gap.why.trim().is_empty()));
    let texts: Vec<String> = gaps.into_iter().map(|gap| gap.text).collect();
    for (text, found) in texts.iter().zip(findings(&texts)) {
        assert!(found.is_none(), "no gap any more, move it to vague.toml: {text}");
    }
}
