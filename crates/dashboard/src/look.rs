//! Colours and signs. No information is shown by colour alone.

use std::borrow::Cow;

use events::Role;
use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::bar;
use ratatui::text::{Line, Span};

/// Of the 256-colour palette.
const WHITE: Color = Color::Indexed(231);

/// Colours of lanes. Red and green mean failure and success.
const LANES: [Color; 4] = [Color::Magenta, Color::Cyan, Color::Blue, Color::Yellow];

#[derive(Debug, Clone, Copy)]
pub struct Look {
    pub coloured: bool,
    pub signs: &'static Signs,
}

const ASCII_BARS: bar::Set<'static> = bar::Set {
    full: "#",
    seven_eighths: "*",
    three_quarters: "*",
    five_eighths: "+",
    half: "=",
    three_eighths: "-",
    one_quarter: ":",
    one_eighth: ".",
    empty: " ",
};

/// Symbols, one column each, because terminals disagree about wider ones.
#[derive(Debug)]
pub struct Signs {
    pub(crate) done: &'static str,
    pub(crate) failed: &'static str,
    pub(crate) running: &'static str,
    pub(crate) under_way: &'static str,
    pub(crate) open: &'static str,
    pub(crate) rule: &'static str,
    pub(crate) dot: &'static str,
    pub(crate) ellipsis: &'static str,
    pub(crate) arrow: &'static str,
    pub(crate) answer: &'static str,
    pub(crate) bar: [&'static str; 2],
    pub(crate) bars: bar::Set<'static>,
    /// Corners, then horizontal and vertical lines.
    pub(crate) frame: [&'static str; 6],
}

impl Signs {
    pub const UNICODE: &'static Self = &Self::column(0, bar::NINE_LEVELS);
    pub const ASCII: &'static Self = &Self::column(1, ASCII_BARS);

    const fn column(at: usize, bars: bar::Set<'static>) -> Self {
        Self {
            done: ["✓", "+"][at],
            failed: ["✗", "x"][at],
            running: ["▸", ">"][at],
            under_way: ["◆", "*"][at],
            open: ["·", "."][at],
            rule: ["─", "-"][at],
            dot: ["·", "|"][at],
            ellipsis: ["…", "~"][at],
            arrow: ["→", ">"][at],
            answer: ["└", "|"][at],
            bar: [["━", "─"], ["#", "-"]][at],
            bars,
            frame: [["┌", "┐", "└", "┘", "─", "│"], ["+", "+", "+", "+", "-", "|"]][at],
        }
    }
}

impl Look {
    /// Uses the 16 colours of the user's theme.
    pub(crate) fn style(&self, role: Role) -> Style {
        let style = Style::new();
        let coloured = |colour| if self.coloured { style.fg(colour) } else { style };
        match role {
            Role::Plain => style,
            Role::Strong => style.add_modifier(Modifier::BOLD),
            Role::Dim => style.add_modifier(Modifier::DIM),
            Role::Accent => coloured(Color::Cyan),
            Role::Good => coloured(Color::Green),
            Role::Bad => coloured(Color::Red),
            Role::Warn => coloured(Color::Yellow),
            Role::Alarm => coloured(Color::Red).add_modifier(Modifier::BOLD | Modifier::REVERSED),
            Role::Lane(number) => coloured(LANES[number as usize % LANES.len()]),
        }
    }

    pub(crate) fn span<'t>(&self, role: Role, text: impl Into<Cow<'t, str>>) -> Span<'t> {
        Span::styled(text, self.style(role))
    }

    pub(crate) fn line<'t>(&self, role: Role, text: impl Into<Cow<'t, str>>) -> Line<'t> {
        Line::styled(text, self.style(role))
    }

    /// White on a dark colour of the 256-colour palette, because theme colours may be too bright for text.
    pub(crate) fn badge(&self, role: Role) -> Style {
        let uncoloured = Style::new().add_modifier(Modifier::BOLD | Modifier::REVERSED);
        let dark = match role {
            _ if !self.coloured => return uncoloured,
            Role::Plain | Role::Strong | Role::Dim | Role::Lane(_) => return uncoloured,
            Role::Accent => 24,
            Role::Good => 22,
            Role::Warn => 94,
            Role::Bad | Role::Alarm => 88,
        };
        Style::new().fg(WHITE).bg(Color::Indexed(dark)).add_modifier(Modifier::BOLD)
    }
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::*;

    #[test]
    fn every_sign_has_one_column_and_those_without_emoji_are_ascii() {
        for (signs, ascii) in [(Signs::UNICODE, false), (Signs::ASCII, true)] {
            let Signs { done, failed, running, under_way, open, rule, .. } = signs;
            let Signs { dot, ellipsis, arrow, answer, bar, bars, frame, .. } = signs;
            let mut all = vec![done, failed, running, under_way, open, rule, dot, ellipsis];
            all.extend([arrow, answer, &bars.full, &bars.half, &bars.one_eighth, &bars.empty]);
            all.extend(bar.iter().chain(frame));
            for sign in all {
                assert_eq!(sign.width(), 1, "{sign}");
                assert!(!ascii || sign.is_ascii(), "{sign}");
            }
        }
    }

    #[test]
    fn without_colours_nothing_is_coloured() {
        let look = Look { coloured: false, signs: Signs::ASCII };
        for role in [Role::Good, Role::Bad, Role::Warn, Role::Accent, Role::Alarm] {
            assert_eq!((look.style(role).fg, look.style(role).bg), (None, None));
            assert_eq!((look.badge(role).fg, look.badge(role).bg), (None, None));
        }
    }
}
