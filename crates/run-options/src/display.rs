//! Output on the terminal.

use crate::word::words;

words! {
    /// When colours are used.
    #[derive(Default)]
    pub enum ColorWhen {
        #[default]
        Auto = "auto",
        Always = "always",
        Never = "never",
    }
}
