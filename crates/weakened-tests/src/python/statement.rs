//! Python statements with their start and indentation.

use std::ops::Range;

use crate::source::Source;

#[derive(Debug, Clone)]
pub(super) struct Statement {
    pub(super) indent: usize,
    pub(super) range: Range<usize>,
}

pub(super) fn statements(source: &Source<'_>) -> Vec<Statement> {
    let mut found: Vec<Statement> = Vec::new();
    for (at, token) in source.tokens.iter().enumerate() {
        match (token.begins, found.last_mut()) {
            (Some(indent), _) => found.push(Statement { indent, range: at..at + 1 }),
            (None, Some(last)) => last.range.end = at + 1,
            (None, None) => {}
        }
    }
    found
}
