//! Reverts what an iteration was not allowed to do. The agent's versions stay in the history and in the iteration's
//! folder.

use std::collections::BTreeSet;

use events::LoopEvent;
use tasks::ReviewFields;
use vcs::CommitId;
use verify::{Finding, Judgement, RepositoryChange, Section};

use crate::lane::core::Lane;
use crate::lane::iteration::Iteration;
use crate::lane::task_text::TaskText;
use crate::own_file::remove;
use crate::run_files::deadline;
use crate::{RunError, own_file};

/// The offences among the findings, one line each for the log and the next prompt.
pub(crate) fn descriptions(judgement: &Judgement, tasks: &str) -> Vec<String> {
    offences(judgement).map(|finding| describe(finding, tasks)).collect()
}

/// Uncommitted work is no offence, because the runner has committed it. A missing verdict only repeats the review.
fn offences(judgement: &Judgement) -> impl Iterator<Item = &Finding> {
    let is_offence = |finding: &&Finding| {
        !matches!(finding, Finding::Uncommitted(_) | Finding::NoVerdict { .. })
    };
    judgement.findings.iter().filter(is_offence)
}

impl Lane<'_> {
    /// Returns the corrected list.
    pub(crate) fn revert(
        &mut self,
        iteration: &Iteration,
        judgement: &Judgement,
        findings: &[String],
    ) -> Result<TaskText, RunError> {
        let offences: Vec<&Finding> = offences(judgement).collect();
        let mut corrections = Corrections::default();
        let message = message(iteration, findings);
        // The list first: if the runner is killed after it, the next one finds the rest again.
        let left = judgement.task_list.as_deref();
        let list = self.correct_task_list(iteration, left, &mut corrections)?;
        let mut commit = self.workspace.commit_own(&corrections.paths, &message)?;
        corrections.paths.clear();
        let restored = self.restore_committed(iteration, &offences, &message, &mut corrections)?;
        commit = restored.or(commit);
        self.restore_protected(iteration, &offences, &mut corrections)?;
        if offences.iter().any(|finding| matches!(finding, Finding::Tampered(_))) {
            self.discard_marker()?;
        }
        commit = self.workspace.commit_own(&corrections.paths, &message)?.or(commit);
        self.sink.emit(LoopEvent::ChangesReverted(events::RevertedChanges {
            findings: findings.to_vec(),
            corrections: corrections.texts,
            commit: commit.map(|commit| commit.to_string()),
        }));
        Ok(list)
    }

    /// A review that commits everything may include files that were uncommitted before it (the user's or a check's).
    /// That is no offence, but the files are removed from the commit. They stay on disk.
    pub(crate) fn drop_earlier_files(
        &mut self,
        iteration: &Iteration,
        judgement: &mut Judgement,
    ) -> Result<(), RunError> {
        let mut paths = Vec::new();
        judgement.findings.retain(|finding| match finding {
            Finding::OutsideReview { path } | Finding::OutsideTests { path }
                if self.workspace.baseline.is_dirty_before(path) =>
            {
                paths.push(path.clone());
                false
            }
            _ => true,
        });
        if paths.is_empty() {
            return Ok(());
        }
        let list = paths.join(", ");
        let message = format!("ralph: remove files from before {}", iteration.label());
        self.workspace.tree.commit_as_in(&iteration.checkpoint, &paths, &message, deadline())?;
        self.sink.warn(format!(
            "{} committed files that were uncommitted before it; removed them from the commit: {list}",
            iteration.label()
        ));
        Ok(())
    }

    /// Removes a changed marker. The next iteration writes its own, and after the last one none may be left.
    fn discard_marker(&mut self) -> Result<(), RunError> {
        let path = self.layout.marker();
        remove(&path).map_err(RunError::disk(self.layout.name_of(&path)))
    }

    /// Restores files that a review or a specify session changed, and attributes that would convert files in later iterations, on disk and
    /// in a commit.
    fn restore_committed(
        &mut self,
        iteration: &Iteration,
        offences: &[&Finding],
        message: &str,
        corrections: &mut Corrections,
    ) -> Result<Option<CommitId>, RunError> {
        let paths = offences.iter().filter_map(|finding| match finding {
            Finding::OutsideReview { path }
            | Finding::OutsideTests { path }
            | Finding::Repository(RepositoryChange::Conversion { path }) => Some(path.clone()),
            _ => None,
        });
        // A review that changes attributes breaks both rules.
        let paths: Vec<String> = paths.collect::<BTreeSet<_>>().into_iter().collect();
        let left = self.workspace.restore_files_of(&iteration.checkpoint, paths.clone())?;
        let committed =
            self.workspace.tree.commit_as_in(&iteration.checkpoint, &paths, message, deadline())?;
        corrections.texts.extend(paths.iter().map(|path| {
            let on_disk = if left.contains(path) { ", except for the file on disk" } else { "" };
            format!("{path} is restored to its state before the iteration{on_disk}")
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
            if self.workspace.restore(change, &iteration.protected)? {
                let path = change.path().to_owned();
                corrections.add(format!("{path} is restored"), path);
            }
        }
        Ok(())
    }

    /// Removes forbidden changes from the list. The iteration's own story keeps its old status too, because an agent
    /// that broke a rule is not trusted.
    fn correct_task_list(
        &mut self,
        iteration: &Iteration,
        after: Option<&[u8]>,
        corrections: &mut Corrections,
    ) -> Result<TaskText, RunError> {
        let after = after.unwrap_or_default();
        let mut correction = iteration.corrected(after);
        if let Some(story) = iteration.story() {
            let (id, fields) = (&story.id, ReviewFields::of(story));
            let now = tasks::inspect(correction.text.as_bytes()).list;
            let now = now.as_ref().and_then(|list| list.story(id)).map(ReviewFields::of);
            if now.is_some_and(|now| now != fields) {
                correction.text = tasks::with_review_fields(&correction.text, id, &fields)
                    .unwrap_or_else(|_| iteration.before.text.clone());
                corrections
                    .texts
                    .push(format!("story {id} keeps its status from before the iteration"));
            }
        }
        let list = TaskText::accepted(self.layout, correction.text.as_bytes())?;
        if correction.text.as_bytes() == after {
            return Ok(list);
        }
        // For the user.
        let rejected = iteration.folder.join("tasks.rejected.json");
        let _ = own_file::write(&rejected, after);
        self.workspace.replace_task_list(&correction.text)?;
        corrections.texts.extend(correction.undone.iter().map(ToString::to_string));
        corrections.paths.push(self.layout.tasks_name());
        Ok(list)
    }
}

#[derive(Default)]
struct Corrections {
    texts: Vec<String>,
    paths: Vec<String>,
}

impl Corrections {
    fn add(&mut self, text: String, path: String) {
        self.texts.push(text);
        self.paths.push(path);
    }
}

/// A self-contained line for the log and the next prompt.
fn describe(finding: &Finding, tasks: &str) -> String {
    match finding.section() {
        Section::Marker => format!(".ralph-active belongs to the runner, and {finding}"),
        Section::TaskList => format!("{tasks}: {finding}"),
        Section::OutsideReview => {
            format!("a review must not change files, but changed {finding}")
        }
        Section::OutsideTests => format!(
            "a specify iteration may change test files and its proof file only, but changed {finding}"
        ),
        Section::ProtectedFiles => format!("protected file {finding}"),
        Section::Repository => format!("{finding}{}", advice(finding)),
        Section::EndState | Section::Changes | Section::Verdict | Section::Uncommitted => {
            finding.to_string()
        }
    }
}

/// What an agent can do to avoid the finding.
fn advice(finding: &Finding) -> &'static str {
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
    format!("ralph: revert forbidden changes of {}\n\n{}\n", iteration.label(), lines.join("\n"))
}
