//! Lints a plan before it runs: each finding has a place, a reason and a fix.
//!
//! Pure functions. `tasks` checks the schema and the rules for lists with progress; this crate
//! checks whether the list is worth running. The caller decides whether to refuse a run.

mod checks;
mod code;
mod criteria;
mod duplicates;
mod finding;
mod order;
mod pattern;
mod prd;
mod quote;
mod schema_findings;
mod size;
mod title;

pub use code::{Code, Severity};
pub use finding::Finding;
pub use prd::has_content;

use quote::quote;
use run_options::ProofUse;
use tasks::{FieldPath, Inspection, ReviewPolicy, Story, TaskList};

/// More is hard to review and takes weeks to run.
const MOST_STORIES: usize = 100;

/// The inputs of the lint.
#[derive(Debug, Clone, Copy)]
pub struct Plan<'a> {
    pub list: &'a Inspection,
    pub origin: Origin,
    /// Whether git accepts the branch name of the list.
    pub is_branch_valid: bool,
    pub prd: Prd<'a>,
    pub reviews: ReviewPolicy,
    /// Checks detected in the project's files.
    pub detected_checks: &'a [String],
    /// Whether the settings name checks besides those of the list.
    pub has_other_checks: bool,
    /// Whether tests must prove a story that does not say so itself.
    pub proof: ProofUse,
}

/// The author of the stories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The unchanged example of the template.
    Template,
    Written,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prd<'a> {
    Missing,
    Text(&'a str),
    /// It exists but cannot be read, for this reason.
    Unreadable(&'a str),
}

/// All findings: the list first, then the stories in file order, errors before warnings.
pub fn check(plan: &Plan<'_>) -> Vec<Finding> {
    let mut findings = schema_findings::findings(plan.list, plan.reviews);
    if let Some(list) = &plan.list.list {
        findings.extend(about_list(list, plan));
        // The example is not worth linting.
        if plan.origin == Origin::Written {
            let spots: Vec<StorySpot<'_>> =
                list.stories.iter().map(|story| StorySpot { of: plan.list, story }).collect();
            findings.extend(about_stories(&spots, plan.proof));
        }
    }
    // The sort is stable: errors come first.
    findings.sort_by_key(Finding::position);
    findings
}

/// A list too large for the hooks of a session.
pub fn too_large(bytes: u64, limit: u64) -> Finding {
    let message = format!("the file has {bytes} bytes; the limit is {limit}");
    let fix = "Keep the stories of the next weeks and move the others to another file.";
    Finding::of_list(Code::ListTooLarge, FieldPath::Whole, message, fix)
}

fn about_list(list: &TaskList, plan: &Plan<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let stories = FieldPath::Named("userStories");
    if plan.origin == Origin::Template {
        findings.push(Finding::of_list(
            Code::UntouchedTemplate,
            stories,
            "the list has only the example story of the template",
            "Replace it by your own stories, or use /ralph-plan to write them.",
        ));
    }
    if !plan.is_branch_valid {
        findings.push(Finding::of_list(
            Code::IllegalBranch,
            FieldPath::Named("branchName"),
            format!("{} is not a valid branch name", quote(&list.branch_name)),
            "Use a name that git accepts, such as \"ralph/shop\".",
        ));
    }
    let open = list.stories.iter().filter(|story| !story.passes).count();
    if open > MOST_STORIES {
        findings.push(Finding::of_list(
            Code::ManyStories,
            stories,
            format!("{open} stories are open; the limit for one plan is {MOST_STORIES}"),
            "Keep the stories of the next milestone, and start another plan when they are done.",
        ));
    }
    findings.extend(prd::finding(plan.prd));
    findings.extend(checks::findings(list, plan));
    findings
}

/// Stories that are done are not linted.
fn about_stories(spots: &[StorySpot<'_>], proof: ProofUse) -> Vec<Finding> {
    let mut findings = order::findings(spots);
    findings.extend(duplicates::duplicate_titles(spots));
    for spot in spots.iter().filter(|spot| !spot.story.passes) {
        findings.extend(title::findings(*spot));
        findings.extend(size::findings(*spot));
        findings.extend(criteria::findings(*spot, spot.story.proof.unwrap_or(proof)));
        findings.extend(duplicates::duplicate_criteria(*spot));
    }
    findings
}

/// A story with its list.
#[derive(Debug, Clone, Copy)]
struct StorySpot<'a> {
    of: &'a Inspection,
    story: &'a Story,
}

impl StorySpot<'_> {
    fn finding(
        self,
        code: Code,
        field: FieldPath,
        message: impl Into<String>,
        fix: impl Into<String>,
    ) -> Finding {
        let place = self.of.place(&self.story.id);
        Finding { code, place, field, message: message.into(), fix: fix.into() }
    }
}
