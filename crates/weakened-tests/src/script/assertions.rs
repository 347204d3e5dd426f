//! Assertions of JavaScript tests: `expect(…)` with its matcher, `assert`, `should`, and `t.is`.

use std::ops::Range;

use crate::always_true::{are_same_literal, is_truthy};
use crate::body::{Assertion, Strictness};
use crate::mark::{Mark, Marked};
use crate::source::Source;
use crate::token::TokenKind;
use crate::unit::{BRACKETS, Unit};

/// Reads the function among these arguments.
pub(super) fn callback(source: &Source<'_>, arguments: Range<usize>) -> Range<usize> {
    let mut at = arguments.start;
    while at < arguments.end {
        if source.is_mark(at, "=>") {
            let body = at + 1;
            return if source.is_mark(body, "{") {
                source.inside(body)
            } else {
                body..arguments.end
            };
        }
        if source.is_word(at, "function") {
            let brace = (at..arguments.end).take(200).find(|at| source.is_mark(*at, "{"));
            return brace.map_or(at..arguments.end, |brace| source.inside(brace));
        }
        at = source.after(at);
    }
    (arguments.start + 1).min(arguments.end)..arguments.end
}

pub(super) fn read<'a>(source: &Source<'a>, range: Range<usize>, unit: &mut Unit<'a>) {
    // A returned promise may assert.
    unit.read_code(source, range, BRACKETS, |unit, at, word, depth| match word {
        "for" | "while" | "forEach" | "each" => unit.body.repeats += 1,
        "throw" => unit.body.implied += 1,
        "skip" | "fixme" if source.is_mark(at + 1, "(") => {
            unit.marks.extend(skip(source, at, depth));
        }
        _ if unit.body.asserts_at(at) => {}
        name => match assertion(source, at, name) {
            Some(found) => unit.body.assertions.push(found),
            None if source.is_mark(at + 1, "(") => unit.body.calls.push(name),
            None => {}
        },
    });
}

/// `this.skip()` of Mocha, `t.skip()` of Node, `test.skip(condition)` of Playwright.
fn skip(source: &Source<'_>, at: usize, depth: usize) -> Option<Marked> {
    let of = source.receiver_name(at)?;
    if !matches!(of, "this" | "t" | "ctx" | "context" | "test") {
        return None;
    }
    let conditional = of == "test"
        && source.get(at + 2).is_some_and(|token| !token.closes() && token.kind != TokenKind::Text);
    let mark = if depth > 0 || conditional { Mark::MaybeSkipped } else { Mark::Skipped };
    Some(Marked::new(mark, format!("{of}.{}", source.word(at)?)))
}

fn assertion<'a>(source: &Source<'a>, at: usize, name: &str) -> Option<Assertion<'a>> {
    let dotted = source.follows(at, ".");
    match (name, source.receiver_name(at)) {
        ("expect" | "expectTypeOf" | "assertType", None) => expectation(source, at),
        // supertest: `.expect(200)`
        ("expect", _) if dotted && source.is_mark(at + 1, "(") => {
            let end = source.close(at + 1) + 1;
            Some(Assertion::new(source, at..end, ".expect", None))
        }
        ("should", _) if dotted => {
            let chain = chain(source, at + 1);
            let words = format!("should.{}", chain.words);
            Some(Assertion::new(source, at..chain.end, words, chain.strictness(source)))
        }
        ("assert", None) if source.is_mark(at + 1, "(") => {
            let inside = source.inside(at + 1);
            let always = source
                .arguments(inside.clone())
                .first()
                .is_some_and(|claim| is_truthy(source, claim));
            let equal =
                source.slice(inside.clone()).iter().any(|t| t.is_mark("===") || t.is_mark("=="));
            let strictness = match (always, equal) {
                (true, _) => Strictness::AlwaysTrue,
                (_, true) => Strictness::Exact,
                _ => Strictness::Vague,
            };
            Some(Assertion::new(source, at..inside.end + 1, "assert", Some(strictness)))
        }
        (method, Some(library @ ("assert" | "t"))) if source.is_mark(at + 1, "(") => {
            let is_assertion = match method {
                // Methods of the `t` that AVA, tape and tap pass to a test.
                "is" | "not" | "deepEqual" | "notDeepEqual" | "like" | "true" | "false"
                | "truthy" | "falsy" | "throws" | "throwsAsync" | "notThrows" | "regex"
                | "snapshot" | "fail" | "equal" | "same" | "ok" | "notOk" | "strictEqual" => true,
                _ => library == "assert",
            };
            is_assertion.then_some(())?;
            let end = source.close(at + 1) + 1;
            let (words, strictness) = (format!("{library}.{method}"), of_matcher(method)?);
            Some(Assertion::new(source, at..end, words, Some(strictness)))
        }
        _ => None,
    }
}

