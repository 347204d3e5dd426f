//! Edits single values of a task list. All other bytes stay: key order, unknown fields,
//! indentation, number and string notation.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::Serialize;

use crate::StoryId;
use crate::document::{Document, EditError, member, no_such};
use crate::indentation::Indentation;
use crate::span::{Member, Object, Span, blanks_before};

pub(crate) struct Editor<'d, 't> {
    pub(crate) document: &'d Document<'t>,
    /// Spans do not overlap.
    edits: Vec<(Span, String)>,
}

impl<'d, 't> Editor<'d, 't> {
    pub(crate) fn new(document: &'d Document<'t>) -> Self {
        Self { document, edits: Vec::new() }
    }

    /// Sets a field of a story to `value`, which is JSON. A missing field is appended.
    pub(crate) fn set(&mut self, id: &StoryId, name: &str, value: &str) -> Result<(), EditError> {
        let story = self.document.object(Some(id))?;
        match member(&story, name)? {
            Some(member) => self.edits.push((member.value.clone(), value.to_owned())),
            None => self.insert_behind(story.members.last(), name, value),
        }
        Ok(())
    }

    /// Restores fields of a story or of the list from `from`: value, absence and position. Removes
    /// them if `from` lacks the story.
    pub(crate) fn restore(
        &mut self,
        story: Option<&StoryId>,
        names: &BTreeSet<&str>,
        from: &Document<'_>,
    ) -> Result<(), EditError> {
        let target = self.document.object(story)?;
        let source = match story.is_none_or(|id| from.position(id).is_some()) {
            true => from.object(story)?,
            false => Cow::default(),
        };
        let is_named = |member: &&Member| names.contains(member.name.as_str());
        let is_extra = |member: &Member| {
            is_named(&member) && source.members.iter().all(|wanted| wanted.name != member.name)
        };
        let extra = target.removal_spans(self.document.text, is_extra);
        self.edits.extend(extra.into_iter().map(|place| (place, String::new())));
        for (position, wanted) in source.members.iter().enumerate() {
            if !is_named(&wanted) {
                continue;
            }
            member(&source, &wanted.name)?;
            let value = &from.text[wanted.value.clone()];
            if let Some(here) = member(&target, &wanted.name)? {
                self.edits.push((here.value.clone(), value.to_owned()));
                continue;
            }
            let earlier = source.members[..position].iter().rev();
            let neighbour = earlier
                .flat_map(|it| target.members.iter().find(|here| here.name == it.name))
                .next();
            let last = || target.members.iter().rev().find(|here| !is_extra(here));
            self.insert_behind(neighbour.or_else(last), &wanted.name, value);
        }
        Ok(())
    }

    /// Restores stories of `from`, each after its predecessor there if that still exists, else
    /// first.
    pub(crate) fn return_stories(&mut self, ids: &BTreeSet<StoryId>, from: &Document<'_>) {
        let mut follows = None;
        let mut returned = Vec::new();
        for (id, story) in from.stories() {
            if ids.contains(id) {
                returned.push((follows, story));
            } else if let Some(position) = self.document.position(id) {
                follows = Some(position);
            }
        }
        let Document { text, items, .. } = self.document;
        let Some(first) = items.first() else { return self.fill(&returned, from) };
        for (follows, story) in returned {
            let edit = match follows.and_then(|position: usize| items.get(position)) {
                Some(item) => {
                    let blanks = blanks_before(text, item.start);
                    (item.end..item.end, format!(",{blanks}{story}"))
                }
                None => {
                    let blanks = blanks_before(text, first.start);
                    (first.start..first.start, format!("{story},{blanks}"))
                }
            };
            self.edits.push(edit);
        }
    }

