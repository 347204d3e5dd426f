//! Assembles the prompt of one iteration: the user's template with mode, story and last failure filled in.
//!
//! Pure text functions. Variables are `${NAME}` from a closed set; values are never expanded again.

mod attempts;
mod blocks;
mod compaction;
mod context;
mod final_review;
mod proof;
mod range_review;

use std::collections::BTreeMap;

use agents::Completion;
use events::WeakenedTests;
use memory::Assembly;
use tasks::{Mode, ReviewPolicy, Story};

use crate::checks::KnownFailures;
use crate::control::UserInstructions;
use crate::lane::assignment::Assignment;
use crate::lane::candidate::Candidate;
use crate::lane::extra_help::ExtraHelp;
use crate::lane::proof::StoryProof;
use crate::lane::question::{self, Question};
use crate::lane::state_md::FailedAttempts;
use crate::lane::story_record::IterationFailure;
use crate::templates::built_in::BuiltIn;
use crate::templates::{Variables, expand, without_comments};
use crate::workspace::ReviewNotice;

pub(crate) use compaction::{CompactionInput, about_compaction};
use context::PromptParts;
pub(crate) use context::{AnswerFormat, Context, MemoryContext, SkillsPlacement};
pub(crate) use final_review::{FinalReviewInput, about_final_review};
pub(crate) use range_review::about_range;

pub(crate) fn completion() -> Completion {
    Completion::promise("COMPLETE")
}

pub(crate) const LARGEST_TEMPLATE: u64 = 4 * 1024 * 1024;

pub(crate) const DEFAULT_TEMPLATE: &str = include_str!("../../../../templates/prompt.md");

const IMPLEMENT: &str = include_str!("../../../../templates/modes/implement.md");
const SPECIFY: &str = include_str!("../../../../templates/modes/specify.md");
const REVIEW: &str = include_str!("../../../../templates/modes/review.md");
const FURTHER_REVIEW: &str = include_str!("../../../../templates/modes/further-review.md");
const FURTHER_VERDICT: &str = include_str!("../../../../templates/modes/further-verdict.md");
const FURTHER_VERDICT_SCHEMA: &str =
    include_str!("../../../../templates/modes/further-verdict-schema.md");
const FURTHER_VERDICT_BLOCK: &str =
    include_str!("../../../../templates/modes/further-verdict-block.md");
const VERDICT: &str = include_str!("../../../../templates/modes/verdict.md");
const VERDICT_IN_HANDOFF: &str = include_str!("../../../../templates/modes/verdict-handoff.md");
const QUESTION: &str = include_str!("../../../../templates/modes/question.md");
const NO_QUESTION: &str = include_str!("../../../../templates/modes/no-question.md");
const REVIEW_FIX: &str = include_str!("../../../../templates/modes/review-fix.md");
const IMPLEMENT_SKIP_REVIEW: &str =
    include_str!("../../../../templates/modes/implement-skip-review.md");

/// Appended to a template without a variable for the assignment.
const ASSIGNMENT: &str = "\n\n## Your assignment\n\nMode: **${MODE}**, iteration ${ITERATION} of \
                          ${MAX_ITERATIONS}.\n\n${STORY}\n\n${FEEDBACK}\n\n${LAST_FAILURE}\n\n\
                          ${PREVIOUS_ATTEMPTS}\n\n${WEAKENED_TESTS}\n\n${SKILLS}\n\n${MEMORY}\n\n\
                          ${INSTRUCTIONS}\n\n${HANDOFF}\n";

