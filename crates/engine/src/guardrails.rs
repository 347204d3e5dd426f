//! Guardrails: commands of the user's that have to succeed, run here and not by the agent. All of
//! them run, so that the next prompt can tell everything that is wrong.

use std::io;
use std::path::Path;
use std::time::Duration;

use failure_signature::Symptom;
use supervise::{Ended, Exit, How, Launch, Limits, Seen, Sign};

use crate::allowance::Allowance;
use crate::check_launch::{check_launch, check_limits};
use crate::failed_guardrail::FailedGuardrail;
use crate::guardrail_log::{GuardrailLog, Written, ends_of, log_names};
use crate::isolation::{Confined, refusals};
use crate::limits::TimeLimit;
use crate::options::{CheckSandbox, Guardrail, GuardrailTime, RunOptions};
use crate::session_context::SessionContext;
use crate::{GateOutcome, LoopEvent, RunError, Timed};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    Passed,
    /// In their order; at least one.
    Failed(Vec<FailedGuardrail>),
    /// The user stopped the run, or skips the story: nobody knows yet.
    Interrupted,
}

/// What all of them said, and how long it took.
pub(crate) struct Guarded {
    pub(crate) verdict: Verdict,
    pub(crate) elapsed: Duration,
    /// In their order, as far as they came.
    pub(crate) heard: Vec<Heard>,
}

/// What one of them said.
#[derive(Debug, Clone)]
pub(crate) struct Heard {
    pub(crate) outcome: GateOutcome,
    pub(crate) elapsed: Duration,
    /// The whole output, from the project.
    pub(crate) log: String,
    /// Unless it passed.
    pub(crate) failed: Option<FailedGuardrail>,
}

/// Guardrails on their way: one is run after the other.
pub(crate) struct Round<'r> {
    guardrails: &'r [Guardrail],
    folder: &'r Path,
    names: Vec<String>,
    next: usize,
    heard: Vec<Heard>,
    elapsed: Duration,
    way: Way,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Open,
    Done,
    /// The user stopped the run.
    Cut,
}

impl<'r> Round<'r> {
    /// Logs go into `folder`.
    pub(crate) fn new(guardrails: &'r [Guardrail], folder: &'r Path) -> Self {
        let names = log_names(guardrails.iter().map(|guardrail| guardrail.command.as_str()));
        let way = if guardrails.is_empty() { Way::Done } else { Way::Open };
        let (heard, elapsed) = (Vec::new(), Duration::ZERO);
        Self { guardrails, folder, names, next: 0, heard, elapsed, way }
    }

    pub(crate) fn end(self) -> Guarded {
        let failed = self.heard.iter().filter_map(|heard| heard.failed.clone());
        let failed: Vec<FailedGuardrail> = failed.collect();
        let verdict = match self.way {
            Way::Cut => Verdict::Interrupted,
            Way::Open | Way::Done if failed.is_empty() => Verdict::Passed,
            Way::Open | Way::Done => Verdict::Failed(failed),
        };
        Guarded { verdict, elapsed: self.elapsed, heard: self.heard }
    }
}

impl SessionContext<'_, '_> {
    pub(crate) fn guard(
        &mut self,
        guardrails: &[Guardrail],
        folder: &Path,
    ) -> Result<Guarded, RunError> {
        let mut round = Round::new(guardrails, folder);
        while self.guard_next(&mut round)? == Way::Open {}
        Ok(round.end())
    }

    /// Runs the next one of the round, and says whether there are more.
    pub(crate) fn guard_next(&mut self, round: &mut Round<'_>) -> Result<Way, RunError> {
        let (index, of) = (round.next, round.guardrails.len());
        let (Some(guardrail), Some(name)) = (round.guardrails.get(index), round.names.get(index))
        else {
            return Ok(round.way);
        };
        self.sink.emit(LoopEvent::CheckStarted {
            command: guardrail.command.clone(),
            number: index as u64 + 1,
            of: of as u64,
        });
        let log = round.folder.join(name);
        let ran = self.run_guardrail(guardrail, &log)?;
        round.elapsed += ran.elapsed;
        round.next += 1;
        round.way = match ran.outcome {
            None => Way::Cut,
            Some(outcome) => {
                round.heard.push(self.report_guardrail(guardrail, outcome, ran, &log));
                if round.next < of { Way::Open } else { Way::Done }
            }
        };
        Ok(round.way)
    }

