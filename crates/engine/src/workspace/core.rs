//! The workspace itself: the work tree, and what the runner knows about it.

use project::Layout;
use tasks::StoryId;
use vcs::{AllowedChanges, CommitId, WorkTree};
use verify::RepositoryChange;

use crate::event_sink::EventSink;
use crate::workspace::baseline::Baseline;
use crate::workspace::folder_links::FolderLinks;
use crate::workspace::known_repository::KnownRepository;
use crate::workspace::notice::ReviewNotice;

pub(crate) struct Workspace<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) run_id: String,
    pub(crate) tree: WorkTree,
    pub(crate) baseline: Baseline,
    pub(crate) known: KnownRepository,
    /// Links on the paths to the user's files at the start of the run.
    pub(super) links: FolderLinks,
    /// Control files and conversions that sessions may change.
    pub(super) allowed: &'a AllowedChanges,
    pub(super) sink: EventSink<'a>,
    /// Notices for the reviewers of stories, until the run stores them.
    pub(super) notices: Vec<(StoryId, ReviewNotice)>,
    /// Refs with work that is on no branch, until a lane has copied them into the project.
    pub(super) backups: Vec<(String, CommitId)>,
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
        let (notices, backups) = Default::default();
        Self { layout, run_id, tree, baseline, known, links, allowed, sink, notices, backups }
    }

    /// What a worker on another machine found about a session on this story.
    pub(crate) fn found_elsewhere(
        &mut self,
        story: &StoryId,
        findings: Vec<String>,
        notices: Vec<ReviewNotice>,
    ) {
        let reported = |text| RepositoryChange::Reported { text };
        self.known.found_earlier.extend(findings.into_iter().map(reported));
        self.notices.extend(notices.into_iter().map(|notice| (story.clone(), notice)));
    }

    pub(crate) fn take_notices(&mut self) -> Vec<(StoryId, ReviewNotice)> {
        std::mem::take(&mut self.notices)
    }

    pub(crate) fn take_backups(&mut self) -> Vec<(String, CommitId)> {
        std::mem::take(&mut self.backups)
    }
}
