//! A job that is followed: what its log and its engine say, how it ended, and when it is cancelled.

use std::time::{Duration, Instant};

use job_engines::{Cancel, EngineError, JobEnd as EngineEnd, JobState, JobStatus};
use supervise::{EndReason, Ended, Leftovers, OutputLine, Reaction, Source, Stop};

use crate::RunError;
use crate::control::session_jobs::{JobEvent, SessionJob, WorkerResult};
use crate::jobs::job_log::JobLog;
use crate::jobs::worker_line::{WorkerLine, WorkerMessage, parse};

/// An engine that does not answer for longer is reported.
const MOST_UNANSWERED: u64 = 5;

/// For setup commands, transfer and the end of a job, in addition to the limit of its session.
pub(super) const EXTRA_TIME: Duration = Duration::from_secs(1800);

pub(super) type OnEvent<'e> = &'e mut dyn FnMut(JobEvent<'_>) -> Reaction;

/// A job that is followed.
pub(super) struct Followed {
    log: JobLog,
    /// How often the engine started it again.
    pub(super) restart: u64,
    pub(super) result: Option<WorkerResult>,
    pub(super) reaction: Reaction,
    /// The reason why it waits, as reported last.
    waits: Option<String>,
    pub(super) cancelled: Option<Cancel>,
    pub(super) ended: Option<(EngineEnd, Instant)>,
    unanswered: u64,
}

impl Followed {
    pub(super) fn new(log: JobLog) -> Self {
        Self {
            log,
            restart: 0,
            result: None,
            reaction: Reaction::Nothing,
            waits: None,
            cancelled: None,
            ended: None,
            unanswered: 0,
        }
    }

    pub(super) fn read(
        &mut self,
        job: &SessionJob<'_>,
        on_event: OnEvent<'_>,
    ) -> Result<(), RunError> {
        let Self { log, restart, result, reaction, .. } = self;
        let read = log.read(|line| {
            let Some((number, line)) = parse(line).filter(|(number, _)| *number >= *restart) else {
                return;
            };
            if number > *restart {
                // The engine lost the node of the earlier start. What that one returned does not count.
                (*restart, *result) = (number, None);
            }
            match line {
                WorkerLine::Agent(line) => *reaction = on_event(JobEvent::Line(line)),
                WorkerLine::Worker(WorkerMessage::Started(start)) => {
                    *reaction = on_event(JobEvent::Started(start, number));
                }
                WorkerLine::Worker(WorkerMessage::Warning(text)) => {
                    on_event(JobEvent::Warning(text));
                }
                WorkerLine::Worker(WorkerMessage::Ended(ended)) => *result = Some(ended),
            }
        });
        read.map(drop).map_err(RunError::disk(job.log.display()))
    }

    pub(super) fn update(
        &mut self,
        found: Result<Option<JobStatus>, EngineError>,
        on_event: OnEvent<'_>,
    ) {
        let state = match found {
            Ok(status) => {
                self.unanswered = 0;
                let forgotten = || EngineEnd::Failed("the engine does not know the job".into());
                status.map_or_else(|| JobState::Ended(forgotten()), |status| status.state)
            }
            Err(error) => {
                self.unanswered += 1;
                if self.unanswered == MOST_UNANSWERED {
                    on_event(JobEvent::Warning(format!("the engine does not answer: {error}")));
                }
                return;
            }
        };
        match state {
            JobState::Running => self.waits = None,
            JobState::Waiting { reason } => {
                if self.waits.as_ref() != Some(&reason) {
                    self.waits = Some(reason.clone());
                    on_event(JobEvent::Waiting { reason });
                }
            }
            JobState::Ended(end) => self.ended = Some((end, Instant::now())),
        }
    }

    pub(super) fn end(&self, on_event: OnEvent<'_>) -> Ended {
        if let Some(result) = &self.result {
            return result.ended.clone();
        }
        let mut warn = |text: String| error_line(&text, on_event);
        let how = match &self.ended {
            _ if self.cancelled.is_some() => EndReason::Stopped,
            Some((EngineEnd::TimeLimit, _)) => EndReason::TotalLimit,
            Some((EngineEnd::Failed(why), _)) => {
                warn(format!("the job ended without a result: {why}"));
                EndReason::ByItself
            }
            Some((EngineEnd::Completed | EngineEnd::Cancelled, _)) | None => {
                warn("the job ended without a result".to_owned());
                EndReason::ByItself
            }
        };
        Ended { how, exit: None, leftovers: Leftovers::default(), elapsed: Duration::ZERO }
    }
}

/// When a job is cancelled, and how.
#[derive(Default)]
pub(super) struct CancelTimes {
    asked: Option<Instant>,
    politely: Option<Instant>,
}

impl CancelTimes {
    pub(super) fn due(
        &mut self,
        stop: Option<Stop>,
        is_enough: bool,
        grace: Duration,
    ) -> Option<Cancel> {
        let now = Instant::now();
        let is_polite = match stop {
            Some(Stop::Now) => return Some(Cancel::Now),
            Some(Stop::Politely) => true,
            Some(Stop::AfterAnswer { grace }) => *self.asked.get_or_insert(now) + grace <= now,
            None => false,
        };
        if !is_polite && !is_enough {
            return None;
        }
        // The worker ends the agent, commits and pushes.
        let is_over = *self.politely.get_or_insert(now) + grace + EXTRA_TIME <= now;
        Some(if is_over { Cancel::Now } else { Cancel::Politely })
    }
}

/// As if the worker had printed it, so that it explains the failed session.
pub(super) fn error_line(text: &str, on_event: OnEvent<'_>) {
    let (source, bytes) = (Source::Stderr, text.as_bytes());
    on_event(JobEvent::Line(OutputLine { source, bytes, cut: 0 }));
}
