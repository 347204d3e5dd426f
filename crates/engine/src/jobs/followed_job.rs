//! A job that is followed: what its log and its engine say, how it ended, and when it is cancelled.

use std::time::{Duration, Instant};

use job_engines::{Cancel, Delivery, JobEnd as EngineEnd, JobName, JobState};
use supervise::{EndReason, Ended, Leftovers, OutputLine, Reaction, Source, Stop};

use crate::RunError;
use crate::control::node_jobs::{JobEvent, WorkerResult};
use crate::jobs::job_log::JobLog;
use crate::jobs::job_statuses::Answer;
use crate::jobs::worker_line::{LineNumber, WorkerLine, WorkerMessage, parse};

/// An engine that does not answer for longer is reported.
const MOST_UNANSWERED: u64 = 5;

/// The last lines of a log can arrive later than the end of its job, on a shared file system.
const LATE_LINES: Duration = Duration::from_secs(5);

/// For setup commands, transfer and the end of a job, in addition to the limit of its session.
pub(super) const EXTRA_TIME: Duration = Duration::from_secs(1800);

pub(super) type OnEvent<'e> = &'e mut dyn FnMut(JobEvent<'_>) -> Reaction;

/// A job that is followed.
pub(super) struct Followed {
    log: JobLog,
    /// Of the last line.
    number: Option<LineNumber>,
    /// How often the engine started it again.
    restarts: u64,
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
            number: None,
            restarts: 0,
            result: None,
            reaction: Reaction::Nothing,
            waits: None,
            cancelled: None,
            ended: None,
            unanswered: 0,
        }
    }

    /// The start that printed the last line.
    pub(super) fn start(&self) -> u64 {
        self.number.map_or(0, |number| number.start)
    }

    /// Whether nothing else can come from the job.
    pub(super) fn is_over(&self, delivery: Delivery) -> bool {
        let has_ended = self.ended.is_some();
        match &self.result {
            // The engine ended it for its own reasons, for example to free the node: it may start it again.
            Some(result) if result.ended.how == EndReason::Stopped && self.cancelled.is_none() => {
                has_ended
            }
            Some(_) => delivery == Delivery::BeforeItIsPrinted || has_ended,
            None => self.ended.as_ref().is_some_and(|(_, since)| since.elapsed() >= LATE_LINES),
        }
    }

    pub(super) fn read(&mut self, name: &JobName, on_event: OnEvent<'_>) -> Result<(), RunError> {
        let path = self.log.path.display().to_string();
        let Self { log, number, restarts, result, reaction, .. } = self;
        let read = log.read(|line| {
            let Some((read, line)) = parse(line).filter(|(read, _)| *number < Some(*read)) else {
                return;
            };
            let lost = match *number {
                Some(last) if last.start == read.start => read.line - last.line - 1,
                Some(_) => {
                    // The engine lost the node of the earlier start. What that one returned does not count.
                    (*restarts, *result) = (*restarts + 1, None);
                    0
                }
                None => 0,
            };
            *number = Some(read);
            if lost > 0 {
                let text = format!("the engine lost {lost} lines of the output of {name}");
                on_event(JobEvent::Warning(text));
            }
            match line {
                WorkerLine::Agent(line) => *reaction = on_event(JobEvent::Line(line)),
                WorkerLine::Worker(WorkerMessage::Started(start)) => {
                    *reaction = on_event(JobEvent::Started(start, *restarts));
                }
                WorkerLine::Worker(WorkerMessage::Warning(text)) => {
                    on_event(JobEvent::Warning(text));
                }
                WorkerLine::Worker(WorkerMessage::CheckStarted(number)) => {
                    on_event(JobEvent::CheckStarted(number));
                }
                WorkerLine::Worker(WorkerMessage::CheckEnded(ended)) => {
                    on_event(JobEvent::CheckEnded(ended));
                }
                WorkerLine::Worker(WorkerMessage::Ended(ended)) => *result = Some(ended),
            }
        });
        read.map(drop).map_err(RunError::disk(path))
    }

    pub(super) fn update(&mut self, answer: Answer, on_event: OnEvent<'_>) {
        let state = match answer {
            Answer::Status(status) => {
                self.unanswered = 0;
                let forgotten = || EngineEnd::Failed("the engine does not know the job".into());
                status.map_or_else(|| JobState::Ended(forgotten()), |status| status.state)
            }
            Answer::Error(error) => {
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
        let how = match &self.ended {
            _ if self.cancelled.is_some() => EndReason::Stopped,
            Some((EngineEnd::TimeLimit, _)) => EndReason::TotalLimit,
            _ => {
                error_line(&self.failure(), on_event);
                EndReason::ByItself
            }
        };
        Ended { how, exit: None, leftovers: Leftovers::default(), elapsed: Duration::ZERO }
    }
}

impl Followed {
    /// Why there is no result.
    pub(super) fn failure(&self) -> String {
        let what = "the job ended without a result";
        match &self.ended {
            Some((EngineEnd::Failed(why), _)) => format!("{what}: {why}"),
            Some((EngineEnd::TimeLimit, _)) => format!("{what}: it reached its time limit"),
            Some((EngineEnd::Completed | EngineEnd::Cancelled, _)) | None => what.to_owned(),
        }
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::control::node_jobs::WorkerStart;

    fn line(start: u64, line: u64, message: &WorkerMessage) -> Vec<u8> {
        message.line(LineNumber { start, line })
    }

    fn started(node: &str) -> WorkerMessage {
        WorkerMessage::Started(WorkerStart { node: node.to_owned(), root: "/clone".into() })
    }

    fn ended(how: EndReason) -> WorkerMessage {
        let ended = Ended { how, ..Ended::not_started() };
        let (findings, notices) = Default::default();
        WorkerMessage::Ended(WorkerResult { ended, commit: None, findings, notices })
    }

    /// Appends to the log, and returns what is reported.
    fn read(followed: &mut Followed, log: &Path, lines: &[Vec<u8>]) -> Vec<String> {
        let text = [std::fs::read(log).unwrap_or_default(), lines.concat()].concat();
        std::fs::write(log, text).unwrap();
        let mut reported = Vec::new();
        let name = JobName::new("run", "US-1", "1");
        followed
            .read(&name, &mut |event| {
                reported.push(match event {
                    JobEvent::Started(start, restarts) => format!("{} {restarts}", start.node),
                    JobEvent::Warning(text) => text,
                    _ => "other".into(),
                });
                Reaction::Nothing
            })
            .unwrap();
        reported
    }

    #[test]
    fn lines_count_once_and_lost_ones_are_reported() {
        let dir = assert_fs::TempDir::new().unwrap();
        let log = dir.path().join("log");
        let mut followed = Followed::new(JobLog::new(log.clone()));
        let first = line(7, 1, &started("n1"));
        assert_eq!(read(&mut followed, &log, &[first.clone(), first.clone()]), ["n1 0"]);
        let later = line(7, 4, &WorkerMessage::Warning("text".into()));
        let lost = "the engine lost 2 lines of the output of ralph-run-us-1-1";
        assert_eq!(read(&mut followed, &log, &[first.clone(), later]), [lost, "text"]);
        let again = line(9, 1, &started("n2"));
        assert_eq!(read(&mut followed, &log, &[again, first]), ["n2 1"]);
        assert_eq!(followed.start(), 9);
    }

    #[test]
    fn a_session_that_the_engine_ended_may_start_again() {
        let dir = assert_fs::TempDir::new().unwrap();
        let log = dir.path().join("log");
        let mut followed = Followed::new(JobLog::new(log.clone()));
        read(&mut followed, &log, &[line(1, 1, &ended(EndReason::Stopped))]);
        assert!(!followed.is_over(Delivery::BeforeItIsPrinted));
        followed.cancelled = Some(Cancel::Politely);
        assert!(followed.is_over(Delivery::BeforeItIsPrinted));
        followed.cancelled = None;
        followed.ended = Some((EngineEnd::Completed, Instant::now()));
        assert!(followed.is_over(Delivery::BeforeItIsPrinted));
    }

    #[test]
    fn a_result_that_arrives_with_the_end_of_the_job_is_waited_for() {
        let dir = assert_fs::TempDir::new().unwrap();
        let log = dir.path().join("log");
        let mut followed = Followed::new(JobLog::new(log.clone()));
        read(&mut followed, &log, &[line(1, 1, &ended(EndReason::ByItself))]);
        assert!(followed.is_over(Delivery::BeforeItIsPrinted));
        assert!(!followed.is_over(Delivery::AtItsEnd));
        followed.ended = Some((EngineEnd::Completed, Instant::now()));
        assert!(followed.is_over(Delivery::AtItsEnd));
    }
}
