//! Puts right what an iteration was not allowed to do. What the agent had written stays in the
//! history and in the iteration's folder; it just does not stand.

use std::collections::{BTreeMap, BTreeSet};

use project::ProtectedChange;
use tasks::ReviewFields;
use vcs::CommitId;
use verify::{Finding, Judgement, RepositoryChange, Section};

use crate::own_file::{put, remove};
use crate::run_files::deadline;
use crate::stories::iteration::Iteration;
use crate::stories::run::Run;
use crate::stories::story_record::Failure;
use crate::{LoopEvent, RunError, own_file};

impl Run<'_> {
    pub(crate) fn undo(
        &mut self,
        iteration: &Iteration,
        judgement: &Judgement,
        offences: &[&Finding],
    ) -> Result<(), RunError> {
        let tasks = self.layout.tasks_name();
        let findings: Vec<String> =
            offences.iter().map(|finding| in_words(finding, &tasks)).collect();
        // First what the next prompt has to say: afterwards there is nothing left to be found.
        self.fail(iteration, Failure { findings: findings.clone(), ..Failure::default() })?;

        let mut corrections = Corrections::default();
        let message = message(iteration, &findings);
        // The list first: a runner that is killed after it finds the rest again, and the step is
        // taken back already.
        self.correct_task_list(iteration, judgement.task_list.as_deref(), &mut corrections)?;
        let mut commit = self.commit_own(&corrections.paths, &message)?;
        corrections.paths.clear();
        let restored = self.restore_committed(iteration, offences, &message, &mut corrections)?;
        commit = restored.or(commit);
        self.restore_protected(iteration, offences, &mut corrections)?;
        if offences.iter().any(|finding| matches!(finding, Finding::Tampered(_))) {
            self.discard_marker()?;
        }
        commit = self.commit_own(&corrections.paths, &message)?.or(commit);
        self.sink.emit(LoopEvent::ChangesReverted {
            findings,
            corrections: corrections.words,
            commit: commit.map(|commit| commit.to_string()),
        });
        Ok(())
    }

    /// A review that commits everything takes files along that were lying about before it: the user's,
    /// or what a check left. They are nobody's offence, and nobody's work either: the commit does
    /// without them, and on disk they stay.
    pub(crate) fn leave_out(
        &mut self,
        iteration: &Iteration,
        judgement: &mut Judgement,
    ) -> Result<(), RunError> {
        let mut paths = Vec::new();
        judgement.findings.retain(|finding| match finding {
            Finding::OutsideReview { path } if self.state.is_dirty_before(path) => {
                paths.push(path.clone());
                false
            }
            _ => true,
        });
        if paths.is_empty() {
            return Ok(());
        }
        let list = paths.join(", ");
        let message = format!("ralph: leave out what lay there before {}", iteration.label());
        self.tree.commit_as_in(&iteration.checkpoint, &paths, &message, deadline())?;
        self.sink.warn(format!(
            "{} committed files that lay there uncommitted before; left out again: {list}",
            iteration.label()
        ));
        Ok(())
    }

    /// What lies in the marker's place is not the runner's any more: the next iteration writes its
    /// own, and after the last one nothing may be left there.
    fn discard_marker(&mut self) -> Result<(), RunError> {
        let path = self.layout.marker();
        remove(&path).map_err(|error| RunError::Disk { path: self.layout.name_of(&path), error })
    }

    /// Files that a review changed, and attributes that would convert files in every later iteration: as
    /// they were when the iteration began, on disk and in a commit.
    fn restore_committed(
        &mut self,
        iteration: &Iteration,
        offences: &[&Finding],
        message: &str,
        corrections: &mut Corrections,
    ) -> Result<Option<CommitId>, RunError> {
        let paths = offences.iter().filter_map(|finding| match finding {
            Finding::OutsideReview { path }
            | Finding::Repository(RepositoryChange::Conversion { path }) => Some(path.clone()),
            _ => None,
        });
        // A review that changes attributes breaks both rules.
        let paths: Vec<String> = paths.collect::<BTreeSet<_>>().into_iter().collect();
        let left = self.restore_files_of(&iteration.checkpoint, paths.clone())?;
        let committed =
            self.tree.commit_as_in(&iteration.checkpoint, &paths, message, deadline())?;
        corrections.words.extend(paths.iter().map(|path| {
            let on_disk = if left.contains(path) { ", but for the file on disk" } else { "" };
            format!("{path} is what it was before the iteration{on_disk}")
        }));
        Ok(committed)
    }

    fn restore_protected(
        &mut self,
        iteration: &Iteration,
        offences: &[&Finding],
        corrections: &mut Corrections,
    ) -> Result<(), RunError> {
        for finding in offences {
            let Finding::Protected(change) = finding else { continue };
            if self.restore(change, &iteration.protected)? == Restored::Done {
                let path = change.path().to_owned();
                corrections.add(format!("{path} is what it was before"), path);
            }
        }
        Ok(())
    }

    /// One of the user's files, as it is in `contents`.
    pub(crate) fn restore(
        &mut self,
        change: &ProtectedChange,
        contents: &BTreeMap<String, Vec<u8>>,
    ) -> Result<Restored, RunError> {
        let path = change.path();
        let on_disk = self.layout.root().join(path);
        let disk = |error| RunError::Disk { path: path.to_owned(), error };
        self.links.remove_new(self.layout.root(), &on_disk).map_err(disk)?;
        let done = match (change, contents.get(path)) {
            (ProtectedChange::Created { .. }, _) => remove(&on_disk),
            (ProtectedChange::Replaced { .. }, Some(contents)) => {
                remove(&on_disk).and_then(|()| put(self.layout.root(), &on_disk, contents))
            }
            (_, Some(contents)) => put(self.layout.root(), &on_disk, contents),
            // A killed runner took its contents along, and the copy is not what it was.
            (_, None) => {
                self.sink.warn(format!("{path} changed and cannot be put back; look at it"));
                return Ok(Restored::Unknown);
            }
        };
        done.map_err(disk)?;
        Ok(Restored::Done)
    }

    /// The list without what is not allowed. An iteration that did anything of the kind does not
    /// move its story either: whatever it says about it was said by somebody who cheats.
    fn correct_task_list(
        &mut self,
        iteration: &Iteration,
        after: Option<&[u8]>,
        corrections: &mut Corrections,
    ) -> Result<(), RunError> {
        let after = after.unwrap_or_default();
        let mut correction = iteration.corrected(after);
        if let Some(story) = iteration.story() {
            let (id, fields) = (&story.id, ReviewFields::of(story));
            let now = tasks::inspect(correction.text.as_bytes()).list;
            let now = now.as_ref().and_then(|list| list.story(id)).map(ReviewFields::of);
            if now.is_some_and(|now| now != fields) {
                correction.text = tasks::with_review_fields(&correction.text, id, &fields)
                    .unwrap_or_else(|_| iteration.before.text.clone());
                corrections.words.push(format!("story {id} is where it was before the iteration"));
            }
        }
        self.expect_tasks_text(&correction.text)?;
        if correction.text.as_bytes() == after {
            return Ok(());
        }
        // Whatever it was, it can be looked at.
        let rejected = iteration.folder.join("tasks.rejected.json");
        let _ = own_file::write(&rejected, after);
        self.replace_task_list(&correction.text)?;
        corrections.words.extend(correction.undone.iter().map(ToString::to_string));
        corrections.paths.push(self.layout.tasks_name());
        Ok(())
    }
}

