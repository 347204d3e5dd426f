//! JavaScript and TypeScript tests of Jest, Vitest, Mocha, Jasmine, Playwright and Node: calls of
//! `it` and `test` within `describe`.
//!
//! Finds tests, groups and functions in JavaScript and TypeScript.

mod assertions;
mod call;
pub(crate) mod scan;

use crate::reading::Reading;
use crate::source::Source;
use crate::token::TokenKind;
use crate::unit::{Role, Unit, qualified};

pub(crate) fn read(text: &str) -> Reading<'_> {
    let source = scan::scan(text);
    let mut reader =
        Reader { source: &source, units: vec![Unit::file()], groups: Vec::new(), helper_ends: 0 };
    let mut at = 0;
    while at < source.len() {
        at = reader.step(at);
    }
    let units = reader.units;
    Reading { units, comments: source.comments }
}

struct Reader<'s, 'a> {
    source: &'s Source<'a>,
    units: Vec<Unit<'a>>,
    /// Open groups: their ends and names.
    groups: Vec<(usize, String)>,
    /// Nested functions are part of the outer one.
    helper_ends: usize,
}

impl<'a> Reader<'_, 'a> {
    fn step(&mut self, at: usize) -> usize {
        while self.groups.last().is_some_and(|(end, _)| at >= *end) {
            self.groups.pop();
        }
        if let Some(found) = call::call(self.source, at) {
            return self.call(&found);
        }
        if at >= self.helper_ends
            && let Some((name, brace)) = self.function(at)
        {
            let mut unit = Unit::new(Role::Helper, qualified("", "", name), name);
            assertions::read(self.source, self.source.inside(brace), &mut unit);
            self.units.push(unit);
            self.helper_ends = self.source.close(brace);
        }
        at + 1
    }

    fn call(&mut self, found: &call::Call) -> usize {
        let outer = self.groups.last().map_or("", |(_, name)| name.as_str());
        let leaf = self.leaf(found.arguments.start);
        let mut unit = Unit::new(found.role, qualified(outer, " > ", leaf), leaf);
        unit.marks.clone_from(&found.marks);
        let next = if found.role == Role::Group {
            self.groups.push((found.arguments.end, unit.name.clone()));
            found.arguments.start
        } else {
            let body = assertions::callback(self.source, found.arguments.clone());
            assertions::read(self.source, body, &mut unit);
            found.arguments.end
        };
        unit.body.repeats += found.repeats;
        self.units.push(unit);
        next
    }

    fn leaf(&self, at: usize) -> &'a str {
        self.source.get(at).map_or("", |token| token.text)
    }

    /// `function name(…) {` and `const name = (…) => {`.
    fn function(&self, at: usize) -> Option<(&'a str, usize)> {
        let source = self.source;
        if source.is_word(at, "function") {
            let name = source.word(at + 1)?;
            let parameters = (at + 2..at + 12).find(|at| source.is_mark(*at, "("))?;
            return self.brace_behind(source.close(parameters)).map(|brace| (name, brace));
        }
        if !source.is_mark(at, "=") {
            return None;
        }
        let name = at.checked_sub(1).and_then(|before| source.word(before))?;
        let head = at + 1 + usize::from(source.is_word(at + 1, "async"));
        let behind = match source.get(head)? {
            token if token.is_mark("(") => source.close(head) + 1,
            token if token.kind == TokenKind::Word => head + 1,
            _ => return None,
        };
        let arrow = (behind..behind + 12).find(|at| source.is_mark(*at, "=>"))?;
        source.is_mark(arrow + 1, "{").then_some((name, arrow + 1))
    }

    /// The body, optionally after a TypeScript return type.
    fn brace_behind(&self, at: usize) -> Option<usize> {
        (at + 1..at + 12).find(|at| self.source.is_mark(*at, "{"))
    }
}
