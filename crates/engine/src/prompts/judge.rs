//! What an iteration of a prompt loop is worth: the guardrails speak first, then version control keeps
//! the work, and only then a claim of completion counts.

use std::collections::BTreeSet;

use vcs::{DirtyKind, TreeId};

use crate::decide::Step;
use crate::guardrails::Verdict;
use crate::prompts::acceptance::Assessed;
use crate::prompts::iterate::PromptIteration;
use crate::prompts::plan::Plan;
use crate::prompts::run::{Progress, PromptRun};
use crate::scm::{Meanwhile, Message, Performed, Scm};
use crate::session::Session;
use crate::{Claim, ClaimBasis, GatesOutcome, LoopEvent, LoopKind, RunError, run_files};

/// What a session that ended in order is worth.
pub(crate) enum Judged {
    /// It did not end in order.
    Nothing,
    /// The user stopped the run before the guardrails had spoken.
    Stopped,
    Step(Step),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Guard {
    Passed,
    Failed,
    Stopped,
}

impl PromptRun<'_> {
    pub(crate) fn judge(
        &mut self,
        iteration: &PromptIteration,
        session: &Session,
    ) -> Result<Judged, RunError> {
        let guard = match self.guard(iteration)? {
            Guard::Passed => self.version_control(iteration)?,
            guard => guard,
        };
        match guard {
            Guard::Stopped => return Ok(Judged::Stopped),
            Guard::Failed => return Ok(Judged::Step(Step::GatesFailed)),
            Guard::Passed => {}
        }
        if let Some(acceptance) = &mut self.acceptance {
            let assessed = acceptance.assess()?;
            return Ok(Judged::Step(self.apply(assessed)));
        }
        self.hear_claim(session);
        Ok(Judged::Step(Step::Accepted))
    }

    fn apply(&mut self, assessed: Assessed) -> Step {
        assessed.warnings.into_iter().for_each(|text| self.sink.warn(text));
        self.state.objections = assessed.objections;
        if self.state.objections.is_empty() {
            self.progress = Progress::Complete;
            return Step::Accepted;
        }
        Step::GatesFailed
    }

    fn hear_claim(&mut self, session: &Session) {
        if !session.conclusion.claims_completion() {
            let check = session.conclusion.completion.as_ref();
            if let Some((near_miss, tag)) =
                check.and_then(|check| Some((check.near_miss?, &check.wanted)))
            {
                let what = near_miss.in_words(tag);
                self.state.objections = vec![format!(
                    "The last iteration does not count as complete: {what}. Once everything is done \
                     and verified, put {tag} on a line of its own at the end of your last message."
                )];
            }
            return;
        }
        let objection = self.objection();
        let claim = if objection.is_none() { Claim::True } else { Claim::False };
        let basis = match self.options.run.guardrails.is_empty() {
            true => ClaimBasis::Nothing,
            false => ClaimBasis::Checks,
        };
        self.sink.emit(LoopEvent::CompletionClaimed { claim, basis, why: objection.clone() });
        match objection {
            None => self.progress = Progress::Complete,
            Some(why) => {
                self.sink.warn(format!("not complete: {why}"));
                self.state.objections =
                    vec![format!("The last iteration said that everything is done, but {why}")];
            }
        }
    }

    /// What speaks against a claim that everything is done.
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

    /// Guardrails run what the agent wrote, and some mend what they find: if they changed files, those
    /// that passed before have not seen what is there now, so all of them run once more.
    fn guard(&mut self, iteration: &PromptIteration) -> Result<Guard, RunError> {
        self.state.objections.clear();
        if self.options.run.guardrails.is_empty() {
            self.state.failed.clear();
            return Ok(Guard::Passed);
        }
        let before = self.work()?;
        let guard = self.guard_once(iteration)?;
        let after = self.work()?;
        let left = self.leave_alone(before.as_ref(), after.as_ref());
        if guard != Guard::Passed || (left == Left::Nothing && after == before) {
            return Ok(guard);
        }
        self.sink.warn("the guardrails changed files, so all of them run once more");
        self.guard_once(iteration)
    }

