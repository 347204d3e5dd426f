//! The prompt of one iteration: the user's template with what the runner knows filled in, so that
//! the agent never has to guess its mode, its story or what went wrong last time.
//!
//! Pure text. Variables are `${NAME}` out of a closed set; no shell is involved, and what a value
//! contains is never expanded again.

mod blocks;
mod variables;

use tasks::{Mode, ReviewPolicy, Story, TaskList};

use crate::decide::Assignment;
use crate::state::Failure;
pub(crate) use variables::Expanded;
use variables::{Variables, expand};

/// What ends the agent's last message once everything is done.
pub const COMPLETION_TAG: &str = "<promise>COMPLETE</promise>";

/// Used where the project has no `prompt.md` of its own.
pub(crate) const DEFAULT_TEMPLATE: &str = include_str!("../../../templates/prompt.md");

const IMPLEMENT: &str = include_str!("../../../templates/modes/implement.md");
const REVIEW: &str = include_str!("../../../templates/modes/review.md");
const REVIEW_FIX: &str = include_str!("../../../templates/modes/review-fix.md");
const IMPLEMENT_SKIP_REVIEW: &str =
    include_str!("../../../templates/modes/implement-skip-review.md");

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
}

pub(crate) fn assemble(input: &PromptInput<'_>) -> Expanded {
    let mut variables = variables(input);
    let instructions = expand(instructions(input), &variables);
    variables.set("INSTRUCTIONS", instructions.text.trim_end());
    let has_place = ["${STORY}", "${INSTRUCTIONS}", "${STORY_ID}"]
        .iter()
        .any(|name| input.template.contains(name));
    let whole = if has_place {
        input.template.to_owned()
    } else {
        format!("{}{ASSIGNMENT}", input.template.trim_end())
    };
    expand(&whole, &variables)
}

fn variables(input: &PromptInput<'_>) -> Variables {
    let PromptInput { assignment, list, story, .. } = input;
    let mut variables = Variables::default();
    variables.set("ITERATION", assignment.iteration);
    variables.set("MAX_ITERATIONS", input.max_iterations);
    variables.set("MODE", assignment.mode);
    variables.set("STORY_ID", &story.id);
    variables.set("STORY_TITLE", &story.title);
    variables.set("STORY", blocks::story(story));
    variables.set("FEEDBACK", blocks::feedback(story));
    variables.set("LAST_FAILURE", input.failure.map(blocks::failure).unwrap_or_default());
    variables.set("VERIFY_COMMANDS", blocks::commands(&list.verify_commands));
    let cap = match input.review {
        ReviewPolicy::Required { cap } => cap.to_string(),
        ReviewPolicy::Skipped => "none".to_owned(),
    };
    variables.set("REVIEW_CAP", cap);
    variables.set("REVIEW_COUNT", story.review_count);
    variables.set("RALPH_DIR", input.ralph_dir);
    variables.set("BRANCH", input.branch);
    let range = input.began_at.map(blocks::range).unwrap_or_default();
    variables.set("CHECKPOINT_RANGE", range);
    variables.set("COMPLETION_TAG", COMPLETION_TAG);
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
