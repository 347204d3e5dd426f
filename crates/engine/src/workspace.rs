//! The work tree that sessions and checks change, and what the runner knows about it: the state before the run,
//! proven objects and files, links. Detects, keeps and restores changes; decides nothing about stories.

mod allowed_changes;
mod backup;
mod baseline;
pub(crate) mod fingerprints;
mod instruction_files;
mod keep_work;
mod move_away;
mod notice;
mod own_branch;
mod owner_permissions;
mod project_snapshot;
mod repository;
mod restore_files;
mod session_work;
mod task_list_folder;
mod user_files;

use project::Layout;
use tasks::StoryId;
use vcs::{AllowedChanges, WorkTree};

use crate::event_sink::EventSink;
use crate::folder_links::FolderLinks;

pub(crate) use baseline::Baseline;
pub(crate) use notice::{NoticeOrigin, ReviewNotice};
pub(crate) use project_snapshot::{Actor, ProjectSnapshot};
pub(crate) use session_work::SessionWork;
pub(crate) use user_files::{LARGEST_PROTECTED, protected_contents};

use repository::KnownRepository;

pub(crate) struct Workspace<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) run_id: String,
    pub(crate) tree: WorkTree,
    pub(crate) baseline: Baseline,
    pub(crate) known: KnownRepository,
    /// Links on the paths to the user's files at the start of the run.
    links: FolderLinks,
    /// Control files and conversions that sessions may change.
    allowed: &'a AllowedChanges,
    sink: EventSink<'a>,
    /// Notices for the reviewers of stories, until the run stores them.
    notices: Vec<(StoryId, ReviewNotice)>,
}

impl<'a> Workspace<'a> {
    pub(crate) fn new(
        layout: &'a Layout,
        allowed: &'a AllowedChanges,
        run_id: String,
        tree: WorkTree,
        baseline: Baseline,
        sink: EventSink<'a>,
    ) -> Self {
        let names = layout.protected_names().into_iter();
        let links = FolderLinks::to(layout.root(), names.map(|name| layout.root().join(name)));
        let known = KnownRepository::default();
        Self { layout, run_id, tree, baseline, known, links, allowed, sink, notices: Vec::new() }
    }

    pub(crate) fn take_notices(&mut self) -> Vec<(StoryId, ReviewNotice)> {
        std::mem::take(&mut self.notices)
    }
}

#[cfg(test)]
mod tests;
