//! The checks of one commit as a job. The lane takes them one after the other, as if they ran on this machine.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use events::{JobPurpose, LoopEvent};
use supervise::{
    ChildEvent, EndReason, Ended, Launch, Leftovers, OutputLine, Reaction, Source, StopRequests,
    SuperviseError,
};

use crate::RunError;
use crate::control::executor::Executor;
use crate::control::node_jobs::{CheckJobs, JobEvent, NodeJob, RunningChecks, WorkerResult};
use crate::event_sink::EventSink;
use crate::jobs::JobRunner;
use crate::jobs::following::{Following, Progress};
use crate::jobs::job_runner::POLL;

struct CheckJob<'r, 'a, 's> {
    runner: &'r JobRunner<'a>,
    sink: &'r EventSink<'s>,
    state: Mutex<State<'r>>,
}

struct State<'r> {
    following: Following<'r>,
    /// What the job printed and the lane has not taken.
    printed: VecDeque<Printed>,
    /// The check that prints now.
    printing: u64,
    /// The check that the lane takes next.
    wanted: u64,
    /// Why some checks did not run.
    failure: Option<String>,
}

struct Printed {
    check: u64,
    what: What,
}

enum What {
    Line(Source, Vec<u8>),
    Ended(Ended),
}

impl CheckJobs for JobRunner<'_> {
    fn submit<'j>(
        &'j self,
        job: &NodeJob<'_>,
        sink: &'j EventSink<'_>,
    ) -> Result<Result<Box<dyn RunningChecks + 'j>, String>, RunError> {
        Ok(self.submit(job)?.map(|id| {
            let (engine, name) = (self.engine_name().to_owned(), job.name.to_string());
            let (purpose, reason) = (JobPurpose::Checks, String::new());
            sink.emit(LoopEvent::JobWaiting { job: name, engine, reason, purpose });
            let following = self.follow(id, job);
            let printed = VecDeque::new();
            let state = State { following, printed, printing: 0, wanted: 1, failure: None };
            Box::new(CheckJob { runner: self, sink, state: Mutex::new(state) }) as _
        }))
    }
}

impl CheckJob<'_, '_, '_> {
    /// Reads what the job printed since the last time.
    fn step(
        &self,
        state: &mut State<'_>,
        stop: &StopRequests,
        is_enough: bool,
    ) -> Result<Progress, RunError> {
        let State { following, printed, printing, .. } = state;
        let job = following.name.to_string();
        following.step(stop, &mut |event| {
            let purpose = JobPurpose::Checks;
            match event {
                JobEvent::Line(OutputLine { source, bytes, .. }) => {
                    printed.push_back(Printed {
                        check: *printing,
                        what: What::Line(source, bytes.to_vec()),
                    });
                }
                JobEvent::CheckStarted(check) => *printing = check,
                JobEvent::CheckEnded(ended) => {
                    printed.push_back(Printed { check: *printing, what: What::Ended(ended) });
                }
                JobEvent::Waiting { reason } => {
                    let engine = self.runner.engine_name().to_owned();
                    self.sink.emit(LoopEvent::JobWaiting {
                        job: job.clone(),
                        engine,
                        reason,
                        purpose,
                    });
                }
                JobEvent::Started(start, restart) => {
                    // All checks run again after a restart. Those that the lane has are skipped.
                    printed.clear();
                    let node = start.node;
                    self.sink.emit(LoopEvent::JobStarted {
                        job: job.clone(),
                        node,
                        restart,
                        purpose,
                    });
                }
                JobEvent::Warning(text) => self.sink.warn(text),
                JobEvent::Tick if is_enough => return Reaction::Enough,
                JobEvent::Tick => {}
            }
            Reaction::Nothing
        })
    }
}

impl Executor for CheckJob<'_, '_, '_> {
    /// What is launched was sent with the job.
    fn run(
        &self,
        _: Launch,
        stop: &StopRequests,
        on_event: &mut dyn FnMut(ChildEvent<'_>) -> Reaction,
    ) -> Result<Ended, SuperviseError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        loop {
            while let Some(Printed { check, what }) = state.printed.pop_front() {
                match what {
                    _ if check != state.wanted => {}
                    What::Line(source, bytes) => {
                        on_event(ChildEvent::Line(OutputLine { source, bytes: &bytes, cut: 0 }));
                    }
                    What::Ended(ended) => {
                        state.wanted += 1;
                        return Ok(ended);
                    }
                }
            }
            let is_enough = on_event(ChildEvent::Tick) == Reaction::Enough;
            let stepped = self.step(state, stop, is_enough);
            if !state.printed.is_empty() {
                continue;
            }
            if matches!(stepped, Ok(Progress::Open)) {
                thread::sleep(POLL);
                continue;
            }
            state.failure = Some(match stepped {
                Err(error) => error.to_string(),
                Ok(_) => state.following.followed.failure(),
            });
            let (how, leftovers) = (EndReason::Stopped, Leftovers::default());
            return Ok(Ended { how, exit: None, leftovers, elapsed: Duration::ZERO });
        }
    }
}

impl RunningChecks for CheckJob<'_, '_, '_> {
    fn end(self: Box<Self>) -> Result<WorkerResult, String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let never = StopRequests::new();
        while state.failure.is_none() {
            match self.step(&mut state, &never, false) {
                Ok(Progress::Open) => thread::sleep(POLL),
                Ok(Progress::Over) => break,
                Err(error) => return Err(error.to_string()),
            }
        }
        let following = &mut state.following;
        if let Some(result) = following.followed.result.take() {
            self.runner.remove(&following.id, &mut |event| {
                if let JobEvent::Warning(text) = event {
                    self.sink.warn(text);
                }
                Reaction::Nothing
            });
            return Ok(result);
        }
        Err(state.failure.take().unwrap_or_default())
    }
}
