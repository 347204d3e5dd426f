//! The field of an object that has a problem.

use std::fmt;

/// Positions count from 0, as in JSON paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldPath {
    Whole,
    Named(&'static str),
    Item(&'static str, usize),
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
