//! Runs a session as a job on another machine.

use events::LoopEvent;
use supervise::{Ended, Reaction};

use crate::RunError;
use crate::control::RunControl;
use crate::control::session_jobs::{JobEnd, JobEvent, SessionJob, SessionJobs, WorkerResult};
use crate::session::reader::SessionReader;
use crate::session::run_session::{Session, SessionRequest};

impl RunControl<'_> {
    pub(crate) fn run_session_as_job(
        &mut self,
        call: &SessionRequest<'_>,
        jobs: &dyn SessionJobs,
        job: &SessionJob<'_>,
    ) -> Result<(Session, Option<WorkerResult>), RunError> {
        self.report_call(call);
        let mut reader = SessionReader::new(call, self.options.layout.root());
        let (sink, orders) = (&self.sink, &mut self.orders);
        let (run_id, switch) = (&self.run_id, self.switch);
        let name = || job.name.to_string();
        let done = jobs.run(job, switch.requests(), &mut |event| {
            match event {
                JobEvent::Line(line) => return reader.line(line, sink),
                JobEvent::Waiting { reason } => {
                    let engine = jobs.engine().to_owned();
                    sink.emit(LoopEvent::JobWaiting { job: name(), engine, reason });
                }
                JobEvent::Started(start, restart) => {
                    reader.restart(&start.root);
                    sink.emit(LoopEvent::JobStarted { job: name(), node: start.node, restart });
                }
                JobEvent::Warning(text) => sink.warn(text),
                JobEvent::Tick => {
                    orders.apply(run_id, switch, sink);
                    return orders.reaction();
                }
            }
            Reaction::Nothing
        });
        let JobEnd { ended, result } = done?;
        let ended: Ended = self.apply_end_of_run(ended);
        reader.exited(&ended, &self.sink);
        Ok((self.end_session(call.agent.agent, reader, &ended)?, result))
    }
}
