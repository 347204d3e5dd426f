//! The prompt of a review of all work of a run.

use std::collections::BTreeMap;
use std::fmt::Write;

use events::ReviewFinding;
use tasks::{Story, TaskList};

use super::AnswerFormat;
use super::blocks::{imported, one_line};
use crate::templates::built_in::BuiltIn;
use crate::templates::{Variables, expand, list_item};

const TEMPLATE: &str = include_str!("../../../../../templates/final-review.md");
const SCHEMA: &str = include_str!("../../../../../templates/findings/schema.md");
const BLOCK: &str = include_str!("../../../../../templates/findings/block.md");

/// Characters of stories; the task list has the rest.
const LONGEST_STORIES: usize = 60_000;

#[derive(Debug)]
pub(crate) struct FinalReviewInput<'a> {
    pub(crate) list: &'a TaskList,
    /// The commit from which the branch began.
    pub(crate) from: &'a str,
    pub(crate) branch: &'a str,
    pub(crate) ralph_dir: &'a str,
    /// Of earlier final reviews.
    pub(crate) earlier: &'a [ReviewFinding],
    pub(crate) answer_format: AnswerFormat,
}

pub(crate) fn about_final_review(input: &FinalReviewInput<'_>) -> String {
    let mut variables = Variables::with(&BTreeMap::new());
    variables.set(BuiltIn::Branch, input.branch);
    variables.set(BuiltIn::RalphDir, input.ralph_dir);
    variables.set(BuiltIn::CheckpointRange, range(input.from));
    variables.set(BuiltIn::Story, stories(input.list));
    variables.set(BuiltIn::Feedback, earlier(input.earlier));
    variables.set(BuiltIn::Handoff, findings_format(input.answer_format));
    expand(TEMPLATE, &variables).text
}

/// How a session lists its findings.
pub(crate) fn findings_format(answer: AnswerFormat) -> &'static str {
    match answer {
        AnswerFormat::Schema => SCHEMA,
        AnswerFormat::Block => BLOCK,
    }
    .trim_end()
}

fn range(from: &str) -> String {
    let short = from.get(..12).unwrap_or(from);
    format!(
        "The work began at commit {short}. `git diff {short}..HEAD` shows all of it, `git log --oneline {short}..HEAD` \
         its commits."
    )
}

/// Sessions may have added stories, so none of their text may look like the runner's.
fn stories(list: &TaskList) -> String {
    let mut text = String::new();
    for (shown, story) in list.stories.iter().enumerate() {
        let block = story_block(story);
        if text.len() + block.len() > LONGEST_STORIES {
            let left = list.stories.len() - shown;
            let _ = write!(text, "… and {left} more in the task list\n\n");
            break;
        }
        text.push_str(&block);
    }
    text.trim_end().to_owned()
}

fn story_block(story: &Story) -> String {
    let mut block = format!("### {}: {}\n\n", story.id, one_line(&story.title));
    if story.source.is_some() {
        let _ = write!(block, "{}\n\n", imported(story));
    }
    for criterion in &story.acceptance_criteria {
        let _ = writeln!(block, "{}", list_item(criterion));
    }
    block.push('\n');
    block
}

fn earlier(findings: &[ReviewFinding]) -> String {
    if findings.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "## Findings of earlier final reviews\n\nSessions fixed them as stories. Check that they did, and do not report \
         again what is fixed.\n\n",
    );
    for finding in findings {
        let story = finding.story.as_ref().map(|story| format!("{story}: ")).unwrap_or_default();
        let _ = writeln!(text, "{}", list_item(&format!("{story}{}", finding.title)));
    }
    text.trim_end().to_owned()
}
