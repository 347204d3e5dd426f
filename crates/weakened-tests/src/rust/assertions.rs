//! Assertions of Rust functions.
//!
//! Assertions are macros named so. `unwrap`, `expect` and `panic!` also fail a test, but change
//! with every rewrite: they only count as replacements of removed assertions.

use std::ops::Range;

use crate::always_true::{are_same_literal, compares_same, is_truthy};
use crate::body::{Assertion, Body, Strictness};
use crate::source::Source;
use crate::token::TokenKind;
use crate::unit::{BRACKETS, Unit};

pub(super) fn read<'a>(source: &Source<'a>, range: Range<usize>, unit: &mut Unit<'a>) {
    unit.read_code(source, range, BRACKETS, |unit, at, word, _| match word {
        "for" | "while" | "loop" | "for_each" => unit.body.repeats += 1,
        _ if source.is_mark(at + 1, "!") => look_at_macro(source, at, word, &mut unit.body),
        "unwrap" | "expect" | "unwrap_err" | "expect_err" => unit.body.implied += 1,
        name if source.is_mark(at + 1, "(") => unit.body.calls.push(name),
        _ => {}
    });
}

fn look_at_macro<'a>(source: &Source<'a>, at: usize, name: &str, body: &mut Body<'a>) {
    let bracket = at + 2;
    if !source.get(bracket).is_some_and(|token| token.opens()) {
        return;
    }
    match name {
        "panic" | "unreachable" => body.implied += 1,
        "proptest" => body.repeats += 1,
        _ if asserts(name) && !body.asserts_at(at) => {
            let strictness = Some(strictness(source, name, source.inside(bracket)));
            let end = source.close(bracket);
            let words = format!("{name}!");
            body.assertions.push(Assertion::new(source, at..end + 1, words, strictness));
        }
        _ => {}
    }
}

fn asserts(name: &str) -> bool {
    let name = name.trim_start_matches("debug_").trim_start_matches("prop_");
    name.starts_with("assert") || matches!(name, "expect_that" | "verify_that")
}

fn strictness(source: &Source<'_>, name: &str, range: Range<usize>) -> Strictness {
    let arguments = source.arguments(range);
    let name = name.trim_start_matches("debug_").trim_start_matches("prop_");
    match (name, arguments.as_slice()) {
        ("assert", [claim, ..]) => of_claim(source, claim),
        ("assert_eq", [left, right, ..]) if are_same_literal(source, left, right) => {
            Strictness::AlwaysTrue
        }
        // `assert_eq!(x, true)` claims no more than `assert!(x)`.
        ("assert_eq", [left, right, ..]) if [left, right].iter().any(|s| is_bool(source, s)) => {
            Strictness::Vague
        }
        ("assert_ne" | "assert_matches" | "assert_contains", _) => Strictness::Partial,
        ("assert_ok" | "assert_err" | "assert_some", _) => Strictness::Vague,
        _ => Strictness::Exact,
    }
}

fn is_bool(source: &Source<'_>, range: &Range<usize>) -> bool {
    matches!(source.slice(range.clone()), [only] if matches!(only.text, "true" | "false"))
}

fn of_claim(source: &Source<'_>, claim: &Range<usize>) -> Strictness {
    if is_truthy(source, claim) || compares_same(source, claim) {
        return Strictness::AlwaysTrue;
    }
    let tokens = source.slice(claim.clone());
    let has = |texts: &[&str]| {
        tokens.iter().any(|token| token.kind != TokenKind::Text && texts.contains(&token.text))
    };
    if has(&["==", "is_empty", "is_none", "eq", "eq_ignore_ascii_case"]) {
        Strictness::Exact
    } else if has(&["!=", "<", ">", "<=", ">=", "matches", "contains", "contains_key"])
        || has(&["starts_with", "ends_with", "any", "all", "is_some_and", "is_ok_and"])
    {
        Strictness::Partial
    } else {
        Strictness::Vague
    }
}
