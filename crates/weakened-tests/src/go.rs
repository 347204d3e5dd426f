//! Go tests: `TestX`, `FuzzX` and `ExampleX` in `_test.go` files, and suite methods.
//!
//! Finds Go functions and build tags.

mod assertions;
mod scan;

use crate::mark::Mark;
use crate::reading::Reading;
use crate::source::Source;
use crate::token::TokenKind;
use crate::unit::{Role, Unit, qualified, shown};

pub(crate) fn read(text: &str) -> Reading<'_> {
    let source = scan::scan(text);
    let names = assertions::testing_names(&source);
    let mut units = vec![file(&source)];
    let mut at = 0;
    while at < source.len() {
        at = match function(&source, at) {
            Some(found) => {
                let role = if is_test(found.name) { Role::Test } else { Role::Helper };
                let name = qualified(found.receiver, ".", found.name);
                let mut unit = Unit::new(role, name, found.name);
                assertions::read(&source, source.inside(found.brace), &names, &mut unit);
                units.push(unit);
                source.close(found.brace) + 1
            }
            None => at + 1,
        };
    }
    Reading { units, comments: source.comments }
}

struct Function<'a> {
    receiver: &'a str,
    name: &'a str,
    brace: usize,
}

/// A function that begins here, without indentation: nested ones are part of it.
fn function<'a>(source: &Source<'a>, at: usize) -> Option<Function<'a>> {
    if !source.is_word(at, "func") || source.get(at)?.begins.is_none() {
        return None;
    }
    let (mut at, mut receiver) = (at + 1, "");
    if source.is_mark(at, "(") {
        let types = source.slice(source.inside(at));
        receiver = types.iter().rev().take(8).find(|token| token.kind == TokenKind::Word)?.text;
        at = source.close(at) + 1;
    }
    let name = source.word(at)?;
    let mut at = at + 1;
    // Skips parameters and results; `interface{}` and `struct{}` in them have braces.
    while let Some(token) = source.get(at) {
        if token.begins.is_some() {
            return None;
        }
        let of_a_type = at.checked_sub(1).and_then(|before| source.word(before));
        if token.is_mark("{") && !matches!(of_a_type, Some("interface" | "struct")) {
            return Some(Function { receiver, name, brace: at });
        }
        at = source.after(at);
    }
    None
}

/// Go runs `TestX` and `Test_x`, not `Testing`.
fn is_test(name: &str) -> bool {
    ["Test", "Fuzz", "Example"].iter().any(|prefix| {
        name.strip_prefix(prefix)
            .is_some_and(|rest| !rest.starts_with(char::is_lowercase) && name != "TestMain")
    })
}

/// Tags that no build sets. Others select a platform or a kind of test.
fn file<'a>(source: &Source<'a>) -> Unit<'a> {
    let mut file = Unit::file();
    for comment in &source.comments {
        let tag =
            comment.strip_prefix("//go:build ").or_else(|| comment.strip_prefix("// +build "));
        if let Some(tag) = tag {
            let tag = tag.trim();
            let never =
                matches!(tag, "ignore" | "never" | "disabled" | "skip" | "none" | "exclude");
            let mark = if never { Mark::Skipped } else { Mark::MaybeSkipped };
            file.mark(mark, shown(&format!("//go:build {tag}")));
        }
    }
    file
}