    fn report_guardrail(
        &mut self,
        guardrail: &Guardrail,
        outcome: GateOutcome,
        ran: Ran,
        log: &Path,
    ) -> Heard {
        let symptom = || symptom(&guardrail.command, outcome, log);
        let whole_log = log;
        let log = self.options.layout.name_of(log);
        let failed = (outcome != GateOutcome::Passed).then(|| FailedGuardrail {
            command: guardrail.command.clone(),
            fail_action: guardrail.fail_action,
            hint: guardrail.hint.clone(),
            how: in_words(outcome),
            log: log.clone(),
            start: ran.output.start,
            extent: ran.output.extent,
            tail: ran.output.tail,
            exit_code: match outcome {
                GateOutcome::Failed(code) => code,
                _ => None,
            },
            symptom: Some(symptom()),
        });
        self.sink.emit(LoopEvent::CheckEnded {
            command: guardrail.command.clone(),
            outcome,
            seconds: ran.elapsed.as_secs_f64(),
            fail_action: guardrail.fail_action,
            log: log.clone(),
            tail: failed.as_ref().map(|failed| failed.tail.clone()).unwrap_or_default(),
        });
        if let (Some(confined), GateOutcome::Failed(_)) = (&ran.confined, outcome) {
            self.warn_of_refusals(&guardrail.command, confined, whole_log);
        }
        Heard { outcome, elapsed: ran.elapsed, log, failed }
    }

    /// A limit of its own may leave no room for the usual warning.
    fn time_for(&self, guardrail: &Guardrail) -> TimeLimit {
        let TimeLimit { soft, hard } = self.options.limits.check;
        let hard = match guardrail.time_limit {
            GuardrailTime::AsAll => hard,
            GuardrailTime::Unlimited => None,
            GuardrailTime::Within(time) => Some(time),
        };
        TimeLimit { soft: soft.filter(|soft| hard.is_none_or(|hard| *soft < hard)), hard }
    }

    fn run_guardrail(&mut self, guardrail: &Guardrail, log: &Path) -> Result<Ran, RunError> {
        let disk = |error| RunError::Disk { path: log.display().to_string(), error };
        let mut output = GuardrailLog::create(log, self.options.quoted_output).map_err(disk)?;
        let allowance = Allowance { what: Timed::Check, limit: self.time_for(guardrail) };
        let (total, soft) = allowance.within(self.clock);
        let RunOptions { keeper, layout, limits, .. } = self.options;
        let limits = Limits { total, soft, ..check_limits(limits.grace) };
        let mut launch = check_launch(keeper, layout.root(), &guardrail.command, limits);
        let confined = match self.confine_check(&mut launch) {
            Ok(confined) => confined,
            Err(error) => return Ok(Ran::not_started(&format!("the sandbox: {error}"))),
        };
        let (sink, clock, orders) = (&mut *self.sink, &mut *self.clock, &mut *self.orders);
        let (run_id, switch) = (self.run_id, self.switch);
        let ended = supervise::run(launch, switch.requests(), &mut |sign| {
            match sign {
                Sign::Line(line) => output.line(line),
                Sign::SoftLimit(which) => allowance.warn(which, clock, sink),
                Sign::Tick => {
                    orders.apply(run_id, switch, sink);
                    return orders.seen();
                }
            }
            Seen::Nothing
        });
        let ended = ended.map(|ended| self.apply_end_of_run(ended));
        if let Some(confined) = &confined {
            confined.end()?;
        }
        let output = output.finish().map_err(disk)?;
        let leftovers = ended.as_ref().map_or_else(|e| e.leftovers(), |e| e.leftovers.clone());
        let of = format!("the check `{}`", guardrail.command);
        RunError::refuse_survivors(&of, &leftovers)?;
        // A signal for the whole group may meet a check that is only just being started.
        let stopped = self.switch.heard().is_some();
        Ok(match ended {
            Ok(ended) => {
                let cut = stopped && matches!(ended.exit, Some(Exit::Signal(_)));
                let outcome = (ended.how != How::Stopped && !cut).then(|| outcome(&ended));
                Ran { outcome, elapsed: ended.elapsed, output, confined }
            }
            Err(_) if stopped => Ran { outcome: None, ..Ran::not_started("") },
            Err(error) => Ran::not_started(&error.to_string()),
        })
    }

