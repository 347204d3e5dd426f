//! The warning for a session that has passed its soft time limit. The runner ends the session.

use std::fmt;
use std::time::Duration;

use tasks::Mode;

const MINUTE: u64 = 60;

/// Longer times are printed in hours.
const LONG: u64 = 120 * MINUTE;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TimeWarning {
    /// The time until the runner ends the session, if known.
    pub(crate) left: Option<Duration>,
    pub(crate) mode: Option<Mode>,
    pub(crate) tasks: String,
    pub(crate) progress: String,
}

impl fmt::Display for TimeWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { left, mode, tasks, progress } = self;
        f.write_str("Time WARNING: this session has passed its soft time limit")?;
        if let Some(left) = left {
            write!(f, " and is ended {}", within(*left))?;
        }
        match mode {
            Some(Mode::Review) => write!(
                f,
                ". Give your verdict now: write it to {tasks}, with what you have found so far, \
                 commit that, and stop."
            ),
            Some(Mode::Implement | Mode::ReviewFix) | None => write!(
                f,
                ". Finish the current step and start nothing new. Write what remains and what you \
                 learned to {progress}, commit what works, and stop. The next iteration continues \
                 from there."
            ),
        }
    }
}

/// Rounded down, so that the agent does not count on more time than it has.
fn within(left: Duration) -> String {
    match left.as_secs() {
        0..MINUTE => "within a minute".into(),
        seconds @ MINUTE..LONG => format!("in about {} min", seconds / MINUTE),
        seconds => format!("in about {} h", seconds / (60 * MINUTE)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warning(left: Option<u64>, mode: Mode) -> String {
        let (tasks, progress) = ("ralph/tasks.json".into(), "ralph/progress.txt".into());
        let left = left.map(Duration::from_secs);
        TimeWarning { left, mode: Some(mode), tasks, progress }.to_string()
    }

    #[test]
    fn the_remaining_time_is_rounded_down() {
        let cases = [
            (0, "within a minute."),
            (59, "within a minute."),
            (60, "in about 1 min."),
            (479, "in about 7 min."),
            (7_199, "in about 119 min."),
            (7_200, "in about 2 h."),
        ];
        for (left, ending) in cases {
            let text = warning(Some(left), Mode::Implement);
            assert!(text.contains(&format!(" and is ended {ending}")), "{left}: {text}");
        }
        let unknown = warning(None, Mode::Implement);
        assert!(unknown.starts_with("Time WARNING: this session has passed its soft time limit. "));
    }

    #[test]
    fn an_implementer_is_asked_for_notes_and_a_reviewer_for_a_verdict() {
        for mode in Mode::ALL {
            let text = warning(Some(60), mode);
            let (is_review, asks) = (mode == Mode::Review, |part| text.contains(part));
            assert_eq!(asks("verdict now: write it to ralph/tasks.json"), is_review, "{text}");
            assert_eq!(asks("ralph/progress.txt"), !is_review, "{text}");
        }
    }
}
