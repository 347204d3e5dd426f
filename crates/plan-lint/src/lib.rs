//! What is wrong with a plan before it is run: each finding with the place, the reason and the way to
//! mend it.
//!
//! Pure functions over what was read. The schema and the rules of a list with progress are those of
//! `tasks`; here is what makes a list that could be run one that is worth running. Not here: disk, clock,
//! terminal, and refusing to run anything.

mod checks;
mod code;
mod criteria;
mod finding;
mod once;
mod order;
mod pattern;
mod prd;
mod quote;
mod size;
mod sound;
mod title;

pub use code::{Code, Severity};
pub use finding::Finding;
pub use prd::says_something;

use quote::quote;
use tasks::{FieldPath, Inspection, Place, ReviewPolicy, Story, TaskList};

/// More stories than anybody reads over, and a run of weeks.
const MOST_STORIES: usize = 100;

/// What is there to be run.
#[derive(Debug, Clone, Copy)]
pub struct Plan<'a> {
    pub list: &'a Inspection,
    pub origin: Origin,
    pub branch: Branch,
    pub prd: Prd<'a>,
    pub reviews: ReviewPolicy,
    /// Checks that the project's own files speak of.
    pub detected_checks: &'a [String],
    /// Checks that the settings name, besides those of the list.
    pub other_checks: OtherChecks,
}

/// Who wrote the stories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Nobody: they are the example of the template.
    Template,
    Written,
}

/// Whether a run can make the branch that the list names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Branch {
    Legal,
    Illegal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prd<'a> {
    Missing,
    Text(&'a str),
    /// It is there, and for this reason nobody can read it.
    Unreadable(&'a str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherChecks {
    Some,
    None,
}

/// Everything at once: the list as a whole first, then story by story in the order of the file, errors
/// before warnings.
pub fn check(plan: &Plan<'_>) -> Vec<Finding> {
    let mut findings = sound::findings(plan.list, plan.reviews);
    if let Some(list) = &plan.list.list {
        findings.extend(about_list(list, plan));
        // Nobody needs to hear that an example is vague.
        if plan.origin == Origin::Written {
            let spots: Vec<StorySpot<'_>> =
                list.stories.iter().map(|story| StorySpot { of: plan.list, story }).collect();
            findings.extend(about_stories(&spots));
        }
    }
    // Stable: errors were found first.
    findings.sort_by_key(Finding::position);
    findings
}

/// A list so large that nobody reads it, the hooks of a session included.
pub fn too_large(bytes: u64, limit: u64) -> Finding {
    Finding {
        code: Code::ListTooLarge,
        place: Place::TopLevel,
        field: FieldPath::Whole,
        message: format!("the file has {bytes} bytes, more than the {limit} that are read"),
        fix: "Keep the stories of the next weeks here and move the others to a file of their own."
            .into(),
    }
}

fn about_list(list: &TaskList, plan: &Plan<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let whole = |code, message: String, fix: &str| Finding {
        code,
        place: Place::TopLevel,
        field: FieldPath::Named("userStories"),
        message,
        fix: fix.to_owned(),
    };
    if plan.origin == Origin::Template {
        findings.push(whole(
            Code::UntouchedTemplate,
            "there is only the example story of the template".into(),
            "Replace it by your own stories, or let /ralph-plan write them with you.",
        ));
    }
    if plan.branch == Branch::Illegal {
        findings.push(Finding {
            field: FieldPath::Named("branchName"),
            ..whole(
                Code::IllegalBranch,
                format!("{} is not a name for a branch", quote(&list.branch_name)),
                "Name a branch that git can make, such as \"ralph/shop\".",
            )
        });
    }
    let open = list.stories.iter().filter(|story| !story.passes).count();
    if open > MOST_STORIES {
        findings.push(whole(
            Code::ManyStories,
            format!(
                "{open} stories are open, more than the {MOST_STORIES} that one plan can carry"
            ),
            "Keep those of the next milestone, and start another plan when they are done.",
        ));
    }
    findings.extend(prd::finding(plan.prd));
    findings.extend(checks::findings(list, plan));
    findings
}

/// A story that is done is nobody's work any more.
fn about_stories(spots: &[StorySpot<'_>]) -> Vec<Finding> {
    let mut findings = order::findings(spots);
    findings.extend(once::duplicate_titles(spots));
    for spot in spots.iter().filter(|spot| !spot.story.passes) {
        findings.extend(title::findings(*spot));
        findings.extend(size::findings(*spot));
        findings.extend(criteria::findings(*spot));
        findings.extend(once::duplicate_criteria(*spot));
    }
    findings
}

/// A story and the list that it stands in.
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
