//! Colors and symbols, for every command that prints for people.

use clap::Args;
use run_options::ColorWhen;
use settings::{Display, Flags};

/// Colors and symbols.
#[derive(Debug, Clone, Args)]
pub(crate) struct LookArgs {
    /// When to use colors; auto follows NO_COLOR and CLICOLOR_FORCE [default: auto]
    #[arg(long, value_enum, value_name = "WHEN")]
    pub(crate) color: Option<ColorWhen>,
    /// Use emoji [default]
    #[arg(long, overrides_with = "no_emoji")]
    pub(crate) emoji: bool,
    /// Use ASCII only
    #[arg(long)]
    pub(crate) no_emoji: bool,
}

impl LookArgs {
    /// The given options as settings.
    pub(crate) fn flags(&self) -> Flags {
        let mut flags = Flags::new();
        flags.set_if("--color", &["display", "color"], self.color);
        let emoji = [self.emoji, self.no_emoji];
        flags.set_switch(["--emoji", "--no-emoji"], &["display", "emoji"], emoji);
        flags
    }

    /// The given options over `display`, for commands that work with broken settings too.
    pub(crate) fn over(&self, display: Display) -> Display {
        Display {
            color: self.color.unwrap_or(display.color),
            emoji: !self.no_emoji && (self.emoji || display.emoji),
            ..display
        }
    }
}

#[cfg(test)]
mod tests {
    use ColorWhen::{Auto, Never};
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, RunArgs};

    #[test]
    fn the_last_of_two_contradicting_flags_counts() {
        let parsed = |flags: &[&str]| Cli::parse_from([&["ralph-loop"], flags].concat()).run;
        let on = |args: RunArgs| (args.common.look.emoji, args.common.timestamps);
        let off = |args: RunArgs| (args.common.look.no_emoji, args.common.no_timestamps);
        let first = ["--no-emoji", "--no-timestamps", "--emoji", "--timestamps"];
        assert_eq!((on(parsed(&first)), off(parsed(&first))), ((true, true), (false, false)));
        let last = ["--emoji", "--timestamps", "--no-emoji", "--no-timestamps"];
        assert_eq!((on(parsed(&last)), off(parsed(&last))), ((false, false), (true, true)));
    }

    #[test]
    fn flags_override_the_settings() {
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
