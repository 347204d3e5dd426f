//! The script of the live page, as it stands in it. The static page has none.

/// Without `<` and `&`, so that a page with it is well-formed too.
pub(crate) fn text() -> &'static str {
    include_str!("live.js")
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_in_it_ends_it_or_breaks_the_page() {
        assert!(!super::text().contains(['<', '&', '\r']));
    }
}
