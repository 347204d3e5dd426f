//! All outputs of a run: its event log, the same lines on standard output, and the reporters. Each
//! receives every event.

use std::io::{self, Write};
use std::path::Path;

use events::{LogHead, LoopEvent, Stamped};

use super::Reporter;
use super::event_log::EventLog;

const LOG: &str = "events.jsonl";

#[derive(Default)]
pub(crate) struct Reporters {
    pub(crate) log: Option<EventLog>,
    /// Where the lines of the log are also printed.
    pub(crate) lines: Option<Box<dyn Write + Send>>,
    /// With the names of their destinations, for write errors.
    all: Vec<(&'static str, Box<dyn Reporter + Send>)>,
}

#[derive(Debug, thiserror::Error)]
#[error("cannot write {name}: {error}")]
struct ReportError {
    name: &'static str,
    #[source]
    error: io::Error,
}

fn named(name: &'static str) -> impl FnOnce(io::Error) -> io::Error {
    move |error| io::Error::other(ReportError { name, error })
}

impl Reporters {
    pub(crate) fn add(&mut self, name: &'static str, reporter: impl Reporter + Send + 'static) {
        self.all.push((name, Box::new(reporter)));
    }

    /// Opens the log of a run in its folder; see `EventLog::open`.
    pub(crate) fn open_log(
        &mut self,
        folder: &Path,
        saved: Option<LogHead>,
    ) -> io::Result<Option<LoopEvent>> {
        let (log, altered) = EventLog::open(&folder.join(LOG), saved).map_err(named(LOG))?;
        self.log = Some(log);
        Ok(altered)
    }

    /// Checks the log for changes by other programs before `next` is appended; see `EventLog::inspect`.
    pub(crate) fn inspect_log(&mut self, next: &LoopEvent) -> io::Result<Option<LoopEvent>> {
        let Some(log) = &mut self.log else { return Ok(None) };
        log.inspect(matches!(next, LoopEvent::RunEnded { .. })).map_err(named(LOG))
    }

    /// Every reporter gets the event, even if another fails; returns the first error.
    pub(crate) fn event(&mut self, stamped: &Stamped) -> io::Result<()> {
        let (line, logged) = match &mut self.log {
            Some(log) => log.append(stamped),
            None => (stamped.to_line() + "\n", Ok(())),
        };
        let mut first = logged.map_err(named(LOG));
        if let Some(out) = &mut self.lines {
            let printed = out.write_all(line.as_bytes()).and_then(|()| out.flush());
            first = first.and(printed.map_err(named("standard output")));
        }
        for (name, reporter) in &mut self.all {
            first = first.and(reporter.event(stamped).map_err(named(name)));
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use super::*;
    use crate::report::test_events;

    struct Scripted(&'static str, Sender<&'static str>, Option<io::ErrorKind>);

    impl Reporter for Scripted {
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
            reporters.add(name, Scripted(name, sender.clone(), failure));
        }
        let error = reporters.event(&test_events::a_run()[0]).unwrap_err();
        assert!(error.to_string().starts_with("cannot write two: "), "{error}");
        let error = error.downcast::<ReportError>().unwrap();
        assert_eq!((error.name, error.error.kind()), ("two", io::ErrorKind::StorageFull));
        assert_eq!(receiver.try_iter().collect::<Vec<_>>(), ["one", "two", "three", "four"]);
    }
}
