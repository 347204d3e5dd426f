//! Notifications about a run.

use json_reader::Leaf;
use run_options::{NoticeClass, TerminalNotice, Word};
use serde::Serialize;

use crate::guardrail::COMMAND;
use crate::secret::Secret;
use crate::section::{Keys, Section};

/// Notifications: when a run ends, and when it needs attention.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[serde(default = "crate::section::defaults::<Self>")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Notifications {
    /// What to notify about: a run has `finished`, it `failed`, or it `needs-attention` (a story failed or is
    /// stuck, a hook is missing, a limit is reached). An empty list: nothing.
    pub on: Vec<NoticeClass>,
    /// What the terminal of the run does: nothing (`off`), ring the bell (`bell`), or show a desktop notification,
    /// if the terminal supports it (`osc`).
    pub terminal: TerminalNotice,
    /// A command that the shell runs in the project folder for each notification: JSON on its standard input,
    /// `RALPH_NOTICE_TEXT` and more in its environment. Its time limit is 30 seconds.
    #[cfg_attr(test, schemars(regex(pattern = r"^[^\x00]*[^\s\x00][^\x00]*$")))]
    pub command: Option<String>,
    /// A URL that each notification is posted to as JSON, such as a Slack webhook. It is never printed. Store it in
    /// settings.local.json, which git ignores, or in `RALPH_WEBHOOK_URL`.
    #[cfg_attr(test, schemars(with = "Option<String>", regex(pattern = r"^https?://[!-~]+$")))]
    pub webhook: Option<Secret>,
}

impl Section for Notifications {
    fn read(keys: &mut Keys<'_, '_, '_>) -> Self {
        Self {
            on: keys.items("on", Leaf::word()).unwrap_or_else(|| NoticeClass::ALL.to_vec()),
            terminal: keys.optional("terminal", Leaf::word()).unwrap_or_default(),
            command: keys.optional("command", COMMAND),
            webhook: keys.optional("webhook", Secret::URL),
        }
    }
}
