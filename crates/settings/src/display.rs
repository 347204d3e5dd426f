//! Output of a run on the terminal.

use run_options::ColorWhen;
use serde::Serialize;

use crate::leaf::{BOOL, COUNT};
use crate::object_reader::{FromKeys, ObjectReader};
use crate::words::WordLeaf;

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

impl FromKeys for Display {
    fn from_keys(keys: &mut ObjectReader<'_, '_, '_>) -> Option<Self> {
        let default = Self::default();
        Some(Self {
            color: keys.leaf("color", ColorWhen::LEAF).unwrap_or(default.color),
            emoji: keys.leaf("emoji", BOOL).unwrap_or(default.emoji),
            timestamps: keys.leaf("timestamps", BOOL).unwrap_or(default.timestamps),
            max_output_lines: keys
                .leaf("maxOutputLines", COUNT)
                .unwrap_or(default.max_output_lines),
            max_output_chars: keys
                .leaf("maxOutputChars", COUNT)
                .unwrap_or(default.max_output_chars),
        })
    }
}
