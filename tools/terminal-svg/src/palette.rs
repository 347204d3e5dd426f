//! Colours on a dark and on a light window.

use vt100::Color;

pub(crate) struct Palette {
    pub(crate) window: &'static str,
    pub(crate) border: &'static str,
    pub(crate) text: &'static str,
    named: Named,
}

/// Black, red, green, yellow, blue, magenta, cyan, white; then the same, but bright.
type Named = [&'static str; 16];

pub(crate) const DARK: Palette = Palette {
    window: "#0d1117",
    border: "#30363d",
    text: "#e6edf3",
    named: [
        "#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4",
        "#6e7681", "#ffa198", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#ffffff",
    ],
};

pub(crate) const LIGHT: Palette = Palette {
    window: "#ffffff",
    border: "#d0d7de",
    text: "#1f2328",
    named: [
        "#24292f", "#cf222e", "#116329", "#7d4e00", "#0969da", "#8250df", "#1b7c83", "#6e7781",
        "#57606a", "#a40e26", "#1a7f37", "#633c01", "#218bff", "#a475f9", "#3192aa", "#8c959f",
    ],
};

/// Text with a background colour looks the same on both windows.
const ON_BACKGROUND: Named = [
    "#1f2328", "#cf222e", "#116329", "#7d4e00", "#0969da", "#8250df", "#1b7c83", "#d0d7de",
    "#57606a", "#cf222e", "#1a7f37", "#9a6700", "#218bff", "#a475f9", "#3192aa", "#ffffff",
];

impl Palette {
    /// Styles for the classes of [`on_window`].
    pub(crate) fn rules(&self) -> String {
        let Self { window, border, text, named } = self;
        let mut rules = format!(
            "text,.text{{fill:{text}}}.window{{fill:{window}}}.frame{{fill:{window};stroke:{border}}}"
        );
        for (number, colour) in named.iter().enumerate() {
            rules.push_str(&format!(".c{number}{{fill:{colour}}}"));
        }
        rules
    }
}

/// The colour of an element.
pub(crate) enum Fill {
    Class(String),
    Value(String),
}

/// `default` is the class of elements without a colour.
pub(crate) fn on_window(colour: Color, default: &str) -> Fill {
    match colour {
        Color::Default => Fill::Class(default.to_owned()),
        Color::Idx(number @ 0..16) => Fill::Class(format!("c{number}")),
        Color::Idx(number) => numbered(number),
        Color::Rgb(red, green, blue) => value(red, green, blue),
    }
}

pub(crate) fn on_background(colour: Color, default: &str) -> Fill {
    match colour {
        Color::Idx(number @ 0..16) => Fill::Value(ON_BACKGROUND[usize::from(number)].to_owned()),
        other => on_window(other, default),
    }
}

/// A cube of colours, six steps to a side, and the greys after it.
fn numbered(number: u8) -> Fill {
    let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
    match number.saturating_sub(16) {
        cube @ 0..216 => value(level(cube / 36), level(cube / 6 % 6), level(cube % 6)),
        grey => value(8 + 10 * (grey - 216), 8 + 10 * (grey - 216), 8 + 10 * (grey - 216)),
    }
}

fn value(red: u8, green: u8, blue: u8) -> Fill {
    Fill::Value(format!("#{red:02x}{green:02x}{blue:02x}"))
}