#[derive(Debug)]
pub(crate) struct PromptInput<'a> {
    pub(crate) template: &'a str,
    pub(crate) assignment: &'a Assignment,
    pub(crate) story: &'a Story,
    pub(crate) max_iterations: u64,
    pub(crate) review: ReviewPolicy,
    /// How a further reviewer gives its verdict; `None` for the first one and for other sessions.
    pub(crate) further_review: Option<AnswerFormat>,
    pub(crate) ralph_dir: &'a str,
    pub(crate) branch: &'a str,
    /// The commit from which the story's first iteration started.
    pub(crate) began_at: Option<&'a str>,
    /// Failure of the last iteration on this story, or of the last one at all.
    pub(crate) failure: Option<&'a IterationFailure>,
    /// Failed attempts at this story; left out of a review.
    pub(crate) attempts: Option<FailedAttempts<'a>>,
    pub(crate) escalation: &'a Escalation,
    pub(crate) user_instructions: &'a UserInstructions,
    /// Of sessions on this story, with the user's answers.
    pub(crate) questions: &'a [Question],
    /// 0 if sessions may not ask.
    pub(crate) question_limit: u64,
    pub(crate) weakened: &'a [WeakenedTests],
    /// For a reviewer: what people asked for on the pull request.
    pub(crate) pull_feedback: Option<&'a str>,
    pub(crate) proof: Option<&'a StoryProof>,
    /// For a reviewer.
    pub(crate) notices: &'a [ReviewNotice],
    /// The commands that must pass for the story.
    pub(crate) checks: &'a [String],
    /// Those of them that fail without the work on the story and are not held against it.
    pub(crate) known_failures: &'a KnownFailures,
    /// The user's variables.
    pub(crate) own: &'a BTreeMap<String, String>,
    pub(crate) context: Context<'a>,
}

#[derive(Debug, Default)]
pub(crate) struct Prompt {
    pub(crate) text: String,
    /// Unknown variables; the text contains them unchanged.
    pub(crate) unknown: Vec<String>,
    /// Text appended to the agent's own system prompt; may be empty.
    pub(crate) system: String,
    /// The parts of the text, if a token budget is set.
    pub(crate) assembly: Option<Assembly>,
}

/// Extra help for an attempt because earlier ones failed with the same error.
#[derive(Debug, Clone, Default)]
pub(crate) struct Escalation {
    pub(crate) help: ExtraHelp,
    pub(crate) shift_number: u64,
    pub(crate) shifts_allowed: u64,
    pub(crate) files: Vec<ProvidedFile>,
}

/// A project file that the prompt includes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProvidedFile {
    pub(crate) path: String,
    pub(crate) text: String,
}

pub(crate) fn assemble(input: &PromptInput<'_>) -> Prompt {
    let mut variables = variables(input);
    let instructions = expand(instructions(input), &variables).text;
    let proof = expand(proof::rules(input), &variables).text + &proof::data(input);
    let demand = demanded_verdict(input, &variables);
    let rules = if demand.is_empty() { question_rules(input) } else { &demand };
    let needed = match input.assignment.mode {
        Mode::Specify => format!("{}\n\n{}", instructions.trim_end(), proof.trim()),
        _ => proof.trim().to_owned(),
    };
    let parts = match input.assignment.mode {
        Mode::Specify => vec![needed.as_str(), rules],
        _ => vec![instructions.trim_end(), &needed, rules],
    };
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let instructions = parts.join("\n\n");
    // A template must drop none of them.
    let imported = blocks::imported(input.story);
    let by_others = blocks::by_others(input.story);
    let to_review = blocks::pull_feedback_to_review(input.story, input.pull_feedback);
    let demands = [needed, demand, imported, by_others, to_review];
    variables.set(BuiltIn::Instructions, instructions.trim_end());
    let failure = input.failure.filter(|failure| !failure.is_empty());
    let replaced = failure.is_some_and(IterationFailure::replaces_prompt);
    let template = if replaced { String::new() } else { without_comments(input.template) };
    let template = with_assignment(&template, input, failure);
    let parts = match &input.context.memory {
        None => {
            PromptParts { skills: context::whole(input.context.skills), ..PromptParts::default() }
        }
        Some(memory) => fit_into_budget(input, memory, &template, &demands, &mut variables),
    };
    let (skills, system) = match input.context.skills_placement {
        SkillsPlacement::Prompt => (parts.skills, String::new()),
        SkillsPlacement::SystemPrompt => (String::new(), parts.skills),
    };
    variables.set(BuiltIn::Skills, skills);
    variables.set(BuiltIn::Memory, parts.memory);
    let mut expanded = expand(&template, &variables);
    if let Some(failure) = failure {
        expanded.text = failure.before(expanded.text.trim_start());
    }
    expanded.text = with_demands(with_user_instructions(expanded.text, input), &demands);
    Prompt { text: expanded.text, unknown: expanded.unknown, system, assembly: parts.assembly }
}

