//! pytest and unittest markers that skip a test or expect a failure.

use std::ops::Range;

use super::scan::Statement;
use crate::mark::{Mark, Marked};
use crate::source::Source;
use crate::token::TokenKind;
use crate::unit::Unit;

pub(super) fn read(source: &Source<'_>, decorators: &[Statement], unit: &mut Unit<'_>) {
    for decorator in decorators {
        unit.marks.extend(marks_in(source, decorator.range.clone()));
        let cases = source.slice(decorator.range.clone()).iter().any(|token| {
            token.is_word("parametrize") || token.is_word("given") || token.is_word("expand")
        });
        unit.body.repeats += usize::from(cases);
    }
}

/// The markers in this range, outside of arguments: a skipped case of `parametrize` does not skip
/// the others.
pub(super) fn marks_in(source: &Source<'_>, range: Range<usize>) -> Vec<Marked> {
    let mut marks = Vec::new();
    let mut at = range.start;
    while at < range.end {
        if let Some(name) = source.word(at) {
            let of = at.checked_sub(2).and_then(|before| source.word(before)).unwrap_or_default();
            marks.extend(mark(name, of, source, at));
        }
        // `pytestmark = [a, b]` is a list of markers; round brackets contain arguments.
        at = if source.is_mark(at, "(") { source.after(at) } else { at + 1 };
    }
    marks
}

fn mark(name: &str, of: &str, source: &Source<'_>, at: usize) -> Option<Marked> {
    let mark = match name {
        "skip" => Mark::Skipped,
        "skipif" | "skipIf" | "skipUnless" => Mark::MaybeSkipped,
        "xfail" | "expectedFailure" => Mark::FailureExpected,
        _ => return None,
    };
    let of_whom = match of {
        "mark" => "@pytest.mark.",
        "unittest" => "@unittest.",
        _ if source.follows(at, "@") => "@",
        _ => return None,
    };
    let mark = if always(source, at) && mark == Mark::MaybeSkipped { Mark::Skipped } else { mark };
    Some(Marked::new(mark, format!("{of_whom}{name}")))
}

/// `skipif(True)` is unconditional.
fn always(source: &Source<'_>, at: usize) -> bool {
    source.is_mark(at + 1, "(")
        && source.get(at + 2).is_some_and(|token| {
            token.is_word("True") || token.kind == TokenKind::Number && token.text == "1"
        })
}
