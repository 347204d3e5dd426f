//! All outputs of a run: its event log, the same lines on standard output, and the reporters. Each
//! receives every event.

use std::io::{self, Write};
use std::path::Path;

use events::{LogCheck, LogHead, LoopEvent, Stamped};

use super::Reporter;
use super::event_log::{EventLog, LogInspection};

const LOG: &str = "events.jsonl";

#[derive(Default)]
pub struct Reporters {
    log: Option<EventLog>,
    lines: Option<Box<dyn Write + Send>>,
    all: Vec<Box<dyn Reporter + Send>>,
}

#[derive(Debug, thiserror::Error)]
#[error("cannot write {name}: {error}")]
pub struct ReportError {
    pub name: &'static str,
    #[source]
    pub error: io::Error,
}

impl Reporters {
    pub fn add(&mut self, reporter: impl Reporter + Send + 'static) {
        self.all.push(Box::new(reporter));
    }

    /// Also prints the lines of the log.
    pub fn print_lines(&mut self, out: impl Write + Send + 'static) {
        self.lines = Some(Box::new(out));
    }

    /// Opens the log of a run in its folder; see `EventLog::open`.
    pub fn open_log(
        &mut self,
        folder: &Path,
        saved: Option<LogHead>,
    ) -> Result<Option<LoopEvent>, ReportError> {
        let (log, altered) =
            EventLog::open(&folder.join(LOG), saved).map_err(ReportError::of(LOG))?;
        self.log = Some(log);
        Ok(altered)
    }

    /// Checks the log for changes by other programs before `next` is appended; see `EventLog::inspect`.
    pub fn inspect_log(&mut self, next: &LoopEvent) -> Result<Option<LoopEvent>, ReportError> {
        let Some(log) = &mut self.log else { return Ok(None) };
        let is_last = matches!(next, LoopEvent::RunEnded { .. });
        let inspection = if is_last { LogInspection::Content } else { LogInspection::Metadata };
        log.inspect(inspection).map_err(ReportError::of(LOG))
    }

    pub fn log_head(&self) -> Option<LogHead> {
        self.log.as_ref()?.head()
    }

    pub fn log_check(&self) -> Option<LogCheck> {
        self.log.as_ref().map(EventLog::check)
    }

    /// Every reporter gets the event, even if another fails; returns the first error.
    pub fn event(&mut self, stamped: &Stamped) -> Result<(), ReportError> {
        let (line, logged) = match &mut self.log {
            Some(log) => log.append(stamped),
            None => (stamped.to_line() + "\n", Ok(())),
        };
        let mut first = logged.map_err(ReportError::of(LOG));
        if let Some(out) = &mut self.lines {
            let printed = out.write_all(line.as_bytes()).and_then(|()| out.flush());
            first = first.and(printed.map_err(ReportError::of("standard output")));
        }
        for reporter in &mut self.all {
            let written = reporter.event(stamped);
            let written = written.map_err(ReportError::of(reporter.name()));
            first = first.and(written);
        }
        first
    }
}

impl ReportError {
    fn of(name: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |error| Self { name, error }
    }
}

impl std::fmt::Debug for Reporters {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.all.iter().map(|reporter| reporter.name())).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use super::*;
    use crate::report::test_events;

    struct Scripted(&'static str, Sender<&'static str>, Option<io::ErrorKind>);

    impl Reporter for Scripted {
        fn name(&self) -> &'static str {
            self.0
        }

        fn event(&mut self, _: &Stamped) -> io::Result<()> {
            self.1.send(self.0).unwrap();
            self.2.map_or(Ok(()), |kind| Err(kind.into()))
        }
    }

    #[test]
    fn all_reporters_get_the_event_and_the_first_failure_is_returned() {
        let (sender, receiver) = channel();
        let mut reporters = Reporters::default();
        for (name, failure) in [
            ("one", None),
            ("two", Some(io::ErrorKind::StorageFull)),
            ("three", Some(io::ErrorKind::Other)),
            ("four", None),
        ] {
            reporters.add(Scripted(name, sender.clone(), failure));
        }
        let error = reporters.event(&test_events::a_run()[0]).unwrap_err();
        assert_eq!((error.name, error.error.kind()), ("two", io::ErrorKind::StorageFull));
        assert!(error.to_string().starts_with("cannot write two: "), "{error}");
        assert_eq!(receiver.try_iter().collect::<Vec<_>>(), ["one", "two", "three", "four"]);
    }
}
