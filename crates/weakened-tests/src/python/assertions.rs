//! Assertions of Python functions: `assert`, assertion methods, and `pytest.raises`.

use std::ops::Range;

use super::scan::Statement;
use crate::always_true::{are_same_literal, compares_same, is_truthy};
use crate::body::{Assertion, Strictness};
use crate::mark::Mark;
use crate::source::Source;
use crate::token::{Token, TokenKind};
use crate::unit::Unit;

/// Reads the function whose head is the first of `block`.
pub(super) fn read<'a>(source: &Source<'a>, block: &[Statement], unit: &mut Unit<'a>) {
    let Some((head, lines)) = block.split_first() else { return };
    let inner = lines.first().map_or(0, |line| line.indent);
    let mut returns = None;
    for line in lines {
        let first = line.range.start;
        if line.indent == inner && source.is_word(first, "return") {
            returns = returns.or(Some(line.range.end));
        }
        let mark = if line.indent == inner { Mark::Skipped } else { Mark::MaybeSkipped };
        read_line(source, line.range.clone(), mark, unit);
    }
    // A function on one line has its body after the colon.
    if lines.is_empty() {
        read_line(source, head.range.clone(), Mark::Skipped, unit);
    }
    if let Some(range) = code(source, head, lines) {
        unit.body.set_code(source, range);
    }
    let mark = unit.body.cut_at(returns);
    unit.marks.extend(mark);
}

/// The body, unless it is only `pass` and a docstring.
fn code(source: &Source<'_>, head: &Statement, lines: &[Statement]) -> Option<Range<usize>> {
    let range = match (lines.first(), lines.last()) {
        (Some(first), Some(last)) => first.range.start..last.range.end,
        _ => head.range.clone(),
    };
    let is_empty_body = lines.iter().all(|line| {
        let tokens = source.slice(line.range.clone());
        matches!(tokens, [only] if only.kind == TokenKind::Text || only.is_word("pass"))
            || tokens.iter().all(|token| token.is_mark("."))
    });
    (!is_empty_body || lines.is_empty()).then_some(range)
}

fn read_line<'a>(source: &Source<'a>, range: Range<usize>, skip: Mark, unit: &mut Unit<'a>) {
    for at in range.clone() {
        let Some(word) = source.word(at) else { continue };
        let of = source.receiver_name(at);
        match word {
            "for" | "while" | "subTest" => unit.body.repeats += 1,
            "skip" | "skipTest" if matches!(of, Some("pytest" | "self")) => {
                unit.mark(skip, format!("{}.{word}", of.unwrap_or_default()));
            }
            "SkipTest" => unit.mark(skip, "SkipTest"),
            _ if unit.body.asserts_at(at) => {}
            "assert" if !source.follows(at, ".") => {
                let claim = at + 1..range.end;
                let (words, strictness) = of_claim(source, &claim);
                push(source, unit, at..range.end, words, strictness);
            }
            "AssertionError" => push(source, unit, at..at + 1, "AssertionError".into(), None),
            _ if source.is_mark(at + 1, "(") => look_at_call(source, at, word, of, unit),
            _ => {}
        }
    }
}

fn look_at_call<'a>(
    source: &Source<'a>,
    at: usize,
    name: &'a str,
    of: Option<&str>,
    unit: &mut Unit<'a>,
) {
    let inside = source.inside(at + 1);
    let whole = at..inside.end;
    match name {
        "raises" | "warns" | "assertRaises" | "assertRaisesRegex" => {
            let broad = source
                .slice(inside.clone())
                .first()
                .is_some_and(|first| matches!(first.text, "Exception" | "BaseException"));
            let detailed = source.arguments(inside).len() > 1;
            let strictness = match (broad, detailed) {
                (true, false) => Strictness::Vague,
                _ => Strictness::Partial,
            };
            let exception = source.word(at + 2).unwrap_or_default();
            push(source, unit, whole, format!("{name}({exception})"), Some(strictness));
        }
        "fail" if matches!(of, Some("pytest" | "self")) => {
            push(source, unit, whole, format!("{}.fail", of.unwrap_or_default()), None);
        }
        _ if source.follows(at, ".") && name.to_lowercase().starts_with("assert") => {
            let strictness = of_method(source, name, inside);
            push(source, unit, whole, name.to_owned(), strictness);
        }
        _ => unit.body.calls.push(name),
    }
}

