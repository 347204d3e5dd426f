//! Assertions of Go functions: failing calls on `testing.T`, and those of common libraries.

use std::collections::HashSet;
use std::ops::Range;

use crate::always_true::{are_same_literal, is_truthy};
use crate::assertion::{Assertion, Strictness};
use crate::mark::Mark;
use crate::source::Source;
use crate::token::TokenKind;
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
    if !range.is_empty() {
        unit.body.set_code(source, range.clone());
    }
    let (mut depth, mut returns) = (0_usize, None);
    for (at, token) in source.slice(range.clone()).iter().enumerate() {
        let at = range.start + at;
        if token.is_mark("{") {
            depth += 1;
        } else if token.is_mark("}") {
            depth = depth.saturating_sub(1);
        } else if token.kind == TokenKind::Word {
            match token.text {
                "return" if depth == 0 => returns = returns.or(Some(at)),
                "for" => unit.body.repeats += 1,
                "panic" => unit.body.implied += 1,
                "Skip" | "Skipf" | "SkipNow" if is_call_of(source, at, names) => {
                    let mark = if depth == 0 { Mark::Skipped } else { Mark::MaybeSkipped };
                    unit.mark(mark, format!("t.{}", token.text));
                }
                name if source.is_mark(at + 1, "(") && !unit.body.asserts_at(at) => {
                    match assertion(source, at, name, names) {
                        Some(assertion) => unit.body.assertions.push(assertion),
                        None if is_call_of(source, at, names) => {}
                        None => unit.body.calls.push(name),
                    }
                }
                _ => {}
            }
        }
    }
    let mark = unit.body.cut_at(returns.map(|at| source.statement_end(at)));
    unit.marks.extend(mark);
}

/// Whether the receiver is a `testing.T`: by its name, or as `s.T()`.
fn is_call_of(source: &Source<'_>, at: usize, names: &HashSet<&str>) -> bool {
    let receiver = at.checked_sub(2).filter(|_| source.follows(at, "."));
    let Some(receiver) = receiver else { return false };
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
    let receiver = at.checked_sub(2).filter(|_| source.follows(at, "."));
    let library = receiver.and_then(|receiver| source.word(receiver));
    let inside = source.inside(at + 1);
    let end = inside.end;
    let named = |words: String, strictness| {
        let text = source.text_of(receiver.unwrap_or(at)..end + 1);
        Some(Assertion {
            words,
            text,
            strictness,
            fingerprint: source.fingerprint(at..end),
            at,
            end,
        })
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
            let suite = receiver.is_some() && SUITE.contains(&name);
            let direct = matches!(library, Some("assert" | "require" | "is" | "should"));
            let library = library.unwrap_or("assert");
            (suite || direct)
                .then(|| named(format!("{library}.{name}"), strictness(source, name, inside)))
                .flatten()
        }
    }
}

/// Names that are assertions on any receiver.
const SUITE: [&str; 18] = [
    "Equal",
    "NotEqual",
    "NoError",
    "ErrorIs",
    "ErrorAs",
    "ErrorContains",
    "EqualError",
    "Nil",
    "NotNil",
    "True",
    "False",
    "Len",
    "Contains",
    "NotContains",
    "Empty",
    "NotEmpty",
    "ElementsMatch",
    "JSONEq",
];

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
