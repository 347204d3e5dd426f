//! Words that somebody looks for in the stream.

use std::ops::Range;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Search {
    /// Lower case, as far as ASCII goes: so what is found has the same bytes as what is looked for.
    wanted: String,
}

impl Search {
    /// `None` if nothing is looked for.
    pub(crate) fn new(wanted: &str) -> Option<Self> {
        let wanted = wanted.trim().to_ascii_lowercase();
        (!wanted.is_empty()).then_some(Self { wanted })
    }

    pub(crate) fn wanted(&self) -> &str {
        &self.wanted
    }

    /// Where it stands in `text`.
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
    fn letters_are_found_however_they_are_written() {
        let search = Search::new(" Tax ").unwrap();
        assert_eq!(search.all_in("é TAX, tax"), [3..6, 8..11]);
        assert!(search.is_in("Taxes") && !search.is_in("text"));
        assert_eq!(Search::new("  "), None);
    }
}
