//! The warning for a session that has passed its soft time limit. The runner ends the session.

use std::time::Duration;

use project::Layout;
use tasks::Mode;

const MINUTE: u64 = 60;

/// Longer times are printed in hours.
const LONG: u64 = 120 * MINUTE;

/// `left` is the time until the runner ends the session, if known.
pub(crate) fn text(left: Option<Duration>, mode: Option<Mode>, layout: &Layout) -> String {
    let ended = left.map(|left| format!(" and is ended {}", within(left))).unwrap_or_default();
    let advice = match mode {
        Some(Mode::Review) => format!(
            "Give your verdict now: write it to {}, with what you have found so far, commit that, \
             and stop.",
            layout.tasks_name()
        ),
        Some(Mode::Specify) => "Finish the current test and start no other. Map the criteria that have their tests \
                                in the proof file, commit that, and stop. The next iteration continues from there."
            .to_owned(),
        Some(Mode::Implement | Mode::ReviewFix) | None => format!(
            "Finish the current step and start nothing new. Write what remains and what you \
             learned to {}, commit what works, and stop. The next iteration continues from there.",
            layout.progress_name()
        ),
    };
    format!("Time WARNING: this session has passed its soft time limit{ended}. {advice}")
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
        text(left.map(Duration::from_secs), Some(mode), &Layout::new("/project"))
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
    fn each_mode_is_asked_for_what_the_next_session_needs() {
        for mode in Mode::ALL {
            let text = warning(Some(60), mode);
            let asks = |part| text.contains(part);
            assert_eq!(asks("verdict now: write it to ralph/tasks.json"), mode == Mode::Review);
            assert_eq!(asks("proof file"), mode == Mode::Specify, "{text}");
            let codes = matches!(mode, Mode::Implement | Mode::ReviewFix);
            assert_eq!(asks("ralph/progress.txt"), codes, "{text}");
        }
    }
}
