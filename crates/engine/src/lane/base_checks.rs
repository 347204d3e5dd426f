//! Runs the checks before a story begins, to know which of them fail without its work.

use std::path::Path;

use events::{FailAction, LoopEvent};
use tasks::StoryId;

use crate::RunError;
use crate::checks::{FailedGuardrail, GuardrailsVerdict, KnownFailures, RoundInput, RoundPurpose};
use crate::control::RunControl;
use crate::lane::core::Lane;
use crate::lane::task_text::TaskText;
use crate::options::Guardrail;
use crate::run_files::{self, deadline, no_commit};

/// In the names of jobs, in place of a story.
const NO_STORY: &str = "base";

impl Lane<'_> {
    /// Of the current commit. Failed checks run twice, to find those that fail differently each time. `None` if the user
    /// stops the run.
    pub(crate) fn check_base(
        &mut self,
        control: &mut RunControl<'_>,
        list: &TaskText,
        folder: &Path,
    ) -> Result<Option<KnownFailures>, RunError> {
        let head = self.workspace.tree.head(deadline())?.ok_or_else(no_commit)?;
        let strategy = self.options.validation;
        let all = self.check_plan(&list.list, None, KnownFailures::default()).guardrails;
        let due = all.into_iter().filter(|guardrail| strategy.is_rejected_by(guardrail.kind));
        // Prompts list the failures, whatever the effect of a failure on a prompt is otherwise.
        let appended = |guardrail| Guardrail { fail_action: FailAction::Append, ..guardrail };
        let due: Vec<Guardrail> = due.map(appended).collect();
        if due.is_empty() {
            return Ok(Some(KnownFailures::default()));
        }
        let Some(first) = self.failures(control, &due, &list.text, folder)? else {
            return Ok(None);
        };
        let is_failed =
            |guardrail: &&Guardrail| first.iter().any(|failed| failed.command == guardrail.command);
        let failed: Vec<Guardrail> = due.iter().filter(is_failed).cloned().collect();
        let again = folder.join("again");
        run_files::make_folder(&again, self.layout)?;
        let second = match failed.is_empty() {
            true => Vec::new(),
            false => match self.failures(control, &failed, &list.text, &again)? {
                Some(second) => second,
                None => return Ok(None),
            },
        };
        let known = KnownFailures::of(&first, &second);
        self.sink.emit(LoopEvent::BaseChecked {
            commit: head.to_string(),
            checks: due.len() as u64,
            failures: known.list(),
        });
        Ok(Some(known))
    }

    fn failures(
        &mut self,
        control: &mut RunControl<'_>,
        guardrails: &[Guardrail],
        task_list: &str,
        folder: &Path,
    ) -> Result<Option<Vec<FailedGuardrail>>, RunError> {
        let head = self.workspace.tree.head(deadline())?.ok_or_else(no_commit)?;
        let input = RoundInput { guardrails, folder, purpose: RoundPurpose::Check };
        let elsewhere = match StoryId::new(NO_STORY) {
            Ok(story) => {
                let done = self.run_round_as_job(control, &story, input, task_list, &head);
                control.executor.forget_jobs(&control.run_id, &story, &control.sink);
                done?
            }
            Err(_) => None,
        };
        let (results, changes) = match elsewhere {
            Some(done) => done,
            None => self.run_round(control, None, input, task_list, head)?,
        };
        for change in changes {
            self.sink.warn(format!("a check, before the first session: {change}"));
        }
        Ok(match results.verdict {
            GuardrailsVerdict::Passed => Some(Vec::new()),
            GuardrailsVerdict::Failed(failed) => Some(failed),
            GuardrailsVerdict::Interrupted => None,
        })
    }
}
