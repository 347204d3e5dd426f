//! What is wrong with a task list, as data that reads as a sentence.

use std::borrow::Cow;
use std::fmt;

use crate::StoryId;

/// One thing to put right before the list can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    NotUtf8 { offset: usize },
    NotJson { line: usize, column: usize, message: String },
    Field { place: Place, field: FieldPath, expected: Cow<'static, str>, found: String },
}

/// Which object of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    TopLevel,
    /// `position` counts from 1; the id is there if it could be read.
    Story {
        position: usize,
        id: Option<StoryId>,
    },
}

/// Which field of it; the position counts from 0, as a JSON path does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldPath {
    Whole,
    Named(&'static str),
    Item(&'static str, usize),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8 { offset } => {
                write!(f, "the file is not UTF-8 text: byte {offset} is not part of a character")
            }
            Self::NotJson { line, column, message } => {
                write!(f, "the file is not valid JSON: line {line}, column {column}: {message}")
            }
            Self::Field { place, field, expected, found } => {
                write!(f, "{place}{field}: expected {expected}, found {found}")
            }
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TopLevel => Ok(()),
            Self::Story { id: Some(id), .. } => write!(f, "story {id}: "),
            Self::Story { position, id: None } => write!(f, "story number {position}: "),
        }
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => f.write_str("the whole"),
            Self::Named(name) => f.write_str(name),
            Self::Item(name, position) => write!(f, "{name}[{position}]"),
        }
    }
}
