//! Notifications about a run.

use json_reader::Leaf;
use run_options::{NoticeClass, TerminalNotice, Word};

use crate::guardrail::COMMAND;
use crate::secret::Secret;
use crate::section::settings;

settings! {
    /// Notifications: when a run ends, and when it needs attention.
    pub struct Notifications from keys {
        /// What to notify about: a run has `finished`, it `failed`, or it `needs-attention` (a story failed or is
        /// stuck, a hook is missing, a limit is reached). An empty list: nothing.
        pub on: Vec<NoticeClass> =
            keys.items("on", Leaf::word()).unwrap_or_else(|| NoticeClass::ALL.to_vec()),
        /// What the terminal of the run does: nothing (`off`), ring the bell (`bell`), or show a desktop notification,
        /// if the terminal supports it (`osc`).
        pub terminal: TerminalNotice = keys.optional("terminal", Leaf::word()).unwrap_or_default(),
        /// A command that the shell runs in the project folder for each notification: JSON on its standard input,
        /// `RALPH_NOTICE_TEXT` and more in its environment. Its time limit is 30 seconds.
        #[cfg_attr(test, schemars(regex(pattern = r"^[^\x00]*[^\s\x00][^\x00]*$")))]
        pub command: Option<String> = keys.optional("command", COMMAND),
        /// A URL that each notification is posted to as JSON, such as a Slack webhook. It is never printed. Store it in
        /// settings.local.json, which git ignores, or in `RALPH_WEBHOOK_URL`.
        #[cfg_attr(test, schemars(with = "Option<String>", regex(pattern = r"^https?://[!-~]+$")))]
        pub webhook: Option<Secret> = keys.optional("webhook", Secret::URL),
    }
}
