//! Guardrails: commands of the user that must succeed, run by the runner and not by the agent. All of
//! them run, so that the next prompt can report every problem.

use std::io;
use std::path::Path;
use std::time::Duration;

use events::{CheckOutcome, LoopEvent, TimedTask};
use failure_signature::Symptom;
use run_options::TimeSpan;
use supervise::{ChildEvent, EndReason, Exit, Launch, Limits, Reaction};

use crate::RunError;
use crate::checks::failed_guardrail::FailedGuardrail;
use crate::checks::guardrail_log::{GuardrailLog, LogExcerpt, ends_of, log_names};
use crate::control::RunControl;
use crate::control::executor::Executor;
use crate::isolation::check_launch::{check_launch, check_limits, check_outcome};
use crate::isolation::{ConfinedProgram, refusals};
use crate::limits::TimeLimit;
use crate::options::{CheckSandbox, Guardrail, RunOptions};
use crate::session::Allowance;

/// Another program can unmount something while bubblewrap mounts it again. The check did not run then.
const SANDBOX_RETRIES: u32 = 2;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum GuardrailsVerdict {
    Passed,
    /// In order; at least one.
    Failed(Vec<FailedGuardrail>),
    /// The user stopped the run or skips the story: no verdict.
    Interrupted,
}

/// The result of all guardrails, and how long they took.
pub(crate) struct GuardrailResults {
    pub(crate) verdict: GuardrailsVerdict,
    pub(crate) elapsed: Duration,
    /// In order, as far as they ran.
    pub(crate) finished: Vec<GuardrailResult>,
}

/// The result of one guardrail.
#[derive(Debug, Clone)]
pub(crate) struct GuardrailResult {
    pub(crate) outcome: CheckOutcome,
    pub(crate) elapsed: Duration,
    /// The log file with the whole output, relative to the project.
    pub(crate) log: String,
    /// `None` if it passed.
    pub(crate) failed: Option<FailedGuardrail>,
}

/// A round of guardrails, run one after the other.
pub(crate) struct GuardrailRound<'r> {
    guardrails: &'r [Guardrail],
    folder: &'r Path,
    names: Vec<String>,
    next: usize,
    finished: Vec<GuardrailResult>,
    elapsed: Duration,
    progress: RoundProgress,
    purpose: RoundPurpose,
    /// Instead of that of the run: the checks run on another machine.
    elsewhere: Option<&'r dyn Executor>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RoundPurpose {
    Check,
    /// Each command needs those before it, so the first failure ends the round.
    Setup,
    /// The tests of a proof. Their failure may be wanted, so the caller reports them.
    Proof,
}

/// What a round runs, and the folder for the logs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RoundInput<'r> {
    pub(crate) guardrails: &'r [Guardrail],
    pub(crate) folder: &'r Path,
    pub(crate) purpose: RoundPurpose,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RoundProgress {
    Open,
    Done,
    /// The user stopped the run.
    Interrupted,
}

impl<'r> GuardrailRound<'r> {
    pub(crate) fn new(RoundInput { guardrails, folder, purpose }: RoundInput<'r>) -> Self {
        let names = log_names(guardrails.iter().map(|guardrail| guardrail.command.as_str()));
        let progress =
            if guardrails.is_empty() { RoundProgress::Done } else { RoundProgress::Open };
        let (finished, elapsed, elsewhere) = (Vec::new(), Duration::ZERO, None);
        Self { guardrails, folder, names, next: 0, finished, elapsed, progress, purpose, elsewhere }
    }

    /// On another machine, which has its own sandbox.
    pub(crate) fn elsewhere(self, executor: &'r dyn Executor) -> Self {
        Self { elsewhere: Some(executor), ..self }
    }