    fn confine_check(&self, launch: &mut Launch) -> io::Result<Option<Confined>> {
        let RunOptions { layout, allowed_changes, checks, .. } = self.options;
        match checks {
            CheckSandbox::Used(sandbox) => {
                sandbox.confine(launch, layout, allowed_changes).map(Some)
            }
            CheckSandbox::Missing(_) | CheckSandbox::Off => Ok(None),
        }
    }

    /// For a user whose check works outside the sandbox alone.
    fn warn_of_refusals(&mut self, command: &str, confined: &Confined, log: &Path) {
        for refusal in refusals(confined, &ends_of(log), self.options.layout.root()) {
            self.sink.warn(format!("check `{command}`: {refusal}"));
        }
    }
}

struct Ran {
    /// None if the user stopped the run.
    outcome: Option<GateOutcome>,
    elapsed: Duration,
    output: Written,
    /// The sandbox that it ran in.
    confined: Option<Confined>,
}

impl Ran {
    fn not_started(why: &str) -> Self {
        let (outcome, elapsed) = (Some(GateOutcome::NotStarted), Duration::ZERO);
        Self { outcome, elapsed, output: Written::of(why), confined: None }
    }
}

fn outcome(ended: &Ended) -> GateOutcome {
    match (ended.how, ended.exit) {
        (How::WallLimit | How::IdleLimit, _) => GateOutcome::TimedOut,
        (_, Some(Exit::Code(0))) => GateOutcome::Passed,
        (_, Some(Exit::Code(code))) => GateOutcome::Failed(Some(code)),
        (_, Some(Exit::Signal(_)) | None) => GateOutcome::Failed(None),
    }
}

/// What the output says. One that was cut off says something else each time, but it was cut off; where
/// there is none, what happened to the command is all there is to say.
fn symptom(command: &str, outcome: GateOutcome, log: &Path) -> Symptom {
    let (output, silence) = match outcome {
        GateOutcome::TimedOut | GateOutcome::NotStarted => (String::new(), ""),
        GateOutcome::Passed | GateOutcome::Failed(_) => (ends_of(log), " and printed nothing"),
    };
    if !output.trim().is_empty() {
        return failure_signature::examine(&output);
    }
    let how = in_words(outcome);
    let sentence = failure_signature::examine(&format!("`{command}` {how}{silence}"));
    Symptom { error: sentence.error, ..failure_signature::examine(&how) }
}

fn in_words(outcome: GateOutcome) -> String {
    match outcome {
        GateOutcome::Passed => "passed".into(),
        GateOutcome::Failed(Some(code)) => format!("failed with exit code {code}"),
        GateOutcome::Failed(None) => "was ended by a signal".into(),
        GateOutcome::TimedOut => "took longer than it may".into(),
        GateOutcome::NotStarted => "could not be started".into(),
    }
}

#[cfg(test)]
mod tests {
    use supervise::Leftovers;

    use super::*;

    #[test]
    fn a_check_that_says_nothing_is_named() {
        let dir = assert_fs::TempDir::new().unwrap();
        let log = dir.path().join("x.log");
        let error = |outcome| symptom("make it", outcome, &log).error;
        std::fs::write(&log, " \n").unwrap();
        let failed = GateOutcome::Failed(Some(1));
        assert_eq!(error(failed), "`make it` failed with exit code 1 and printed nothing");
        std::fs::write(&log, "error: 3 is not 4\n").unwrap();
        assert_eq!(error(failed), "error: 3 is not 4");
        assert_eq!(error(GateOutcome::TimedOut), "`make it` took longer than it may");
    }

    #[test]
    fn only_exit_code_zero_passes() {
        let ended = |how, exit| {
            let (leftovers, elapsed) = (Leftovers::default(), Duration::ZERO);
            Ended { how, exit, leftovers, elapsed }
        };
        let by_itself = |exit| outcome(&ended(How::ByItself, exit));
        assert_eq!(by_itself(Some(Exit::Code(0))), GateOutcome::Passed);
        assert_eq!(by_itself(Some(Exit::Code(2))), GateOutcome::Failed(Some(2)));
        assert_eq!(by_itself(Some(Exit::Signal(9))), GateOutcome::Failed(None));
        assert_eq!(by_itself(None), GateOutcome::Failed(None));
        let late = outcome(&ended(How::WallLimit, Some(Exit::Code(0))));
        assert_eq!(late, GateOutcome::TimedOut);
    }
}
