//! What the workspace knows about the session whose changes it judges.

use std::path::Path;

use tasks::StoryId;
use vcs::CommitId;

use crate::workspace::notice::{Actor, NoticeOrigin};

#[derive(Debug, Clone)]
pub(crate) struct SessionWork<'a> {
    /// `iteration 3 (review of US-002)`
    pub(crate) label: String,
    pub(crate) story: &'a StoryId,
    pub(crate) folder: &'a Path,
    /// The commit that the session started from.
    pub(crate) checkpoint: &'a CommitId,
    /// The name of a ref for its commits.
    pub(crate) backup: String,
}

impl SessionWork<'_> {
    pub(crate) fn origin(&self) -> NoticeOrigin<'_> {
        NoticeOrigin {
            actor: Actor::Session,
            who: self.label.clone(),
            story: Some(self.story),
            folder: self.folder,
        }
    }
}
