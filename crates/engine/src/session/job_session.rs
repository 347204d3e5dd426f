//! Runs a session as a job on another machine.

use events::{JobPurpose, LoopEvent};
use supervise::{Ended, Reaction};

use crate::RunError;
use crate::control::RunControl;
use crate::control::node_jobs::{JobEnd, JobEvent, NodeJob, SessionJobs, WorkerResult};
use crate::session::reader::SessionReader;
use crate::session::run_session::{Session, SessionRequest};

impl RunControl<'_> {
    pub(crate) fn run_session_as_job(
        &mut self,
        call: &SessionRequest<'_>,
        jobs: &dyn SessionJobs,
        job: &NodeJob<'_>,
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
                    let purpose = JobPurpose::Session;
                    sink.emit(LoopEvent::JobWaiting { job: name(), engine, reason, purpose });
                }
                JobEvent::Started(start, restart) => {
                    reader.restart(&start.root);
                    let (node, purpose) = (start.node, JobPurpose::Session);
                    sink.emit(LoopEvent::JobStarted { job: name(), node, restart, purpose });
                }
                JobEvent::CheckStarted(_) | JobEvent::CheckEnded(_) => {}
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
