//! One list of the findings of several lenses: a problem that two of them found is one finding.

use std::collections::BTreeSet;

use events::ReviewFinding;
use run_options::ReviewLens;
use serde::Serialize;

use super::LensReview;

/// Shorter words say little about what a finding is about.
const SHORTEST_WORD: usize = 4;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MergedFinding {
    #[serde(flatten)]
    pub finding: ReviewFinding,
    pub lenses: Vec<ReviewLens>,
}

/// Those that most lenses found come first; otherwise in the order of the lenses.
pub fn merged_findings(reviews: &[LensReview]) -> Vec<MergedFinding> {
    let mut merged: Vec<MergedFinding> = Vec::new();
    for LensReview { lens, findings, .. } in reviews {
        for finding in findings.iter().flatten() {
            let same = merged.iter_mut().find(|other| is_same(&other.finding, finding));
            match same {
                Some(same) if same.lenses.contains(lens) => {}
                Some(same) => same.lenses.push(*lens),
                None => {
                    merged.push(MergedFinding { finding: finding.clone(), lenses: vec![*lens] })
                }
            }
        }
    }
    merged.sort_by_key(|found| std::cmp::Reverse(found.lenses.len()));
    merged
}

/// Fewer words in common say nothing.
const FEWEST_SHARED: usize = 2;

/// The same place, and texts that share half of their words.
fn is_same(one: &ReviewFinding, other: &ReviewFinding) -> bool {
    if (&one.file, one.line) != (&other.file, other.line) {
        return false;
    }
    let (one, other) = (words(one), words(other));
    let shared = one.intersection(&other).count();
    shared >= FEWEST_SHARED && shared * 2 >= one.len().min(other.len())
}

fn words(finding: &ReviewFinding) -> BTreeSet<String> {
    let text = format!("{} {}", finding.title, finding.text).to_lowercase();
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| word.chars().count() >= SHORTEST_WORD).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(title: &str, file: &str, line: u64) -> ReviewFinding {
        let (file, line) = (Some(file.to_owned()), Some(line));
        ReviewFinding {
            title: title.into(),
            text: "see there".into(),
            file,
            line,
            ..Default::default()
        }
    }

    fn review(lens: ReviewLens, findings: Vec<ReviewFinding>) -> LensReview {
        LensReview { lens, findings: Ok(findings), seconds: 1.0, cost_usd: 0.0 }
    }

    #[test]
    fn the_same_place_and_a_similar_text_are_one_finding_of_two_lenses() {
        use ReviewLens::{Security, Tests};
        let merged = merged_findings(&[
            review(Security, vec![found("x", "b.rs", 1), found("Path from user input", "a.rs", 7)]),
            review(
                Tests,
                vec![
                    found("User input reaches a path", "a.rs", 7),
                    found("User input reaches a path", "a.rs", 8),
                    found("Nothing alike whatsoever", "b.rs", 1),
                ],
            ),
        ]);
        let shown: Vec<(String, usize)> =
            merged.iter().map(|found| (found.finding.place(), found.lenses.len())).collect();
        let expected = [("a.rs:7", 2), ("b.rs:1", 1), ("a.rs:8", 1), ("b.rs:1", 1)];
        assert_eq!(shown, expected.map(|(place, count)| (place.to_owned(), count)));
        assert_eq!(merged[0].lenses, [Security, Tests]);
    }
}
