//! The schema check: from the bytes of `tasks.json` to a typed list and every problem at once.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::dependencies;
use crate::json::Json;
use crate::list::{Story, TaskList};
use crate::problem::{FieldPath, Place, Problem, Problems};
use crate::reader::{ObjectReader, Positive, Sentence};
use crate::{StoryId, show};

/// What could be read, and what was wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct Inspection {
    /// The stories that could be read; `None` when there is no list at all.
    pub list: Option<TaskList>,
    /// Stories that are there but too broken to judge.
    pub unreadable: BTreeSet<StoryId>,
    pub problems: Vec<Problem>,
}

impl Inspection {
    /// The list if nothing is wrong with it, else all that is.
    pub fn accepted(self) -> Result<TaskList, Vec<Problem>> {
        match self.list {
            Some(list) if self.problems.is_empty() => Ok(list),
            _ => Err(self.problems),
        }
    }

    fn failed(problem: Problem) -> Self {
        Self { list: None, unreadable: BTreeSet::new(), problems: vec![problem] }
    }
}

/// Checks the contents of `tasks.json`.
pub fn inspect(bytes: &[u8]) -> Inspection {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => return Inspection::failed(Problem::NotUtf8 { offset: error.valid_up_to() }),
    };
    if text.starts_with('\u{feff}') {
        return Inspection::failed(Problem::NotJson {
            line: 1,
            column: 1,
            message: "a byte order mark stands before the JSON; save the file without one".into(),
        });
    }
    match serde_json::from_str::<Json<'_>>(text) {
        Ok(Json::Object(entries)) => inspect_top_level(&entries),
        Ok(other) => Inspection::failed(Problem::Field {
            place: Place::TopLevel,
            field: FieldPath::Whole,
            expected: "a JSON object".into(),
            found: show::found(&other),
        }),
        Err(error) => Inspection::failed(not_json(&error)),
    }
}

fn not_json(error: &serde_json::Error) -> Problem {
    let text = error.to_string();
    // serde_json appends the place, which stands in fields of its own here.
    let message = text.split(" at line ").next().unwrap_or_default();
    let message = match message {
        "recursion limit exceeded" => "values are nested more than 127 levels deep",
        other => other,
    };
    Problem::NotJson { line: error.line(), column: error.column(), message: message.to_owned() }
}

fn inspect_top_level(entries: &[(Cow<'_, str>, Json<'_>)]) -> Inspection {
    let mut problems = Problems::default();
    let mut top = ObjectReader::new(entries, Place::TopLevel, &mut problems);
    let project = top.required("project").unwrap_or_default();
    let branch_name = top.required("branchName").unwrap_or_default();
    let description = top.required("description").unwrap_or_default();
    let verify_commands = top.optional_items("verifyCommands");
    let Some(items) = top.required_array("userStories") else {
        let problems = problems.into_list();
        return Inspection { list: None, unreadable: BTreeSet::new(), problems };
    };

    let mut stories = Vec::new();
    let mut unreadable = BTreeSet::new();
    let mut positions = BTreeMap::new();
    for (index, item) in items.iter().enumerate() {
        let read = inspect_story(index + 1, item, &mut positions, &mut problems);
        match read {
            ReadStory::Whole(story) => stories.push(*story),
            ReadStory::Named(id) => drop(unreadable.insert(id)),
            ReadStory::Nameless => {}
        }
    }
    dependencies::check(&stories, &positions, &mut problems);

    let list = TaskList { project, branch_name, description, verify_commands, stories };
    Inspection { list: Some(list), unreadable, problems: problems.into_list() }
}

enum ReadStory {
    /// Everything the review rules look at could be read.
    Whole(Box<Story>),
    Named(StoryId),
    Nameless,
}

fn inspect_story(
    position: usize,
    item: &Json<'_>,
    positions: &mut BTreeMap<StoryId, usize>,
    problems: &mut Problems,
) -> ReadStory {
    let Json::Object(entries) = item else {
        problems.push(|| Problem::Field {
            place: Place::TopLevel,
            field: FieldPath::Item("userStories", position - 1),
            expected: "an object".into(),
            found: show::found(item),
        });
        return ReadStory::Nameless;
    };

    let nameless = Place::Story { position, id: None };
    let id: Option<StoryId> = ObjectReader::new(entries, nameless, problems).required("id");
    let place = Place::Story { position, id: id.clone() };
    let mut fields = ObjectReader::new(entries, place, problems);
    let story = id.clone().and_then(|id| read_story(id, &mut fields));
    let Some(id) = id else { return ReadStory::Nameless };

    if let Some(first) = positions.get(&id) {
        fields.report(
            FieldPath::Named("id"),
            "an id that no other story has",
            format!("the id of story number {first} again, at story number {position}"),
        );
        return ReadStory::Named(id);
    }
    positions.insert(id.clone(), position);
    match story {
        Some(story) => ReadStory::Whole(Box::new(story)),
        None => ReadStory::Named(id),
    }
}

/// `None` only if a field that the review rules need cannot be read.
fn read_story(id: StoryId, fields: &mut ObjectReader<'_, '_, '_>) -> Option<Story> {
    let title = fields.required("title").unwrap_or_default();
    let acceptance_criteria = read_criteria(fields);
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
        id,
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
    })
}

/// `None` if any criterion is missing or unreadable: a rule about criteria cannot be judged then.
fn read_criteria(fields: &mut ObjectReader<'_, '_, '_>) -> Option<Vec<String>> {
    const NAME: &str = "acceptanceCriteria";
    let items = fields.required_array(NAME)?;
    if items.is_empty() {
        fields.report(FieldPath::Named(NAME), "at least one criterion", "an empty array");
        return None;
    }
    let sentences: Vec<Sentence> = fields.items(NAME, items);
    (sentences.len() == items.len())
        .then(|| sentences.into_iter().map(|Sentence(text)| text).collect())
}
