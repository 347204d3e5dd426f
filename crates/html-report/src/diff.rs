//! What a run did to the files of its project, story by story: data that somebody who has git at hand
//! fills in.

use tasks::StoryId;

mod unified;

pub use unified::read_diff;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diffs {
    pub stories: Vec<StoryDiff>,
    /// What a reader should know of all of them: why there are none, or not all.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoryDiff {
    /// None of a run without stories.
    pub story: Option<StoryId>,
    /// Oldest first.
    pub stretches: Vec<Stretch>,
    /// What is not there and where it is, a sentence each.
    pub notes: Vec<String>,
}

/// What iterations in a row did together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    pub iterations: Vec<u64>,
    pub files: Vec<FileDiff>,
    /// For a shell: shows all of it.
    pub command: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff {
    pub path: String,
    /// Of one that has another name now.
    pub was: Option<String>,
    pub text: FileText,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileText {
    Binary,
    Lines {
        added: u64,
        removed: u64,
        /// As far as there is room for them.
        shown: Vec<Line>,
        /// How many there is no room for.
        left_out: u64,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    Added(String),
    Removed(String),
    Same(String),
    /// Where the next lines are, as git says it.
    Place(String),
}

impl StoryDiff {
    /// Files that were touched, lines that came and lines that went.
    pub fn counts(&self) -> (u64, u64, u64) {
        let files = self.stretches.iter().flat_map(|stretch| &stretch.files);
        files.fold((0, 0, 0), |(files, more, less), file| match file.text {
            FileText::Binary => (files + 1, more, less),
            FileText::Lines { added, removed, .. } => (files + 1, more + added, less + removed),
        })
    }
}
