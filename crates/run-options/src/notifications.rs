//! What users are notified about, and how on the terminal.

use std::fmt;

use crate::Word;
use crate::word::words;

words! {
    /// Classes of notifications.
    pub enum NoticeClass {
        Finished = "finished",
        Failed = "failed",
        NeedsAttention = "needs-attention",
    }
}

impl fmt::Display for NoticeClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
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
