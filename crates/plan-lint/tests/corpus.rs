//! Criteria that cannot be checked and criteria that can, from files; and how many are told apart.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that cannot go on fails where it stands, and the rates are for people"
)]

use std::collections::BTreeMap;

use plan_lint::{Branch, Code, Finding, Origin, OtherChecks, Plan, Prd, check};
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

/// All criteria of one story, so that each file is one list.
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
        branch: Branch::Legal,
        prd: Prd::Text("We build."),
        reviews: ReviewPolicy::Skipped,
        detected_checks: &[],
        other_checks: OtherChecks::None,
    })
}

/// What is told about each criterion.
fn told(criteria: &[String]) -> Vec<Option<Finding>> {
    let mut told = vec![None; criteria.len()];
    for finding in judged(criteria) {
        let about_words = matches!(
            finding.code,
            Code::VagueCriterion | Code::CriterionWithoutClaim | Code::Placeholder
        );
        if let (true, tasks::FieldPath::Item(_, index)) = (about_words, &finding.field) {
            told[*index] = Some(finding.clone());
        }
    }
    told
}

#[test]
fn vague_criteria_are_told_and_clear_ones_are_not() {
    let vague = read(include_str!("corpus/vague.toml"));
    let clear = read(include_str!("corpus/clear.toml"));
    let missed: Vec<&String> =
        vague.iter().zip(told(&vague)).filter(|(_, told)| told.is_none()).map(|(c, _)| c).collect();
    let wronged: Vec<String> = clear
        .iter()
        .zip(told(&clear))
        .filter_map(|(criterion, told)| Some(format!("{criterion}\n    {}", told?.message)))
        .collect();
    eprintln!(
        "vague criteria told: {} of {}; clear ones passed: {} of {}",
        vague.len() - missed.len(),
        vague.len(),
        clear.len() - wronged.len(),
        clear.len()
    );
    assert!(missed.is_empty(), "not told:\n  {missed:#?}");
    assert!(wronged.is_empty(), "told for nothing:\n{}", wronged.join("\n"));
    assert!(vague.len() >= LEAST && clear.len() >= LEAST, "{} and {}", vague.len(), clear.len());
}

/// A gap that is closed belongs among the vague ones.
#[test]
fn every_known_gap_is_still_open_and_says_why() {
    let Gaps { gap: gaps } = toml::from_str(include_str!("corpus/known-gaps.toml")).unwrap();
    assert!(gaps.iter().all(|gap| !gap.why.trim().is_empty()));
    let texts: Vec<String> = gaps.into_iter().map(|gap| gap.text).collect();
    for (text, told) in texts.iter().zip(told(&texts)) {
        assert!(told.is_none(), "no gap any more, move it to vague.toml: {text}");
    }
}
