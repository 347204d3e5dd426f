//! Merges the work of a story into the run's branch. It waits while a work tree has that branch checked out.

use std::time::Duration;

use project::{LARGEST_TASK_LIST, Layout};
use proof::LARGEST_PROOF_FILE;
use supervise::WaitResult;
use tasks::{ReviewFields, ReviewPolicy, ReviewStatus, StoryId, StoryState};
use vcs::{Advance, CommitId, MergeResult, TreeId, WorkTree};

use crate::event_sink::EventSink;
use crate::lane::TaskText;
use crate::parallel::feedback;
use crate::parallel::merged_lists::{self, Versions};
use crate::run_files::deadline;
use crate::{RunError, StopSwitch};

/// Until it is looked again whether the branch is checked out.
const RECHECK: Duration = Duration::from_secs(1);

/// The name of a side of a conflict.
const WORK: &str = "your work";

/// The run's branch in the project's repository.
pub(crate) struct Integration<'a> {
    pub(crate) run_id: String,
    pub(crate) sink: EventSink<'a>,
    pub(crate) switch: &'a StopSwitch,
    pub(crate) tree: WorkTree,
    pub(crate) layout: &'a Layout,
    pub(crate) branch: String,
    pub(crate) review: ReviewPolicy,
}

/// Approved work of a story, in the project's repository.
pub(crate) struct ApprovedWork {
    pub(crate) story: StoryId,
    pub(crate) commit: CommitId,
    /// The commit of the run's branch from which it began.
    pub(crate) start: CommitId,
}

/// Whether the branch moved.
pub(crate) enum Moved {
    Yes,
    /// Another process moved it meanwhile.
    No,
}

/// Work that is merged with the run's branch, which did not move yet.
pub(crate) enum Merged {
    Clean {
        commit: CommitId,
        list: TaskText,
    },
    Conflict {
        feedback: String,
        /// The files, with conflict markers.
        files: TreeId,
    },
}

