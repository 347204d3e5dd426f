//! Parses calls that define a test or group: `it.skip.each([…])("name", …)`.

use std::ops::Range;

use crate::mark::{Mark, Marked};
use crate::source::Source;
use crate::token::TokenKind;
use crate::unit::Role;

#[derive(Debug)]
pub(super) struct Call {
    pub(super) role: Role,
    pub(super) marks: Vec<Marked>,
    /// The tokens between its round brackets.
    pub(super) arguments: Range<usize>,
    pub(super) repeats: usize,
}

/// A call that begins at this word.
pub(super) fn call(source: &Source<'_>, at: usize) -> Option<Call> {
    if source.follows(at, ".") || source.is_word(at.wrapping_sub(1), "function") {
        return None;
    }
    let word = source.word(at)?;
    let (mut role, first_mark) = start(word)?;
    let mut marks: Vec<Marked> =
        first_mark.map(|mark| Marked::new(mark, word)).into_iter().collect();
    let (mut at, mut repeats) = (at + 1, 0);
    while source.is_mark(at, ".") {
        let modifier = source.word(at + 1)?;
        at += 2;
        match modifier {
            "describe" => role = Role::Group,
            "each" | "for" => repeats += 1,
            "concurrent" | "sequential" | "serial" | "parallel" | "shuffle" | "runIf" | "slow" => {}
            _ => marks.push(Marked::new(mark_of(modifier)?, format!("{word}.{modifier}"))),
        }
        if matches!(modifier, "each" | "for" | "skipIf" | "runIf" | "todoIf" | "failsIf") {
            at = behind_arguments(source, at)?;
        }
    }
    if !source.is_mark(at, "(") {
        return None;
    }
    let arguments = source.inside(at);
    is_test_call(source, &arguments).then_some(())?;
    marks.extend(option_marks(source, &arguments));
    Some(Call { role, marks, arguments, repeats })
}

fn start(word: &str) -> Option<(Role, Option<Mark>)> {
    Some(match word {
        "it" | "test" | "specify" => (Role::Test, None),
        "xit" | "xtest" | "xspecify" => (Role::Test, Some(Mark::Skipped)),
        "fit" | "ftest" => (Role::Test, Some(Mark::Alone)),
        "describe" | "context" | "suite" => (Role::Group, None),
        "xdescribe" | "xcontext" => (Role::Group, Some(Mark::Skipped)),
        "fdescribe" | "fcontext" => (Role::Group, Some(Mark::Alone)),
        _ => return None,
    })
}

fn mark_of(modifier: &str) -> Option<Mark> {
    match modifier {
        "skip" | "todo" | "fixme" => Some(Mark::Skipped),
        "skipIf" | "todoIf" => Some(Mark::MaybeSkipped),
        "failing" | "fails" | "fail" | "failsIf" => Some(Mark::FailureExpected),
        "only" => Some(Mark::Alone),
        _ => None,
    }
}

/// `.each([…])` and ``.each`…` ``.
fn behind_arguments(source: &Source<'_>, mut at: usize) -> Option<usize> {
    // TypeScript type arguments: `.each<{ a: number }>([…])`.
    if source.is_mark(at, "<") {
        let until = (at + 40).min(source.len());
        at = (at..until).find(|at| source.is_mark(*at, "("))?;
    }
    match source.get(at) {
        Some(token) if token.is_mark("(") => Some(source.close(at) + 1),
        Some(token) if token.kind == TokenKind::Text => Some(at + 1),
        _ => None,
    }
}

/// A name, or anything else followed by a function.
fn is_test_call(source: &Source<'_>, arguments: &Range<usize>) -> bool {
    let first = source.get(arguments.start).filter(|_| !arguments.is_empty());
    match first {
        Some(token) if token.kind == TokenKind::Text => true,
        Some(token) if token.kind == TokenKind::Word => {
            let head = source.slice(arguments.start..(arguments.start + 20).min(arguments.end));
            let comma = head.iter().position(|token| token.is_mark(",")).unwrap_or(head.len());
            let behind = head.get(comma..).unwrap_or_default();
            behind.iter().any(|token| token.is_mark("=>") || token.is_word("function"))
        }
        _ => false,
    }
}

/// Node's runner: `it("name", { skip: true }, …)`.
fn option_marks(source: &Source<'_>, arguments: &Range<usize>) -> Option<Marked> {
    let brace = arguments.start + 2;
    if !(source.is_mark(brace - 1, ",") && source.is_mark(brace, "{")) {
        return None;
    }
    let inside = source.inside(brace);
    inside.clone().take(20).find_map(|at| {
        let name = source.word(at)?;
        let set = source.is_mark(at + 1, ":") && !source.is_word(at + 2, "false");
        Some(Marked::new(mark_of(name).filter(|_| set)?, format!("{{ {name} }}")))
    })
}