fn push<'a>(
    source: &Source<'a>,
    unit: &mut Unit<'a>,
    range: Range<usize>,
    words: String,
    strictness: Option<Strictness>,
) {
    // A call ends with its bracket, `assert` with its line.
    let call = source.is_mark(range.end, ")") && !source.is_word(range.start, "assert");
    let range = range.start..range.end + usize::from(call);
    unit.body.assertions.push(Assertion::new(source, range, words, strictness));
}

/// The claim of `assert`, without a message after a comma.
fn of_claim(source: &Source<'_>, claim: &Range<usize>) -> (String, Option<Strictness>) {
    let mut claim = source.arguments(claim.clone()).first().cloned().unwrap_or(claim.clone());
    // `assert(x == 1)`
    if source.is_mark(claim.start, "(") && source.close(claim.start) + 1 == claim.end {
        claim = source.inside(claim.start);
    }
    if is_truthy(source, &claim) || compares_same(source, &claim) {
        return ("assert".to_owned(), Some(Strictness::AlwaysTrue));
    }
    let tokens = source.slice(claim.clone());
    let has =
        |text: &str| tokens.iter().any(|token| token.kind != TokenKind::Text && token.text == text);
    let next_is = |first: &str, then: &str| {
        tokens.windows(2).any(|pair| matches!(pair, [a, b] if a.is_word(first) && b.is_word(then)))
    };
    let (words, strictness) = if has("==") && !ends_in_bool(tokens) {
        ("assert … ==", Strictness::Exact)
    } else if next_is("is", "not") && has("None") {
        ("assert … is not None", Strictness::Vague)
    } else if has("is") && !next_is("is", "not") && !ends_in_bool(tokens) {
        ("assert … is", Strictness::Exact)
    } else if has("in") {
        ("assert … in", Strictness::Partial)
    } else if has("isinstance") {
        ("assert isinstance", Strictness::Partial)
    } else if let Some(sign) = ["!=", "<", ">", "<=", ">="].into_iter().find(|sign| has(sign)) {
        return (format!("assert … {sign}"), Some(Strictness::Partial));
    } else if tokens.first().is_some_and(|token| token.is_word("not")) {
        // As exact as `== []`, or as vague as `is not True`.
        return ("assert not …".to_owned(), None);
    } else {
        ("assert …", Strictness::Vague)
    };
    (words.to_owned(), Some(strictness))
}

/// `x == True` claims no more than `x`.
fn ends_in_bool(tokens: &[Token<'_>]) -> bool {
    tokens.last().is_some_and(|token| token.is_word("True") || token.is_word("False"))
}

fn of_method(source: &Source<'_>, name: &str, inside: Range<usize>) -> Option<Strictness> {
    let arguments = source.arguments(inside);
    match (name, arguments.as_slice()) {
        ("assertTrue", [claim, ..]) => of_claim(source, claim).1,
        ("assertEqual" | "assertEquals" | "assertIs", [left, right, ..]) => {
            if are_same_literal(source, left, right) {
                return Some(Strictness::AlwaysTrue);
            }
            let compares_bool = [left, right]
                .iter()
                .any(|side| side.len() == 1 && ends_in_bool(source.slice((*side).clone())));
            Some(if compares_bool { Strictness::Vague } else { Strictness::Exact })
        }
        ("assertFalse" | "assertIsNotNone" | "assert_called" | "assert_called_once", _) => {
            Some(Strictness::Vague)
        }
        ("assertIn" | "assertNotEqual" | "assertIsInstance" | "assertRegex" | "assertNotIn", _)
        | ("assertGreater" | "assertLess" | "assertGreaterEqual" | "assertLessEqual", _)
        | ("assertAlmostEqual" | "assert_any_call" | "assert_has_calls", _) => {
            Some(Strictness::Partial)
        }
        _ => Some(Strictness::Exact),
    }
}