/// Fits everything into the budget. Failures are one of its parts.
fn fit_into_budget(
    input: &PromptInput<'_>,
    memory: &MemoryContext<'_>,
    template: &str,
    demands: &[String],
    variables: &mut Variables,
) -> PromptParts {
    let output = expand(&memory.answer_format.instructions(), variables).text;
    let last = input.failure.map(blocks::failure).filter(|text| !text.is_empty());
    // The text for a first attempt would only cost tokens.
    let attempts = input.attempts.as_ref().map(|_| previous_attempts(input)).unwrap_or_default();
    let failures: Vec<String> = last.into_iter().chain(attempts).collect();
    for name in [BuiltIn::LastFailure, BuiltIn::PreviousAttempts, BuiltIn::Skills, BuiltIn::Memory]
    {
        variables.set(name, "");
    }
    let mut task = expand(template, variables).text;
    if let Some(failure) = input.failure {
        task = failure.before(&task);
    }
    let task = with_demands(with_user_instructions(task, input), demands);
    let mode = input.assignment.mode;
    let parts = context::within_budget(&input.context, memory, mode, &task, &output, failures);
    variables.set(BuiltIn::LastFailure, &parts.failures);
    variables.set(BuiltIn::Handoff, output.trim_end());
    parts
}

/// Appends the user's answers and instructions, so that a template cannot drop them.
fn with_user_instructions(text: String, input: &PromptInput<'_>) -> String {
    let sections = match input.assignment.mode {
        // An agent could have written them, to influence its own review.
        Mode::Review => [None, None],
        Mode::Implement | Mode::ReviewFix | Mode::Specify => {
            [question::section(input.questions), input.user_instructions.section()]
        }
    };
    let add = |text: String, section| format!("{}\n\n{section}", text.trim_end());
    sections.into_iter().flatten().fold(text, add)
}

/// The instructions for a review's verdict; empty for other sessions.
fn demanded_verdict(input: &PromptInput<'_>, variables: &Variables) -> String {
    if let Some(answer) = input.further_review {
        let format = match answer {
            AnswerFormat::Schema => FURTHER_VERDICT_SCHEMA,
            AnswerFormat::Block => FURTHER_VERDICT_BLOCK,
        };
        let review = expand(FURTHER_REVIEW, variables).text;
        return format!("{}\n\n{FURTHER_VERDICT}{}", review.trim_end(), format.trim_end());
    }
    let template = match (input.assignment.mode, &input.context.memory) {
        (Mode::Implement | Mode::ReviewFix | Mode::Specify, _) => return String::new(),
        (Mode::Review, None) => VERDICT,
        (Mode::Review, Some(_)) => VERDICT_IN_HANDOFF,
    };
    expand(template, variables).text.trim_end().to_owned()
}

