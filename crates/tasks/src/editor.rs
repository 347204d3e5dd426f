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
        self.set_member(&self.document.story(id)?, name, value)
    }

    /// Makes fields of a story what they are in `from`.
    pub(crate) fn copy(
        &mut self,
        id: &StoryId,
        names: &[&str],
        from: &Document<'_>,
    ) -> Result<(), EditError> {
        let (source, target) = (from.story(id)?, self.document.story(id)?);
        for name in names {
            if let Some(value) = from.value(&source, name)? {
                self.set_member(&target, name, value)?;
            }
        }
        Ok(())
    }

    /// Makes a field of the list what it is in `from`: its value, its absence, and, if it went, its
    /// place.
    pub(crate) fn restore(&mut self, name: &str, from: &Document<'_>) -> Result<(), EditError> {
        let top = &self.document.top;
        match (from.value(&from.top, name)?, member(top, name)?) {
            (None, None) => {}
            (None, Some(member)) => {
                self.edits.push((member.with_comma(self.document.text), String::new()));
            }
            (Some(value), Some(_)) => self.set_member(top, name, value)?,
            (Some(value), None) => {
                let earlier = from.top.members.iter().take_while(|member| member.name != name);
                let neighbour = earlier
                    .last()
                    .and_then(|earlier| top.members.iter().find(|here| here.name == earlier.name));
                self.insert_behind(neighbour.or(top.members.last()), name, value);
            }
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
        // Stable: what is put in at the same place stays in the order in which it was put there.
        self.edits.sort_by_key(|(span, _)| span.start);
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

    fn set_member(
        &mut self,
        object: &Object<'_>,
        name: &str,
        value: &str,
    ) -> Result<(), EditError> {
        match member(object, name)? {
            Some(member) => self.edits.push((member.value.clone(), value.to_owned())),
            None => self.insert_behind(object.members.last(), name, value),
        }
        Ok(())
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
