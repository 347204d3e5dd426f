//! Sanitizes foreign text before it reaches a terminal, a log or a prompt.

mod columns;
mod neutral;

pub use columns::{fitting, wrapped};
pub use neutral::{block, line};

const LONGEST: usize = 500;

/// Removes control characters, line breaks, direction marks and invisible characters from `text`,
/// such as file names, messages of other programs and marker fields.
pub fn plain(text: &str) -> String {
    text.chars().map(neutral::harmless).take(LONGEST).collect()
}

/// Escapes control, direction and invisible characters in JSON strings; the value is unchanged.
pub fn json(text: String) -> String {
    // Line breaks occur only between values, never within a string.
    let is_escaped = |c: char| steers(c) && c != '\n';
    if text.split('\n').all(neutral::is_plain) || !text.contains(is_escaped) {
        return text;
    }
    let mut escaped = String::with_capacity(text.len() + 64);
    for c in text.chars() {
        if is_escaped(c) {
            let units = c.encode_utf16(&mut [0; 2]).to_vec();
            escaped.extend(units.iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// Also invisible characters, which make different names look equal. The joiners U+200C and U+200D
/// stay: some scripts and emoji need them.
fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'
            | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_control_characters_are_replaced() {
        assert_eq!(plain("né → ok"), "né → ok");
        assert_eq!(
            plain("a\x1b[2J\nb\r\0\u{9b}\u{202e}c"),
            "a\u{fffd}[2J\u{fffd}b\u{fffd}\u{fffd}\u{fffd}\u{fffd}c"
        );
        assert_eq!(plain(&"x".repeat(1000)).len(), LONGEST);
    }

    #[test]
    fn json_keeps_its_value_without_control_characters() {
        let harmless = "{\n  \"né\": \"→ 👩\u{200d}🔧 \\u001b\"\n}\n";
        assert_eq!(json(harmless.to_owned()), harmless);
        let text = "[\"a\u{85}\u{9b}2J\u{7f}\u{202e}b\u{2028}\u{e0041}\"]";
        let escaped = r#"["a\u0085\u009b2J\u007f\u202eb\u2028\udb40\udc41"]"#;
        assert_eq!(json(text.to_owned()), escaped);
    }

    #[test]
    fn invisible_characters_are_shown_and_joiners_stay() {
        let hidden = "a\u{ad}b\u{200b}c\u{2060}d\u{180e}e\u{feff}f\u{3164}g";
        let shown = "a\u{fffd}b\u{fffd}c\u{fffd}d\u{fffd}e\u{fffd}f\u{fffd}g";
        let needed = "می\u{200c}خواهم क्\u{200d}ष 👩\u{200d}🔧 ✔\u{fe0f}";
        for (text, wanted) in [(hidden, shown), (needed, needed)] {
            assert_eq!(plain(text), wanted);
            assert_eq!(line(text), wanted);
            assert_eq!(block(text), [wanted]);
        }
    }
}
