//! Python tests, as pytest and unittest collect them: functions and methods named `test…`.
//!
//! Finds Python classes and functions. Nested functions belong to the outer one.

mod assertions;
mod decorators;
mod scan;

use self::scan::{Statement, statements};
use crate::mark::{Mark, Marked};
use crate::reading::Reading;
use crate::source::Source;
use crate::token::TokenKind;
use crate::unit::{Role, Unit, qualified, shown};

struct Class {
    indent: usize,
    name: String,
    /// Whether a test runner collects it.
    is_collected: bool,
    unit: usize,
}

pub(crate) fn read(text: &str) -> Reading<'_> {
    let source = scan::scan(text);
    let statements = statements(&source);
    let mut reader = Reader { source: &source, units: vec![Unit::file()], classes: Vec::new() };
    let (mut at, mut decorators) = (0, 0);
    while let Some(statement) = statements.get(at) {
        if source.is_mark(statement.range.start, "@") {
            decorators += 1;
            at += 1;
            continue;
        }
        let before = statements.get(at - decorators..at).unwrap_or_default();
        decorators = 0;
        at = reader.statement(&statements, at, before);
    }
    let units = reader.units;
    Reading { units, comments: source.comments }
}

struct Reader<'s, 'a> {
    source: &'s Source<'a>,
    units: Vec<Unit<'a>>,
    classes: Vec<Class>,
}

impl<'a> Reader<'_, 'a> {
    fn statement(&mut self, all: &[Statement], at: usize, decorators: &[Statement]) -> usize {
        let Some(statement) = all.get(at) else { return at + 1 };
        while self.classes.last().is_some_and(|class| statement.indent <= class.indent) {
            self.classes.pop();
        }
        let start = statement.range.start;
        let asynchronous = usize::from(self.source.is_word(start, "async"));
        let named = self.source.word(start + asynchronous + 1);
        match (self.source.word(start + asynchronous), named) {
            (Some("def"), Some(name)) => {
                let end = end_of_block(all, at);
                let block = all.get(at..end).unwrap_or_default();
                self.function(name, block, decorators);
                end
            }
            (Some("class"), Some(name)) => {
                self.class(name, statement, decorators);
                at + 1
            }
            _ => {
                self.setting(statement);
                at + 1
            }
        }
    }

    fn function(&mut self, leaf: &'a str, block: &[Statement], decorators: &[Statement]) {
        let (group, is_collected) = self
            .classes
            .last()
            .map_or(("", true), |class| (class.name.as_str(), class.is_collected));
        let is_test = leaf.starts_with("test") && is_collected;
        let role = if is_test { Role::Test } else { Role::Helper };
        let mut unit = Unit::new(role, qualified(group, "::", leaf), leaf);
        assertions::read(self.source, block, &mut unit);
        decorators::read(self.source, decorators, &mut unit);
        self.units.push(unit);
    }

    fn class(&mut self, leaf: &'a str, statement: &Statement, decorators: &[Statement]) {
        let outer = self.classes.last().map_or("", |class| class.name.as_str());
        let mut unit = Unit::new(Role::Group, qualified(outer, "::", leaf), leaf);
        decorators::read(self.source, decorators, &mut unit);
        let bases = statement.range.start + 2;
        let derived = self.source.is_mark(bases, "(") && !self.source.inside(bases).is_empty();
        let named = leaf.starts_with("Test")
            || !leaf.starts_with('_')
                && ["Test", "Tests", "TestCase"].iter().any(|e| leaf.ends_with(e));
        self.classes.push(Class {
            indent: statement.indent,
            name: unit.name.clone(),
            is_collected: derived || named,
            unit: self.units.len(),
        });
        self.units.push(unit);
    }

    /// Assignments and calls that apply to every test of a class or file.
    fn setting(&mut self, statement: &Statement) {
        let place = self.classes.last().map_or(0, |class| class.unit);
        let start = statement.range.start;
        let marks = match self.source.word(start) {
            Some("pytestmark") => decorators::marks_in(self.source, statement.range.clone()),
            Some("__test__") if self.source.is_word(start + 2, "False") => {
                vec![Marked::new(Mark::Skipped, "__test__ = False")]
            }
            Some(name @ ("collect_ignore" | "collect_ignore_glob")) if statement.indent == 0 => {
                self.left_out(name, statement)
            }
            Some("pytest") if self.source.is_word(start + 2, "skip") => {
                let mark = if statement.indent == 0 { Mark::Skipped } else { Mark::MaybeSkipped };
                vec![Marked::new(mark, "pytest.skip")]
            }
            _ => Vec::new(),
        };
        if let Some(unit) = self.units.get_mut(place) {
            unit.marks.extend(marks);
        }
    }

    fn left_out(&self, name: &str, statement: &Statement) -> Vec<Marked> {
        let texts = self.source.slice(statement.range.clone()).iter();
        texts
            .filter(|token| token.kind == TokenKind::Text)
            .map(|token| Marked::new(Mark::Skipped, shown(&format!("{name}: {}", token.text))))
            .collect()
    }
}

fn end_of_block(all: &[Statement], at: usize) -> usize {
    let Some(head) = all.get(at) else { return at + 1 };
    let rest = all.get(at + 1..).unwrap_or_default();
    rest.iter().position(|next| next.indent <= head.indent).map_or(all.len(), |end| at + 1 + end)
}
