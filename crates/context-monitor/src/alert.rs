//! The context alerts: thresholds, severities and texts.

use project::Layout;

use crate::usage::TokenUsage;
use crate::window::Window;

/// The used percentages of the context at which an alert is sent.
pub(crate) const THRESHOLDS: [u64; 5] = [50, 60, 70, 80, 90];

/// A measured context usage.
#[derive(Debug, Clone, PartialEq, Eq, derive_more::Display)]
#[display("{} % used ({} tokens, {}; window {window})", self.percent(), usage.tokens, self.how())]
pub(crate) struct ContextUsage {
    pub(crate) usage: TokenUsage,
    pub(crate) window: Window,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "UPPERCASE")]
pub(crate) enum Severity {
    Notice,
    Warning,
    Critical,
}

impl ContextUsage {
    /// Caps an estimate at the window size, because a transcript can be larger than the window.
    pub(crate) fn new(mut usage: TokenUsage, window: Window) -> Self {
        if usage.is_estimate {
            usage.tokens = usage.tokens.min(window.tokens);
        }
        Self { usage, window }
    }

    pub(crate) fn percent(&self) -> u64 {
        let percent = u128::from(self.usage.tokens) * 100 / u128::from(self.window.tokens.max(1));
        u64::try_from(percent).unwrap_or(u64::MAX)
    }

    fn how(&self) -> &'static str {
        if self.usage.is_estimate { "estimated from the transcript size" } else { "counted" }
    }
}

pub(crate) fn highest_reached(percent: u64) -> Option<u64> {
    THRESHOLDS.into_iter().rev().find(|threshold| *threshold <= percent)
}

pub(crate) fn severity(threshold: u64) -> Severity {
    match threshold {
        ..70 => Severity::Notice,
        70..90 => Severity::Warning,
        90.. => Severity::Critical,
    }
}

pub(crate) fn text(threshold: u64, measured: &ContextUsage, layout: Option<&Layout>) -> String {
    let severity = severity(threshold);
    let about = if measured.usage.is_estimate { "about " } else { "" };
    let used = format!(
        "Context {severity}: {about}{} % of the context window is used ({} of {} tokens).",
        measured.percent(),
        measured.usage.tokens,
        measured.window.tokens
    );
    format!("{used} {}", instructions(severity, layout))
}

/// `layout` is that of a session of a loop: the next iteration continues its work.
fn instructions(severity: Severity, layout: Option<&Layout>) -> String {
    let files = layout.map(|layout| (layout.tasks_name(), layout.progress_name()));
    match (severity, files) {
        (Severity::Notice, Some((tasks, _))) => format!(
            "Context is limited. Finish the current story within this session. \
             Add follow-up work as new stories to {tasks}; the next iteration picks them up."
        ),
        (Severity::Warning, Some((tasks, progress))) => format!(
            "Finish the current story and commit soon; start nothing else. Add remaining work as \
             new stories to {tasks}. Write what you learned to {progress}. The next \
             iteration reads both."
        ),
        (Severity::Critical, Some((tasks, progress))) => format!(
            "Wrap up now and start nothing new: (1) add remaining work as new stories to \
             {tasks}, (2) write details, insights and handoff notes to {progress}, (3) commit \
             everything, (4) stop. The next iteration continues from there."
        ),
        (Severity::Notice, None) => {
            "Context is limited. Finish the current task before you begin another.".into()
        }
        (Severity::Warning, None) => {
            "Finish the current task and save your work. Begin nothing large.".into()
        }
        (Severity::Critical, None) => {
            "Wrap up now. Save your work and summarize what is done and what remains, before the \
             context is compacted."
                .into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(tokens: u64, window: u64) -> ContextUsage {
        let usage = TokenUsage { tokens, is_estimate: false, model: None };
        ContextUsage { usage, window: Window::set(window) }
    }

    #[test]
    fn thresholds_and_severities_are_those_of_the_contract() {
        let cases = [
            (0, None),
            (49, None),
            (50, Some((50, "NOTICE"))),
            (59, Some((50, "NOTICE"))),
            (60, Some((60, "NOTICE"))),
            (70, Some((70, "WARNING"))),
            (89, Some((80, "WARNING"))),
            (90, Some((90, "CRITICAL"))),
            (250, Some((90, "CRITICAL"))),
        ];
        for (percent, expected) in cases {
            let found = highest_reached(percent).map(|t| (t, severity(t).to_string()));
            assert_eq!(found, expected.map(|(p, s)| (p, s.to_owned())), "{percent}");
        }
    }

    #[test]
    fn percent_is_rounded_down_and_never_overflows() {
        assert_eq!(measured(99_999, 200_000).percent(), 49);
        assert_eq!(measured(100_000, 200_000).percent(), 50);
        assert_eq!(measured(u64::MAX, 1).percent(), u64::MAX);
        assert_eq!(measured(5, 0).percent(), 500);
    }

    #[test]
    fn an_estimate_is_at_most_the_window() {
        let percent = |is_estimate| {
            let usage = TokenUsage { tokens: 5_000, is_estimate, model: None };
            ContextUsage::new(usage, Window::set(1_000)).percent()
        };
        assert_eq!((percent(false), percent(true)), (500, 100));
    }

    #[test]
    fn only_loop_sessions_get_file_names_in_alerts() {
        let layout = Layout::new("/project");
        for threshold in THRESHOLDS {
            let measured = measured(threshold * 10, 1000);
            assert!(text(threshold, &measured, Some(&layout)).contains("ralph/tasks.json"));
            let general = text(threshold, &measured, None);
            assert!(!general.contains("tasks.json") && !general.contains("iteration"), "{general}");
        }
    }

    #[test]
    fn the_text_contains_percentage_and_tokens() {
        let text = text(70, &measured(142_000, 200_000), None);
        assert!(
            text.starts_with(
                "Context WARNING: 71 % of the context window is used (142000 of 200000 tokens). "
            ),
            "{text}"
        );
    }
}
