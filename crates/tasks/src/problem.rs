//! Schema problems of a task list and their messages.

use std::borrow::Cow;

use itertools::Itertools;
use json_reader::{Fault, FieldPath, Place, Report};

use crate::verify_command::CHECKS;
use crate::{StoryId, show};

/// A problem to fix before the list can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    #[error("the file is not UTF-8 text: byte {offset} is not part of a character")]
    NotUtf8 { offset: usize },
    #[error("the file is not valid JSON: line {line}, column {column}: {message}")]
    NotJson { line: usize, column: usize, message: String },
    #[error("{place}{field}: expected {expected}, found {found}")]
    Field { place: ProblemPlace, field: FieldPath, expected: Cow<'static, str>, found: String },
    #[error("userStories: expected at least one story, found none")]
    NoStories,
    /// An unknown key close to a known one. Its value would be ignored.
    #[error("{place}unknown key {}: did you mean \"{meant}\"?", show::quoted(key))]
    MisspelledKey { place: ProblemPlace, key: String, meant: &'static str },
    /// `dependsOn` names a story that does not exist; `index` counts from 0.
    #[error(
        "{place}dependsOn[{index}]: expected the id of a story in this list, found \"{id}\", \
         which no story has"
    )]
    UnknownDependency { place: ProblemPlace, index: usize, id: StoryId },
    /// The first story is repeated at the end.
    #[error("{place}dependsOn: expected no cycle, found {cycle}")]
    DependencyCycle { place: ProblemPlace, cycle: String },
    /// Problems beyond the limit.
    #[error("and {count} more problems")]
    More { count: usize },
}

/// Reads one object of a task list or of an amendment.
pub(crate) type ObjectReader<'j, 'p> = json_reader::ObjectReader<'j, 'p, Problems>;

/// The problems of one document, up to a limit: a document with millions of mistakes must not
/// exhaust memory.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    listed: Vec<Problem>,
    unlisted: usize,
}

impl Problems {
    const MOST: usize = 1000;

    pub(crate) fn push(&mut self, problem: impl FnOnce() -> Problem) {
        if self.listed.len() < Self::MOST {
            self.listed.push(problem());
        } else {
            self.unlisted += 1;
        }
    }

    /// A field that breaks a rule about more than its type.
    pub(crate) fn push_field(
        &mut self,
        place: &ProblemPlace,
        field: FieldPath,
        expected: &'static str,
        found: String,
    ) {
        let expected = expected.into();
        self.push(|| Problem::Field { place: place.clone(), field, expected, found });
    }

    pub(crate) fn append(&mut self, others: Self) {
        others.listed.into_iter().for_each(|problem| self.push(|| problem));
        self.unlisted += others.unlisted;
    }

    pub(crate) fn into_list(mut self) -> Vec<Problem> {
        if self.unlisted > 0 {
            self.listed.push(Problem::More { count: self.unlisted });
        }
        self.listed
    }
}

/// The object that has the problem.
#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display)]
pub enum ProblemPlace {
    #[display("")]
    TopLevel,
    /// A part of an object other than a list, such as the task of an amendment.
    #[display("{_0}: ")]
    Part(&'static str),
    /// The position counts from 0.
    #[display("{CHECKS}[{_0}]: ")]
    Check(usize),
    /// `position` counts from 1; `id` is set if it could be read.
    #[display("story {}: ", id.as_ref().map_or(format!("number {position}"), ToString::to_string))]
    Story { position: usize, id: Option<StoryId> },
}

impl Place for ProblemPlace {
    fn child(&self, field: FieldPath) -> Self {
        match field {
            FieldPath::Whole => self.clone(),
            FieldPath::Named(name) => Self::Part(name),
            FieldPath::Item(CHECKS, index) => Self::Check(index),
            FieldPath::Item(_, index) => Self::Story { position: index + 1, id: None },
        }
    }
}

impl Report for Problems {
    type Place = ProblemPlace;

    fn report(&mut self, place: &ProblemPlace, field: FieldPath, fault: Fault<'_>) {
        self.push(|| {
            let (expected, found) = match fault {
                Fault::Wrong { expected, found: Some(value) } => (expected, show::found(value)),
                Fault::Wrong { expected, found: None } => {
                    (expected, "nothing: the field is missing".to_owned())
                }
                Fault::Repeated { times } => {
                    ("the key once".into(), format!("it {times} times in the same object"))
                }
            };
            Problem::Field { place: place.clone(), field, expected, found }
        });
    }
}

/// The first few problems, after a colon.
pub(crate) fn why(problems: &[Problem]) -> String {
    const SHOWN: usize = 3;
    let shown = problems.iter().take(SHOWN).join("; ");
    match (problems.len().saturating_sub(SHOWN), shown.as_str()) {
        (0, "") => shown,
        (0, _) => format!(": {shown}"),
        (more, _) => format!(": {shown}; and {more} more problems"),
    }
}
