//! What an iteration did to the project, as its commits say: files, and tests that got weaker.

use tasks::Mode;
use vcs::{BlobContents, BlobId, Change, Changed, CommitId};
use weakened_tests::FileChange;

use crate::run_files::deadline;
use crate::stories::iteration::Iteration;
use crate::stories::run::Run;
use crate::stories::settle::no_commit;
use crate::stories::story_record::OwnCommits;
use crate::{LoopEvent, RunError, WeakenedTests};

/// Files larger than this hold no tests that anybody wrote.
const LARGEST_SOURCE: u64 = 2 * 1024 * 1024;

#[derive(Debug)]
pub(crate) struct WorkDone {
    pub(crate) head: CommitId,
    /// Outside of the task list's folder.
    pub(crate) files: Vec<String>,
    pub(crate) weakened: Vec<WeakenedTests>,
    pub(crate) planned: Planned,
}

/// Whether the list got stories it did not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Planned {
    Nothing,
    NewStories,
}

impl WorkDone {
    pub(crate) fn is_nothing(&self) -> bool {
        self.files.is_empty() && self.planned == Planned::Nothing
    }
}

impl Run<'_> {
    pub(crate) fn work_done(&mut self, iteration: &Iteration) -> Result<WorkDone, RunError> {
        let head = self.tree.head(deadline())?.ok_or_else(no_commit)?;
        let before = &iteration.before.list;
        let is_new = |story: &tasks::Story| before.story(&story.id).is_none();
        let planned = match &self.judged {
            Some(judged) if judged.list.stories.iter().any(is_new) => Planned::NewStories,
            _ => Planned::Nothing,
        };
        // What a review changed outside of the list's folder is undone by now.
        if head == iteration.checkpoint || iteration.assignment.mode == Mode::Review {
            return Ok(WorkDone { head, files: Vec::new(), weakened: Vec::new(), planned });
        }
        let mut changes = self.tree.changes_between(&iteration.checkpoint, &head, deadline())?;
        let bookkeeping = self.layout.review_scope();
        changes.retain(|changed| !bookkeeping.contains(&changed.path));
        let weakened = self.weakened(&changes).unwrap_or_else(|error| {
            self.sink.warn(format!("tests cannot be compared with those before: {error}"));
            Vec::new()
        });
        let files = changes.into_iter().map(|changed| changed.path).collect();
        Ok(WorkDone { head, files, weakened, planned })
    }

    fn weakened(&self, changes: &[Changed]) -> Result<Vec<WeakenedTests>, RunError> {
        let concern = |changed: &&Changed| {
            weakened_tests::concerns(&changed.path)
                || old_path(changed).is_some_and(weakened_tests::concerns)
        };
        let changes: Vec<&Changed> = changes.iter().filter(concern).collect();
        let wanted: Vec<BlobId> =
            changes.iter().flat_map(|changed| sides(changed)).flatten().cloned().collect();
        let mut contents = self.tree.blobs(&wanted, LARGEST_SOURCE, deadline())?.into_iter();
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
                old_path: old_path(changed),
            })
            .collect();
        let found = weakened_tests::compare(&files);
        let in_words = |file: weakened_tests::WeakenedFile| WeakenedTests {
            path: file.path,
            findings: file.findings.iter().map(ToString::to_string).collect(),
        };
        Ok(found.into_iter().map(in_words).collect())
    }

    /// The commits are the story's, and its next review hears of weakened tests.
    pub(crate) fn book_work(&mut self, iteration: &Iteration, work: &WorkDone) {
        let assignment = &iteration.assignment;
        self.book_commits(iteration, &iteration.checkpoint, &work.head);
        if work.weakened.is_empty() {
            return;
        }
        self.state.story(&assignment.story).weakened.extend(work.weakened.iter().cloned());
        self.sink.emit(LoopEvent::TestsWeakened {
            story: assignment.story.clone(),
            iteration: assignment.iteration,
            files: work.weakened.clone(),
        });
    }

    pub(crate) fn book_commits(&mut self, iteration: &Iteration, from: &CommitId, to: &CommitId) {
        if from == to {
            return;
        }
        let (from, to) = (from.to_string(), to.to_string());
        let work = &mut self.state.story(&iteration.assignment.story).work;
        match work.last_mut() {
            Some(last) if last.to == from => last.to = to,
            // A runner that was killed right after it booked them already.
            Some(last) if last.to == to => {}
            _ => work.push(OwnCommits { from, to }),
        }
    }
}

fn old_path(changed: &Changed) -> Option<&str> {
    match &changed.change {
        Change::Renamed { from, .. } => Some(from),
        _ => None,
    }
}

/// What it held before and after, where it was a file.
fn sides(changed: &Changed) -> [Option<&BlobId>; 2] {
    match &changed.change {
        Change::Added(now) => [None, now.blob()],
        Change::Deleted(was) => [was.blob(), None],
        Change::Modified { was, now } | Change::Renamed { was, now, .. } => {
            [was.blob(), now.blob()]
        }
    }
}

/// One that is too large is nothing to compare.
fn text(contents: Option<BlobContents>) -> Option<String> {
    match contents? {
        BlobContents::Read(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        BlobContents::TooLarge { .. } => None,
    }
}
