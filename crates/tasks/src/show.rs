//! Formats values of a file for messages: short, on one line, without terminal control sequences.

use json_reader::Json;

const LONGEST: usize = 60;

/// A quoted string with control characters escaped, shortened if long.
pub(crate) fn quoted(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => format!("{text:?}"),
        Some((end, _)) => format!("{:?}… ({} characters)", &text[..end], text.chars().count()),
    }
}

/// A field name, quoted if it is unusual.
pub(crate) fn name(text: &str) -> String {
    let is_ordinary = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '$');
    if !text.is_empty() && text.len() <= LONGEST && text.chars().all(is_ordinary) {
        return text.to_owned();
    }
    quoted(text)
}

/// Describes a value for "expected …, found …".
pub(crate) fn found(value: &Json) -> String {
    match value {
        Json::Null => "null".into(),
        Json::Bool(value) => value.to_string(),
        Json::Number(number) => shortened(number.to_string()),
        Json::Text(text) => quoted(text),
        Json::Array(items) if items.is_empty() => "an empty array".into(),
        Json::Array(items) => format!("an array of {}", items.len()),
        Json::Object(entries) if entries.is_empty() => "an empty object".into(),
        Json::Object(entries) => format!("an object with {} keys", entries.len()),
    }
}

pub(crate) fn shortened(text: String) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_and_direction_marks_are_escaped() {
        assert_eq!(quoted("a\0b\x1b[31m\u{202e}"), r#""a\0b\u{1b}[31m\u{202e}""#);
    }

    #[test]
    fn long_text_is_cut_on_a_character_boundary() {
        let shown = quoted(&"é".repeat(1000));
        assert!(shown.ends_with("… (1000 characters)"), "{shown}");
        assert!(shown.chars().count() < 100, "{shown}");
    }
}
