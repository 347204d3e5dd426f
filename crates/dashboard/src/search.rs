//! Search in the stream.

use std::ops::Range;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Search {
    /// ASCII lower case, which keeps byte positions.
    pub(crate) wanted: String,
}

impl Search {
    /// `None` for an empty text.
    pub(crate) fn new(wanted: &str) -> Option<Self> {
        let wanted = wanted.trim().to_ascii_lowercase();
        (!wanted.is_empty()).then_some(Self { wanted })
    }

    /// All matches in `text`.
    pub(crate) fn all_in(&self, text: &str) -> Vec<Range<usize>> {
        let text = text.to_ascii_lowercase();
        let found = text.match_indices(&self.wanted);
        found.map(|(at, found)| at..at + found.len()).collect()
    }

    pub(crate) fn is_in(&self, text: &str) -> bool {
        text.to_ascii_lowercase().contains(&self.wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_ignores_case() {
        let search = Search::new(" Tax ").unwrap();
        assert_eq!(search.all_in("é TAX, tax"), [3..6, 8..11]);
        assert!(search.is_in("Taxes") && !search.is_in("text"));
        assert_eq!(Search::new("  "), None);
    }
}
