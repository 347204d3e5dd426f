//! The result of an analysis: all commands that a text would run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::invocation::Invocation;
use crate::word::Word;

/// The initial state of the shell.
#[expect(missing_debug_implementations, reason = "a function cannot be shown")]
pub struct InitialState<'s> {
    /// The working directory.
    pub folder: PathBuf,
    /// Known variables, such as `HOME`.
    pub variables: BTreeMap<String, String>,
    /// Returns the content of a script, if known.
    pub file: &'s dyn Fn(&Path) -> Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Analysis {
    /// In the order of the analysis; a substitution comes before the command that uses it.
    pub invocations: Vec<Invocation>,
    /// Functions that call themselves.
    pub recursions: Vec<Recursion>,
    /// Files that the text itself writes.
    pub files: BTreeMap<PathBuf, String>,
    /// The contents behind the names of `<(…)`.
    pub streams: Vec<(Word, Word)>,
    /// Parts that could not be analyzed. A strict caller refuses the whole text.
    pub unanalyzed: Vec<Unanalyzed>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recursion {
    pub function: String,
    /// It calls itself in a pipe or in the background, so that its processes multiply.
    pub multiplies: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unanalyzed {
    /// Longer than any text that a shell gets.
    TooLong { bytes: usize },
    /// More steps or commands than the limit.
    TooMuch,
    /// Nested deeper than the limit.
    TooDeep,
    /// A syntax error, or unsupported syntax, from here on.
    Broken { near: String },
}