fn expectation<'a>(source: &Source<'a>, at: usize) -> Option<Assertion<'a>> {
    let mut open = at + 1;
    // `expect.soft(…)` asserts; `expect.assertions(…)` does not.
    if source.is_mark(open, ".") && matches!(source.word(at + 2), Some("soft" | "poll")) {
        open = at + 3;
    }
    if source.is_mark(open, "<") {
        open = (open..open + 20).find(|at| source.is_mark(*at, "("))?;
    }
    if !source.is_mark(open, "(") {
        return None;
    }
    let chain = chain(source, source.close(open) + 1);
    let actual = source.inside(open);
    let same = match chain.expected.clone().map(|expected| source.arguments(expected)) {
        Some(expected) => match expected.as_slice() {
            [expected] => are_same_literal(source, &actual, expected),
            _ => matches!(chain.last, "toBeTruthy" | "toBeDefined") && is_truthy(source, &actual),
        },
        None => chain.last == "true" && is_truthy(source, &actual),
    };
    let words = if chain.words.is_empty() { "expect".to_owned() } else { chain.words.clone() };
    let strictness = match same && !chain.negated {
        true => Some(Strictness::AlwaysTrue),
        false => chain.strictness(source),
    };
    Some(Assertion::new(source, at..chain.end, words, strictness))
}

/// The chain after `expect(…)`.
struct Chain<'a> {
    words: String,
    last: &'a str,
    negated: bool,
    expected: Option<Range<usize>>,
    end: usize,
}

fn chain<'a>(source: &Source<'a>, mut at: usize) -> Chain<'a> {
    let mut chain =
        Chain { words: String::new(), last: "", negated: false, expected: None, end: at };
    while source.is_mark(at, ".") {
        let Some(word) = source.word(at + 1) else { break };
        chain.negated |= word == "not";
        if !matches!(word, "to" | "be" | "resolves" | "rejects" | "have" | "not" | "and" | "that") {
            let not = if chain.negated { "not." } else { "" };
            chain.words = format!("{not}{word}");
            chain.last = word;
        }
        at += 2;
        if source.is_mark(at, "(") {
            chain.expected = Some(source.inside(at));
            at = source.close(at) + 1;
        }
        chain.end = at;
    }
    chain
}

impl Chain<'_> {
    fn strictness(&self, source: &Source<'_>) -> Option<Strictness> {
        let argument = self.expected.as_ref().is_some_and(|expected| !expected.is_empty());
        let anything = self.expected.as_ref().is_some_and(|expected| {
            let head = source.slice(expected.start..expected.start + 3);
            matches!(head, [a, _, b] if a.is_word("expect") && (b.is_word("anything") || b.is_word("any")))
        });
        match (self.last, self.negated) {
            _ if anything => Some(Strictness::Vague),
            ("toThrow" | "toThrowError" | "throw" | "throws", false) if !argument => {
                Some(Strictness::Vague)
            }
            ("toThrow" | "toThrowError" | "throw" | "throws", true) => Some(Strictness::Vague),
            ("toBeNull" | "toBeUndefined" | "null" | "undefined", true) => Some(Strictness::Vague),
            (_, true) => Some(Strictness::Partial),
            (matcher, false) => of_matcher(matcher),
        }
    }
}

fn of_matcher(matcher: &str) -> Option<Strictness> {
    match matcher {
        "" | "pass" => None,
        "toBeTruthy" | "toBeFalsy" | "toBeDefined" | "exist" | "ok" | "truthy" | "falsy"
        | "toHaveBeenCalled" | "called" | "isOk" | "exists" | "isDefined" | "notOk" | "assert"
        | "doesNotThrow" | "notThrows" | "isTrue" | "isFalse" | "true" | "false" | "isNotNull" => {
            Some(Strictness::Vague)
        }
        "toContain" | "toMatch" | "toMatchObject" | "toBeInstanceOf" | "toBeCloseTo"
        | "toContainEqual" | "toHaveProperty" | "include" | "match" | "above" | "below"
        | "notEqual" | "notDeepEqual" | "notStrictEqual" | "not" | "like" | "regex" | "a"
        | "an" | "instanceOf" | "property" => Some(Strictness::Partial),
        _ if matcher.starts_with("toBeGreaterThan") || matcher.starts_with("toBeLessThan") => {
            Some(Strictness::Partial)
        }
        _ => Some(Strictness::Exact),
    }
}
