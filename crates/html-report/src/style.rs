//! The style sheet: the colours of the palette, and the rules that use them.

use std::sync::LazyLock;

use crate::palette;

pub(crate) fn text() -> &'static str {
    static TEXT: LazyLock<String> =
        LazyLock::new(|| format!("{}{}", palette::css(), include_str!("style.css")));
    &TEXT
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_style_sheet_is_safe_to_embed_and_fetches_nothing() {
        let text = super::text();
        assert!(!text.contains(['<', '&', '\r']));
        for word in ["@import", "url(", "http"] {
            assert!(!text.contains(word), "{word}");
        }
    }
}
