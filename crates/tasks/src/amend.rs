//! Applies the plan amendments that an agent proposes in its handoff.
//!
//! Each amendment is judged on its own and must leave a valid list. File and log access happen
//! elsewhere; `transitions` judges what an agent writes into the list directly.

mod allowed_fields;
mod changes;
mod drafts;
mod new_story;
mod outcome;
mod proposal;

use std::collections::BTreeMap;

use serde_json::Value;

pub use drafts::{with_new_stories, without_stories};
use outcome::listed;
pub use outcome::{AmendmentOutcome, AppliedAmendment};

use crate::document::Document;
use crate::editor::Editor;
use crate::list::{Story, TaskList};
use crate::problem::why;
use crate::splits::lost_criteria;
use crate::transitions::missing_of;
use crate::{ReviewPolicy, ReviewStatus, Sha256Digest, StoryId, inspect};
use changes::Changes;
use new_story::NewStory;
use proposal::{Proposal, Proposed};

/// Further amendments of one handoff are refused.
pub const MOST_AMENDMENTS: usize = 3;

/// Input of the amendment rules.
#[derive(Debug, Clone, Copy)]
pub struct AmendmentRules<'a> {
    /// The story of this iteration. An amendment must not change it.
    pub current: &'a StoryId,
    pub review: ReviewPolicy,
}

/// The amended list and the outcome of each amendment.
#[derive(Debug, Clone, PartialEq)]
pub struct AmendedList {
    /// Byte for byte the input if no amendment was applied.
    pub text: String,
    /// One per amendment, in order.
    pub outcomes: Vec<AmendmentOutcome>,
}

/// Applies `amendments` in their order, each to the result of those before it.
pub fn amend(text: &str, amendments: &[Value], rules: &AmendmentRules<'_>) -> AmendedList {
    let mut plan = Plan { text: text.to_owned(), rules, split: BTreeMap::new() };
    let outcomes = amendments.iter().enumerate().map(|(position, amendment)| {
        let considered = match position {
            0..MOST_AMENDMENTS => plan.consider(amendment),
            _ => Err(format!("more than {MOST_AMENDMENTS} in one iteration")),
        };
        considered.unwrap_or_else(|why| AmendmentOutcome::Refused {
            amendment: proposal::described(amendment),
            why,
        })
    });
    let outcomes = outcomes.collect();
    AmendedList { text: plan.text, outcomes }
}

/// The list with the amendments applied so far.
struct Plan<'a> {
    text: String,
    rules: &'a AmendmentRules<'a>,
    /// Added stories, keyed by the story they were split from.
    split: BTreeMap<StoryId, Vec<StoryId>>,
}

