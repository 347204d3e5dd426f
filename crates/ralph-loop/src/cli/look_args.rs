//! How things look, for every command that shows something.

use clap::{Args, ValueEnum};
use settings::{Display, Flags};

use super::loop_args::word;

/// How things look.
#[derive(Debug, Clone, Args)]
pub(crate) struct LookArgs {
    /// Colours: NO_COLOR and CLICOLOR_FORCE are heeded with `auto` [default: auto]
    #[arg(long, value_enum, value_name = "WHEN")]
    pub(crate) color: Option<ColorWhen>,
    /// Emoji as marks [default]
    #[arg(long, overrides_with = "no_emoji")]
    pub(crate) emoji: bool,
    /// Plain ASCII marks
    #[arg(long)]
    pub(crate) no_emoji: bool,
}

impl LookArgs {
    /// What is given, as settings.
    pub(crate) fn flags(&self) -> Flags {
        let mut flags = Flags::new();
        flags.set_if("--color", &["display", "color"], self.color.map(word));
        if self.no_emoji {
            flags.set("--no-emoji", &["display", "emoji"], false);
        } else if self.emoji {
            flags.set("--emoji", &["display", "emoji"], true);
        }
        flags
    }

    /// What is given over `display`, for a command that does without settings where they are broken.
    pub(crate) fn over(&self, display: Display) -> Display {
        Display {
            color: self.color.map_or(display.color, Into::into),
            emoji: !self.no_emoji && (self.emoji || display.emoji),
            ..display
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    Auto,
    Always,
    Never,
}

impl From<ColorWhen> for settings::ColorWhen {
    fn from(color: ColorWhen) -> Self {
        match color {
            ColorWhen::Auto => Self::Auto,
            ColorWhen::Always => Self::Always,
            ColorWhen::Never => Self::Never,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use settings::ColorWhen::{Auto, Never};

    use super::*;
    use crate::cli::{Cli, RunArgs};

    #[test]
    fn the_last_word_about_the_look_counts() {
        let parsed = |flags: &[&str]| Cli::parse_from([&["ralph-loop"], flags].concat()).run;
        let on = |args: RunArgs| (args.common.look.emoji, args.common.timestamps);
        let off = |args: RunArgs| (args.common.look.no_emoji, args.common.no_timestamps);
        let first = ["--no-emoji", "--no-timestamps", "--emoji", "--timestamps"];
        assert_eq!((on(parsed(&first)), off(parsed(&first))), ((true, true), (false, false)));
        let last = ["--emoji", "--timestamps", "--no-emoji", "--no-timestamps"];
        assert_eq!((on(parsed(&last)), off(parsed(&last))), ((false, false), (true, true)));
    }

    #[test]
    fn flags_about_the_look_stand_over_the_settings() {
        let over = |flags: &[&str], emoji: bool| {
            let look = Cli::parse_from([&["ralph-loop"], flags].concat()).run.common.look;
            let display = look.over(Display { emoji, ..Display::default() });
            (display.color, display.emoji)
        };
        assert_eq!((over(&[], true), over(&[], false)), ((Auto, true), (Auto, false)));
        assert_eq!(over(&["--no-emoji", "--color", "never"], true), (Never, false));
        assert_eq!(over(&["--emoji"], false), (Auto, true));
    }
}
