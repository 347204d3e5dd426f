//! Finds duplicates.

use std::collections::BTreeMap;

use itertools::Itertools;
use tasks::{FieldPath, StoryId};

use crate::quote::quote;
use crate::{Code, Finding, StorySpot};

pub(crate) fn duplicate_titles(spots: &[StorySpot<'_>]) -> Vec<Finding> {
    let mut first: BTreeMap<String, &StoryId> = BTreeMap::new();
    let mut findings = Vec::new();
    for spot in spots {
        let title = alike(&spot.story.title);
        if title.is_empty() {
            continue;
        }
        match first.get(&title) {
            Some(other) => findings.push(spot.finding(
                Code::DuplicateTitle,
                FieldPath::Named("title"),
                format!("has the same title as {other}"),
                format!("State in the title how it differs from {other}, or merge both."),
            )),
            None => drop(first.insert(title, &spot.story.id)),
        }
    }
    findings
}

pub(crate) fn duplicate_criteria(spot: StorySpot<'_>) -> Vec<Finding> {
    let criteria = &spot.story.acceptance_criteria;
    let again = repeated(criteria).into_iter().map(|(index, of)| {
        spot.finding(
            Code::DuplicateCriterion,
            FieldPath::Item("acceptanceCriteria", index),
            format!("repeats acceptanceCriteria[{of}]: {}", quote(&criteria[index])),
            "Remove one of them.",
        )
    });
    again.collect()
}

/// Positions of repeated texts, with the position of the first occurrence.
pub(crate) fn repeated(texts: &[String]) -> Vec<(usize, usize)> {
    let mut first: BTreeMap<String, usize> = BTreeMap::new();
    let places = texts.iter().enumerate();
    let places = places.map(|(index, text)| (index, *first.entry(alike(text)).or_insert(index)));
    places.filter(|(index, of)| index != of).collect()
}

/// Ignores case, blanks and a full stop.
fn alike(text: &str) -> String {
    text.split_whitespace().join(" ").trim_end_matches('.').to_lowercase()
}
