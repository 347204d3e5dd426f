//! The tests that prove stories, as the runner saw them fail and pass.

use std::fmt::Write;

use events::{CriterionProof, ProofPhase, TestProof, TestRun, describe};

use super::super::ProofReport;
use super::super::safe_markdown::{code, code_cell, text};
use super::{RunReport, list};
use crate::report::format::short_id;

const HEAD: &str = "| Criterion | Test | Red at | Green at | Without the work | Review |\n\
    |---|---|---|---|---|---|\n";

pub(super) fn proofs(report: &RunReport) -> Vec<String> {
    report.proofs.iter().flat_map(proof).collect()
}

fn proof(proof: &ProofReport) -> [String; 4] {
    let review = proof.review.unwrap_or("-");
    let rows = proof.criteria.iter().map(|criterion| rows(criterion, review));
    let summary = describe::proof_summary(&proof.summary).into_iter().map(|(_, text)| text);
    [
        format!("### {}: {}", proof.story, text(&proof.title)),
        summary.collect::<Vec<_>>().join(", "),
        HEAD.to_owned() + &rows.collect::<String>(),
        list(proof.problems.iter().map(|problem| text(problem))),
    ]
}

/// A row for each test, the first with the criterion.
fn rows(criterion: &CriterionProof, review: &str) -> String {
    let mut name = text(&criterion.criterion);
    if criterion.tests.is_empty() {
        let why = criterion.manual.as_deref().map(|why| format!(": {}", text(why)));
        return format!("| {name} | no test{} | - | - | - | {review} |\n", why.unwrap_or_default());
    }
    let mut rows = String::new();
    for test in &criterion.tests {
        let TestProof { red, green, without_work, .. } = test;
        let (red, green) = (cell(red, ProofPhase::Red), cell(green, ProofPhase::Green));
        let without = without_work.as_ref().map(|run| describe::without_work(run).1);
        let (place, without) = (code_cell(&test.place()), without.unwrap_or("-".to_owned()));
        let name = std::mem::take(&mut name);
        let _ = writeln!(rows, "| {name} | {place} | {red} | {green} | {without} | {review} |");
    }
    rows
}

/// The commit, and the result if it is not the wanted one.
fn cell(run: &Option<TestRun>, phase: ProofPhase) -> String {
    let Some(run) = run else { return "-".to_owned() };
    let commit = code(&short_id(&run.commit));
    run.result.unwanted(phase).map_or(commit.clone(), |result| format!("{commit}: {result}"))
}
