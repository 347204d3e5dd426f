//! From a text to all that it would have run.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::act::Act;
use crate::interpret::Shell;
use crate::limits::TEXT_BYTES;
use crate::word::Word;

/// What the shell has when it begins.
pub struct Start<'s> {
    /// Where it starts.
    pub folder: PathBuf,
    /// Variables whose values are known, such as `HOME`.
    pub variables: BTreeMap<String, String>,
    /// What a file holds, for scripts that are run; `None` if nobody can say.
    pub file: &'s dyn Fn(&Path) -> Option<String>,
}

impl fmt::Debug for Start<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Start").field("folder", &self.folder).finish_non_exhaustive()
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    /// In the order in which they were read; what a substitution runs comes before what uses it.
    pub acts: Vec<Act>,
    /// Functions that call themselves.
    pub recursions: Vec<Recursion>,
    /// What the text itself has put into files.
    pub files: BTreeMap<PathBuf, String>,
    /// What can be read through the names that `<(…)` gives.
    pub streams: Vec<(Word, Word)>,
    /// What could not be read. Whoever needs to be sure refuses the whole text.
    pub unread: Vec<Unread>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recursion {
    pub function: String,
    /// It calls itself in a pipe or in the background, so that there are ever more of it.
    pub multiplies: Multiplies,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Multiplies {
    Yes,
    No,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unread {
    /// Longer than any shell is given.
    TooLong { bytes: usize },
    /// More steps or acts than are looked at.
    TooMuch,
    /// Nested deeper than is looked at.
    TooDeep,
    /// No shell would take it, or this one does not understand it; from here on.
    Broken { near: String },
}

pub fn read(script: &str, start: &Start<'_>) -> Reading {
    if script.len() > TEXT_BYTES {
        let unread = vec![Unread::TooLong { bytes: script.len() }];
        return Reading { unread, ..Reading::default() };
    }
    Shell::new(start).finish(script)
}
