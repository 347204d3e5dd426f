//! The result of a run: its exit code and its output.

use events::{IterationStatus, LoopEvent, RunEnd, Stamped};

pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) events: Vec<LoopEvent>,
    pub(crate) stderr: String,
}

impl Outcome {
    /// Of a program that was called with `--output json`.
    #[track_caller]
    pub(crate) fn of(output: &std::process::Output) -> Self {
        let lines = output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let events = lines.map(|line| Stamped::from_line(line).unwrap().event).collect();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        Self { code: output.status.code(), events, stderr }
    }

    #[track_caller]
    pub(crate) fn assert_exit(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "{}\n{:#?}", self.stderr, self.events);
        self
    }

    /// Asserts the end of the run in exit code and output.
    #[track_caller]
    pub(crate) fn assert_end(&self, expected: RunEnd) -> &Self {
        self.assert_exit(i32::from(expected.exit_code()));
        let Some(LoopEvent::RunEnded(events::RunEnded { end, .. })) = self.events.last() else {
            panic!("no last word: {:#?}\n{}", self.events, self.stderr);
        };
        assert_eq!(*end, expected, "{}", self.stderr);
        self
    }

    /// The run did not start: wrong usage, settings or preconditions; the message contains `parts`
    /// and a hint.
    #[track_caller]
    pub(crate) fn assert_refused<const N: usize>(&self, parts: [&str; N]) -> &Self {
        self.assert_exit(2);
        assert!(self.events.is_empty(), "{:#?}", self.events);
        for part in parts.into_iter().chain(["hint: "]) {
            assert!(self.stderr.contains(part), "{part:?} is not in {}", self.stderr);
        }
        self
    }

    pub(crate) fn statuses(&self) -> Vec<IterationStatus> {
        let ended = self.events.iter().filter_map(|event| match event {
            LoopEvent::IterationEnded(events::IterationEnded { status, .. }) => Some(*status),
            _ => None,
        });
        ended.collect()
    }

    pub(crate) fn warnings(&self) -> String {
        let warnings = self.events.iter().filter_map(|event| match event {
            LoopEvent::Warning { text } => Some(text.as_str()),
            _ => None,
        });
        warnings.collect::<Vec<_>>().join("\n")
    }

    /// Iterations of the resumed run.
    pub(crate) fn resumed_after(&self) -> Option<u64> {
        self.events.iter().find_map(|event| match event {
            LoopEvent::RunStarted { resumed, .. } => Some(resumed.as_ref()?.iterations),
            _ => None,
        })
    }
}
