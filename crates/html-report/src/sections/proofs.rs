//! The tests that prove stories, as the runner saw them fail and pass. A part of the section of the stories.

use events::describe::{proof_state, proof_summary, without_work};
use events::format::review_verdict;
use events::{CriterionProof, ProofPhase, Role, StoryProof, TestProof, TestRun};
use tasks::StoryId;

use super::{badge, code, diffs, id};
use crate::PageInput;
use crate::html::{Html, element};
use crate::table::{folded, list_or_fold, table};
use crate::tally::StoryRow;

const COLUMNS: &str = "Criterion, State, Test, Red at, Green at, Without the work, Review";

/// Nothing without proofs.
pub(super) fn proofs(input: &PageInput<'_>, rows: &[StoryRow<'_>]) -> Vec<Html> {
    let proven = rows.iter().filter_map(|row| Some((row, input.view.proofs.get(&row.brief.id)?)));
    let proofs: Vec<Html> = proven.map(|(row, proof)| story(input, row, proof)).collect();
    if proofs.is_empty() {
        return Vec::new();
    }
    let heading = element("h3").add("Proofs by story").into();
    vec![heading, list_or_fold("proofs", "Stories with proofs", proofs)]
}

fn story(input: &PageInput<'_>, row: &StoryRow<'_>, proof: &StoryProof) -> Html {
    let story = &row.brief.id;
    let summary: Vec<_> =
        proof_summary(&proof.summary()).into_iter().map(|(_, text)| text).collect();
    let name = format!(" {}: {}", row.brief.title, summary.join(", "));
    let name = element("span").add(id(story)).add(name);
    let criteria = proof.criteria();
    let cells = criteria.iter().flat_map(|criterion| self::cells(input, story, criterion));
    let table = table(&format!("Criteria of {story} with their tests"), COLUMNS, cells);
    let problems = proof.problems();
    let problems = (!problems.is_empty())
        .then(|| element("ul").add_all(problems.iter().map(|text| element("li").add(text))));
    let contents = element("div").add(table).add(problems);
    folded(format!("proof-{story}"), name, contents.into()).into()
}

/// A row for each test.
fn cells(input: &PageInput<'_>, story: &StoryId, criterion: &CriterionProof) -> Vec<[Html; 7]> {
    let verdict = input.view.verdicts.get(story);
    let verdict = || verdict.map(|verdict| badge(review_verdict(*verdict))).into();
    let name: Html = (&criterion.criterion).into();
    if criterion.tests.is_empty() {
        let (state, why) = (badge(proof_state(criterion.state)), criterion.manual.as_ref().into());
        return vec![[
            name,
            state,
            why,
            Html::default(),
            Html::default(),
            Html::default(),
            verdict(),
        ]];
    }
    let row = |test: &TestProof| {
        let without = test.without_work.as_ref().map(|run| {
            let (role, words) = without_work(run);
            badge((role, &words))
        });
        [
            name.clone(),
            badge(proof_state(test.state)),
            code(&test.place()).into(),
            cell(input, story, &test.red, ProofPhase::Red),
            cell(input, story, &test.green, ProofPhase::Green),
            without.into(),
            verdict(),
        ]
    };
    criterion.tests.iter().map(row).collect()
}

/// The commit, and the result if it is not the wanted one.
fn cell(input: &PageInput<'_>, story: &StoryId, run: &Option<TestRun>, phase: ProofPhase) -> Html {
    let Some(run) = run else { return Html::default() };
    let unwanted =
        run.result.unwanted(phase).map(|result| badge((Role::Warn, &result.to_string())));
    element("span")
        .add(diffs::commit(input, story, &run.commit))
        .add(unwanted.map(|unwanted| element("span").add(" ").add(unwanted)))
        .into()
}
