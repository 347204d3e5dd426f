//! Output of a run on the terminal.

use json_reader::{BOOL, Leaf};
use run_options::ColorWhen;
use serde::Serialize;

use crate::leaf::COUNT;
use crate::section::{Keys, Section};

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
        Self {
            color: ColorWhen::default(),
            emoji: true,
            timestamps: false,
            max_output_lines: 10,
            max_output_chars: 1000,
        }
    }
}

impl Section for Display {
    fn read(&mut self, keys: &mut Keys<'_, '_, '_>) {
        keys.set("color", &mut self.color, Leaf::<ColorWhen>::word());
        keys.set("emoji", &mut self.emoji, BOOL);
        keys.set("timestamps", &mut self.timestamps, BOOL);
        keys.set("maxOutputLines", &mut self.max_output_lines, COUNT);
        keys.set("maxOutputChars", &mut self.max_output_chars, COUNT);
    }
}
