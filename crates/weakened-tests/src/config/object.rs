//! Reads package.json and the settings of Jest and Vitest: exclusions and test commands. Both are
//! objects of keys, so one walk over the tokens handles both.

use super::{is_silenced, left_out, silenced};
use crate::script::scan::scan;
use crate::source::Source;
use crate::token::TokenKind;

pub(super) fn read(text: &str) -> Vec<String> {
    let source = scan(text);
    let mut found = Vec::new();
    // The keys of the open objects, and where those end.
    let mut open: Vec<(usize, &str)> = Vec::new();
    for at in 0..source.len() {
        while open.last().is_some_and(|(end, _)| at >= *end) {
            open.pop();
        }
        let Some(key) = key(&source, at) else { continue };
        let under = open.last().map_or("", |(_, key)| *key);
        if source.is_mark(at + 2, "{") {
            open.push((source.close(at + 2), key));
        } else if leaves_out(key, under) && source.is_mark(at + 2, "[") {
            let entries = source.slice(source.inside(at + 2)).iter();
            let texts = entries.filter(|token| token.kind == TokenKind::Text);
            found.extend(texts.map(|token| left_out(&format!("{key}: {}", token.text))));
        } else if under == "scripts" && is_test_script(key) {
            let command = source.get(at + 2).filter(|token| token.kind == TokenKind::Text);
            let command = command.filter(|command| is_silenced(command.text));
            found.extend(command.map(|command| silenced(key, command.text)));
        }
    }
    found
}

fn key<'a>(source: &Source<'a>, at: usize) -> Option<&'a str> {
    let token =
        source.get(at).filter(|token| matches!(token.kind, TokenKind::Word | TokenKind::Text))?;
    source.is_mark(at + 1, ":").then_some(token.text)
}

/// `exclude` has many meanings; below `test` it excludes tests.
fn leaves_out(key: &str, under: &str) -> bool {
    match key {
        "testPathIgnorePatterns" | "modulePathIgnorePatterns" => true,
        "exclude" => under == "test",
        _ => false,
    }
}

fn is_test_script(key: &str) -> bool {
    key == "test" || key.starts_with("test:")
}