    /// Inserts stories after `after`, or last, with the indentation of their neighbour.
    pub(crate) fn insert_stories(
        &mut self,
        after: Option<&StoryId>,
        stories: &[impl Serialize],
    ) -> Result<(), EditError> {
        let Document { text, items, array, .. } = self.document;
        let neighbour = match after {
            Some(id) => Some(self.document.item(id)?),
            None => items.last(),
        };
        let (indentation, blanks) = match neighbour {
            Some(item) => {
                let indentation = Indentation::of_item(text, item, &Object::read(text, item)?);
                (indentation, blanks_before(text, item.start))
            }
            None => (Indentation::OneLine, ""),
        };
        let stories: Result<Vec<String>, _> =
            stories.iter().map(|story| indentation.write(story)).collect();
        let separator = format!(",{blanks}");
        self.edits.push(match neighbour {
            Some(item) => {
                let added = stories?.iter().map(|story| format!("{separator}{story}")).collect();
                (item.end..item.end, added)
            }
            None => (array.start + 1..array.end - 1, stories?.join(&separator)),
        });
        Ok(())
    }

    /// Removes a story and the comma that becomes superfluous.
    pub(crate) fn remove_story(&mut self, id: &StoryId) -> Result<(), EditError> {
        self.document.position(id).ok_or_else(|| no_such(id))?;
        self.remove_stories(&[id].into());
        Ok(())
    }

    /// Removes stories and the commas that become superfluous.
    pub(crate) fn remove_stories(&mut self, ids: &BTreeSet<&StoryId>) {
        let removed: BTreeSet<usize> =
            ids.iter().filter_map(|id| self.document.position(id)).collect();
        let items: Vec<(usize, &Span)> = self.document.items.iter().enumerate().collect();
        // Neighbours share a comma, so each run of removed stories is one edit.
        for run in items.chunk_by(|(a, _), (b, _)| removed.contains(a) == removed.contains(b)) {
            let ([(first, from), ..], [.., (last, to)]) = (run, run) else { continue };
            if !removed.contains(first) {
                continue;
            }
            let before = first.checked_sub(1).and_then(|position| items.get(position));
            let span = match (before, items.get(last + 1)) {
                (Some((_, before)), _) => before.end..to.end,
                (None, Some((_, after))) => from.start..after.start,
                (None, None) => from.start..to.end,
            };
            self.edits.push((span, String::new()));
        }
    }

    pub(crate) fn finish(mut self) -> String {
        // The sort is stable: insertions at one offset keep their order and precede a removal
        // there.
        self.edits.sort_by_key(|(span, _)| (span.start, span.end));
        let mut edited = String::with_capacity(self.document.text.len());
        let mut copied = 0;
        for (span, text) in self.edits {
            edited.push_str(&self.document.text[copied..span.start]);
            edited.push_str(&text);
            copied = span.end;
        }
        edited.push_str(&self.document.text[copied..]);
        edited
    }

    /// Inserts stories into an empty array, with the whitespace they had in `from`.
    fn fill(&mut self, stories: &[(Option<usize>, &str)], from: &Document<'_>) {
        let (Some(first), false) = (from.items.first(), stories.is_empty()) else { return };
        let blanks = blanks_before(from.text, first.start);
        let separator = format!(",{blanks}");
        let stories: Vec<&str> = stories.iter().map(|(_, story)| *story).collect();
        let closing = blanks_before(from.text, from.array.end - 1);
        let Span { start, end } = self.document.array;
        let filling = format!("{blanks}{}{closing}", stories.join(&separator));
        self.edits.push((start + 1..end - 1, filling));
    }

    /// Inserts a member formatted like its neighbour. One always exists: a story has its id, the
    /// list its stories.
    fn insert_behind(&mut self, neighbour: Option<&Member>, name: &str, value: &str) {
        let Some(neighbour) = neighbour else { return };
        let style = neighbour.style(self.document.text);
        let name = serde_json::Value::from(name);
        let added = format!(",{}{name}{}{value}", style.before, style.colon);
        self.edits.push((neighbour.value.end..neighbour.value.end, added));
    }
}
