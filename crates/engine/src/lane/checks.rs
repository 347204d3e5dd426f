//! Runs the project's checks on the committed work. The runner runs them, not the agent.

use std::path::Path;
use std::time::Duration;

use events::{ChecksOutcome, LoopEvent};
use tasks::{StoryId, TaskList, VerifyCommand};
use vcs::CommitId;

use crate::checks::validation::{self};
use crate::checks::{
    CheckPlan, FailedGuardrail, GuardrailResults, GuardrailRound, GuardrailsVerdict, KnownFailures,
    RoundInput, RoundProgress, RoundPurpose, Validation, ValidationVerdict,
};
use crate::control::RunControl;
use crate::lane::core::Lane;
use crate::lane::passed_checks::{CheckRequest, PassedChecks};
use crate::options::Guardrail;
use crate::run_files::{deadline, no_commit};
use crate::workspace::Actor;
use crate::{RunError, own_file};

#[derive(Debug)]
pub(crate) struct CheckReport {
    pub(crate) result: ChecksResult,
    /// Failed checks that do not block the story.
    pub(crate) tolerated: Vec<FailedGuardrail>,
    /// The commands of those that passed.
    pub(crate) passed: Vec<String>,
    pub(crate) elapsed: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ChecksResult {
    Passed,
    Failed(Vec<FailedGuardrail>),
    /// The checks changed files that they must not change; one sentence each.
    ForbiddenChanges(Vec<String>),
    /// The user stopped the run before the checks finished.
    Interrupted,
}

impl ChecksResult {
    fn verdict(&self) -> ValidationVerdict {
        match self {
            Self::Passed => ValidationVerdict::Passed,
            Self::Failed(_) | Self::ForbiddenChanges(_) => ValidationVerdict::Failed,
            Self::Interrupted => ValidationVerdict::Interrupted,
        }
    }
}

impl Lane<'_> {
    /// Checks the tree of the current commit. The result of each check is written into `folder`.
    pub(crate) fn run_checks(
        &mut self,
        control: &mut RunControl<'_>,
        story: Option<StoryId>,
        plan: &CheckPlan,
        task_list: &str,
        folder: &Path,
    ) -> Result<CheckReport, RunError> {
        let (head, tree) = self.workspace.tree.head_and_tree(deadline())?.ok_or_else(no_commit)?;
        let (tree, strategy) = (tree.as_str().to_owned(), self.options.validation);
        let event = |outcome| LoopEvent::ChecksJudged { tree: tree.clone(), outcome };
        let run = self.due_checks(plan, &head)?;
        let commands = run.iter().map(|guardrail| guardrail.command.clone()).collect();
        let known = plan.known.clone();
        let request = CheckRequest { tree: tree.clone(), commands, known, strategy };
        if run.is_empty() {
            let results = validation::results(strategy, plan, &run, &[]);
            self.write_validation(folder, request.validation(ValidationVerdict::None, results))?;
            self.sink.emit(event(ChecksOutcome::None));
            let (result, elapsed) = (ChecksResult::Passed, Duration::ZERO);
            return Ok(CheckReport { result, tolerated: Vec::new(), passed: Vec::new(), elapsed });
        }
        if let Some(passed) = self.passed_checks.clone().filter(|passed| passed.request == request)
        {
            let record = request.validation(ValidationVerdict::Passed, passed.results);
            self.write_validation(folder, record)?;
            self.sink.emit(event(ChecksOutcome::PassedBefore));
            return Ok(CheckReport {
                result: ChecksResult::Passed,
                tolerated: passed.tolerated,
                passed: passed.passed,
                elapsed: Duration::ZERO,
            });
        }
        let input = RoundInput { guardrails: &run, folder, purpose: RoundPurpose::Check };
        let elsewhere = match &story {
            Some(story) => self.run_round_as_job(control, story, input, task_list, &head)?,
            None => None,
        };
        let (round_results, forbidden) = match elsewhere {
            Some(done) => done,
            None => self.run_round(control, story, input, task_list, head)?,
        };
        let finished = &round_results.finished;
        let results = validation::results(strategy, plan, &run, finished);
        let passed = validation::passed(&run, finished);
        let (failed, tolerated) =
            validation::failures(strategy, &run, round_results.finished, &plan.known);
        self.report_tolerated(&tolerated);
        let result = match round_results.verdict {
            _ if !forbidden.is_empty() => ChecksResult::ForbiddenChanges(forbidden),
            GuardrailsVerdict::Interrupted => ChecksResult::Interrupted,
            _ if failed.is_empty() => ChecksResult::Passed,
            _ => ChecksResult::Failed(failed),
        };
        self.write_validation(folder, request.validation(result.verdict(), results.clone()))?;
        match result {
            ChecksResult::Passed => {
                let (tolerated, passed) = (tolerated.clone(), passed.clone());
                self.passed_checks = Some(PassedChecks { request, results, tolerated, passed });
                self.sink.emit(event(ChecksOutcome::Passed));
            }
            ChecksResult::Failed(_) | ChecksResult::ForbiddenChanges(_) => {
                self.sink.emit(event(ChecksOutcome::Failed))
            }
            ChecksResult::Interrupted => {}
        }
        Ok(CheckReport { result, tolerated, passed, elapsed: round_results.elapsed })
    }