    pub(crate) fn end(self) -> GuardrailResults {
        let failed = self.finished.iter().filter_map(|finished| finished.failed.clone());
        let failed: Vec<FailedGuardrail> = failed.collect();
        let verdict = match self.progress {
            RoundProgress::Interrupted => GuardrailsVerdict::Interrupted,
            RoundProgress::Open | RoundProgress::Done if failed.is_empty() => {
                GuardrailsVerdict::Passed
            }
            RoundProgress::Open | RoundProgress::Done => GuardrailsVerdict::Failed(failed),
        };
        GuardrailResults { verdict, elapsed: self.elapsed, finished: self.finished }
    }
}

impl RunControl<'_> {
    pub(crate) fn run_guardrails(
        &mut self,
        input: RoundInput<'_>,
    ) -> Result<GuardrailResults, RunError> {
        let mut round = GuardrailRound::new(input);
        while self.run_next_guardrail(&mut round)? == RoundProgress::Open {}
        Ok(round.end())
    }

    /// Runs the next one of the round, and returns whether there are more.
    pub(crate) fn run_next_guardrail(
        &mut self,
        round: &mut GuardrailRound<'_>,
    ) -> Result<RoundProgress, RunError> {
        let (index, of) = (round.next, round.guardrails.len());
        let (Some(guardrail), Some(name)) = (round.guardrails.get(index), round.names.get(index))
        else {
            return Ok(round.progress);
        };
        let (command, number, of_all) = (guardrail.command.clone(), index as u64 + 1, of as u64);
        match round.purpose {
            RoundPurpose::Check => {
                self.sink.emit(LoopEvent::CheckStarted { command, number, of: of_all })
            }
            RoundPurpose::Setup => {
                self.sink.emit(LoopEvent::SetupStarted { command, number, of: of_all })
            }
            RoundPurpose::Proof => {}
        }
        let log = round.folder.join(name);
        let mut ran = self.run_guardrail(guardrail, &log, round.elsewhere)?;
        for _ in 0..SANDBOX_RETRIES {
            if !ran.has_no_sandbox() {
                break;
            }
            let note = "its sandbox could not be set up; running it again";
            self.sink.warn(format!("check `{}`: {note}", guardrail.command));
            ran = self.run_guardrail(guardrail, &log, round.elsewhere)?;
        }
        round.elapsed += ran.elapsed;
        round.next += 1;
        round.progress = match ran.outcome {
            None => RoundProgress::Interrupted,
            Some(outcome) => {
                let purpose = round.purpose;
                round.finished.push(self.report_guardrail(
                    guardrail,
                    (outcome, purpose),
                    ran,
                    &log,
                ));
                let is_over =
                    round.purpose == RoundPurpose::Setup && outcome != CheckOutcome::Passed;
                if round.next < of && !is_over { RoundProgress::Open } else { RoundProgress::Done }
            }
        };
        Ok(round.progress)
    }

    fn report_guardrail(
        &mut self,
        guardrail: &Guardrail,
        (outcome, purpose): (CheckOutcome, RoundPurpose),
        ran: GuardrailRun,
        log: &Path,
    ) -> GuardrailResult {
        let symptom = || symptom(&guardrail.command, outcome, log);
        let whole_log = log;
        let for_agent = self.options.layout.name_for_agent(log);
        let log = self.options.layout.name_of(log);
        let failed = (outcome != CheckOutcome::Passed).then(|| FailedGuardrail {
            command: guardrail.command.clone(),
            fail_action: guardrail.fail_action,
            hint: guardrail.hint.clone(),
            how: outcome_text(outcome),
            log: for_agent,
            start: ran.output.start,
            extent: ran.output.extent,
            tail: ran.output.tail,
            exit_code: match outcome {
                CheckOutcome::Failed(code) => code,
                _ => None,
            },
            symptom: Some(symptom()),
        });
        if purpose == RoundPurpose::Proof {
            return GuardrailResult { outcome, elapsed: ran.elapsed, log, failed };
        }
        self.sink.emit(LoopEvent::CheckEnded(events::CheckRecord {
            command: guardrail.command.clone(),
            outcome,
            seconds: ran.elapsed.as_secs_f64(),
            fail_action: guardrail.fail_action,
            log: log.clone(),
            tail: failed.as_ref().map(|failed| failed.tail.clone()).unwrap_or_default(),
        }));
        if let (Some(confined), CheckOutcome::Failed(_)) = (&ran.confined, outcome) {
            self.warn_of_refusals(&guardrail.command, confined, whole_log);
        }
        GuardrailResult { outcome, elapsed: ran.elapsed, log, failed }
    }

    /// A limit of its own may be shorter than the default soft limit.
    pub(crate) fn time_for(&self, guardrail: &Guardrail) -> TimeLimit {
        let TimeLimit { soft, hard } = self.options.limits.check;
        let hard = guardrail.time_limit.map_or(hard, TimeSpan::limit);
        TimeLimit { soft: soft.filter(|soft| hard.is_none_or(|hard| *soft < hard)), hard }
    }

    fn run_guardrail(
        &mut self,
        guardrail: &Guardrail,
        log: &Path,
        elsewhere: Option<&dyn Executor>,
    ) -> Result<GuardrailRun, RunError> {
        let disk = |error| RunError::Disk { path: log.display().to_string(), error };
        let mut output = GuardrailLog::create(log, self.options.quoted_output).map_err(disk)?;
        let allowance = Allowance { what: TimedTask::Check, limit: self.time_for(guardrail) };
        let (total, soft) = allowance.within(&self.clock);
        let RunOptions { keeper, layout, limits, lane, .. } = self.options;
        let limits = Limits { total, soft, ..check_limits(limits.grace) };
        let mut launch = check_launch(keeper, layout.root(), &guardrail.command, limits, *lane);
        let confined = match elsewhere {
            None => self.confine_check(&mut launch),
            Some(_) => Ok(None),
        };
        let confined = match confined {
            Ok(confined) => confined,
            Err(error) => return Ok(GuardrailRun::not_started(&format!("sandbox: {error}"))),
        };
        let (sink, clock, orders) = (&self.sink, &mut self.clock, &mut self.orders);
        let (run_id, switch) = (&self.run_id, self.switch);
        let executor = elsewhere.unwrap_or(self.executor);
        let ended = executor.run(launch, switch.requests(), &mut |event| {
            match event {
                ChildEvent::Line(line) => output.line(line),
                ChildEvent::SoftLimit(which) => allowance.warn(which, clock, sink),
                ChildEvent::Tick => {
                    orders.apply(run_id, switch, sink);
                    return orders.reaction();
                }
            }
            Reaction::Nothing
        });
        let ended = ended.map(|ended| self.apply_end_of_run(ended));
        if let Some(confined) = &confined {
            confined.end()?;
        }
        let output = output.finish().map_err(disk)?;
        let leftovers = ended.as_ref().map_or_else(|e| e.leftovers(), |e| e.leftovers.clone());
        let of = format!("the check `{}`", guardrail.command);
        RunError::refuse_survivors(&of, &leftovers)?;
        // A signal for the whole group may reach a check that is just being started.
        let stopped = self.switch.requested().is_some();
        Ok(match ended {
            Ok(ended) => {
                let cut = stopped && matches!(ended.exit, Some(Exit::Signal(_)));
                let is_over = ended.how != EndReason::Stopped && !cut;
                let outcome = is_over.then(|| check_outcome(&ended));
                GuardrailRun { outcome, elapsed: ended.elapsed, output, confined }
            }
            Err(_) if stopped => GuardrailRun { outcome: None, ..GuardrailRun::not_started("") },
            Err(error) => GuardrailRun::not_started(&error.to_string()),
        })
    }

    fn confine_check(&self, launch: &mut Launch) -> io::Result<Option<ConfinedProgram>> {
        let RunOptions { layout, allowed_changes, checks, .. } = self.options;
        match checks {
            CheckSandbox::Used(sandbox) => {
                sandbox.confine(launch, layout, allowed_changes).map(Some)
            }
            CheckSandbox::Missing(_) | CheckSandbox::Off => Ok(None),
        }
    }

    /// For a user whose check passes only outside the sandbox.
    fn warn_of_refusals(&mut self, command: &str, confined: &ConfinedProgram, log: &Path) {
        for refusal in refusals(confined, &ends_of(log), self.options.layout.root()) {
            self.sink.warn(format!("check `{command}`: {refusal}"));
        }
    }
}

