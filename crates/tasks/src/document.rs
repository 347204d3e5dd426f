//! Splits the text of a task list into stories and fields.
//!
//! Does not validate; `schema` does.

use std::borrow::Cow;
use std::collections::BTreeMap;

use json_reader::Json;

use crate::span::{self, Member, Object, Span};
use crate::story_reader::STORIES;
use crate::{StoryId, show};

pub(crate) struct Document<'t> {
    pub(crate) text: &'t str,
    top: Object,
    /// Where the `userStories` array is.
    pub(crate) array: Span,
    pub(crate) items: Vec<Span>,
    stories: Vec<Option<StoryId>>,
    positions: BTreeMap<StoryId, usize>,
}

/// Why a text cannot be edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("the task list is not valid JSON: {0}")]
    NotJson(String),
    #[error("the task list has no array \"userStories\"")]
    NoStories,
    #[error("the task list has no story {0}")]
    NoSuchStory(StoryId),
    #[error("\"{0}\" occurs twice in the task list; remove one of them")]
    Twice(String),
}

/// For functions whose caller only prints the error.
impl From<EditError> for String {
    fn from(error: EditError) -> Self {
        error.to_string()
    }
}

impl From<serde_json::Error> for EditError {
    fn from(error: serde_json::Error) -> Self {
        Self::NotJson(error.to_string())
    }
}

impl<'t> Document<'t> {
    pub(crate) fn parse(text: &'t str) -> Result<Self, EditError> {
        let outer: &serde_json::value::RawValue = serde_json::from_str(text)?;
        let top = Object::read(text, &span::span_of(outer.get(), text))?;
        let array = member(&top, STORIES)?.ok_or(EditError::NoStories)?.value.clone();
        let items = span::items(text, &array).map_err(|_| EditError::NoStories)?;
        let mut document =
            Self { text, top, array, items, stories: Vec::new(), positions: BTreeMap::new() };
        document.name_stories()?;
        Ok(document)
    }

    /// Stories without an id cannot be looked up and stay unchanged.
    fn name_stories(&mut self) -> Result<(), EditError> {
        for (position, item) in self.items.iter().enumerate() {
            let id = Object::read(self.text, item).ok().and_then(|story| {
                let id = member(&story, "id").ok().flatten()?.value.clone();
                serde_json::from_str::<StoryId>(&self.text[id]).ok()
            });
            if let Some(id) = &id
                && self.positions.insert(id.clone(), position).is_some()
            {
                return Err(EditError::Twice(id.to_string()));
            }
            self.stories.push(id);
        }
        Ok(())
    }

    /// Every story with an id, in file order, with its text.
    pub(crate) fn stories(&self) -> impl Iterator<Item = (&StoryId, &'t str)> {
        let named = self.stories.iter().zip(&self.items);
        named.filter_map(|(id, item)| Some((id.as_ref()?, &self.text[item.clone()])))
    }

    pub(crate) fn position(&self, id: &StoryId) -> Option<usize> {
        self.positions.get(id).copied()
    }

    /// A story, or the list itself.
    pub(crate) fn object(&self, story: Option<&StoryId>) -> Result<Cow<'_, Object>, EditError> {
        Ok(match story {
            Some(id) => Cow::Owned(Object::read(self.text, self.item(id)?)?),
            None => Cow::Borrowed(&self.top),
        })
    }

    /// The span of a story.
    pub(crate) fn item(&self, id: &StoryId) -> Result<&Span, EditError> {
        let item = self.position(id).and_then(|position| self.items.get(position));
        item.ok_or_else(|| no_such(id))
    }

    /// The value of a field of a story or of the list, for messages.
    pub(crate) fn shown(&self, story: Option<&StoryId>, name: &str) -> String {
        let value = self.value(story, name).ok().flatten();
        let value = value.and_then(|text| serde_json::from_str::<Json>(text).ok());
        value.map_or_else(|| "none".to_owned(), |value| show::found(&value))
    }

    /// The JSON text of a field of a story or of the list, or `None` if it is missing.
    pub(crate) fn value(
        &self,
        story: Option<&StoryId>,
        name: &str,
    ) -> Result<Option<&'t str>, EditError> {
        let object = self.object(story)?;
        Ok(member(&object, name)?.map(|member| &self.text[member.value.clone()]))
    }
}

pub(crate) fn no_such(id: &StoryId) -> EditError {
    EditError::NoSuchStory(id.clone())
}

pub(crate) fn member<'o>(object: &'o Object, name: &str) -> Result<Option<&'o Member>, EditError> {
    let mut named = object.members.iter().filter(|member| member.name == name);
    match (named.next(), named.next()) {
        (_, Some(_)) => Err(EditError::Twice(name.to_owned())),
        (found, None) => Ok(found),
    }
}
