//! Changes single values of a task list and leaves every other byte as it is: order, unknown fields,
//! indentation, the way a number or a string is written.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::StoryId;
use crate::document::{Document, EditError, member, no_such};
use crate::indentation::Indentation;
use crate::span::{Member, Object, Span, blanks_before};

pub(crate) struct Editor<'d, 't> {
    document: &'d Document<'t>,
    /// None of them overlaps another.
    edits: Vec<(Span, String)>,
}

impl<'d, 't> Editor<'d, 't> {
    pub(crate) fn new(document: &'d Document<'t>) -> Self {
        Self { document, edits: Vec::new() }
    }

    /// Sets a field of a story to `value`, which is JSON. A field that is not there yet comes last.
    pub(crate) fn set(&mut self, id: &StoryId, name: &str, value: &str) -> Result<(), EditError> {
        let story = self.document.story(id)?;
        match member(&story, name)? {
            Some(member) => self.edits.push((member.value.clone(), value.to_owned())),
            None => self.insert_behind(story.members.last(), name, value),
        }
        Ok(())
    }

    /// Makes fields of a story what they are in `from`: their values, their absence, and, if they went,
    /// their places. A story that `from` does not have loses them.
    pub(crate) fn restore_in_story(
        &mut self,
        id: &StoryId,
        names: &BTreeSet<&str>,
        from: &Document<'_>,
    ) -> Result<(), EditError> {
        let source = match from.position(id) {
            Some(_) => from.story(id)?,
            None => Object { members: Vec::new() },
        };
        self.restore(&self.document.story(id)?, names, &source, from.text)
    }

    /// The same for fields of the list.
    pub(crate) fn restore_in_list(
        &mut self,
        names: &BTreeSet<&str>,
        from: &Document<'_>,
    ) -> Result<(), EditError> {
        self.restore(&self.document.top, names, &from.top, from.text)
    }

    fn restore(
        &mut self,
        target: &Object<'_>,
        names: &BTreeSet<&str>,
        source: &Object<'_>,
        source_text: &str,
    ) -> Result<(), EditError> {
        let is_named = |member: &&Member<'_>| names.contains(member.name.as_ref());
        let is_extra = |member: &Member<'_>| {
            is_named(&member) && source.members.iter().all(|wanted| wanted.name != member.name)
        };
        let extra = target.places_of(self.document.text, is_extra);
        self.edits.extend(extra.into_iter().map(|place| (place, String::new())));
        for (position, wanted) in source.members.iter().enumerate() {
            if !is_named(&wanted) {
                continue;
            }
            member(source, &wanted.name)?;
            let value = &source_text[wanted.value.clone()];
            if let Some(here) = member(target, &wanted.name)? {
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

    /// Puts stories of `from` back: each behind the story that it followed there, as far as that is
    /// still here, else in front.
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

    /// Puts a story behind `after`, or last, set in as its neighbour is.
    pub(crate) fn insert_story(
        &mut self,
        after: Option<&StoryId>,
        story: &impl Serialize,
    ) -> Result<(), EditError> {
        let Document { text, items, array, .. } = self.document;
        let neighbour = match after {
            Some(id) => Some(self.document.item(id)?),
            None => items.last(),
        };
        let edit = match neighbour {
            Some(item) => {
                let indentation = Indentation::of_item(text, item, &Object::read(text, item)?);
                let (blanks, story) = (blanks_before(text, item.start), indentation.write(story)?);
                (item.end..item.end, format!(",{blanks}{story}"))
            }
            None => (array.start + 1..array.end - 1, Indentation::OneLine.write(story)?),
        };
        self.edits.push(edit);
        Ok(())
    }

    /// Takes a story out, with the comma that its going makes superfluous.
    pub(crate) fn remove_story(&mut self, id: &StoryId) -> Result<(), EditError> {
        let items = &self.document.items;
        let position = self.document.position(id).ok_or_else(|| no_such(id))?;
        let at = |position: usize| items.get(position).ok_or_else(|| no_such(id));
        let span = match (position, at(position)?) {
            (0, only) if items.len() == 1 => only.clone(),
            (0, first) => first.start..at(1)?.start,
            (_, item) => at(position - 1)?.end..item.end,
        };
        self.edits.push((span, String::new()));
        Ok(())
    }

    pub(crate) fn finish(mut self) -> String {
        // Stable: what is put in at the same place stays in the order in which it was put there, and in
        // front of what is taken out there.
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

    /// Puts stories into an array that has none, set off as they were in `from`.
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

    /// Adds a member written as its neighbour is. There always is one: a story has its id, and the
    /// list its stories.
    fn insert_behind(&mut self, neighbour: Option<&Member<'_>>, name: &str, value: &str) {
        let Some(neighbour) = neighbour else { return };
        let style = neighbour.style(self.document.text);
        let name = serde_json::Value::from(name);
        let added = format!(",{}{name}{}{value}", style.before, style.colon);
        self.edits.push((neighbour.value.end..neighbour.value.end, added));
    }
}
