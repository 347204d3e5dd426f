//! The prompt of a review of a range of commits.

use std::collections::BTreeMap;

use run_options::{ReviewLens, Word};

use super::AnswerFormat;
use super::final_review::findings_format;
use crate::templates::built_in::BuiltIn;
use crate::templates::{Variables, expand};

const TEMPLATE: &str = include_str!("../../../../../templates/range-review.md");

pub(crate) fn about_range(
    name: &str,
    [from, to]: [&str; 2],
    lens: ReviewLens,
    answer: AnswerFormat,
) -> String {
    let mut variables = Variables::with(&BTreeMap::new());
    let short = |commit: &str| commit.get(..12).unwrap_or(commit).to_owned();
    let (from, to) = (short(from), short(to));
    let range = format!(
        "`git diff {from}..{to}` shows all of them, `git log --oneline {from}..{to}` lists them. {to} is checked out."
    );
    variables.set(BuiltIn::Branch, sanitize::line(name).replace('`', "'"));
    variables.set(BuiltIn::CheckpointRange, range);
    variables.set(BuiltIn::Mode, lens.name());
    variables.set(BuiltIn::Instructions, instructions(lens).trim_end());
    variables.set(BuiltIn::Handoff, findings_format(answer));
    expand(TEMPLATE, &variables).text
}

fn instructions(lens: ReviewLens) -> &'static str {
    match lens {
        ReviewLens::Correctness => include_str!("../../../../../templates/lenses/correctness.md"),
        ReviewLens::Security => include_str!("../../../../../templates/lenses/security.md"),
        ReviewLens::Tests => include_str!("../../../../../templates/lenses/tests.md"),
        ReviewLens::Performance => include_str!("../../../../../templates/lenses/performance.md"),
        ReviewLens::Design => include_str!("../../../../../templates/lenses/design.md"),
    }
}
