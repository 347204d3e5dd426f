//! Reverts the forbidden changes of an iteration to the task list and keeps the allowed ones.
//!
//! `transitions` and `invariants` define which changes are forbidden.

use std::collections::{BTreeMap, BTreeSet};

use crate::document::{Document, EditError};
use crate::editor::Editor;
use crate::field_digests::REVIEW_FEEDBACK;
use crate::list::{Story, TaskList};
use crate::transitions::{Author, changed_checks, changes, judge_changes};
use crate::{
    BrokenInvariant, Iteration, RevertedChange, ReviewFields, Snapshot, StoryId, Violation,
    check_invariants, inspect,
};

/// The corrected text and the reverted changes. The text is the agent's, byte for byte, if nothing
/// was reverted.
#[derive(Debug, Clone, PartialEq)]
pub struct Correction {
    pub text: String,
    pub undone: Vec<RevertedChange>,
}

/// Compares `after`, the list at the end of an iteration, with the list at its start.
///
/// Without an `iteration` (review is skipped), only the schema and the verify commands are checked.
/// All criteria of a story are restored together. The whole list is restored if reverting single
/// changes gives no valid list, or if `before` is invalid.
pub fn correct(before: &str, after: &[u8], iteration: Option<&Iteration>) -> Correction {
    let rules = iteration.map(|it| (Author::Session(it), it.review_cap));
    correct_changes(before, after, rules)
}

/// Like [`correct`], for a list that changed while no session ran.
pub fn correct_without_session(before: &str, after: &[u8], review_cap: u64) -> Correction {
    correct_changes(before, after, Some((Author::NoSession, review_cap)))
}

fn correct_changes(before: &str, after: &[u8], rules: Option<(Author<'_>, u64)>) -> Correction {
    let whole = |undone| Correction { text: before.to_owned(), undone };
    let (old, new, text) = match read(before, after) {
        Ok(read) => read,
        Err(problems) => return whole(vec![RevertedChange::WholeFile { problems }]),
    };
    let unchanged = || Correction { text: text.to_owned(), undone: Vec::new() };
    let judge = Judge::new(&old, rules);
    let offences = judge.offences(&new);
    if offences.is_empty() {
        return unchanged();
    }
    let mut undone = offences.undone(&old, &new);
    let problems = match offences.take_back(before, text, &mut undone) {
        Ok(text) => match inspect(text.as_bytes()).accepted() {
            Ok(list) if judge.offences(&list).is_empty() => return Correction { text, undone },
            Ok(_) => Vec::new(),
            Err(problems) => problems,
        },
        Err(_) => Vec::new(),
    };
    undone.push(RevertedChange::RestOfFile { problems });
    whole(undone)
}

type Read<'a> = (TaskList, TaskList, &'a str);

fn read<'a>(before: &str, after: &'a [u8]) -> Result<Read<'a>, Vec<crate::Problem>> {
    let old = inspect(before.as_bytes()).accepted()?;
    let new = inspect(after).accepted()?;
    // `inspect` accepts UTF-8 only.
    let text = std::str::from_utf8(after).map_err(|_| Vec::new())?;
    Ok((old, new, text))
}

/// The rules and the list to compare with.
struct Judge<'a> {
    before: Snapshot,
    /// Broken before the iteration began, so not reported.
    inherited: Vec<BrokenInvariant>,
    /// `None` if review is skipped.
    rules: Option<(Author<'a>, u64)>,
}

impl<'a> Judge<'a> {
    fn new(old: &TaskList, rules: Option<(Author<'a>, u64)>) -> Self {
        let before = Snapshot::of(old);
        let broken = |(_, review_cap)| check_invariants(old, review_cap, Some(&before));
        Self { inherited: rules.map(broken).unwrap_or_default(), before, rules }
    }

    fn offences(&self, list: &TaskList) -> Offences {
        let mut offences = Offences::default();
        let Some((author, review_cap)) = self.rules else {
            // Without reviews, only the verify commands decide whether a story passes.
            changed_checks(&self.before, list).into_iter().for_each(|it| offences.add(it));
            return offences;
        };
        let broken = check_invariants(list, review_cap, Some(&self.before));
        for broken in broken.into_iter().filter(|broken| !self.inherited.contains(broken)) {
            offences.review.insert(broken.story().clone());
        }
        for violation in judge_changes(&self.before, list, author) {
            offences.add(violation);
        }
        offences
    }
}

/// What to restore, without duplicates.
#[derive(Default)]
struct Offences {
    /// Stories whose review fields must be restored.
    review: BTreeSet<StoryId>,
    removed: BTreeSet<StoryId>,
    criteria: BTreeMap<StoryId, RevertedChange>,
    /// Other fields of a story (`Some`) or of the list (`None`).
    fields: BTreeMap<Option<StoryId>, BTreeSet<String>>,
    verify_commands: Option<RevertedChange>,
}

impl Offences {
    fn is_empty(&self) -> bool {
        let Self { review, removed, criteria, fields, verify_commands } = self;
        review.is_empty()
            && removed.is_empty()
            && criteria.is_empty()
            && fields.is_empty()
            && verify_commands.is_none()
    }

