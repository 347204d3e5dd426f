//! Notices: what the runner observed about a session or a check, for the user and the next review. Names that an
//! agent can choose are data beside the runner's sentence, never part of it.

use std::path::Path;

use sanitize::plain;
use serde::{Deserialize, Serialize};
use tasks::StoryId;

/// Most names in one sentence.
pub(crate) const NAMED: usize = 20;

/// What may have changed the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
pub(crate) enum Actor {
    #[strum(to_string = "the session")]
    Session,
    #[strum(to_string = "a check")]
    Check,
    #[strum(to_string = "the quality check")]
    QualityCheck,
    #[strum(to_string = "a further reviewer")]
    Reviewer,
    #[strum(to_string = "the final review")]
    FinalReview,
    #[strum(to_string = "the compaction")]
    Compaction,
    #[strum(to_string = "the session that wrote the commit message")]
    MessageSession,
    /// Of the user's repository, during a push.
    #[strum(to_string = "a git hook")]
    GitHook,
}

pub(crate) fn listed<S: AsRef<str>>(names: &[S]) -> String {
    let mut shown: Vec<String> =
        names.iter().take(NAMED).map(|name| plain(name.as_ref())).collect();
    if names.len() > NAMED {
        shown.push(format!("and {} more", names.len() - NAMED));
    }
    shown.join(", ")
}

/// What caused a notice, the story whose reviewer gets it, and the folder for long lists.
#[derive(Debug, Clone)]
pub(crate) struct NoticeOrigin<'a> {
    pub(crate) actor: Actor,
    pub(crate) who: String,
    pub(crate) story: Option<&'a StoryId>,
    pub(crate) folder: &'a Path,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReviewNotice {
    /// Written by the runner, so it is trusted.
    pub(crate) text: String,
    /// The first names; `whole_list` has all of them.
    pub(crate) names: Vec<String>,
    pub(crate) whole_list: Option<WholeList>,
}

/// A file with all names, if there are more than one sentence lists.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WholeList {
    /// Relative to the project.
    pub(crate) file: String,
    pub(crate) count: usize,
    /// Only in memory, because later checks can change the file.
    #[serde(skip)]
    pub(super) lines: String,
}
