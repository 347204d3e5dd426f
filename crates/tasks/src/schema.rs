//! The schema check: parses `tasks.json` into a typed list and reports all problems.

use std::collections::{BTreeMap, BTreeSet};

use json_reader::{Entry, FieldPath, Json, TEXT};

use crate::dependencies;
use crate::known_keys::{self, KeyCheck, UnknownKey};
use crate::list::TaskList;
use crate::problem::{ObjectReader, Problem, ProblemPlace, Problems};
use crate::story_reader::{STORIES, StoryReader};
use crate::verify_command::{CHECKS, read_checks};
use crate::{FieldDigests, StoryId, show};

/// What could be read, and the problems.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Inspection {
    /// The readable stories; `None` if there is no list.
    pub list: Option<TaskList>,
    /// Stories with an id that cannot be judged.
    pub unreadable: BTreeSet<StoryId>,
    pub problems: Vec<Problem>,
    /// Keys without a meaning, up to a limit.
    pub unknown_keys: Vec<UnknownKey>,
    /// Stories in the file, readable or not.
    pub stories: usize,
    /// The first position of each id, counted from 1.
    positions: BTreeMap<StoryId, usize>,
}

impl Inspection {
    /// The list if it has no problems, else the problems.
    pub fn accepted(self) -> Result<TaskList, Vec<Problem>> {
        match self.list {
            Some(list) if self.problems.is_empty() => Ok(list),
            _ => Err(self.problems),
        }
    }

    /// The position of a story in the file, unreadable stories included.
    pub fn place(&self, id: &StoryId) -> ProblemPlace {
        dependencies::place(id, &self.positions)
    }

    fn failed(problem: Problem) -> Self {
        Self { problems: vec![problem], ..Self::default() }
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
            message: "the file starts with a byte order mark; save it without one".into(),
        });
    }
    let mut stories = StoryReader::default();
    match Json::parse_each(text, STORIES, &mut |story| stories.read(&story)) {
        Ok(Json::Object(entries)) => inspect_top_level(&entries, stories),
        Ok(other) => Inspection::failed(Problem::Field {
            place: ProblemPlace::TopLevel,
            field: FieldPath::Whole,
            expected: "a JSON object".into(),
            found: show::found(&other),
        }),
        Err(error) => Inspection::failed(not_json(&error)),
    }
}

fn not_json(error: &serde_json::Error) -> Problem {
    let text = error.to_string();
    // serde_json appends the position, which `Problem` has in its own fields.
    let message = text.split(" at line ").next().unwrap_or_default();
    let message = match message {
        "recursion limit exceeded" => "values are nested more than 127 levels deep",
        other => other,
    };
    Problem::NotJson { line: error.line(), column: error.column(), message: message.to_owned() }
}

fn inspect_top_level(entries: &[Entry], read: StoryReader) -> Inspection {
    let mut problems = Problems::default();
    let mut top = ObjectReader::new(entries, ProblemPlace::TopLevel, &mut problems);
    let project = top.required("project", TEXT).unwrap_or_default();
    let branch_name = top.required("branchName", TEXT).unwrap_or_default();
    let description = top.required("description", TEXT).unwrap_or_default();
    let verify_commands = read_checks(&mut top);
    let mut unknown_keys = Vec::new();
    KeyCheck::default().check(&mut top, known_keys::OF_LIST, &mut unknown_keys);
    if top.required_array(STORIES).is_none() {
        return Inspection { problems: problems.into_list(), ..Inspection::default() };
    }
    unknown_keys.extend(read.unknown_keys);
    if read.count == 0 {
        problems.push(|| Problem::NoStories);
    }
    problems.append(read.problems);
    let stories = read.stories;
    dependencies::check(&stories, &read.positions, &mut problems);
    let fields = FieldDigests::of(entries, &[CHECKS, STORIES]);
    let list = TaskList { project, branch_name, description, verify_commands, stories, fields };
    Inspection {
        list: Some(list),
        unreadable: read.unreadable,
        problems: problems.into_list(),
        unknown_keys,
        stories: read.count,
        positions: read.positions,
    }
}
