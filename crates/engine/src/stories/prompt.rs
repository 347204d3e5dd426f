//! The prompt of one iteration: the user's template with what the runner knows filled in, so that
//! the agent never has to guess its mode, its story or what went wrong last time.
//!
//! Pure text. Variables are `${NAME}` out of a closed set; no shell is involved, and what a value
//! contains is never expanded again.

mod blocks;

use std::collections::BTreeMap;

use agents::Completion;
use tasks::{Mode, ReviewPolicy, Story, TaskList};

use crate::built_in::BuiltIn;
use crate::options::Guardrail;
use crate::stories::assignment::Assignment;
use crate::stories::state::Failure;
use crate::variables::{Expanded, Variables, expand};

/// What ends the agent's last message once everything is done.
pub(crate) fn completion() -> Completion {
    Completion::promise("COMPLETE")
}

/// Used where the project has no `prompt.md` of its own.
pub(crate) const DEFAULT_TEMPLATE: &str = include_str!("../../../../templates/prompt.md");

const IMPLEMENT: &str = include_str!("../../../../templates/modes/implement.md");
const REVIEW: &str = include_str!("../../../../templates/modes/review.md");
const REVIEW_FIX: &str = include_str!("../../../../templates/modes/review-fix.md");
const IMPLEMENT_SKIP_REVIEW: &str =
    include_str!("../../../../templates/modes/implement-skip-review.md");

/// Added to a template that has no place for the assignment itself.
const ASSIGNMENT: &str = "\n\n## Your assignment\n\nMode: **${MODE}**, iteration ${ITERATION} of \
                          ${MAX_ITERATIONS}.\n\n${STORY}\n\n${FEEDBACK}\n\n${LAST_FAILURE}\n\n\
                          ${INSTRUCTIONS}\n";

/// Everything a prompt is made of.
#[derive(Debug)]
pub(crate) struct PromptInput<'a> {
    pub(crate) template: &'a str,
    pub(crate) assignment: &'a Assignment,
    pub(crate) list: &'a TaskList,
    pub(crate) story: &'a Story,
    pub(crate) max_iterations: u64,
    pub(crate) review: ReviewPolicy,
    pub(crate) ralph_dir: &'a str,
    pub(crate) branch: &'a str,
    /// The commit that the story's first iteration started from.
    pub(crate) began_at: Option<&'a str>,
    /// What was wrong with the last iteration on this story, or with the last one at all.
    pub(crate) failure: Option<&'a Failure>,
    /// The settings', besides the list's own checks.
    pub(crate) guardrails: &'a [Guardrail],
    /// The user's own variables.
    pub(crate) own: &'a BTreeMap<String, String>,
}

pub(crate) fn assemble(input: &PromptInput<'_>) -> Expanded {
    let mut variables = variables(input);
    let instructions = expand(instructions(input), &variables);
    variables.set(BuiltIn::Instructions, instructions.text.trim_end());
    let failure = input.failure.filter(|failure| !failure.is_empty());
    let replaced = failure.is_some_and(Failure::replaces_prompt);
    let template = if replaced { "" } else { input.template };
    let mut expanded = expand(&with_assignment(template, failure), &variables);
    if let Some(failure) = failure {
        expanded.text = failure.before(expanded.text.trim_start());
    }
    expanded
}

/// The template, with what it has no place for at its end.
fn with_assignment(template: &str, failure: Option<&Failure>) -> String {
    let has = |name: BuiltIn| template.contains(&format!("${{{}}}", name.name()));
    if ![BuiltIn::Story, BuiltIn::Instructions, BuiltIn::StoryId].into_iter().any(has) {
        return format!("{}{ASSIGNMENT}", template.trim_end());
    }
    match failure {
        Some(_) if !has(BuiltIn::LastFailure) => {
            format!("{}\n\n${{LAST_FAILURE}}\n", template.trim_end())
        }
        _ => template.to_owned(),
    }
}

fn variables(input: &PromptInput<'_>) -> Variables {
    let PromptInput { assignment, list, story, .. } = input;
    let mut variables = Variables::with(input.own);
    variables.set(BuiltIn::Iteration, assignment.iteration);
    variables.set(BuiltIn::MaxIterations, input.max_iterations);
    variables.set(BuiltIn::Mode, assignment.mode);
    variables.set(BuiltIn::StoryId, &story.id);
    variables.set(BuiltIn::StoryTitle, &story.title);
    variables.set(BuiltIn::Story, blocks::story(story));
    variables.set(BuiltIn::Feedback, blocks::feedback(story));
    variables.set(BuiltIn::LastFailure, input.failure.map(blocks::failure).unwrap_or_default());
    variables.set(BuiltIn::VerifyCommands, blocks::commands(list, input.guardrails));
    let cap = match input.review {
        ReviewPolicy::Required { cap } => cap.to_string(),
        ReviewPolicy::Skipped => "none".to_owned(),
    };
    variables.set(BuiltIn::ReviewCap, cap);
    variables.set(BuiltIn::ReviewCount, story.review_count);
    variables.set(BuiltIn::RalphDir, input.ralph_dir);
    variables.set(BuiltIn::Branch, input.branch);
    let range = input.began_at.map(blocks::range).unwrap_or_default();
    variables.set(BuiltIn::CheckpointRange, range);
    variables.set(BuiltIn::CompletionTag, completion());
    variables
}

fn instructions(input: &PromptInput<'_>) -> &'static str {
    match (input.assignment.mode, input.review) {
        (Mode::Implement, ReviewPolicy::Skipped) => IMPLEMENT_SKIP_REVIEW,
        (Mode::Implement, ReviewPolicy::Required { .. }) => IMPLEMENT,
        (Mode::Review, _) => REVIEW,
        (Mode::ReviewFix, _) => REVIEW_FIX,
    }
}

#[cfg(test)]
mod tests;