impl Plan<'_> {
    /// The error says why it is refused, so that the agent can write a valid one.
    fn consider(&mut self, amendment: &Value) -> Result<AmendmentOutcome, String> {
        let list = inspect(self.text.as_bytes()).accepted();
        let list = list.map_err(|found| format!("the list is invalid{}", why(&found)))?;
        let Proposed { proposal, reason } = proposal::read(amendment)?;
        let document = Document::parse(&self.text)?;
        let mut editor = Editor::new(&document);
        let (story, what) = match &proposal {
            Proposal::Add { story, after } => {
                (story.id.clone(), self.add(&list, story, after.as_ref(), &mut editor)?)
            }
            Proposal::Modify { story, changes } => {
                (story.clone(), self.modify(&list, story, changes, &mut editor)?)
            }
            Proposal::Remove { story } => (story.clone(), self.remove(&list, story, &mut editor)?),
        };
        let text = editor.finish();
        let amended = inspect(text.as_bytes()).accepted();
        let amended =
            amended.map_err(|found| format!("it would make the list invalid{}", why(&found)))?;
        // The values can be judged only after they were written and parsed.
        if let AppliedAmendment::Modified { .. } = what
            && amended.story(&story) == list.story(&story)
        {
            return Err(format!("changes nothing about {story}"));
        }
        if let Proposal::Add { story, .. } = proposal
            && let Some(from) = story.split_from
        {
            self.split.entry(from).or_default().push(story.id);
        }
        self.text = text;
        Ok(AmendmentOutcome::Applied { story, what, reason })
    }

    fn add(
        &self,
        list: &TaskList,
        new: &NewStory,
        after: Option<&StoryId>,
        editor: &mut Editor<'_, '_>,
    ) -> Result<AppliedAmendment, String> {
        if list.story(&new.id).is_some() {
            return Err(format!("story {} exists already; choose another id", new.id));
        }
        self.refuse_current(&new.id)?;
        if let Some(id) = after {
            existing(list, "after", id)?;
        }
        let priority = match (&new.priority, priority_giver(list, after)) {
            (Some(_), _) | (None, None) => None,
            (None, Some(giver)) => editor.document.value(Some(&giver.id), "priority")?,
        };
        let priority = priority.and_then(|text| serde_json::from_str(text).ok());
        let origin = new.split_from.as_ref().and_then(|id| list.story(id));
        let story = new.with_priority(priority).inheriting(origin);
        editor.insert_stories(after, &[story])?;
        Ok(AppliedAmendment::Added { after: after.cloned() })
    }

    fn modify(
        &self,
        list: &TaskList,
        id: &StoryId,
        changes: &Changes,
        editor: &mut Editor<'_, '_>,
    ) -> Result<AppliedAmendment, String> {
        let story = self.open_story(list, id)?;
        if let (Some(criteria), ReviewPolicy::Required { .. }) =
            (&changes.criteria, self.rules.review)
        {
            let wanted: Vec<&String> = story.acceptance_criteria.iter().collect();
            let missing = missing_of(wanted, criteria.iter().collect());
            if missing > 0 {
                return Err(format!(
                    "{missing} of the acceptance criteria of {id} would be removed or reworded; \
                     repeat the exact text of all, and add to them"
                ));
            }
        }
        Ok(AppliedAmendment::Modified { fields: changes.write(id, editor)? })
    }

    fn remove(
        &self,
        list: &TaskList,
        id: &StoryId,
        editor: &mut Editor<'_, '_>,
    ) -> Result<AppliedAmendment, String> {
        let story = self.open_story(list, id)?;
        if matches!(story.review_status, ReviewStatus::NeedsReview | ReviewStatus::ChangesRequested)
        {
            let status = story.review_status;
            return Err(format!("{id} is in review (reviewStatus {status}) and may not change"));
        }
        let split_into = self.split.get(id).cloned().unwrap_or_default();
        if self.rules.review != ReviewPolicy::Skipped {
            self.refuse_loss(list, story, &split_into)?;
        }
        let needs_it = |story: &&Story| story.depends_on.contains(id);
        let by: Vec<_> = list.stories.iter().filter(needs_it).map(|s| s.id.clone()).collect();
        if !by.is_empty() {
            return Err(format!("{} would depend on {id}, which is removed", listed(&by)));
        }
        editor.remove_story(id)?;
        Ok(AppliedAmendment::Removed { split_into })
    }

    /// Refuses a removal that loses acceptance criteria.
    fn refuse_loss(
        &self,
        list: &TaskList,
        story: &Story,
        split_into: &[StoryId],
    ) -> Result<(), String> {
        let id = &story.id;
        if split_into.is_empty() {
            return Err(format!(
                "a story may be removed only after a split: before this amendment, add stories \
                 with \"split_from\": \"{id}\""
            ));
        }
        let parts: Vec<&Story> = split_into.iter().filter_map(|id| list.story(id)).collect();
        let criteria: Vec<_> = story.acceptance_criteria.iter().map(Sha256Digest::of).collect();
        match lost_criteria(&criteria, &parts) {
            0 => Ok(()),
            missing => Err(format!(
                "{missing} of the acceptance criteria of {id} are in none of the stories that \
                 name it in \"split_from\"; repeat the exact text of each"
            )),
        }
    }

    /// A story that amendments may change.
    fn open_story<'l>(&self, list: &'l TaskList, id: &StoryId) -> Result<&'l Story, String> {
        let story = existing(list, "task_id", id)?;
        self.refuse_current(id)?;
        if story.passes || story.review_status == ReviewStatus::Approved {
            return Err(format!("{id} is done and may not change"));
        }
        Ok(story)
    }

    fn refuse_current(&self, id: &StoryId) -> Result<(), String> {
        if id == self.rules.current {
            return Err(format!("{id} is the story of this iteration and may not be amended"));
        }
        Ok(())
    }
}

/// The story that `field` of an amendment names.
fn existing<'l>(list: &'l TaskList, field: &str, id: &StoryId) -> Result<&'l Story, String> {
    list.story(id).ok_or_else(|| format!("{field} names {id}, which does not exist"))
}

/// The story whose priority a new one inherits: its predecessor, or a story with the largest
/// priority.
fn priority_giver<'l>(list: &'l TaskList, after: Option<&StoryId>) -> Option<&'l Story> {
    match after {
        Some(id) => list.story(id),
        None => list.stories.iter().max_by(|a, b| a.priority.total_cmp(&b.priority)),
    }
}
