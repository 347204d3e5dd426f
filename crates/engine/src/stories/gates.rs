//! Hard gates: the project's own checks, run here and not by the agent, on what was committed.

use std::path::Path;

use crate::failed_guardrail::FailedGuardrail;
use crate::guardrails::{Round, Verdict, Way};
use crate::house::deadline;
use crate::options::Guardrail;
use crate::stories::run::Run;
use crate::stories::scene::Actor;
use crate::stories::settle::no_commit;
use crate::{GatesOutcome, LoopEvent, RunError};

/// A verdict holds for one state of the code and one list of commands. It is never on disk, where an
/// agent could write one: whoever goes on with a run asks the checks again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PassedGates {
    tree: String,
    commands: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Gates {
    Passed,
    Failed(Vec<FailedGuardrail>),
    /// They changed what they may not; in words.
    Meddled(Vec<String>),
    /// The user stopped the run: nobody knows yet.
    Interrupted,
}

impl Run<'_> {
    /// The verdict on the tree of the commit that stands, which it is bound to: another tree needs
    /// another verdict.
    pub(crate) fn gates(
        &mut self,
        guardrails: &[Guardrail],
        task_list: &str,
        folder: &Path,
    ) -> Result<Gates, RunError> {
        let (head, tree) = self.tree.head_and_tree(deadline())?.ok_or_else(no_commit)?;
        let tree = tree.as_str().to_owned();
        let judged = |outcome| LoopEvent::GatesJudged { tree: tree.clone(), outcome };
        if guardrails.is_empty() {
            self.teller.tell(judged(GatesOutcome::None));
            return Ok(Gates::Passed);
        }
        let commands = guardrails.iter().map(|guardrail| guardrail.command.clone()).collect();
        let passed = PassedGates { tree: tree.clone(), commands };
        if self.gates_passed.as_ref() == Some(&passed) {
            self.teller.tell(judged(GatesOutcome::PassedBefore));
            return Ok(Gates::Passed);
        }
        let scene = self.scene(Actor::Check, head, task_list);
        let mut round = Round::new(guardrails, folder);
        while self.stage().guard_next(&mut round)? == Way::Open {
            self.clean_up_between(Actor::Check)?;
        }
        let guarded = round.end();
        self.gate_time += guarded.elapsed;
        let mut verdict = match guarded.verdict {
            Verdict::Passed => Gates::Passed,
            Verdict::Failed(failed) => Gates::Failed(failed),
            Verdict::Interrupted => Gates::Interrupted,
        };
        let meddling = self.put_in_order(&scene)?;
        if !meddling.is_empty() {
            verdict = Gates::Meddled(meddling);
        }
        match verdict {
            Gates::Passed => {
                self.gates_passed = Some(passed);
                self.teller.tell(judged(GatesOutcome::Passed));
            }
            Gates::Failed(_) | Gates::Meddled(_) => self.teller.tell(judged(GatesOutcome::Failed)),
            Gates::Interrupted => {}
        }
        Ok(verdict)
    }
}