    fn guard_once(&mut self, iteration: &PromptIteration) -> Result<Guard, RunError> {
        let guardrails = &self.options.run.guardrails;
        let guarded = self.session_context().guard(guardrails, &iteration.folder);
        self.keep_run_files(iteration)?;
        let guarded = guarded?;
        self.gate_time += guarded.elapsed;
        let (verdict, outcome) = match guarded.verdict {
            Verdict::Interrupted => return Ok(Guard::Stopped),
            Verdict::Passed => {
                self.state.failed.clear();
                (Guard::Passed, GatesOutcome::Passed)
            }
            Verdict::Failed(failed) => {
                self.state.failed = failed;
                (Guard::Failed, GatesOutcome::Failed)
            }
        };
        self.sink.emit(LoopEvent::ChecksJudged { tree: String::new(), outcome });
        Ok(verdict)
    }

    /// A report that a guardrail wrote is nobody's work: from now on it is left alone.
    fn leave_alone(&mut self, before: Option<&Work>, after: Option<&Work>) -> Left {
        let (Some(before), Some(after)) = (before, after) else { return Left::Nothing };
        let new: Vec<String> = after.untracked.difference(&before.untracked).cloned().collect();
        if new.is_empty() {
            return Left::Nothing;
        }
        let list = new.join(", ");
        self.sink.warn(format!("the guardrails left files behind; better in .gitignore: {list}"));
        self.state.untracked_before.extend(new);
        Left::Files
    }

    /// The work as git would keep it, without what nobody tracked before; nothing without git.
    fn work(&self) -> Result<Option<Work>, RunError> {
        let Some(tree) = &self.tree else { return Ok(None) };
        let deadline = run_files::deadline();
        let dirty = tree.state(deadline)?.dirty.into_iter();
        let (untracked, tracked): (Vec<_>, Vec<_>) = dirty
            .filter(|dirty| !self.layout.is_runtime(&dirty.path) && !dirty.path.ends_with('/'))
            .partition(|dirty| dirty.kind == DirtyKind::Untracked);
        let untracked: BTreeSet<String> = untracked
            .into_iter()
            .map(|dirty| dirty.path)
            .filter(|path| !self.state.untracked_before.contains(path))
            .collect();
        let tracked = tracked.into_iter().map(|dirty| dirty.path);
        let paths: Vec<String> = tracked.chain(untracked.iter().cloned()).collect();
        Ok(Some(Work { tree: tree.tree_with(&paths, deadline)?, untracked }))
    }

    /// Commits and pushes what the guardrails let pass, where the settings say so. The agent is asked
    /// for words only: if it changes files meanwhile, the guardrails have to pass once more, and so
    /// they have if a hook of git changed what is committed.
    fn version_control(&mut self, iteration: &PromptIteration) -> Result<Guard, RunError> {
        let (options, Some(tree)) = (self.options, self.tree.clone()) else {
            return Ok(Guard::Passed);
        };
        let Some(scm) = &options.run.scm else { return Ok(Guard::Passed) };
        let untracked = self.state.untracked_before.clone();
        let scm =
            Scm { options: scm, tree: &tree, folder: &iteration.folder, untracked: &untracked };
        let number = iteration.attempt.iteration;
        let prepared = self.session_context().prepare_commit(&scm, number)?;
        for session in &prepared.sessions {
            self.book(session);
            self.keep_run_files(iteration)?;
        }
        let message = match prepared.message {
            Message::NotNeeded => None,
            Message::Given(message) => Some(message),
            Message::Missing { why } => return Err(RunError::NoCommitMessage { why }),
            Message::Stopped => return Ok(Guard::Stopped),
        };
        if prepared.meanwhile == Meanwhile::Changed {
            self.sink.warn("the agent changed files while it was asked for a commit message");
            let guard = self.guard(iteration)?;
            if guard != Guard::Passed {
                return Ok(guard);
            }
        }
        let mut performed =
            self.session_context().perform(&scm, &scm.options.tasks, message.as_deref())?;
        if let Performed::OtherThanChecked { left } = performed {
            self.sink.warn("a hook of git changed what was committed");
            let guard = self.guard(iteration)?;
            if guard != Guard::Passed {
                return Ok(guard);
            }
            performed = self.session_context().perform(&scm, &left, None)?;
        }
        Ok(if performed == Performed::Stopped { Guard::Stopped } else { Guard::Passed })
    }
}

/// What guardrails left behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Left {
    Nothing,
    Files,
}

#[derive(PartialEq, Eq)]
struct Work {
    tree: TreeId,
    untracked: BTreeSet<String>,
}
