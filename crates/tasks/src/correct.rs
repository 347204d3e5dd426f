//! Reverts the forbidden changes of an iteration to the task list and keeps the allowed ones.
//!
//! `transitions` and `invariants` define which changes are forbidden.

use std::collections::{BTreeMap, BTreeSet};

use crate::document::{Document, EditError};
use crate::editor::Editor;
use crate::list::{Story, TaskList};
use crate::problem::why;
use crate::transitions::{changed_checks, changes, judge_changes};
use crate::violation::{Restore, commands};
use crate::{
    BrokenInvariant, Iteration, Problem, ReviewFields, Snapshot, StoryId, check_invariants,
    inspect, show,
};

/// The corrected text and the reverted changes. The text is the agent's, byte for byte, if nothing
/// was reverted.
#[derive(Debug, Clone, PartialEq)]
pub struct Correction {
    pub text: String,
    /// A line for each: from the agent's value to the restored one.
    pub undone: Vec<String>,
}

/// Compares `after`, the list at the end of an iteration, with the list at its start.
///
/// Without an `iteration` (review is skipped), only the schema and the verify commands are checked.
/// All criteria of a story are restored together. The whole list is restored if reverting single
/// changes gives no valid list, or if `before` is invalid.
pub fn correct(before: &str, after: &[u8], iteration: Option<&Iteration>) -> Correction {
    correct_changes(before, after, iteration.map(|it| (Some(it), it.review_cap)))
}

/// Like [`correct`], for a list that changed while no session ran.
pub fn correct_without_session(before: &str, after: &[u8], review_cap: u64) -> Correction {
    correct_changes(before, after, Some((None, review_cap)))
}

/// The session, if one ran, and the review cap; `None` if review is skipped.
type Rules<'a> = Option<(Option<&'a Iteration>, u64)>;

fn correct_changes(before: &str, after: &[u8], rules: Rules<'_>) -> Correction {
    let whole = |undone| Correction { text: before.to_owned(), undone };
    let (old, new, text) = match read(before, after) {
        Ok(read) => read,
        Err(problems) => {
            let why = why(&problems);
            let undone = format!("the whole task list is restored; it was invalid{why}");
            return whole(vec![undone]);
        }
    };
    let judge = Judge::new(&old, rules);
    let offences = judge.offences(&new);
    if offences.is_empty() {
        return Correction { text: text.to_owned(), undone: Vec::new() };
    }
    let mut undone = Vec::new();
    let problems = match take_back(&offences, (before, &old), (text, &new), &mut undone) {
        Ok(text) => match inspect(text.as_bytes()).accepted() {
            Ok(list) if judge.offences(&list).is_empty() => return Correction { text, undone },
            Ok(_) => Vec::new(),
            Err(problems) => problems,
        },
        Err(_) => Vec::new(),
    };
    undone.push(format!(
        "all other changes to the task list; they contradict the restored values{}",
        why(&problems)
    ));
    whole(undone)
}

type Read<'a> = (TaskList, TaskList, &'a str);

fn read<'a>(before: &str, after: &'a [u8]) -> Result<Read<'a>, Vec<Problem>> {
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
    rules: Rules<'a>,
}

impl<'a> Judge<'a> {
    fn new(old: &TaskList, rules: Rules<'a>) -> Self {
        let before = Snapshot::of(old);
        let broken = |(_, review_cap)| check_invariants(old, review_cap, Some(&before));
        Self { inherited: rules.map(broken).unwrap_or_default(), before, rules }
    }

    /// What to restore in `list`.
    fn offences(&self, list: &TaskList) -> BTreeSet<Restore> {
        let Some((session, review_cap)) = self.rules else {
            // Without reviews, only the verify commands decide whether a story passes.
            return changed_checks(&self.before, list).map(|it| it.restore).into_iter().collect();
        };
        let broken = check_invariants(list, review_cap, Some(&self.before)).into_iter();
        let broken = broken.filter(|broken| !self.inherited.contains(broken));
        let violations = judge_changes(&self.before, list, session).into_iter();
        let broken = broken.map(|broken| Restore::Review(broken.story));
        broken.chain(violations.map(|violation| violation.restore)).collect()
    }
}

