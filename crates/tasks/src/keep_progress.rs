//! Preserves progress when a plan is replaced: stories with progress stay unchanged, other stories
//! get none.
//!
//! The schema and `plan-lint` check the rest of the plan.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::correct::{restored_field, restored_story};
use crate::document::{Document, EditError};
use crate::editor::Editor;
use crate::review_fields::ReviewFields;
use crate::{Correction, StoryId};

type Fields = Map<String, Value>;

/// The branch with the work of the stories that have progress.
const BRANCH: &str = "branchName";

/// Restores the progress of `before` in `after`, a new plan for the same project. Both must be JSON
/// with an array of stories; other faults are ignored.
pub fn keep_progress(before: &str, after: &str) -> Result<Correction, EditError> {
    let (before, after) = (Document::parse(before)?, Document::parse(after)?);
    let old = stories(&before);
    let mut editor = Editor::new(&after);
    let mut undone = Vec::new();
    for (id, text) in after.stories() {
        let Some(new) = fields(text) else { continue };
        let changed = match old.get(id) {
            Some(old) if has_progress(old) => changed_fields(old, &new),
            old => planted_fields(old, &new),
        };
        if changed.is_empty() {
            continue;
        }
        match old.get(id) {
            Some(_) => {
                let names = changed.iter().map(String::as_str).collect();
                editor.restore(Some(id), &names, &before)?;
            }
            None => ReviewFields::fresh().write(id, &mut editor)?,
        }
        undone.extend(changed.iter().map(|field| {
            let restored = match old.get(id) {
                Some(_) => before.shown(Some(id), field),
                None => fresh(field).to_string(),
            };
            restored_field(Some(id), field, &after.shown(Some(id), field), &restored)
        }));
    }
    let with_progress = || old.iter().filter(|(_, story)| has_progress(story));
    let is_gone = |id: &&StoryId| after.position(id).is_none();
    let gone: BTreeSet<StoryId> =
        with_progress().map(|(id, _)| *id).filter(is_gone).cloned().collect();
    undone.extend(gone.iter().map(restored_story));
    editor.return_stories(&gone, &before);
    if with_progress().next().is_some() && branch(&before)? != branch(&after)? {
        editor.restore(None, &[BRANCH].into(), &before)?;
        let [new, old] = [&after, &before].map(|list| list.shown(None, BRANCH));
        undone.push(restored_field(None, BRANCH, &new, &old));
    }
    Ok(Correction { text: editor.finish(), undone })
}

fn branch(list: &Document<'_>) -> Result<Option<Value>, EditError> {
    Ok(list.value(None, BRANCH)?.map(serde_json::from_str).transpose()?)
}

fn stories<'d>(document: &'d Document<'_>) -> BTreeMap<&'d StoryId, Fields> {
    document.stories().filter_map(|(id, text)| Some((id, fields(text)?))).collect()
}

fn fields(story: &str) -> Option<Fields> {
    serde_json::from_str(story).ok()
}

/// The initial value of a field of the review cycle.
fn fresh(field: &str) -> Value {
    let mut fields = ReviewFields::NAMES.into_iter().zip(ReviewFields::fresh().values());
    fields.find(|(name, _)| *name == field).map_or(Value::Null, |(_, value)| value)
}

/// Feedback alone is no progress.
fn has_progress(story: &Fields) -> bool {
    let moved = |name: &str| story.get(name).is_some_and(|value| *value != fresh(name));
    ["passes", "reviewStatus", "reviewCount"].into_iter().any(moved)
}

fn changed_fields(old: &Fields, new: &Fields) -> Vec<String> {
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    names.into_iter().filter(|name| old.get(*name) != new.get(*name)).cloned().collect()
}

/// Review fields that are neither fresh nor the old value.
fn planted_fields(old: Option<&Fields>, new: &Fields) -> Vec<String> {
    let is_planted = |name: &&str| {
        let value = new.get(*name);
        let was = old.and_then(|old| old.get(*name));
        value.is_some_and(|value| *value != fresh(name) && Some(value) != was)
    };
    ReviewFields::NAMES.into_iter().filter(is_planted).map(str::to_owned).collect()
}
