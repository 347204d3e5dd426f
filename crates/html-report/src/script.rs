//! The script of the live page. The static page has none.

/// Without `<` and `&`, so that the page stays well-formed XML.
pub(crate) fn text() -> &'static str {
    include_str!("live.js")
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_script_is_safe_to_embed() {
        assert!(!super::text().contains(['<', '&', '\r']));
    }
}