impl Integration<'_> {
    pub(crate) fn list_at(&self, commit: &CommitId) -> Result<TaskText, RunError> {
        let name = self.layout.tasks_name();
        let bytes = self.tree.file_at(commit, &name, LARGEST_TASK_LIST, deadline())?;
        let bytes = bytes.ok_or_else(|| {
            RunError::precondition(
                format!("{name} is not committed on branch {}", self.branch),
                "commit it there: a run in a clone sees only committed files",
            )
        })?;
        TaskText::accepted(self.layout, &bytes)
    }

    pub(crate) fn is_merged(&self, work: &ApprovedWork, tip: &CommitId) -> Result<bool, RunError> {
        Ok(self.tree.has_commit(&work.commit, deadline())?
            && self.tree.is_ancestor(&work.commit, tip, deadline())?)
    }

    /// Merges the work with `tip`, without moving the branch. Merge drivers are those of `clone`: an agent can change
    /// the settings of the project.
    pub(crate) fn merge(
        &self,
        clone: &WorkTree,
        tip: &CommitId,
        work: &ApprovedWork,
    ) -> Result<Merged, RunError> {
        let stay = [format!("{}/", self.layout.ralph_dir_name())];
        let sides = [tip, &work.commit];
        let tree = match self.tree.merge_with_settings_of(clone, sides, &stay, deadline())? {
            MergeResult::Clean(tree) => tree,
            MergeResult::Conflict(conflict) => {
                let names = [self.branch.as_str(), WORK];
                let limit = feedback::LONGEST;
                let lines = self.tree.conflicting_lines(&conflict, names, limit, deadline())?;
                let (paths, messages) = (&conflict.paths, &conflict.messages);
                let feedback = feedback::about_conflict(&self.branch, paths, messages, &lines);
                return Ok(Merged::Conflict { feedback, files: conflict.tree });
            }
        };
        let list = self.list_after(tip, work)?;
        let tree = self.with_lists(self.with_proof(tree, work)?, tip, work, &list.text)?;
        let title = list.list.story(&work.story).map_or("", |story| &story.title);
        let message = format!("Merge {}: {title}", work.story);
        let commit = self.tree.commit_tree(&tree, &[tip, &work.commit], &message, deadline())?;
        Ok(Merged::Clean { commit, list })
    }

    /// A commit from which the story's next session starts: the merged `files` with the story open again.
    pub(crate) fn reopened(
        &self,
        tip: &CommitId,
        work: &ApprovedWork,
        files: TreeId,
        feedback: &str,
    ) -> Result<CommitId, RunError> {
        let list = self.list_after(tip, work)?;
        let before =
            list.list.story(&work.story).map_or_else(ReviewFields::fresh, ReviewFields::of);
        let review_status = match self.review {
            ReviewPolicy::Required { .. } => ReviewStatus::ChangesRequested,
            ReviewPolicy::Skipped => ReviewStatus::NotSubmitted,
        };
        let state = StoryState { passes: false, review_status, ..before.state };
        let fields = ReviewFields { state, feedback: feedback.to_owned() };
        let text =
            tasks::with_review_fields(&list.text, &work.story, &fields).map_err(edit_error)?;
        let tree = self.with_lists(self.with_proof(files, work)?, tip, work, &text)?;
        let message = format!("ralph: merge {} into the work on {}", self.branch, work.story);
        Ok(self.tree.commit_tree(&tree, &[&work.commit, tip], &message, deadline())?)
    }

    fn list_after(&self, tip: &CommitId, work: &ApprovedWork) -> Result<TaskText, RunError> {
        let [start, run, story] = [&work.start, tip, &work.commit].map(|at| self.list_at(at));
        let (start, run, story) = (start?, run?, story?);
        let versions = Versions { start: &start, run: &run, story: &story };
        let text = merged_lists::task_list(&versions, &work.story).map_err(edit_error)?;
        TaskText::accepted(self.layout, text.as_bytes())
    }

    /// The proof file lies in the ralph folder, whose other files stay those of the run's branch.
    fn with_proof(&self, tree: TreeId, work: &ApprovedWork) -> Result<TreeId, RunError> {
        let name = self.layout.proof_name(&work.story);
        match self.tree.file_at(&work.commit, &name, LARGEST_PROOF_FILE, deadline())? {
            Some(proof) => Ok(self.tree.tree_plus(tree, &[(name, proof)], deadline())?),
            None => Ok(tree),
        }
    }

    fn with_lists(
        &self,
        tree: TreeId,
        tip: &CommitId,
        work: &ApprovedWork,
        list: &str,
    ) -> Result<TreeId, RunError> {
        let mut files = vec![(self.layout.tasks_name(), list.as_bytes().to_vec())];
        let story = self.notes_at(&work.commit)?;
        if !story.is_empty() {
            let (start, run) = (self.notes_at(&work.start)?, self.notes_at(tip)?);
            let versions = Versions { start: &*start, run: &*run, story: &*story };
            let notes = merged_lists::notes(&versions);
            files.push((self.layout.progress_name(), notes.into_bytes()));
        }
        Ok(self.tree.tree_plus(tree, &files, deadline())?)
    }

    /// A commit on `tip` with the list and the notes of the work, without its files; `tip` itself if nothing changes.
    pub(crate) fn with_lists_of(
        &self,
        tip: &CommitId,
        work: &ApprovedWork,
    ) -> Result<(CommitId, TaskText), RunError> {
        let before = self.tree.tree_id(tip, deadline())?;
        let list = self.list_after(tip, work)?;
        let tree = self.with_lists(before.clone(), tip, work, &list.text)?;
        if tree == before {
            return Ok((tip.clone(), list));
        }
        let message = format!("ralph: record the state of {}", work.story);
        Ok((self.tree.commit_tree(&tree, &[tip], &message, deadline())?, list))
    }

    /// Empty if there are none.
    fn notes_at(&self, commit: &CommitId) -> Result<String, RunError> {
        let name = self.layout.progress_name();
        let bytes = self.tree.file_at(commit, &name, LARGEST_TASK_LIST, deadline())?;
        Ok(String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned())
    }

    /// Waits while the branch is checked out: the files there would not follow it.
    pub(crate) fn advance(&self, tip: &CommitId, to: &CommitId) -> Result<Moved, RunError> {
        let (branch, reason) = (&self.branch, "ralph: merge approved work");
        let mut is_reported = false;
        loop {
            let folder = match self.tree.advance_branch(branch, tip, to, reason, deadline())? {
                Advance::Moved => return Ok(Moved::Yes),
                Advance::At(_) => return Ok(Moved::No),
                Advance::CheckedOut(folder) => folder,
            };
            if !std::mem::replace(&mut is_reported, true) {
                self.sink.warn(format!(
                    "branch {branch} is checked out in {folder}, so merging waits: switch to another branch there, for example with `git -C {folder} switch --detach`"
                ));
            }
            let waited = self.switch.requests().wait(RECHECK);
            if let (WaitResult::Stopped, Some(signal)) = (waited, self.switch.requested()) {
                let during = format!("branch {branch} was checked out in {folder}");
                return Err(RunError::Stopped { during, end: signal.end() });
            }
        }
    }
}

pub(crate) fn checked_out(branch: &str, folder: &str) -> RunError {
    RunError::precondition(
        format!(
            "branch {branch} is checked out in {folder}, so the run cannot add merged work to it"
        ),
        format!(
            "switch to another branch there, for example with `git -C {folder} switch --detach`, and run the same command again"
        ),
    )
}

fn edit_error(error: tasks::EditError) -> RunError {
    RunError::Precondition { what: error.to_string(), hint: None }
}
