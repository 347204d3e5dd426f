//! Who is told when something matters, and how.

use serde::Serialize;

use crate::guardrail::COMMAND;
use crate::object_reader::{FromKeys, ObjectReader};
use crate::secret::Secret;
use crate::words::words;

/// A word when it matters: at the end of a run, and when it needs somebody.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Notifications {
    /// What is told: that a run has `finished`, that it `failed`, that it `needs-attention` (a story
    /// failed or is stuck, the guard is missing, a limit is reached). An empty list: nothing.
    pub on: Vec<NoticeClass>,
    /// What the terminal that the run is watched in does: nothing (`off`), ring (`bell`), or show a
    /// notification of the desktop's, for terminals that can (`osc`).
    pub terminal: TerminalNotice,
    /// A command, run by the shell in the project's root for each notice: JSON on its standard input,
    /// `RALPH_NOTICE_TEXT` and more in its environment. It has 30 seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(regex(pattern = r"^[^\x00]*[^\s\x00][^\x00]*$")))]
    pub command: Option<String>,
    /// An address that each notice is posted to as JSON, such as an incoming webhook of Slack. It is
    /// never printed; keep it in settings.local.json, which git ignores, or in `RALPH_WEBHOOK_URL`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Option<String>", regex(pattern = r"^https?://[!-~]+$")))]
    pub webhook: Option<Secret>,
}

words! {
    /// What can be told.
    pub enum NoticeClass {
        Finished = "finished",
        Failed = "failed",
        NeedsAttention = "needs-attention",
    }
    expected "\"finished\", \"failed\" or \"needs-attention\""
}

words! {
    /// What the terminal does.
    pub enum TerminalNotice {
        Off = "off",
        Bell = "bell",
        Osc = "osc",
    }
    expected "\"off\", \"bell\" or \"osc\""
}

impl Default for Notifications {
    fn default() -> Self {
        use NoticeClass::{Failed, Finished, NeedsAttention};
        Self {
            on: vec![Finished, Failed, NeedsAttention],
            terminal: TerminalNotice::Bell,
            command: None,
            webhook: None,
        }
    }
}

impl FromKeys for Notifications {
    fn from_keys(keys: &mut ObjectReader<'_, '_, '_>) -> Option<Self> {
        let default = Self::default();
        Some(Self {
            on: keys.leaves("on", NoticeClass::LEAF).unwrap_or(default.on),
            terminal: keys.leaf("terminal", TerminalNotice::LEAF).unwrap_or(default.terminal),
            command: keys.leaf("command", COMMAND),
            webhook: keys.leaf("webhook", Secret::URL),
        })
    }
}
