//! Applies the plan changes that a handoff asks for, as far as they are allowed.

use events::LoopEvent;
use serde_json::Value;
use tasks::{AmendmentOutcome, AmendmentRules, Mode};

use crate::control::Step;
use crate::coordinator::core::Coordinator;
use crate::lane::{Iteration, TaskText};
use crate::{RunError, own_file};

/// In an iteration's folder: the task list before the amendments.
const BEFORE: &str = "tasks.before-amendments.json";

/// In the run's folder: every requested change with its result.
const LOG: &str = "amendments.jsonl";

impl Coordinator<'_> {
    /// Called after an iteration was judged. A failed iteration cannot change the plan.
    pub(crate) fn amend_plan(
        &mut self,
        iteration: &Iteration,
        step: Step,
        wanted: &[Value],
    ) -> Result<(), RunError> {
        // Refusals are reported to the next coding session, never to a review.
        if iteration.assignment.mode != Mode::Review {
            self.state.memory.refused.clear();
        }
        if wanted.is_empty() {
            return Ok(());
        }
        let why = match (iteration.assignment.mode, step) {
            (Mode::Specify, _) => Some("a specify iteration may not change the plan"),
            (_, Step::ChecksFailed | Step::Undone | Step::Void) => {
                Some("the iteration was not accepted")
            }
            _ => None,
        };
        if let Some(why) = why {
            let refused = vec![format!(
                "{} of iteration {} refused: {why}",
                counted(wanted.len()),
                iteration.assignment.iteration
            )];
            self.report_amendments(iteration, Vec::new(), refused);
            return Ok(());
        }
        let expected = self.expected_tasks()?;
        let rules =
            AmendmentRules { current: &iteration.assignment.story, review: self.options.rules() };
        let amended = tasks::amend(&expected.text, wanted, &rules);
        self.log_amendments(iteration, wanted, &amended.outcomes);
        if amended.text != expected.text {
            self.replace_plan(iteration, &expected, amended.text)?;
        }
        let is_applied =
            |outcome: &&AmendmentOutcome| matches!(outcome, AmendmentOutcome::Applied { .. });
        let text = |outcome: &AmendmentOutcome| outcome.to_string();
        let applied = amended.outcomes.iter().filter(is_applied).map(text).collect();
        let refused = amended.outcomes.iter().filter(|it| !is_applied(it)).map(text).collect();
        self.report_amendments(iteration, applied, refused);
        Ok(())
    }

    fn replace_plan(
        &mut self,
        iteration: &Iteration,
        expected: &TaskText,
        text: String,
    ) -> Result<(), RunError> {
        let amended = TaskText::accepted(self.layout, text.as_bytes())?;
        let backup = iteration.folder.join(BEFORE);
        own_file::write(&backup, &expected.text).map_err(RunError::disk(backup.display()))?;
        self.lane.workspace.replace_task_list(&text)?;
        self.lane.report_new_stories(&expected.list, &amended.list);
        self.expect_tasks(amended);
        let message = format!("ralph: amend the plan as {} asked", iteration.label());
        self.lane.workspace.commit_own(&[self.layout.tasks_name()], &message)?;
        Ok(())
    }

    fn report_amendments(
        &mut self,
        iteration: &Iteration,
        applied: Vec<String>,
        refused: Vec<String>,
    ) {
        self.state.memory.refused.extend(refused.iter().cloned());
        let iteration = iteration.assignment.iteration;
        self.control.sink.emit(LoopEvent::PlanAmended { iteration, applied, refused });
    }

    /// For people; the runner never reads it.
    fn log_amendments(
        &mut self,
        iteration: &Iteration,
        wanted: &[Value],
        outcomes: &[AmendmentOutcome],
    ) {
        let path = self.layout.run_dir(&self.state.run_id).join(LOG);
        let lines = wanted.iter().zip(outcomes).map(|(amendment, outcome)| {
            serde_json::json!({
                "at": events::now().to_rfc3339_opts(chrono::SecondsFormat::Secs, true),
                "iteration": iteration.assignment.iteration,
                "story": iteration.assignment.story,
                "amendment": amendment,
                "outcome": outcome,
            })
            .to_string()
        });
        let text: String = lines.map(|line| line + "\n").collect();
        if let Err(error) = own_file::append(&path, &text) {
            let name = self.layout.name_of(&path);
            self.control.sink.warn(format!("cannot write {name}: {error}"));
        }
    }
}

fn counted(amendments: usize) -> String {
    match amendments {
        1 => "the change to the plan".to_owned(),
        count => format!("the {count} changes to the plan"),
    }
}