/// How a session asks the user; empty for one that cannot.
fn question_rules(input: &PromptInput<'_>) -> &'static str {
    let is_left = (input.questions.len() as u64) < input.question_limit;
    match input.question_limit {
        0 => "",
        _ if is_left => QUESTION,
        _ => NO_QUESTION,
    }
}

/// Appends what the template dropped: without a verdict no review counts, without its rules no proof, and imported text
/// must not instruct.
fn with_demands(text: String, demands: &[String]) -> String {
    let missing: Vec<&String> = demands.iter().filter(|demand| !text.contains(*demand)).collect();
    missing.into_iter().fold(text, |text, demand| format!("{}\n\n{demand}\n", text.trim_end()))
}

/// The prompt of the quality check.
pub(crate) fn about_quality(
    template: &str,
    story: &Story,
    began_at: Option<&str>,
    branch: &str,
    own: &BTreeMap<String, String>,
) -> String {
    let mut variables = Variables::with(own);
    variables.set(BuiltIn::StoryId, &story.id);
    variables.set(BuiltIn::StoryTitle, blocks::title(story));
    variables.set(BuiltIn::Story, blocks::story(story, Mode::Review));
    variables.set(BuiltIn::CheckpointRange, began_at.map(blocks::range).unwrap_or_default());
    variables.set(BuiltIn::Branch, branch);
    expand(template, &variables).text
}

const CANDIDATES: &str = include_str!("../../../../templates/candidates.md");

/// The prompt of the review that chooses one of several candidates, which start from `base`.
pub(crate) fn about_candidates(
    story: &Story,
    base: &str,
    candidates: &[&Candidate],
    branch: &str,
    own: &BTreeMap<String, String>,
) -> String {
    let mut prompt = about_quality(CANDIDATES, story, None, branch, own);
    for Candidate { number, commit, .. } in candidates {
        prompt.push_str(&format!("- candidate {number}: `git diff {base}..{commit}`\n"));
    }
    prompt
}

/// The template, with the variables that it lacks appended.
fn with_assignment(
    template: &str,
    input: &PromptInput<'_>,
    failure: Option<&IterationFailure>,
) -> String {
    let has = |name: BuiltIn| template.contains(&format!("${{{}}}", name.name()));
    if ![BuiltIn::Story, BuiltIn::Instructions, BuiltIn::StoryId].into_iter().any(has) {
        return format!("{}{ASSIGNMENT}", template.trim_end());
    }
    let in_budget = input.context.memory.as_ref();
    let shown_with_failure =
        in_budget.is_some_and(|memory| input.attempts.is_some() || !memory.refused.is_empty());
    let needed = [
        (BuiltIn::LastFailure, failure.is_some() || shown_with_failure),
        (BuiltIn::PreviousAttempts, input.attempts.is_some() && in_budget.is_none()),
        (BuiltIn::WeakenedTests, !input.weakened.is_empty() || !input.notices.is_empty()),
        (BuiltIn::Skills, !input.context.skills.is_empty()),
        (BuiltIn::Memory, in_budget.is_some()),
        (BuiltIn::Handoff, in_budget.is_some()),
    ];
    let missing = needed.into_iter().filter(|(name, needed)| *needed && !has(*name));
    missing.fold(template.to_owned(), |template, (name, _)| {
        format!("{}\n\n${{{}}}\n", template.trim_end(), name.name())
    })
}

fn variables(input: &PromptInput<'_>) -> Variables {
    let PromptInput { assignment, story, .. } = input;
    let mut variables = Variables::with(input.own);
    variables.set(BuiltIn::Iteration, assignment.iteration);
    variables.set(BuiltIn::MaxIterations, input.max_iterations);
    variables.set(BuiltIn::Mode, assignment.mode);
    variables.set(BuiltIn::StoryId, &story.id);
    variables.set(BuiltIn::StoryTitle, blocks::title(story));
    variables.set(BuiltIn::Story, blocks::story(story, assignment.mode));
    variables.set(BuiltIn::Feedback, blocks::feedback(story));
    variables.set(BuiltIn::LastFailure, input.failure.map(blocks::failure).unwrap_or_default());
    variables.set(BuiltIn::PreviousAttempts, previous_attempts(input).join("\n\n"));
    let for_reviewer = [attempts::weakened(input.weakened), attempts::noticed(input.notices)];
    let for_reviewer: Vec<&str> =
        for_reviewer.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    variables.set(BuiltIn::WeakenedTests, for_reviewer.join("\n\n"));
    variables.set(BuiltIn::VerifyCommands, blocks::commands(input.checks, input.known_failures));
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
    variables.set(BuiltIn::Handoff, "");
    variables
}

fn previous_attempts(input: &PromptInput<'_>) -> Vec<String> {
    match input.assignment.mode {
        Mode::Review => Vec::new(),
        Mode::Implement | Mode::ReviewFix | Mode::Specify => {
            let is_candidate = input.assignment.candidate.is_some();
            attempts::previous(input.attempts.as_ref(), input.escalation, is_candidate)
        }
    }
}

fn instructions(input: &PromptInput<'_>) -> &'static str {
    match (input.assignment.mode, input.review) {
        // A template may lack the variable, so they are part of the demand.
        _ if input.further_review.is_some() => "",
        (Mode::Specify, _) => SPECIFY,
        (Mode::Implement, ReviewPolicy::Skipped) => IMPLEMENT_SKIP_REVIEW,
        (Mode::Implement, ReviewPolicy::Required { .. }) => IMPLEMENT,
        (Mode::Review, _) => REVIEW,
        (Mode::ReviewFix, _) => REVIEW_FIX,
    }
}

#[cfg(test)]
mod tests;
