//! Hard gates: the project's own checks, run here and not by the agent, on what was committed.

use std::path::Path;

use crate::failed_guardrail::FailedGuardrail;
use crate::guardrails::{Round, Verdict, Way};
use crate::options::Guardrail;
use crate::run_files::deadline;
use crate::stories::project_snapshot::Actor;
use crate::stories::run::Run;
use crate::stories::settle::no_commit;
use crate::validation::{self, CheckResult, Validation, ValidationStrategy, ValidationVerdict};
use crate::{GatesOutcome, LoopEvent, RunError, own_file};

/// A verdict holds for one state of the code, one list of commands and one strategy. It is never on
/// disk, where an agent could write one: whoever goes on with a run asks the checks again.
#[derive(Debug, Clone)]
pub(crate) struct PassedGates {
    asked: Asked,
    results: Vec<CheckResult>,
    tolerated: Vec<FailedGuardrail>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Asked {
    tree: String,
    commands: Vec<String>,
    strategy: ValidationStrategy,
}

#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) gates: Gates,
    /// Checks that failed and hold nothing up.
    pub(crate) tolerated: Vec<FailedGuardrail>,
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

impl Asked {
    fn judged(&self, verdict: ValidationVerdict, results: Vec<CheckResult>) -> Validation {
        Validation { strategy: self.strategy, verdict, tree: self.tree.clone(), results }
    }
}

impl Gates {
    fn verdict(&self) -> ValidationVerdict {
        match self {
            Self::Passed => ValidationVerdict::Passed,
            Self::Failed(_) | Self::Meddled(_) => ValidationVerdict::Failed,
            Self::Interrupted => ValidationVerdict::Interrupted,
        }
    }
}

impl Run<'_> {
    /// The verdict on the tree of the commit that stands, which it is bound to: another tree needs
    /// another verdict. What each check came to is written into `folder`.
    pub(crate) fn gates(
        &mut self,
        guardrails: &[Guardrail],
        task_list: &str,
        folder: &Path,
    ) -> Result<Judged, RunError> {
        let (head, tree) = self.tree.head_and_tree(deadline())?.ok_or_else(no_commit)?;
        let (tree, strategy) = (tree.as_str().to_owned(), self.options.validation);
        let told = |outcome| LoopEvent::ChecksJudged { tree: tree.clone(), outcome };
        let run = guardrails.iter().filter(|guardrail| strategy.runs(guardrail.kind));
        let run: Vec<Guardrail> = run.cloned().collect();
        let commands = run.iter().map(|guardrail| guardrail.command.clone()).collect();
        let asked = Asked { tree: tree.clone(), commands, strategy };
        if run.is_empty() {
            let results = validation::results(strategy, guardrails, &[]);
            self.write_validation(folder, asked.judged(ValidationVerdict::None, results))?;
            self.sink.emit(told(GatesOutcome::None));
            return Ok(Judged { gates: Gates::Passed, tolerated: Vec::new() });
        }
        if let Some(passed) = self.gates_passed.clone().filter(|passed| passed.asked == asked) {
            let record = asked.judged(ValidationVerdict::Passed, passed.results);
            self.write_validation(folder, record)?;
            self.sink.emit(told(GatesOutcome::PassedBefore));
            return Ok(Judged { gates: Gates::Passed, tolerated: passed.tolerated });
        }
        let story = self.state.running.as_ref().map(|running| running.assignment.story.clone());
        let snapshot = self.snapshot(Actor::Check, story, head, task_list);
        let mut round = Round::new(&run, folder);
        let mut meddling = Vec::new();
        while self.session_context().guard_next(&mut round)? == Way::Open {
            meddling.extend(self.clean_up_between(&snapshot, folder)?);
        }
        let guarded = round.end();
        self.gate_time += guarded.elapsed;
        meddling.extend(self.restore_unexpected_changes(&snapshot, folder)?);
        let results = validation::results(strategy, guardrails, &guarded.heard);
        let (failed, tolerated) = validation::failures(strategy, &run, guarded.heard);
        self.report_tolerated(&tolerated);
        let gates = match guarded.verdict {
            _ if !meddling.is_empty() => Gates::Meddled(meddling),
            Verdict::Interrupted => Gates::Interrupted,
            _ if failed.is_empty() => Gates::Passed,
            _ => Gates::Failed(failed),
        };
        self.write_validation(folder, asked.judged(gates.verdict(), results.clone()))?;
        match gates {
            Gates::Passed => {
                let tolerated = tolerated.clone();
                self.gates_passed = Some(PassedGates { asked, results, tolerated });
                self.sink.emit(told(GatesOutcome::Passed));
            }
            Gates::Failed(_) | Gates::Meddled(_) => self.sink.emit(told(GatesOutcome::Failed)),
            Gates::Interrupted => {}
        }
        Ok(Judged { gates, tolerated })
    }

    fn write_validation(&self, folder: &Path, validation: Validation) -> Result<(), RunError> {
        let path = folder.join("validation.json");
        let text = serde_json::to_vec_pretty(&validation).map_err(std::io::Error::from);
        text.and_then(|text| own_file::put_record(self.layout.root(), &path, &text))
            .map_err(|error| RunError::Disk { path: self.layout.name_of(&path), error })
    }

    fn report_tolerated(&mut self, tolerated: &[FailedGuardrail]) {
        for failed in tolerated {
            let (command, error) = (&failed.command, failed.error());
            self.sink.warn(format!("`{command}` {}, and holds nothing up: {error}", failed.how));
        }
    }
}
