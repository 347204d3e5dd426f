//! Notifications about a run.

use json_reader::Leaf;
use run_options::{NoticeClass, TerminalNotice, Word};
use serde::Serialize;

use crate::guardrail::COMMAND;
use crate::secret::Secret;
use crate::section::{Keys, Section};

/// Notifications: when a run ends, and when it needs attention.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
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
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(regex(pattern = r"^[^\x00]*[^\s\x00][^\x00]*$")))]
    pub command: Option<String>,
    /// A URL that each notification is posted to as JSON, such as a Slack webhook. It is never printed. Store it in
    /// settings.local.json, which git ignores, or in `RALPH_WEBHOOK_URL`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "Option<String>", regex(pattern = r"^https?://[!-~]+$")))]
    pub webhook: Option<Secret>,
}

impl Default for Notifications {
    fn default() -> Self {
        Self {
            on: NoticeClass::ALL.to_vec(),
            terminal: TerminalNotice::default(),
            command: None,
            webhook: None,
        }
    }
}

impl Section for Notifications {
    fn read(&mut self, keys: &mut Keys<'_, '_, '_>) {
        keys.set_items("on", &mut self.on, Leaf::<NoticeClass>::word());
        keys.set("terminal", &mut self.terminal, Leaf::<TerminalNotice>::word());
        keys.set("command", &mut self.command, COMMAND);
        keys.set("webhook", &mut self.webhook, Secret::URL);
    }
}
