//! Takes back what an iteration may not have changed in the task list, and lets the rest stand.
//!
//! Not here: which changes those are (`transitions`, `invariants`), and the file.

use std::collections::{BTreeMap, BTreeSet};

use crate::document::{Document, EditError};
use crate::editor::Editor;
use crate::list::{Story, TaskList};
use crate::transitions::changes;
use crate::{
    BrokenInvariant, Iteration, ReviewFields, Snapshot, StoryId, Undone, Violation,
    check_invariants, inspect, judge,
};

/// The text that should stand, and what of the agent's was taken back for it. Where nothing was, the
/// text is the agent's, byte for byte.
#[derive(Debug, Clone, PartialEq)]
pub struct Correction {
    pub text: String,
    pub undone: Vec<Undone>,
}

/// Judges `after`, which an iteration left, against the list that it began with.
///
/// Without an `iteration` (review is skipped) the schema alone counts. Criteria of a story are put
/// back all together, so that ones that were only added go with those that were reworded. Where
/// taking back single changes does not lead to a list without fault, all of it goes back; so it does
/// where `before` is no list to judge by.
pub fn correct(before: &str, after: &[u8], iteration: Option<&Iteration>) -> Correction {
    let whole = |undone| Correction { text: before.to_owned(), undone };
    let (old, new, text) = match read(before, after) {
        Ok(read) => read,
        Err(problems) => return whole(vec![Undone::WholeFile { problems }]),
    };
    let stands = || Correction { text: text.to_owned(), undone: Vec::new() };
    let Some(iteration) = iteration else { return stands() };
    let judge = Judge::new(&old, iteration);
    let offences = judge.offences(&new);
    if offences.is_empty() {
        return stands();
    }
    let mut undone = offences.undone(&old, &new);
    let problems = match offences.take_back(before, text) {
        Ok(text) => match inspect(text.as_bytes()).accepted() {
            Ok(list) if judge.offences(&list).is_empty() => return Correction { text, undone },
            Ok(_) => Vec::new(),
            Err(problems) => problems,
        },
        Err(_) => Vec::new(),
    };
    undone.push(Undone::RestOfFile { problems });
    whole(undone)
}

type Read<'a> = (TaskList, TaskList, &'a str);

fn read<'a>(before: &str, after: &'a [u8]) -> Result<Read<'a>, Vec<crate::Problem>> {
    let old = inspect(before.as_bytes()).accepted()?;
    let new = inspect(after).accepted()?;
    // An accepted list is text.
    let text = std::str::from_utf8(after).map_err(|_| Vec::new())?;
    Ok((old, new, text))
}

/// The rules, and the list they hold a later one against.
struct Judge<'a> {
    before: Snapshot,
    /// What was out of order when the iteration began is not its offence.
    inherited: Vec<BrokenInvariant>,
    iteration: &'a Iteration,
}

impl<'a> Judge<'a> {
    fn new(old: &TaskList, iteration: &'a Iteration) -> Self {
        let before = Snapshot::of(old);
        let inherited = check_invariants(old, iteration.review_cap, Some(&before));
        Self { before, inherited, iteration }
    }

    fn offences(&self, list: &TaskList) -> Offences {
        let mut offences = Offences::default();
        let broken = check_invariants(list, self.iteration.review_cap, Some(&self.before));
        for broken in broken.into_iter().filter(|broken| !self.inherited.contains(broken)) {
            offences.review.insert(broken.story().clone());
        }
        for violation in judge(&self.before, list, self.iteration) {
            offences.add(violation);
        }
        offences
    }
}

/// What has to be put back, each thing once however many rules it breaks.
#[derive(Default)]
struct Offences {
    /// Stories whose review fields moved.
    review: BTreeSet<StoryId>,
    removed: BTreeSet<StoryId>,
    criteria: BTreeMap<StoryId, Undone>,
    verify_commands: Option<Undone>,
}

impl Offences {
    fn is_empty(&self) -> bool {
        let Self { review, removed, criteria, verify_commands } = self;
        review.is_empty() && removed.is_empty() && criteria.is_empty() && verify_commands.is_none()
    }

    fn add(&mut self, violation: Violation) {
        match violation {
            Violation::Moved { story, .. }
            | Violation::OtherStory { story, .. }
            | Violation::NotAwaitingReview { story, .. }
            | Violation::VerdictNotCounted { story, .. }
            | Violation::CountedWithoutVerdict { story, .. }
            | Violation::ChangesRequestedAtCap { story, .. }
            | Violation::FeedbackNotCleared { story, .. }
            | Violation::NewStoryWithProgress { story, .. } => {
                self.review.insert(story);
            }
            Violation::StoryRemoved { story } => {
                self.removed.insert(story);
            }
            Violation::CriteriaDropped { story, before, missing } => {
                let undone = Undone::Criteria { story: story.clone(), before, missing };
                self.criteria.insert(story, undone);
            }
            Violation::VerifyCommandsChanged { old, new } => {
                self.verify_commands = Some(Undone::VerifyCommands { old: new, new: old });
            }
        }
    }

    fn undone(&self, old: &TaskList, new: &TaskList) -> Vec<Undone> {
        let (old, new) = (by_id(old), by_id(new));
        let review = self.review.iter().flat_map(|id| {
            let fields = |stories: &BTreeMap<&StoryId, &Story>| {
                stories.get(id).map_or_else(ReviewFields::fresh, |story| ReviewFields::of(story))
            };
            review_undone(id, fields(&new), fields(&old))
        });
        let removed = self.removed.iter().map(|id| Undone::Removal { story: id.clone() });
        review
            .chain(removed)
            .chain(self.criteria.values().cloned())
            .chain(self.verify_commands.clone())
            .collect()
    }

    fn take_back(&self, before: &str, after: &str) -> Result<String, EditError> {
        let (before, after) = (Document::parse(before)?, Document::parse(after)?);
        let mut editor = Editor::new(&after);
        for id in &self.review {
            match before.position(id) {
                Some(_) => editor.copy(id, &ReviewFields::NAMES, &before)?,
                None => ReviewFields::fresh().write(id, &mut editor)?,
            }
        }
        for id in self.criteria.keys() {
            editor.copy(id, &["acceptanceCriteria"], &before)?;
        }
        if self.verify_commands.is_some() {
            editor.restore("verifyCommands", &before)?;
        }
        editor.return_stories(&self.removed, &before);
        Ok(editor.finish())
    }
}

fn by_id(list: &TaskList) -> BTreeMap<&StoryId, &Story> {
    list.stories.iter().map(|story| (&story.id, story)).collect()
}

fn review_undone(id: &StoryId, old: ReviewFields, new: ReviewFields) -> Vec<Undone> {
    let moved = changes(old.state, new.state).into_iter();
    let mut undone: Vec<Undone> =
        moved.map(|change| Undone::Review { story: id.clone(), change }).collect();
    if old.feedback != new.feedback {
        let (story, old, new) = (id.clone(), old.feedback, new.feedback);
        undone.push(Undone::Feedback { story, old, new });
    }
    undone
}
