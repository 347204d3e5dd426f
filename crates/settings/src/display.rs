//! Output of a run on the terminal.

use json_reader::{BOOL, Leaf};
use run_options::ColorWhen;
use serde::Serialize;

use crate::leaf::COUNT;
use crate::section::{Keys, Section, defaults};

/// Output of a run on the terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Display {
    /// Colours. `auto`: on a terminal; NO_COLOR and CLICOLOR_FORCE are respected.
    pub color: ColorWhen,
    /// Emoji as symbols; otherwise ASCII.
    pub emoji: bool,
    /// Show the time before every line.
    pub timestamps: bool,
    /// Lines of a tool's output that are shown.
    pub max_output_lines: u64,
    /// Characters of a tool's output that are shown.
    pub max_output_chars: u64,
}

impl Default for Display {
    fn default() -> Self {
        defaults()
    }
}

impl Section for Display {
    fn read(keys: &mut Keys<'_, '_, '_>) -> Self {
        Self {
            color: keys.optional("color", Leaf::word()).unwrap_or_default(),
            emoji: keys.or("emoji", BOOL, true),
            timestamps: keys.optional("timestamps", BOOL).unwrap_or_default(),
            max_output_lines: keys.or("maxOutputLines", COUNT, 10),
            max_output_chars: keys.or("maxOutputChars", COUNT, 1000),
        }
    }
}