    fn add(&mut self, violation: Violation) {
        match violation {
            Violation::Moved { story, .. }
            | Violation::MovedWithoutSession { story, .. }
            | Violation::OtherStory { story, .. }
            | Violation::NotAwaitingReview { story, .. }
            | Violation::VerdictNotCounted { story, .. }
            | Violation::CountedWithoutVerdict { story, .. }
            | Violation::ChangesRequestedAtCap { story, .. }
            | Violation::FeedbackNotCleared { story, .. }
            | Violation::NewStoryWithProgress { story, .. } => {
                self.review.insert(story);
            }
            Violation::StoryRemoved { story } | Violation::SplitLosesCriteria { story, .. } => {
                self.removed.insert(story);
            }
            Violation::CriteriaChanged { story, before, missing, added } => {
                let undone =
                    RevertedChange::Criteria { story: story.clone(), before, missing, added };
                self.criteria.insert(story, undone);
            }
            Violation::NewStoryField { story, field } => self.add_field(story, field),
            Violation::FieldEdited { story, field, .. } => self.add_field(story, &field),
            Violation::ListFieldEdited { field, .. } => {
                self.fields.entry(None).or_default().insert(field);
            }
            Violation::VerifyCommandsChanged { old, new } => {
                self.verify_commands = Some(RevertedChange::VerifyCommands { old: new, new: old });
            }
        }
    }

    /// Feedback is restored together with the review fields.
    fn add_field(&mut self, story: StoryId, field: &str) {
        if field == REVIEW_FEEDBACK {
            self.review.insert(story);
        } else {
            self.fields.entry(Some(story)).or_default().insert(field.to_owned());
        }
    }

    fn undone(&self, old: &TaskList, new: &TaskList) -> Vec<RevertedChange> {
        let (old, new) = (by_id(old), by_id(new));
        let review = self.review.iter().flat_map(|id| {
            let fields = |stories: &BTreeMap<&StoryId, &Story>| {
                stories.get(id).map_or_else(ReviewFields::fresh, |story| ReviewFields::of(story))
            };
            review_undone(id, fields(&new), fields(&old))
        });
        let removed = self.removed.iter().map(|id| RevertedChange::Removal { story: id.clone() });
        review
            .chain(removed)
            .chain(self.criteria.values().cloned())
            .chain(self.verify_commands.clone())
            .collect()
    }

    /// Returns the corrected text. Reverted single fields are added to `undone`.
    fn take_back(
        &self,
        before: &str,
        after: &str,
        undone: &mut Vec<RevertedChange>,
    ) -> Result<String, EditError> {
        let (before, after) = (Document::parse(before)?, Document::parse(after)?);
        let mut editor = Editor::new(&after);
        let mut restored: BTreeMap<Option<&StoryId>, BTreeSet<&str>> = BTreeMap::new();
        for (story, fields) in &self.fields {
            let shown = |field: &String| RevertedChange::Field {
                story: story.clone(),
                field: field.clone(),
                old: after.shown(story.as_ref(), field),
                new: before.shown(story.as_ref(), field),
            };
            undone.extend(fields.iter().map(shown));
            restored.insert(story.as_ref(), fields.iter().map(String::as_str).collect());
        }
        for id in &self.review {
            match before.position(id) {
                Some(_) => restored.entry(Some(id)).or_default().extend(ReviewFields::NAMES),
                None => ReviewFields::fresh().write(id, &mut editor)?,
            }
        }
        for id in self.criteria.keys() {
            restored.entry(Some(id)).or_default().insert("acceptanceCriteria");
        }
        if self.verify_commands.is_some() {
            restored.entry(None).or_default().insert("verifyCommands");
        }
        for (story, names) in restored {
            match story {
                Some(id) => editor.restore_in_story(id, &names, &before)?,
                None => editor.restore_in_list(&names, &before)?,
            }
        }
        editor.return_stories(&self.removed, &before);
        Ok(editor.finish())
    }
}

fn by_id(list: &TaskList) -> BTreeMap<&StoryId, &Story> {
    list.stories.iter().map(|story| (&story.id, story)).collect()
}

fn review_undone(id: &StoryId, old: ReviewFields, new: ReviewFields) -> Vec<RevertedChange> {
    let moved = changes(old.state, new.state).into_iter();
    let mut undone: Vec<RevertedChange> =
        moved.map(|change| RevertedChange::Review { story: id.clone(), change }).collect();
    if old.feedback != new.feedback {
        let (story, old, new) = (id.clone(), old.feedback, new.feedback);
        undone.push(RevertedChange::Feedback { story, old, new });
    }
    undone
}
