//! Reads stories from JSON and collects their problems.
//!
//! Rules across stories are elsewhere, except duplicate ids.

use std::collections::{BTreeMap, BTreeSet};

use json_reader::{BOOL, FieldPath, Json, TEXT};

use crate::field_digests::{PROOF, SOURCE};
use crate::known_keys::{self, KeyCheck, UnknownKey};
use crate::leaves::{
    COUNT, POSITIVE, PRIORITY, PROOF_USE, REVIEW_STATUS, SENTENCE, SKILL_NAME, STORY_ID,
};
use crate::list::Story;
use crate::problem::{ObjectReader, ProblemPlace, Problems};
use crate::{FieldDigests, StoryId};

pub(crate) const STORIES: &str = "userStories";

/// Reads stories in file order.
#[derive(Default)]
pub(crate) struct StoryReader {
    pub(crate) stories: Vec<Story>,
    /// Stories with an id that cannot be judged.
    pub(crate) unreadable: BTreeSet<StoryId>,
    /// The first position of each id, counted from 1.
    pub(crate) positions: BTreeMap<StoryId, usize>,
    pub(crate) problems: Problems,
    pub(crate) unknown_keys: Vec<UnknownKey>,
    key_check: KeyCheck,
    /// Stories in the file, readable or not.
    pub(crate) count: usize,
}

impl StoryReader {
    pub(crate) fn read(&mut self, item: &Json) {
        let (list, field) = (ProblemPlace::TopLevel, FieldPath::Item(STORIES, self.count));
        self.count += 1;
        let position = self.count;
        let fields = ObjectReader::of(Some(item), &list, field, &mut self.problems);
        let Some(mut fields) = fields else { return };
        let id = fields.required("id", STORY_ID);
        fields.place = ProblemPlace::Story { position, id: id.clone() };
        self.key_check.check(&mut fields, known_keys::OF_STORY, &mut self.unknown_keys);
        let digests = FieldDigests::of(fields.entries, &RULED);
        let story = read_story(id.as_ref(), digests, &mut fields);
        let Some(id) = id else { return };

        if let Some(first) = self.positions.get(&id) {
            let found = format!("the id of story number {first} again, at story number {position}");
            let expected = "an id that no other story has";
            fields.problems.push_field(&fields.place, FieldPath::Named("id"), expected, found);
            self.unreadable.insert(id);
            return;
        }
        self.positions.insert(id.clone(), position);
        match story {
            Some(story) => self.stories.push(story),
            None => drop(self.unreadable.insert(id)),
        }
    }
}

/// Fields that have their own rules.
const RULED: [&str; 5] = ["id", "acceptanceCriteria", "passes", "reviewStatus", "reviewCount"];

/// `None` only if the id or a field of the review rules cannot be read.
fn read_story(
    id: Option<&StoryId>,
    digests: FieldDigests,
    fields: &mut ObjectReader<'_, '_>,
) -> Option<Story> {
    let title = fields.required("title", TEXT).unwrap_or_default();
    let acceptance_criteria = read_criteria(fields, "acceptanceCriteria");
    let priority = fields.required("priority", PRIORITY).and_then(|number| number.as_f64());
    let passes = fields.required("passes", BOOL);
    let review_status = fields.required("reviewStatus", REVIEW_STATUS);
    let review_count = fields.required("reviewCount", COUNT);
    let review_feedback = fields.required("reviewFeedback", TEXT);
    let notes = fields.optional("notes", TEXT).unwrap_or_default();
    if passes == Some(true) && notes.trim().is_empty() {
        let found = if notes.is_empty() { "none" } else { "only blanks" };
        let expected = "a note on what was done, because passes is true";
        let field = FieldPath::Named("notes");
        fields.problems.push_field(&fields.place, field, expected, found.to_owned());
    }
    // Everything is read before the first `?`, so that every problem is reported.
    Some(Story {
        title,
        notes,
        description: fields.optional("description", TEXT).unwrap_or_default(),
        depends_on: fields.items("dependsOn", STORY_ID).unwrap_or_default(),
        split_from: fields.optional("splitFrom", STORY_ID),
        model: fields.optional("model", TEXT),
        skills: fields.items("skills", SKILL_NAME).unwrap_or_default(),
        needs_docs: fields.optional("needsDocs", BOOL).unwrap_or_default(),
        libraries: fields.items("libraries", TEXT).unwrap_or_default(),
        touches: fields.items("touches", TEXT).unwrap_or_default(),
        max_turns: fields.optional("maxTurns", POSITIVE),
        proof: fields.optional(PROOF, PROOF_USE),
        source: fields.optional(SOURCE, TEXT),
        priority: priority.unwrap_or(f64::MAX),
        id: id?.clone(),
        acceptance_criteria: acceptance_criteria?,
        passes: passes?,
        review_status: review_status?,
        review_count: review_count?,
        review_feedback: review_feedback?,
        fields: digests,
    })
}

/// `None` if a criterion is missing or unreadable, because the criteria rules cannot be applied.
pub(crate) fn read_criteria(
    fields: &mut ObjectReader<'_, '_>,
    name: &'static str,
) -> Option<Vec<String>> {
    let items = fields.required_array(name)?;
    if items.is_empty() {
        let (field, found) = (FieldPath::Named(name), "an empty array".to_owned());
        fields.problems.push_field(&fields.place, field, "at least one criterion", found);
        return None;
    }
    let sentences = fields.items_of(name, items, SENTENCE);
    (sentences.len() == items.len()).then_some(sentences)
}
