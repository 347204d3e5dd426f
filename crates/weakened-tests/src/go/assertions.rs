//! Assertions of Go functions: failing calls on `testing.T`, and those of common libraries.

use std::collections::HashSet;
use std::ops::Range;

use crate::always_true::{are_same_literal, is_truthy};
use crate::body::{Assertion, Strictness};
use crate::mark::Mark;
use crate::source::Source;
use crate::unit::Unit;

/// Variables of type `testing.T` in the file: `err.Error()` is no assertion.
pub(super) fn testing_names<'a>(source: &Source<'a>) -> HashSet<&'a str> {
    let mut names = HashSet::from(["t", "tb"]);
    for at in 0..source.len() {
        let star = usize::from(source.is_mark(at + 1, "*"));
        if source.is_word(at + 1 + star, "testing") && source.is_mark(at + 2 + star, ".") {
            names.extend(source.word(at));
        }
    }
    names
}

pub(super) fn read<'a>(
    source: &Source<'a>,
    range: Range<usize>,
    names: &HashSet<&'a str>,
    unit: &mut Unit<'a>,
) {
    unit.read_code(source, range, ["{", "}"], |unit, at, word, depth| match word {
        "for" => unit.body.repeats += 1,
        "panic" => unit.body.implied += 1,
        "Skip" | "Skipf" | "SkipNow" if is_call_of(source, at, names) => {
            let mark = if depth == 0 { Mark::Skipped } else { Mark::MaybeSkipped };
            unit.mark(mark, format!("t.{word}"));
        }
        name if source.is_mark(at + 1, "(") && !unit.body.asserts_at(at) => {
            match assertion(source, at, name, names) {
                Some(assertion) => unit.body.assertions.push(assertion),
                None if is_call_of(source, at, names) => {}
                None => unit.body.calls.push(name),
            }
        }
        _ => {}
    });
}

/// Whether the receiver is a `testing.T`: by its name, or as `s.T()`.
fn is_call_of(source: &Source<'_>, at: usize, names: &HashSet<&str>) -> bool {
    let Some(receiver) = source.receiver(at) else { return false };
    match source.word(receiver) {
        Some(name) => names.contains(name),
        None => receiver.checked_sub(2).is_some_and(|t| source.is_word(t, "T")),
    }
}

fn assertion<'a>(
    source: &Source<'a>,
    at: usize,
    name: &str,
    names: &HashSet<&str>,
) -> Option<Assertion<'a>> {
    let receiver = source.receiver(at);
    let library = source.receiver_name(at);
    let inside = source.inside(at + 1);
    let end = inside.end;
    let named = |words: String, strictness| {
        let text = source.text_of(receiver.unwrap_or(at)..end + 1);
        Some(Assertion { text, ..Assertion::new(source, at..end, words, strictness) })
    };
    match name {
        "Error" | "Errorf" | "Fatal" | "Fatalf" | "Fail" | "FailNow"
            if is_call_of(source, at, names) =>
        {
            named(format!("t.{name}"), None)
        }
        "New" => None,
        "Expect" | "Eventually" | "Consistently" if receiver.is_none() => named(name.into(), None),
        "Assert" | "Check" if receiver.is_some() => named(name.into(), None),
        _ => {
            // Names that are assertions on any receiver.
            let suite = match name {
                "Equal" | "NotEqual" | "NoError" | "ErrorIs" | "ErrorAs" | "ErrorContains"
                | "EqualError" | "Nil" | "NotNil" | "True" | "False" | "Len" | "Contains"
                | "NotContains" | "Empty" | "NotEmpty" | "ElementsMatch" | "JSONEq" => {
                    receiver.is_some()
                }
                _ => false,
            };
            let direct = matches!(library, Some("assert" | "require" | "is" | "should"));
            let library = library.unwrap_or("assert");
            (suite || direct)
                .then(|| named(format!("{library}.{name}"), strictness(source, name, inside)))
                .flatten()
        }
    }
}

fn strictness(source: &Source<'_>, name: &str, range: Range<usize>) -> Option<Strictness> {
    let arguments = source.arguments(range);
    let values = match arguments.split_first() {
        Some((first, rest)) if source.word(first.start).is_some() && first.len() == 1 => rest,
        _ => &arguments,
    };
    match (name.trim_end_matches('f'), values) {
        ("True", [value, ..]) if is_truthy(source, value) => Some(Strictness::AlwaysTrue),
        ("Equal" | "Exactly", [left, right, ..]) if are_same_literal(source, left, right) => {
            Some(Strictness::AlwaysTrue)
        }
        ("True", [value, ..])
            if source.slice(value.clone()).iter().any(|token| token.is_mark("==")) =>
        {
            Some(Strictness::Exact)
        }
        ("NotNil" | "NotEmpty" | "NoError" | "Error" | "True" | "False" | "NotZero", _) => {
            Some(Strictness::Vague)
        }
        (
            "Contains" | "NotContains" | "NotEqual" | "Regexp" | "InDelta" | "Greater" | "Less",
            _,
        )
        | ("Subset" | "ErrorContains" | "IsType" | "WithinDuration" | "Len", _) => {
            Some(Strictness::Partial)
        }
        _ => Some(Strictness::Exact),
    }
}
