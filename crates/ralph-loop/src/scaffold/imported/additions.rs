//! Adds the imported stories that an existing task list does not have. Everything else in it stays, byte for byte.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Number;
use tasks::{Story, StoryDraft, StoryId};

use super::{Imported, Remark};
use crate::scaffold::is_untouched_template;

#[derive(Debug, PartialEq)]
pub(in crate::scaffold) struct Additions {
    /// The whole list.
    pub(in crate::scaffold) text: String,
    /// How many stories are new.
    pub(in crate::scaffold) stories: usize,
    pub(in crate::scaffold) remarks: Vec<Remark>,
}

/// The list with the stories whose source it does not have, and without the example of the template. The error says why
/// the list cannot be extended.
///
/// `None` if a story has no source: nothing shows then whether the list has it.
pub(in crate::scaffold) fn added_to(
    text: &[u8],
    imported: &Imported,
) -> Result<Option<Additions>, String> {
    if imported.stories.iter().any(|story| story.source.is_none()) {
        return Ok(None);
    }
    let list = tasks::inspect(text)
        .accepted()
        .map_err(|problems| problems.first().map(ToString::to_string).unwrap_or_default())?;
    let text = std::str::from_utf8(text).map_err(|error| error.to_string())?;
    let mut matching = Matching::new(&list.stories);
    let (known, new) = matching.compare(&imported.stories);
    let mut text = tasks::with_new_stories(text, &new)?;
    if !new.is_empty() && is_untouched_template(&list) {
        text = tasks::without_stories(&text, &list.stories.iter().map(|it| &it.id).collect())?;
    }
    let is_listed = |source: &&str| format!("{source} is in the task list already");
    let known = known.into_iter().map(|source| Remark::new("listed", source, is_listed(&source)));
    let remarks = imported.remarks.iter().cloned().chain(known).chain(matching.renamed).collect();
    Ok(Some(Additions { text, stories: new.len(), remarks }))
}

/// Finds the imported stories in the list, and ids for the others.
struct Matching<'l> {
    listed: &'l [Story],
    taken: BTreeSet<StoryId>,
    renamed: Vec<Remark>,
}

impl<'l> Matching<'l> {
    fn new(listed: &'l [Story]) -> Self {
        let taken = listed.iter().map(|story| story.id.clone()).collect();
        Self { listed, taken, renamed: Vec::new() }
    }

    /// The sources that the list has, and the stories that it does not have.
    fn compare<'i>(&mut self, imported: &'i [StoryDraft]) -> (BTreeSet<&'i str>, Vec<StoryDraft>) {
        let mut known = BTreeSet::new();
        let mut new = Vec::new();
        // The stories of the list that each imported one stands for.
        let mut ids: BTreeMap<&StoryId, Vec<StoryId>> = BTreeMap::new();
        for story in imported {
            let same = self.with_source_of(story);
            if same.is_empty() {
                ids.insert(&story.id, vec![self.free_id(&story.id)]);
                new.push(story);
            } else {
                ids.insert(&story.id, same);
                known.extend(story.source.as_deref());
            }
        }
        let after = self.last_priority();
        let adapted = new.into_iter().map(|story| {
            let on = story.depends_on.iter().flat_map(|on| ids.get(on).into_iter().flatten());
            let depends_on: BTreeSet<StoryId> = on.cloned().collect();
            let own = story.priority.as_ref().and_then(Number::as_u64).unwrap_or(1);
            StoryDraft {
                id: ids[&story.id][0].clone(),
                depends_on: depends_on.into_iter().collect(),
                priority: Some(after.saturating_add(own).into()),
                ..story.clone()
            }
        });
        (known, adapted.collect())
    }

    /// With the same id too, or all with the source: a session may have split it.
    fn with_source_of(&self, story: &StoryDraft) -> Vec<StoryId> {
        let same = self.listed.iter().filter(|listed| listed.source == story.source);
        let same: Vec<StoryId> = same.map(|listed| listed.id.clone()).collect();
        match same.contains(&story.id) {
            true => vec![story.id.clone()],
            false => same,
        }
    }

    fn free_id(&mut self, id: &StoryId) -> StoryId {
        let numbered = (2..10_000).filter_map(|n| StoryId::new(format!("{id}-{n}")).ok());
        let mut ids = std::iter::once(id.clone()).chain(numbered);
        let free = ids.find(|id| !self.taken.contains(id)).unwrap_or_else(|| id.clone());
        if free != *id {
            let message = format!("story {id} becomes {free}: the task list has another {id}");
            self.renamed.push(Remark::new("renamed", id.as_str(), message));
        }
        self.taken.insert(free.clone());
        free
    }

    /// New stories come after those of the list.
    fn last_priority(&self) -> u64 {
        let largest = self.listed.iter().map(|story| story.priority).fold(0.0, f64::max);
        let is_usual = largest < 1e15;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is neither negative nor too large"
        )]
        let whole = largest.ceil() as u64;
        if is_usual { whole } else { 0 }
    }
}
