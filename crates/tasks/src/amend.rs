//! Applies the plan amendments that an agent proposes in its handoff.
//!
//! Each amendment is judged on its own and must leave a valid list. File and log access happen
//! elsewhere; `transitions` judges what an agent writes into the list directly.

mod changes;
mod new_story;
mod outcome;
mod proposal;
mod refused;

use std::collections::BTreeMap;

use serde_json::Value;

pub use outcome::{AmendmentOutcome, AppliedAmendment};
pub use refused::RefusedAmendment;

use crate::document::Document;
use crate::editor::Editor;
use crate::list::{Story, TaskList};
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
    let mut plan = Plan::new(text, rules);
    let outcomes = amendments.iter().enumerate().map(|(position, amendment)| {
        let considered = match position {
            0..MOST_AMENDMENTS => plan.consider(amendment),
            _ => Err(RefusedAmendment::TooMany),
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

impl<'a> Plan<'a> {
    fn new(text: &str, rules: &'a AmendmentRules<'a>) -> Self {
        Self { text: text.to_owned(), rules, split: BTreeMap::new() }
    }

    fn consider(&mut self, amendment: &Value) -> Result<AmendmentOutcome, RefusedAmendment> {
        let list = inspect(self.text.as_bytes()).accepted();
        let list = list.map_err(|problems| RefusedAmendment::BrokenList { problems })?;
        let Proposed { proposal, reason } = proposal::read(amendment)?;
        let (text, story, what) = match &proposal {
            Proposal::Add { story, after } => self.add(&list, story, after.as_ref())?,
            Proposal::Modify { story, changes } => self.modify(&list, story, changes)?,
            Proposal::Remove { story } => self.remove(&list, story)?,
        };
        let amended = inspect(text.as_bytes()).accepted();
        let amended = amended.map_err(|problems| RefusedAmendment::BreaksList { problems })?;
        // The values can be judged only after they were written and parsed.
        if let AppliedAmendment::Modified { .. } = what
            && amended.story(&story) == list.story(&story)
        {
            return Err(RefusedAmendment::ChangesNothing { story });
        }
        if let Proposal::Add { story, .. } = proposal
            && let Some(from) = story.split_from
        {
            self.split.entry(from).or_default().push(story.id);
        }
        self.text = text;
        Ok(AmendmentOutcome::Applied { story, what, reason })
    }

    fn add(&self, list: &TaskList, new: &NewStory, after: Option<&StoryId>) -> Attempt {
        if list.story(&new.id).is_some() {
            return Err(RefusedAmendment::IdTaken { story: new.id.clone() });
        }
        if new.id == *self.rules.current {
            return Err(RefusedAmendment::CurrentStory { story: new.id.clone() });
        }
        if let Some(id) = after
            && list.story(id).is_none()
        {
            return Err(RefusedAmendment::NoSuchStory { field: "after", story: id.clone() });
        }
        let document = Document::parse(&self.text)?;
        let priority = match (&new.priority, priority_giver(list, after)) {
            (Some(_), _) | (None, None) => None,
            (None, Some(giver)) => document.value(&document.story(&giver.id)?, "priority")?,
        };
        let priority = priority.and_then(|text| serde_json::from_str(text).ok());
        let mut editor = Editor::new(&document);
        editor.insert_story(after, &new.with_priority(priority))?;
        let what = AppliedAmendment::Added { after: after.cloned() };
        Ok((editor.finish(), new.id.clone(), what))
    }

    fn modify(&self, list: &TaskList, id: &StoryId, changes: &Changes) -> Attempt {
        let story = self.open_story(list, id)?;
        if let (Some(criteria), ReviewPolicy::Required { .. }) =
            (&changes.criteria, self.rules.review)
        {
            let wanted: Vec<&String> = story.acceptance_criteria.iter().collect();
            match missing_of(wanted, criteria.iter().collect()) {
                0 => {}
                missing => {
                    return Err(RefusedAmendment::CriteriaDropped { story: id.clone(), missing });
                }
            }
        }
        let document = Document::parse(&self.text)?;
        let mut editor = Editor::new(&document);
        let fields = changes.write(id, &document, &mut editor)?;
        let what = AppliedAmendment::Modified { fields };
        Ok((editor.finish(), id.clone(), what))
    }

    fn remove(&self, list: &TaskList, id: &StoryId) -> Attempt {
        let story = self.open_story(list, id)?;
        if matches!(story.review_status, ReviewStatus::NeedsReview | ReviewStatus::ChangesRequested)
        {
            let status = story.review_status;
            return Err(RefusedAmendment::UnderReview { story: id.clone(), status });
        }
        let split_into = self.split.get(id).cloned().unwrap_or_default();
        if self.rules.review != ReviewPolicy::Skipped {
            self.refuse_loss(list, story, &split_into)?;
        }
        let needs_it = |story: &&Story| story.depends_on.contains(id);
        let by: Vec<_> = list.stories.iter().filter(needs_it).map(|s| s.id.clone()).collect();
        if !by.is_empty() {
            return Err(RefusedAmendment::NeededBy { story: id.clone(), by });
        }
        let document = Document::parse(&self.text)?;
        let mut editor = Editor::new(&document);
        editor.remove_story(id)?;
        let what = AppliedAmendment::Removed { split_into };
        Ok((editor.finish(), id.clone(), what))
    }

    /// Refuses a removal that loses acceptance criteria.
    fn refuse_loss(
        &self,
        list: &TaskList,
        story: &Story,
        split_into: &[StoryId],
    ) -> Result<(), RefusedAmendment> {
        if split_into.is_empty() {
            return Err(RefusedAmendment::NotSplit { story: story.id.clone() });
        }
        let parts: Vec<&Story> = split_into.iter().filter_map(|id| list.story(id)).collect();
        let criteria: Vec<_> = story.acceptance_criteria.iter().map(Sha256Digest::of).collect();
        match lost_criteria(&criteria, &parts) {
            0 => Ok(()),
            missing => {
                Err(RefusedAmendment::SplitLosesCriteria { story: story.id.clone(), missing })
            }
        }
    }

    /// A story that amendments may change.
    fn open_story<'l>(
        &self,
        list: &'l TaskList,
        id: &StoryId,
    ) -> Result<&'l Story, RefusedAmendment> {
        let Some(story) = list.story(id) else {
            return Err(RefusedAmendment::NoSuchStory { field: "task_id", story: id.clone() });
        };
        if id == self.rules.current {
            return Err(RefusedAmendment::CurrentStory { story: id.clone() });
        }
        if story.passes || story.review_status == ReviewStatus::Approved {
            return Err(RefusedAmendment::Done { story: id.clone() });
        }
        Ok(story)
    }
}

/// The new text, the story and the change.
type Attempt = Result<(String, StoryId, AppliedAmendment), RefusedAmendment>;

/// The story whose priority a new one inherits: its predecessor, or a story with the largest
/// priority.
fn priority_giver<'l>(list: &'l TaskList, after: Option<&StoryId>) -> Option<&'l Story> {
    match after {
        Some(id) => list.story(id),
        None => list.stories.iter().max_by(|a, b| a.priority.total_cmp(&b.priority)),
    }
}
