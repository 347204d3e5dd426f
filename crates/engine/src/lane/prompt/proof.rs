//! What a session must know about the proof of its story: how to write it, that its tests stay as they are, or whether
//! they show the criteria.

use std::fmt::Write;

use proof::{Evidence, MappedCriterion, TestRef};
use tasks::{Mode, Sha256Digest};

use super::{PromptInput, blocks};
use crate::lane::proof::StoryProof;
use crate::templates::fenced_agent_text;

const IMPLEMENT: &str = include_str!("../../../../../templates/modes/implement-proof.md");
const REVIEW: &str = include_str!("../../../../../templates/modes/review-proof.md");

/// The rules for the tests of the proof; empty for a story without one.
pub(super) fn rules(input: &PromptInput<'_>) -> &'static str {
    match (input.assignment.mode, input.proof) {
        (Mode::Specify, _) | (_, None) => "",
        (Mode::Implement | Mode::ReviewFix, Some(_)) => IMPLEMENT,
        (Mode::Review, Some(_)) => REVIEW,
    }
}

/// The tests, or the criteria for which they are to be written. Sessions wrote parts of it, so it is never expanded.
pub(super) fn data(input: &PromptInput<'_>) -> String {
    match (input.assignment.mode, input.proof) {
        (Mode::Specify, earlier) => digests(input, earlier),
        (_, None) => String::new(),
        (Mode::Implement | Mode::ReviewFix, Some(proof)) => format!("\n{}", table(proof)),
        (Mode::Review, Some(proof)) => {
            format!("\n{}{}{}", table(proof), proving_nothing(proof), naming_tests(proof))
        }
    }
}

/// The digest of each criterion, which the proof file names.
fn digests(input: &PromptInput<'_>, earlier: Option<&StoryProof>) -> String {
    let mut text = String::from("### Criteria and their digests\n");
    for criterion in &input.story.acceptance_criteria {
        let digest = Sha256Digest::of(criterion);
        let _ = write!(text, "\n- `{digest}`: {}", blocks::one_line(criterion));
    }
    if let Some(why) = earlier.and_then(|earlier| earlier.reopened.as_deref()) {
        let _ = write!(
            text,
            "\n\n### Why you look at the tests again\n\nDecide yourself whether it is right. Keep a test that is \
             right, and correct one that is wrong.\n\n{}",
            fenced_agent_text(why)
        );
    }
    text
}

fn table(proof: &StoryProof) -> String {
    let lines = proof.criteria.criteria.iter().map(|criterion: &MappedCriterion| {
        let shown = match &criterion.evidence {
            Evidence::Tests(tests) => tests.iter().map(named).collect::<Vec<_>>().join(", "),
            Evidence::Manual(why) => format!("no test: {}", blocks::one_line(why)),
        };
        format!("- {}: {shown}", blocks::one_line(&criterion.text))
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn named(test: &TestRef) -> String {
    let text = format!("{} in {} ({})", test.name, test.file, test.framework);
    format!("`{}`", blocks::one_line(&text).replace('`', "'"))
}

fn naming_tests(proof: &StoryProof) -> String {
    if proof.names_tests.is_empty() {
        return String::new();
    }
    let paths: Vec<String> = proof
        .names_tests
        .iter()
        .map(|path| format!("`{}`", blocks::one_line(path).replace('`', "'")))
        .collect();
    format!(
        "\n\nThese files of the work name the tests or their framework. Look whether they change what the tests do: {}",
        paths.join(", ")
    )
}

fn proving_nothing(proof: &StoryProof) -> String {
    if proof.proves_nothing.is_empty() {
        return String::new();
    }
    let tests: Vec<String> = proof.proves_nothing.iter().map(named).collect();
    format!(
        "\n\nThese tests passed without the work on the story too, so they do not prove their criterion: {}",
        tests.join(", ")
    )
}