struct GuardrailRun {
    /// `None` if the user stopped the run.
    outcome: Option<CheckOutcome>,
    elapsed: Duration,
    output: LogExcerpt,
    confined: Option<ConfinedProgram>,
}

impl GuardrailRun {
    /// A check that prints the same only runs more often.
    fn has_no_sandbox(&self) -> bool {
        let is_failed = self.outcome == Some(CheckOutcome::Failed(Some(1)));
        let is_only_line = matches!(&self.output.tail[..], [line] if line.starts_with("bwrap: "));
        is_failed && is_only_line && self.confined.is_some()
    }

    fn not_started(why: &str) -> Self {
        let (outcome, elapsed) = (Some(CheckOutcome::NotStarted), Duration::ZERO);
        Self { outcome, elapsed, output: LogExcerpt::of(why), confined: None }
    }
}

/// Derived from the output. A check that timed out or printed nothing is identified by its outcome.
fn symptom(command: &str, outcome: CheckOutcome, log: &Path) -> Symptom {
    let (output, silence) = match outcome {
        CheckOutcome::TimedOut | CheckOutcome::NotStarted => (String::new(), ""),
        CheckOutcome::Passed | CheckOutcome::Failed(_) => (ends_of(log), " and printed nothing"),
    };
    if !output.trim().is_empty() {
        return failure_signature::examine(&output);
    }
    let how = outcome_text(outcome);
    let sentence = failure_signature::examine(&format!("`{command}` {how}{silence}"));
    Symptom { error: sentence.error, ..failure_signature::examine(&how) }
}

