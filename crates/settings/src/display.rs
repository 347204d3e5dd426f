//! Output of a run on the terminal.

use json_reader::{BOOL, Leaf};
use run_options::ColorWhen;

use crate::leaf::COUNT;
use crate::section::settings;

settings! {
    /// Output of a run on the terminal.
    pub struct Display from keys {
        /// Colours. `auto`: on a terminal; NO_COLOR and CLICOLOR_FORCE are respected.
        pub color: ColorWhen = keys.optional("color", Leaf::word()).unwrap_or_default(),
        /// Emoji as symbols; otherwise ASCII.
        pub emoji: bool = keys.or("emoji", BOOL, true),
        /// Show the time before every line.
        pub timestamps: bool = keys.or("timestamps", BOOL, false),
        /// Lines of a tool's output that are shown.
        pub max_output_lines: u64 = keys.or("maxOutputLines", COUNT, 10),
        /// Characters of a tool's output that are shown.
        pub max_output_chars: u64 = keys.or("maxOutputChars", COUNT, 1000),
    }
}
