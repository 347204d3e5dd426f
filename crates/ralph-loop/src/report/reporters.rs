//! All reporters of one run, each given every event.

use std::io;

use engine::Stamped;

use super::Reporter;

#[derive(Default)]
pub struct Reporters {
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

    /// Every reporter has its turn, whatever happens to another; the first failure is returned.
    pub fn event(&mut self, stamped: &Stamped) -> Result<(), ReportError> {
        let mut first = Ok(());
        for reporter in &mut self.all {
            let written = reporter.event(stamped);
            let written = written.map_err(|error| ReportError { name: reporter.name(), error });
            first = first.and(written);
        }
        first
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
    fn all_have_their_turn_and_the_first_failure_is_named() {
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
