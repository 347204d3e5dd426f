//! Reads stories from JSON and collects their problems.
//!
//! Rules across stories are elsewhere, except duplicate ids.

use std::collections::{BTreeMap, BTreeSet};

use crate::json::Json;
use crate::known_keys::KeyCheck;
use crate::list::Story;
use crate::problem::{FieldPath, Problem, ProblemPlace, Problems};
use crate::reader::{ObjectReader, Positive, Sentence};
use crate::schema::UnknownKey;
use crate::{FieldDigests, StoryId, known_keys, show};

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
    pub(crate) fn read(&mut self, item: &Json<'_>) {
        self.count += 1;
        let position = self.count;
        let Json::Object(entries) = item else {
            return self.problems.push(|| Problem::Field {
                place: ProblemPlace::TopLevel,
                field: FieldPath::Item(STORIES, position - 1),
                expected: "an object".into(),
                found: show::found(item),
            });
        };
        let nameless = ProblemPlace::Story { position, id: None };
        let id = ObjectReader::new(entries, nameless, &mut self.problems).required("id");
        let place = ProblemPlace::Story { position, id: id.clone() };
        let mut fields = ObjectReader::new(entries, place, &mut self.problems);
        fields.unknown_keys(known_keys::OF_STORY, &mut self.key_check, &mut self.unknown_keys);
        let digests = FieldDigests::of(entries, &RULED);
        let story = read_story(id.as_ref(), digests, &mut fields);
        let Some(id) = id else { return };

        if let Some(first) = self.positions.get(&id) {
            fields.report(
                FieldPath::Named("id"),
                "an id that no other story has",
                format!("the id of story number {first} again, at story number {position}"),
            );
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
    fields: &mut ObjectReader<'_, '_, '_>,
) -> Option<Story> {
    let title = fields.required("title").unwrap_or_default();
    let acceptance_criteria = read_criteria(fields, "acceptanceCriteria");
    let priority = fields.required("priority").unwrap_or(f64::MAX);
    let passes = fields.required("passes");
    let review_status = fields.required("reviewStatus");
    let review_count = fields.required("reviewCount");
    let review_feedback = fields.required("reviewFeedback");
    let notes: String = fields.optional("notes").unwrap_or_default();
    if passes == Some(true) && notes.trim().is_empty() {
        fields.report(
            FieldPath::Named("notes"),
            "a note on what was done, because passes is true",
            if notes.is_empty() { "none" } else { "only blanks" },
        );
    }
    let description = fields.optional("description").unwrap_or_default();
    let depends_on = fields.optional_items("dependsOn");
    let split_from = fields.optional("splitFrom");
    let model = fields.optional("model");
    let skills = fields.optional_items("skills");
    let needs_docs = fields.optional("needsDocs").unwrap_or_default();
    let libraries = fields.optional_items("libraries");
    let max_turns = fields.optional("maxTurns").map(|Positive(turns)| turns);

    Some(Story {
        id: id?.clone(),
        title,
        description,
        acceptance_criteria: acceptance_criteria?,
        priority,
        passes: passes?,
        review_status: review_status?,
        review_count: review_count?,
        review_feedback: review_feedback?,
        notes,
        depends_on,
        split_from,
        model,
        skills,
        needs_docs,
        libraries,
        max_turns,
        fields: digests,
    })
}

/// `None` if a criterion is missing or unreadable, because the criteria rules cannot be applied.
pub(crate) fn read_criteria(
    fields: &mut ObjectReader<'_, '_, '_>,
    name: &'static str,
) -> Option<Vec<String>> {
    let items = fields.required_array(name)?;
    if items.is_empty() {
        fields.report(FieldPath::Named(name), "at least one criterion", "an empty array");
        return None;
    }
    let sentences: Vec<Sentence> = fields.items(name, items);
    (sentences.len() == items.len())
        .then(|| sentences.into_iter().map(|Sentence(text)| text).collect())
}