/// Whether a file of the user's is what it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Restored {
    Done,
    /// NoObserver knows what it was.
    Unknown,
}

#[derive(Default)]
struct Corrections {
    words: Vec<String>,
    paths: Vec<String>,
}

impl Corrections {
    fn add(&mut self, words: String, path: String) {
        self.words.push(words);
        self.paths.push(path);
    }
}

/// A line that stands for itself, in the log and in the next prompt.
fn in_words(finding: &Finding, tasks: &str) -> String {
    match finding.section() {
        Section::Marker => format!(".ralph-active is the runner's, and {finding}"),
        Section::TaskList => format!("{tasks}: {finding}"),
        Section::OutsideReview => {
            format!("a review judges and does not fix, but changed {finding}")
        }
        Section::ProtectedFiles => format!("protected file {finding}"),
        Section::Repository => format!("{finding}{}", way_out(finding)),
        Section::EndState | Section::Changes | Section::Verdict | Section::Uncommitted => {
            finding.to_string()
        }
    }
}

/// What an agent that means no harm can do about it.
fn way_out(finding: &Finding) -> &'static str {
    match finding {
        Finding::Repository(
            RepositoryChange::ControlFile { .. }
            | RepositoryChange::Conversion { .. }
            | RepositoryChange::HiddenFile { .. },
        ) => ". It decides what is committed or checked; the user can allow it with git.allow",
        Finding::Repository(RepositoryChange::SubmoduleFile { .. }) => {
            ". Commit it in the submodule, or restore it"
        }
        _ => "",
    }
}

fn message(iteration: &Iteration, findings: &[String]) -> String {
    let lines: Vec<String> = findings.iter().map(|finding| format!("- {finding}")).collect();
    format!(
        "ralph: undo what {} was not allowed to do\n\n{}\n",
        iteration.label(),
        lines.join("\n")
    )
}
