//! The colours of the page, for light and dark mode.
//!
//! `style.css` uses them. Tests check the contrast of text and marks on every background; the colours of
//! modes are distinguishable for colour-blind readers.

use std::fmt::Write;

/// A custom property with its values for light and dark mode.
type Colour = (&'static str, &'static str, &'static str);

const GROUNDS: [Colour; 3] = [
    ("ground", "#ffffff", "#14171c"),
    ("raised", "#f5f6f8", "#1c2027"),
    ("sunk", "#eceef2", "#262b34"),
];

/// Text colours, used on every background.
const INKS: [Colour; 6] = [
    ("ink", "#1a1e24", "#e8eaee"),
    ("quiet", "#555c66", "#a9b1bd"),
    ("accent", "#0a58a6", "#7db8f5"),
    ("good", "#17652f", "#6fcf8b"),
    ("warn", "#7d4b00", "#eab54d"),
    ("bad", "#b0241c", "#ff8f87"),
];

/// Colours of bars, lines and marks. Modes have different hues and lightness.
const PAINTS: [Colour; 10] = [
    ("implement", "#0072b2", "#56b4e9"),
    ("review", "#c25e00", "#f0a63a"),
    ("review-fix", "#8a4a9e", "#d693e0"),
    ("specify", "#8c5a2b", "#d8a878"),
    ("plan", "#00795c", "#3cc79d"),
    ("other", "#5d6570", "#aab2bd"),
    ("output", "#0072b2", "#56b4e9"),
    ("input", "#c25e00", "#f0a63a"),
    ("cache-write", "#00795c", "#3cc79d"),
    ("cache-read", "#7a828d", "#8d96a3"),
];

/// Separator lines, without meaning.
const RULES: [Colour; 1] = [("rule", "#d5d9e0", "#363d48")];

pub(crate) fn css() -> String {
    let mut by_day = String::new();
    let mut by_night = String::new();
    for (name, day, night) in all() {
        let _ = write!(by_day, "--{name}:{day};");
        let _ = write!(by_night, "--{name}:{night};");
    }
    // Print always uses the light colours.
    format!(
        ":root{{color-scheme:light dark;{by_day}}}\n\
         @media screen and (prefers-color-scheme:dark){{:root{{{by_night}}}}}\n"
    )
}

fn all() -> impl Iterator<Item = Colour> {
    GROUNDS.into_iter().chain(INKS).chain(PAINTS).chain(RULES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance(colour: &str) -> f64 {
        let channel = |at: usize| {
            let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    fn contrast(one: &str, other: &str) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    fn assert_contrast(colours: &[Colour], least: f64) {
        for (name, day, night) in colours {
            for (ground, of_day, of_night) in GROUNDS {
                for (one, other) in [(day, of_day), (night, of_night)] {
                    let found = contrast(one, other);
                    assert!(found >= least, "{name} {one} on {ground} {other}: {found:.2}");
                }
            }
        }
    }

    #[test]
    fn contrast_matches_known_values() {
        assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 1e-9);
        assert!((contrast("#767676", "#ffffff") - 4.54).abs() < 0.01);
    }

    #[test]
    fn text_is_readable_on_every_background() {
        assert_contrast(&INKS, 4.5);
    }

    #[test]
    fn marks_are_visible_on_every_background() {
        assert_contrast(&PAINTS, 3.0);
    }
}
