//! Parses an amendment that an agent wrote.
//!
//! Whether the plan allows it is decided in `amend`.

use itertools::Itertools;
use json_reader::{FieldPath, Json, TEXT};
use serde_json::Value;

use super::allowed_fields::only_known;
use super::changes::Changes;
use super::new_story::NewStory;
use crate::leaves::{SENTENCE, STORY_ID};
use crate::problem::{ObjectReader, ProblemPlace, Problems, why};
use crate::{Problem, StoryId, show};

/// Ample for the few sentences and criteria of one story.
const MOST_BYTES: usize = 20_000;

pub(super) struct Proposed {
    pub(super) proposal: Proposal,
    pub(super) reason: String,
}

pub(super) enum Proposal {
    Add { story: Box<NewStory>, after: Option<StoryId> },
    Modify { story: StoryId, changes: Changes },
    Remove { story: StoryId },
}

#[derive(Clone, Copy, strum::Display, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
enum Action {
    Add,
    Modify,
    Remove,
}

impl Action {
    /// Fields besides `action` and `reason`.
    fn takes(self, field: &str) -> bool {
        match self {
            Self::Add => matches!(field, "task" | "after"),
            Self::Modify => matches!(field, "task_id" | "changes"),
            Self::Remove => field == "task_id",
        }
    }
}

const FIELDS: &[&str] = &["action", "task_id", "task", "changes", "after", "reason"];

pub(super) fn read(amendment: &Value) -> Result<Proposed, String> {
    let bytes = amendment.to_string().len();
    if bytes > MOST_BYTES {
        return Err(format!("it has {bytes} bytes of JSON; the limit is {MOST_BYTES}"));
    }
    let amendment = Json::from(amendment);
    let mut problems = Problems::default();
    let top = ProblemPlace::TopLevel;
    ObjectReader::of(Some(&amendment), &top, FieldPath::Whole, &mut problems);
    let mut fields = ObjectReader::new(amendment.entries(), top, &mut problems);
    let action = read_action(&mut fields);
    only_known("an amendment", fields.entries, FIELDS)?;
    let Some(action) = action else {
        return Err(malformed(&problems.into_list()));
    };
    let is_set = |field| !matches!(amendment.get(field), None | Some(Json::Null));
    for field in FIELDS.iter().filter(|field| !matches!(**field, "action" | "reason")) {
        if !action.takes(field) && is_set(field) {
            return Err(format!("an amendment with the action \"{action}\" has no \"{field}\""));
        }
    }

    let reason = fields.required("reason", SENTENCE);
    let proposal = match action {
        Action::Add => {
            let after = fields.optional("after", STORY_ID);
            let new = part(&mut fields, "task").map_or(Ok(None), NewStory::read)?;
            new.map(|new| Proposal::Add { story: Box::new(new), after })
        }
        Action::Modify => {
            let story = fields.required("task_id", STORY_ID);
            let changes = part(&mut fields, "changes").map(Changes::read).transpose()?;
            story.zip(changes).map(|(story, changes)| Proposal::Modify { story, changes })
        }
        Action::Remove => {
            fields.required("task_id", STORY_ID).map(|story| Proposal::Remove { story })
        }
    };
    let problems = problems.into_list();
    match (proposal, reason) {
        (Some(proposal), Some(reason)) if problems.is_empty() => {
            Ok(Proposed { proposal, reason: one_line(&reason) })
        }
        _ => Err(malformed(&problems)),
    }
}

fn malformed(problems: &[Problem]) -> String {
    format!("it cannot be read{}", why(problems))
}

/// Names the amendment on one short line, even if it is malformed.
pub(super) fn described(amendment: &Value) -> String {
    let Some(action) = amendment["action"].as_str().and_then(|word| word.parse().ok()) else {
        return "an amendment whose action is not add, modify or remove".into();
    };
    let id = match action {
        Action::Add => &amendment["task"]["id"],
        Action::Modify | Action::Remove => &amendment["task_id"],
    };
    let id = id.as_str().map_or_else(
        || "a story without an id".into(),
        |id| StoryId::new(id).map_or_else(|_| show::quoted(id), |id| id.to_string()),
    );
    format!("{action} {id}")
}

fn read_action(fields: &mut ObjectReader<'_, '_>) -> Option<Action> {
    let word = fields.required("action", TEXT)?;
    let action = word.parse().ok();
    if action.is_none() {
        let (field, found) = (FieldPath::Named("action"), show::quoted(&word));
        let expected = "\"add\", \"modify\" or \"remove\"";
        fields.problems.push_field(&fields.place, field, expected, found);
    }
    action
}

/// The object at `name`; a missing one counts as `null`.
fn part<'j, 'f>(
    fields: &'f mut ObjectReader<'j, '_>,
    name: &'static str,
) -> Option<ObjectReader<'j, 'f>> {
    let value = fields.entry(name).unwrap_or(&Json::Null);
    ObjectReader::of(Some(value), &fields.place, FieldPath::Named(name), fields.problems)
}

fn one_line(text: &str) -> String {
    sanitize::plain(&text.split_whitespace().join(" "))
}