fn outcome_text(outcome: CheckOutcome) -> String {
    match outcome {
        CheckOutcome::Passed => "passed".into(),
        CheckOutcome::Failed(Some(code)) => format!("failed with exit code {code}"),
        CheckOutcome::Failed(None) => "was ended by a signal".into(),
        CheckOutcome::TimedOut => "exceeded its time limit".into(),
        CheckOutcome::NotStarted => "could not be started".into(),
    }
}

#[cfg(test)]
mod tests {
    use supervise::{Ended, Leftovers};

    use super::*;

    #[test]
    fn a_check_without_output_is_named() {
        let dir = assert_fs::TempDir::new().unwrap();
        let log = dir.path().join("x.log");
        let error = |outcome| symptom("make it", outcome, &log).error;
        std::fs::write(&log, " \n").unwrap();
        let failed = CheckOutcome::Failed(Some(1));
        assert_eq!(error(failed), "`make it` failed with exit code 1 and printed nothing");
        std::fs::write(&log, "error: 3 is not 4\n").unwrap();
        assert_eq!(error(failed), "error: 3 is not 4");
        assert_eq!(error(CheckOutcome::TimedOut), "`make it` exceeded its time limit");
    }

    #[test]
    fn only_exit_code_zero_passes() {
        let ended = |how, exit| {
            let (leftovers, elapsed) = (Leftovers::default(), Duration::ZERO);
            Ended { how, exit, leftovers, elapsed }
        };
        let by_itself = |exit| check_outcome(&ended(EndReason::ByItself, exit));
        assert_eq!(by_itself(Some(Exit::Code(0))), CheckOutcome::Passed);
        assert_eq!(by_itself(Some(Exit::Code(2))), CheckOutcome::Failed(Some(2)));
        assert_eq!(by_itself(Some(Exit::Signal(9))), CheckOutcome::Failed(None));
        assert_eq!(by_itself(None), CheckOutcome::Failed(None));
        let late = check_outcome(&ended(EndReason::TotalLimit, Some(Exit::Code(0))));
        assert_eq!(late, CheckOutcome::TimedOut);
    }
}
