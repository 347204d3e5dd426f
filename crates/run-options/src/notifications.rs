//! What users are notified about, and how on the terminal.

use crate::word::words;

words! {
    /// Classes of notifications.
    #[derive(strum::Display)]
    #[strum(serialize_all = "kebab-case")]
    pub enum NoticeClass {
        Finished = "finished",
        Failed = "failed",
        NeedsAttention = "needs-attention",
    }
}

words! {
    /// What the terminal does for a notification.
    #[derive(Default)]
    pub enum TerminalNotice {
        Off = "off",
        #[default]
        Bell = "bell",
        Osc = "osc",
    }
}
