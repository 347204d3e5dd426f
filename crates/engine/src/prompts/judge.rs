//! Judges an iteration of a prompt loop. The guardrails run first, then version control commits the work.
//! Only then a claim of completion counts.

use events::{ChecksOutcome, ClaimBasis, LoopEvent, LoopKind};

use crate::checks::{GuardrailsVerdict, RoundInput, RoundPurpose};
use crate::control::Step;
use crate::prompts::acceptance::Assessment;
use crate::prompts::iterate::PromptIteration;
use crate::prompts::plan::Plan;
use crate::prompts::run::PromptRun;
use crate::scm::{self, CommitMessage, PendingChanges, Scm, ScmProgress};
use crate::session::Session;
use crate::{RunError, run_files};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GuardrailsOutcome {
    Passed,
    Failed,
    Stopped,
}

impl PromptRun<'_> {
    /// `None` if the user stopped the run before the guardrails finished.
    pub(crate) fn judge(
        &mut self,
        iteration: &PromptIteration<'_>,
        session: &Session,
    ) -> Result<Option<Step>, RunError> {
        let result = match self.run_guardrails(iteration)? {
            GuardrailsOutcome::Passed => self.version_control(iteration)?,
            result => result,
        };
        match result {
            GuardrailsOutcome::Stopped => return Ok(None),
            GuardrailsOutcome::Failed => return Ok(Some(Step::ChecksFailed)),
            GuardrailsOutcome::Passed => {}
        }
        if let Some(acceptance) = &mut self.acceptance {
            let assessment = acceptance.assess()?;
            return Ok(Some(self.apply_assessment(assessment)));
        }
        self.apply_claim(session);
        Ok(Some(Step::Accepted))
    }

    fn apply_assessment(&mut self, assessment: Assessment) -> Step {
        assessment.warnings.into_iter().for_each(|text| self.control.sink.warn(text));
        self.state.objections = assessment.objections;
        if self.state.objections.is_empty() {
            self.is_complete = true;
            return Step::Accepted;
        }
        Step::ChecksFailed
    }

    fn apply_claim(&mut self, session: &Session) {
        if !session.conclusion.claims_completion() {
            let check = session.conclusion.completion.as_ref();
            if let Some((near_miss, tag)) =
                check.and_then(|check| Some((check.near_miss?, &check.wanted)))
            {
                let what = near_miss.describe(tag);
                self.state.objections = vec![format!(
                    "The last iteration does not count as complete: {what}. Once everything is done \
                     and verified, put {tag} on a line of its own at the end of your last message."
                )];
            }
            return;
        }
        let objection = self.objection();
        let accepted = objection.is_none();
        let basis = match self.options.run.guardrails.is_empty() {
            true => ClaimBasis::Nothing,
            false => ClaimBasis::Checks,
        };
        self.control.sink.emit(LoopEvent::CompletionClaimed {
            accepted,
            basis,
            why: objection.clone(),
        });
        match objection {
            None => self.is_complete = true,
            Some(why) => {
                self.control.sink.warn(format!("not complete: {why}"));
                self.state.objections =
                    vec![format!("The last iteration claimed that everything is done, but {why}")];
            }
        }
    }

    /// Why a claim of completion is wrong.
    fn objection(&self) -> Option<String> {
        let (plan, name) = (self.plan(), &self.options.plan_file);
        match self.state.kind {
            LoopKind::Build => plan.objection(name),
            LoopKind::Plan => {
                plan.objection(name).filter(|_| !matches!(plan, Plan::Written { .. }))
            }
            LoopKind::Prompt | LoopKind::Stories => None,
        }
    }

    /// Some guardrails fix what they find. If they changed files, the guardrails that passed before have not
    /// checked the current files, so all of them run again.
    fn run_guardrails(
        &mut self,
        iteration: &PromptIteration<'_>,
    ) -> Result<GuardrailsOutcome, RunError> {
        self.state.objections.clear();
        if self.options.run.guardrails.is_empty() {
            self.state.failed.clear();
            return Ok(GuardrailsOutcome::Passed);
        }
        let before = self.work()?;
        let result = self.run_guardrails_once(iteration)?;
        let after = self.work()?;
        let has_new_files = self.exclude_new_files(before.as_ref(), after.as_ref());
        if result != GuardrailsOutcome::Passed || (!has_new_files && after == before) {
            return Ok(result);
        }
        self.control.sink.warn("the guardrails changed files, so all of them run again");
        self.run_guardrails_once(iteration)
    }

    fn run_guardrails_once(
        &mut self,
        iteration: &PromptIteration<'_>,
    ) -> Result<GuardrailsOutcome, RunError> {
        let guardrails = &self.options.run.guardrails;
        let results = self.control.run_guardrails(RoundInput {
            guardrails,
            folder: &iteration.folder,
            purpose: RoundPurpose::Check,
        });
        self.keep_run_files(iteration)?;
        let results = results?;
        self.check_time += results.elapsed;
        let (verdict, outcome) = match results.verdict {
            GuardrailsVerdict::Interrupted => return Ok(GuardrailsOutcome::Stopped),
            GuardrailsVerdict::Passed => {
                self.state.failed.clear();
                (GuardrailsOutcome::Passed, ChecksOutcome::Passed)
            }
            GuardrailsVerdict::Failed(failed) => {
                self.state.failed = failed;
                (GuardrailsOutcome::Failed, ChecksOutcome::Failed)
            }
        };
        self.control.sink.emit(LoopEvent::ChecksJudged { tree: String::new(), outcome });
        Ok(verdict)
    }

    /// Files that a guardrail wrote (reports) are not the agent's work: they are never committed.
    /// Returns whether there are any.
    fn exclude_new_files(
        &mut self,
        before: Option<&PendingChanges>,
        after: Option<&PendingChanges>,
    ) -> bool {
        let (Some(before), Some(after)) = (before, after) else { return false };
        let new: Vec<String> = after.new_files.difference(&before.new_files).cloned().collect();
        if new.is_empty() {
            return false;
        }
        let list = new.join(", ");
        self.control
            .sink
            .warn(format!("the guardrails created files; add them to .gitignore: {list}"));
        self.state.untracked_before.extend(new);
        true
    }

    /// The work as git would commit it, without files that were untracked before the run. `None` without git.
    fn work(&self) -> Result<Option<PendingChanges>, RunError> {
        let Some(tree) = &self.tree else { return Ok(None) };
        let (deadline, users) = (run_files::deadline(), &self.state.untracked_before);
        let dirty = scm::pending_paths(tree, self.layout, users, deadline)?;
        PendingChanges::of(tree, dirty, deadline).map(Some)
    }

    /// Commits and pushes work that passed the guardrails, if the settings ask for it. The guardrails run again
    /// if the agent changed files while it wrote the commit message, or if a git hook changed the commit.
    fn version_control(
        &mut self,
        iteration: &PromptIteration<'_>,
    ) -> Result<GuardrailsOutcome, RunError> {
        let (options, Some(tree)) = (self.options, self.tree.clone()) else {
            return Ok(GuardrailsOutcome::Passed);
        };
        let Some(scm) = &options.run.scm else { return Ok(GuardrailsOutcome::Passed) };
        let untracked = self.state.untracked_before.clone();
        let scm =
            Scm { options: scm, tree: &tree, folder: &iteration.folder, untracked: &untracked };
        let number = iteration.attempt.iteration;
        let prepared = self.control.prepare_commit(&scm, &mut self.state.usage_limits, number)?;
        for session in &prepared.sessions {
            self.record_session(session);
            self.keep_run_files(iteration)?;
        }
        let message = match prepared.message {
            CommitMessage::NotNeeded => None,
            CommitMessage::Given(message) => Some(message),
            CommitMessage::Missing { why } => return Err(RunError::NoCommitMessage { why }),
            CommitMessage::Stopped => return Ok(GuardrailsOutcome::Stopped),
        };
        if prepared.files_changed {
            self.control.sink.warn("the agent changed files while it wrote the commit message");
            let result = self.run_guardrails(iteration)?;
            if result != GuardrailsOutcome::Passed {
                return Ok(result);
            }
        }
        let mut performed = self.control.perform(&scm, &scm.options.tasks, message.as_deref())?;
        if let ScmProgress::OtherThanChecked { left } = performed {
            self.control.sink.warn("a git hook changed what was committed");
            let result = self.run_guardrails(iteration)?;
            if result != GuardrailsOutcome::Passed {
                return Ok(result);
            }
            performed = self.control.perform(&scm, &left, None)?;
        }
        Ok(if performed == ScmProgress::Stopped {
            GuardrailsOutcome::Stopped
        } else {
            GuardrailsOutcome::Passed
        })
    }
}
