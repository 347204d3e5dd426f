//! The result of an iteration according to its commits: changed files and weakened tests.

use events::WeakenedTests;
use tasks::{Mode, TaskList};
use vcs::{BlobContents, BlobId, ChangedPath, CommitId, Entry};
use weakened_tests::FileChange;

use crate::RunError;
use crate::lane::core::Lane;
use crate::lane::iteration::Iteration;
use crate::run_files::{deadline, no_commit};

/// Larger files are not compared.
const LARGEST_SOURCE: u64 = 2 * 1024 * 1024;

#[derive(Debug)]
pub(crate) struct WorkDone {
    pub(crate) head: CommitId,
    /// Outside the task list's folder.
    pub(crate) files: Vec<String>,
    pub(crate) weakened: Vec<WeakenedTests>,
    pub(crate) has_new_stories: bool,
}

impl WorkDone {
    pub(crate) fn is_nothing(&self) -> bool {
        self.files.is_empty() && !self.has_new_stories
    }
}

impl Lane<'_> {
    pub(crate) fn work_done(
        &self,
        iteration: &Iteration,
        judged: Option<&TaskList>,
    ) -> Result<WorkDone, RunError> {
        let head = self.workspace.tree.head(deadline())?.ok_or_else(no_commit)?;
        let before = &iteration.before.list;
        let is_new = |story: &tasks::Story| before.story(&story.id).is_none();
        let has_new_stories = judged.is_some_and(|judged| judged.stories.iter().any(is_new));
        // Changes of a review outside the list's folder are reverted already.
        if head == iteration.checkpoint || iteration.assignment.mode == Mode::Review {
            return Ok(WorkDone { head, files: Vec::new(), weakened: Vec::new(), has_new_stories });
        }
        let mut changes =
            self.workspace.tree.changes_between(&iteration.checkpoint, &head, deadline())?;
        let bookkeeping = self.layout.review_scope();
        changes.retain(|changed| !bookkeeping.contains(&changed.path));
        let weakened = self.weakened(&changes).unwrap_or_else(|error| {
            self.sink.warn(format!("cannot compare the tests with those before: {error}"));
            Vec::new()
        });
        let files = changes.into_iter().map(|changed| changed.path).collect();
        Ok(WorkDone { head, files, weakened, has_new_stories })
    }

    fn weakened(&self, changes: &[ChangedPath]) -> Result<Vec<WeakenedTests>, RunError> {
        let concern = |changed: &&ChangedPath| {
            weakened_tests::concerns(&changed.path)
                || changed.old_path.as_deref().is_some_and(weakened_tests::concerns)
        };
        let changes: Vec<&ChangedPath> = changes.iter().filter(concern).collect();
        let wanted: Vec<BlobId> =
            changes.iter().flat_map(|changed| sides(changed)).flatten().cloned().collect();
        let mut contents =
            self.workspace.tree.blobs(&wanted, LARGEST_SOURCE, deadline())?.into_iter();
        let texts: Vec<[Option<String>; 2]> = changes
            .iter()
            .map(|changed| sides(changed).map(|side| side.and_then(|_| text(contents.next()))))
            .collect();
        let files: Vec<FileChange<'_>> = changes
            .iter()
            .zip(&texts)
            .map(|(changed, [before, after])| FileChange {
                path: &changed.path,
                before: before.as_deref(),
                after: after.as_deref(),
                old_path: changed.old_path.as_deref(),
            })
            .collect();
        let found = weakened_tests::compare(&files);
        let describe = |file: weakened_tests::WeakenedFile| WeakenedTests {
            path: file.path,
            findings: file.findings.iter().map(ToString::to_string).collect(),
        };
        Ok(found.into_iter().map(describe).collect())
    }
}

/// The blobs before and after, if the path was a file.
fn sides(changed: &ChangedPath) -> [Option<&BlobId>; 2] {
    changed.sides.each_ref().map(|side| side.as_ref().and_then(Entry::blob))
}

/// `None` if it is too large to compare.
fn text(contents: Option<BlobContents>) -> Option<String> {
    match contents? {
        BlobContents::Read(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        BlobContents::TooLarge { .. } => None,
    }
}
