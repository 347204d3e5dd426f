//! The file changes of a run, by story. The caller reads them from git.

use tasks::StoryId;

mod unified;

pub use unified::read_diff;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diffs {
    pub stories: Vec<StoryDiff>,
    /// Why changes are missing.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoryDiff {
    /// `None` for a run without stories.
    pub story: Option<StoryId>,
    /// Oldest first.
    pub ranges: Vec<IterationRange>,
    /// Sentences about missing changes and where they are.
    pub notes: Vec<String>,
}

/// The changes of consecutive iterations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IterationRange {
    pub iterations: Vec<u64>,
    pub files: Vec<FileDiff>,
    /// Shell command that shows all of it.
    pub command: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff {
    pub path: String,
    /// The former path of a renamed file.
    pub was: Option<String>,
    pub text: FileText,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileText {
    Binary,
    Lines {
        added: u64,
        removed: u64,
        /// The lines within the limit.
        shown: Vec<DiffLine>,
        /// The number of changed lines beyond the limit.
        left_out: u64,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiffLine {
    Added(String),
    Removed(String),
    Same(String),
    /// A hunk header of git.
    HunkHeader(String),
}

impl StoryDiff {
    /// Changed files, added lines and removed lines.
    pub fn counts(&self) -> (u64, u64, u64) {
        let files = self.ranges.iter().flat_map(|range| &range.files);
        files.fold((0, 0, 0), |(files, more, less), file| match file.text {
            FileText::Binary => (files + 1, more, less),
            FileText::Lines { added, removed, .. } => (files + 1, more + added, less + removed),
        })
    }
}
