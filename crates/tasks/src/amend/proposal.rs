//! Parses an amendment that an agent wrote.
//!
//! Whether the plan allows it is decided in `amend`.

use serde::Deserialize;
use serde_json::Value;

use super::changes::Changes;
use super::new_story::NewStory;
use super::refused::RefusedAmendment;
use crate::json::{Entries, Json};
use crate::problem::{FieldPath, Problem, ProblemPlace, Problems};
use crate::reader::{ObjectReader, Sentence};
use crate::{StoryId, show};

/// Ample for the few sentences and criteria of one story.
pub(super) const MOST_BYTES: usize = 20_000;

pub(super) struct Proposed {
    pub(super) proposal: Proposal,
    pub(super) reason: String,
}

pub(super) enum Proposal {
    Add { story: Box<NewStory>, after: Option<StoryId> },
    Modify { story: StoryId, changes: Changes },
    Remove { story: StoryId },
}

#[derive(Clone, Copy)]
enum Action {
    Add,
    Modify,
    Remove,
}

impl Action {
    const ALL: [Self; 3] = [Self::Add, Self::Modify, Self::Remove];

    fn word(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Modify => "modify",
            Self::Remove => "remove",
        }
    }

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

/// Checks and reviews set the state of a story; the user chooses its agent and model.
const NOT_THE_AGENTS: &[&str] = &[
    "passes",
    "status",
    "review_status",
    "reviewStatus",
    "review_count",
    "reviewCount",
    "review_feedback",
    "reviewFeedback",
    "verify_commands",
    "verifyCommands",
    "model",
];

pub(super) fn read(amendment: &Value) -> Result<Proposed, RefusedAmendment> {
    let bytes = amendment.to_string().len();
    if bytes > MOST_BYTES {
        return Err(RefusedAmendment::TooLong { bytes });
    }
    let mut problems = Problems::default();
    let entries = object(amendment, FieldPath::Whole, &mut problems).unwrap_or_default();
    let action = read_action(&entries, &mut problems);
    only_known("an amendment", &entries, FIELDS)?;
    let Some(action) = action else { return Err(malformed(problems)) };
    for field in FIELDS.iter().filter(|field| !matches!(**field, "action" | "reason")) {
        if !action.takes(field) && !amendment[field].is_null() {
            return Err(RefusedAmendment::Misplaced { field, action: action.word() });
        }
    }

    let mut fields = ObjectReader::new(&entries, ProblemPlace::TopLevel, &mut problems);
    let reason: Option<Sentence> = fields.required("reason");
    let story = match action {
        Action::Add => fields.optional("after"),
        Action::Modify | Action::Remove => fields.required("task_id"),
    };
    let proposal = match action {
        Action::Add => {
            let task = object(&amendment["task"], FieldPath::Named("task"), &mut problems);
            let new = match &task {
                Some(task) => NewStory::read(task, &mut problems)?,
                None => None,
            };
            new.map(|new| Proposal::Add { story: Box::new(new), after: story })
        }
        Action::Modify => {
            let field = FieldPath::Named("changes");
            let changes = object(&amendment["changes"], field, &mut problems);
            let changes = match &changes {
                Some(changes) => Some(Changes::read(changes, &mut problems)?),
                None => None,
            };
            story.zip(changes).map(|(story, changes)| Proposal::Modify { story, changes })
        }
        Action::Remove => story.map(|story| Proposal::Remove { story }),
    };
    let problems = problems.into_list();
    match (proposal, reason) {
        (Some(proposal), Some(Sentence(reason))) if problems.is_empty() => {
            Ok(Proposed { proposal, reason: one_line(&reason) })
        }
        _ => Err(RefusedAmendment::Malformed { problems }),
    }
}

/// Names the amendment on one short line, even if it is malformed.
pub(super) fn described(amendment: &Value) -> String {
    let word = amendment["action"].as_str();
    let Some(action) = Action::ALL.into_iter().find(|action| word == Some(action.word())) else {
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
    format!("{} {id}", action.word())
}

/// Refuses fields that have no effect here, because the agent expects one.
pub(super) fn only_known(
    part: &'static str,
    entries: &Entries<'_>,
    known: &'static [&'static str],
) -> Result<(), RefusedAmendment> {
    match entries.iter().find(|(name, _)| !known.contains(&name.as_ref())) {
        None => Ok(()),
        Some((name, _)) => {
            let field = show::quoted(name);
            Err(RefusedAmendment::UnknownField { part, field, known })
        }
    }
}

/// Refuses fields that only the runner or the user may set.
pub(super) fn none_of_others(entries: &Entries<'_>) -> Result<(), RefusedAmendment> {
    let set = |field: &&&str| entries.iter().any(|(name, _)| name == **field);
    let field = NOT_THE_AGENTS.iter().find(set);
    field.map_or(Ok(()), |field| Err(RefusedAmendment::NotTheAgents { field }))
}

fn read_action(entries: &Entries<'_>, problems: &mut Problems) -> Option<Action> {
    let mut fields = ObjectReader::new(entries, ProblemPlace::TopLevel, problems);
    let word: String = fields.required("action")?;
    let action = Action::ALL.into_iter().find(|action| action.word() == word);
    if action.is_none() {
        let expected = "\"add\", \"modify\" or \"remove\"";
        fields.report(FieldPath::Named("action"), expected, show::quoted(&word));
    }
    action
}

fn object<'v>(value: &'v Value, field: FieldPath, problems: &mut Problems) -> Option<Entries<'v>> {
    match Json::deserialize(value).unwrap_or(Json::Null) {
        Json::Object(entries) => Some(entries),
        other => {
            problems.push(|| Problem::Field {
                place: ProblemPlace::TopLevel,
                field,
                expected: "an object".into(),
                found: show::found(&other),
            });
            None
        }
    }
}

fn malformed(problems: Problems) -> RefusedAmendment {
    RefusedAmendment::Malformed { problems: problems.into_list() }
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    sanitize::plain(&words.join(" "))
}
