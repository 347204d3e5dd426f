//! The context alerts: thresholds, severities and texts.

use std::fmt;

use crate::usage::{TokenUsage, UsageSource};
use crate::window::Window;

/// A measured context usage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ContextUsage {
    pub(crate) usage: TokenUsage,
    pub(crate) window: Window,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Threshold {
    Half,
    Sixty,
    Seventy,
    Eighty,
    Ninety,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Severity {
    Notice,
    Warning,
    Critical,
}

/// The kind of session that an alert is written for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Advice {
    /// A session of a loop: the next iteration continues its work.
    Loop {
        tasks: String,
        progress: String,
    },
    General,
}

impl ContextUsage {
    /// Caps an estimate at the window size, because a transcript can be larger than the window.
    pub(crate) fn new(usage: TokenUsage, window: Window) -> Self {
        let tokens = match usage.source {
            UsageSource::Counted => usage.tokens,
            UsageSource::Estimated => usage.tokens.min(window.tokens()),
        };
        Self { usage: TokenUsage { tokens, ..usage }, window }
    }

    pub(crate) fn percent(&self) -> u64 {
        let percent = u128::from(self.usage.tokens) * 100 / u128::from(self.window.tokens().max(1));
        u64::try_from(percent).unwrap_or(u64::MAX)
    }
}

impl fmt::Display for ContextUsage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = match self.usage.source {
            UsageSource::Counted => "counted",
            UsageSource::Estimated => "estimated from the transcript size",
        };
        write!(
            f,
            "{} % used ({} tokens, {how}; window {})",
            self.percent(),
            self.usage.tokens,
            self.window
        )
    }
}

impl Threshold {
    pub(crate) const ALL: [Self; 5] =
        [Self::Half, Self::Sixty, Self::Seventy, Self::Eighty, Self::Ninety];

    pub(crate) fn percent(self) -> u64 {
        match self {
            Self::Half => 50,
            Self::Sixty => 60,
            Self::Seventy => 70,
            Self::Eighty => 80,
            Self::Ninety => 90,
        }
    }

    pub(crate) fn highest_reached(percent: u64) -> Option<Self> {
        Self::ALL.into_iter().rev().find(|threshold| threshold.percent() <= percent)
    }

    pub(crate) fn severity(self) -> Severity {
        match self {
            Self::Half | Self::Sixty => Severity::Notice,
            Self::Seventy | Self::Eighty => Severity::Warning,
            Self::Ninety => Severity::Critical,
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Notice => "NOTICE",
            Self::Warning => "WARNING",
            Self::Critical => "CRITICAL",
        })
    }
}

pub(crate) fn text(threshold: Threshold, measured: &ContextUsage, advice: &Advice) -> String {
    let severity = threshold.severity();
    let about = match measured.usage.source {
        UsageSource::Counted => "",
        UsageSource::Estimated => "about ",
    };
    let used = format!(
        "Context {severity}: {about}{} % of the context window is used ({} of {} tokens).",
        measured.percent(),
        measured.usage.tokens,
        measured.window.tokens()
    );
    format!("{used} {}", instructions(severity, advice))
}

fn instructions(severity: Severity, advice: &Advice) -> String {
    match (severity, advice) {
        (Severity::Notice, Advice::Loop { tasks, .. }) => format!(
            "Context is limited. Finish the current story within this session. \
             Add follow-up work as new stories to {tasks}; the next iteration picks them up."
        ),
        (Severity::Warning, Advice::Loop { tasks, progress }) => format!(
            "Finish the current story and commit soon; start nothing else. Add remaining work as \
             new stories to {tasks}. Write what you learned to {progress}. The next \
             iteration reads both."
        ),
        (Severity::Critical, Advice::Loop { tasks, progress }) => format!(
            "Wrap up now and start nothing new: (1) add remaining work as new stories to \
             {tasks}, (2) write details, insights and handoff notes to {progress}, (3) commit \
             everything, (4) stop. The next iteration continues from there."
        ),
        (Severity::Notice, Advice::General) => {
            "Context is limited. Finish the current task before you begin another.".into()
        }
        (Severity::Warning, Advice::General) => {
            "Finish the current task and save your work. Begin nothing large.".into()
        }
        (Severity::Critical, Advice::General) => {
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
        let usage = TokenUsage { tokens, source: UsageSource::Counted, model: None };
        ContextUsage { usage, window: Window::Set(window) }
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
            let found = Threshold::highest_reached(percent);
            let found = found.map(|t| (t.percent(), t.severity().to_string()));
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
        let percent = |source| {
            let usage = TokenUsage { tokens: 5_000, source, model: None };
            ContextUsage::new(usage, Window::Set(1_000)).percent()
        };
        assert_eq!((percent(UsageSource::Counted), percent(UsageSource::Estimated)), (500, 100));
    }

    #[test]
    fn only_loop_sessions_get_file_names_in_alerts() {
        let advice = Advice::Loop {
            tasks: "ralph/tasks.json".into(),
            progress: "ralph/progress.txt".into(),
        };
        for threshold in Threshold::ALL {
            let measured = measured(threshold.percent() * 10, 1000);
            assert!(text(threshold, &measured, &advice).contains("ralph/tasks.json"));
            let general = text(threshold, &measured, &Advice::General);
            assert!(!general.contains("tasks.json") && !general.contains("iteration"), "{general}");
        }
    }

    #[test]
    fn the_text_contains_percentage_and_tokens() {
        let text = text(Threshold::Seventy, &measured(142_000, 200_000), &Advice::General);
        assert!(
            text.starts_with(
                "Context WARNING: 71 % of the context window is used (142000 of 200000 tokens). "
            ),
            "{text}"
        );
    }
}