    pub(crate) fn check_plan(
        &self,
        list: &TaskList,
        since: Option<CommitId>,
        known: KnownFailures,
    ) -> CheckPlan {
        let of_list = list.verify_commands.iter().map(VerifyCommand::guardrail);
        let of_settings = self.options.run.guardrails.iter().cloned();
        CheckPlan { guardrails: of_list.chain(of_settings).collect(), since, known }
    }

    /// Those that count under the strategy and whose paths changed.
    fn due_checks(&self, plan: &CheckPlan, head: &CommitId) -> Result<Vec<Guardrail>, RunError> {
        let tree = &self.workspace.tree;
        let known = |since: &CommitId| tree.has_commit(since, deadline());
        let since = match &plan.since {
            Some(since) if known(since)? => Some(since),
            _ => None,
        };
        let mut due = Vec::new();
        for guardrail in &plan.guardrails {
            let is_due = match since {
                Some(since) if !guardrail.paths.is_empty() => {
                    tree.has_changes_in(&guardrail.paths, [since, head], deadline())?
                }
                _ => true,
            };
            if is_due && self.options.validation.runs(guardrail.kind) {
                due.push(guardrail.clone());
            }
        }
        Ok(due)
    }

    /// Runs the checks here. Returns also what they changed and must not change.
    pub(crate) fn run_round(
        &mut self,
        control: &mut RunControl<'_>,
        story: Option<StoryId>,
        input: RoundInput<'_>,
        task_list: &str,
        head: CommitId,
    ) -> Result<(GuardrailResults, Vec<String>), RunError> {
        let snapshot = self.workspace.snapshot(Actor::Check, story, head, task_list);
        let folder = input.folder;
        let mut round = GuardrailRound::new(input);
        let mut forbidden = Vec::new();
        while control.run_next_guardrail(&mut round)? == RoundProgress::Open {
            forbidden.extend(self.workspace.clean_up_between(&snapshot, folder)?);
        }
        forbidden.extend(self.workspace.restore_unexpected_changes(&snapshot, folder)?);
        Ok((round.end(), forbidden))
    }

    fn write_validation(&self, folder: &Path, validation: Validation) -> Result<(), RunError> {
        let path = folder.join("validation.json");
        let text = serde_json::to_vec_pretty(&validation).map_err(std::io::Error::from);
        text.and_then(|text| own_file::put_record(self.layout.project_root(), &path, &text))
            .map_err(RunError::disk(self.layout.name_of(&path)))
    }

    fn report_tolerated(&self, tolerated: &[FailedGuardrail]) {
        for failed in tolerated {
            let (command, error) = (&failed.command, failed.error());
            self.sink.warn(format!("`{command}` {} (not blocking): {error}", failed.how));
        }
    }
}