/// Returns the corrected text. The reverted changes are added to `undone`.
fn take_back(
    offences: &BTreeSet<Restore>,
    (before, old): (&str, &TaskList),
    (after, new): (&str, &TaskList),
    undone: &mut Vec<String>,
) -> Result<String, EditError> {
    let (before, after) = (Document::parse(before)?, Document::parse(after)?);
    let mut editor = Editor::new(&after);
    let mut restored: BTreeMap<Option<&StoryId>, BTreeSet<&str>> = BTreeMap::new();
    let mut removed = BTreeSet::new();
    let added: BTreeSet<&StoryId> = offences.iter().filter_map(Restore::added).collect();
    let (new_stories, old_stories) = (by_id(new), by_id(old));
    for offence in offences {
        match offence {
            Restore::Added(id) => undone.push(format!("story {id}: removed; it had been added")),
            // It is removed.
            Restore::Review(id) | Restore::Field(Some(id), _) if added.contains(id) => {}
            Restore::Review(id) => {
                let [new, old] = [&new_stories, &old_stories].map(|stories| {
                    stories.get(id).map_or_else(ReviewFields::fresh, |it| ReviewFields::of(it))
                });
                undone.extend(review_undone(id, &new, &old));
                match before.position(id) {
                    Some(_) => restored.entry(Some(id)).or_default().extend(ReviewFields::NAMES),
                    None => ReviewFields::fresh().write(id, &mut editor)?,
                }
            }
            Restore::Removed(id) => {
                undone.push(restored_story(id));
                removed.insert(id.clone());
            }
            Restore::Criteria(id, changed) => {
                undone.push(format!("story {id}: acceptanceCriteria restored: {changed}"));
                restored.entry(Some(id)).or_default().insert("acceptanceCriteria");
            }
            Restore::VerifyCommands => {
                let [new, old] = [new, old].map(|list| commands(&list.verify_commands));
                undone.push(format!("verifyCommands {new} → {old}"));
                restored.entry(None).or_default().insert("verifyCommands");
            }
            Restore::Field(story, field) => {
                let story = story.as_ref();
                let [new, old] = [&after, &before].map(|list| list.shown(story, field));
                undone.push(restored_field(story, field, &new, &old));
                restored.entry(story).or_default().insert(field);
            }
        }
    }
    for (story, names) in restored {
        editor.restore(story, &names, &before)?;
    }
    editor.return_stories(&removed, &before);
    let text = editor.finish();
    let document = Document::parse(&text)?;
    let mut editor = Editor::new(&document);
    editor.remove_stories(&added);
    Ok(editor.finish())
}

fn by_id(list: &TaskList) -> BTreeMap<&StoryId, &Story> {
    list.stories.iter().map(|story| (&story.id, story)).collect()
}

pub(crate) fn restored_story(id: &StoryId) -> String {
    format!("story {id}: restored; it had been removed")
}

pub(crate) fn restored_field(story: Option<&StoryId>, field: &str, new: &str, old: &str) -> String {
    let story = story.map(|id| format!("story {id}: ")).unwrap_or_default();
    format!("{story}{} {new} → {old}", show::name(field))
}

fn review_undone(id: &StoryId, new: &ReviewFields, old: &ReviewFields) -> Vec<String> {
    let moved = changes(new.state, old.state).into_iter();
    let mut undone: Vec<String> = moved.map(|change| format!("story {id}: {change}")).collect();
    if new.feedback != old.feedback {
        let [new, old] = [new, old].map(|fields| show::quoted(&fields.feedback));
        undone.push(restored_field(Some(id), "reviewFeedback", &new, &old));
    }
    undone
}
