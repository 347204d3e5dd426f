//! Rust tests: functions with a test attribute, anywhere.
//!
//! Finds Rust modules and functions.
//!
//! Function bodies are skipped as a whole. Macros such as `proptest!` are entered, so that tests in
//! them are found.

mod assertions;
mod attributes;
mod scan;

use self::attributes::Attribute;
use crate::language::is_rust_test_file;
use crate::mark::{Mark, Marked};
use crate::reading::Reading;
use crate::source::Source;
use crate::unit::{Role, Unit, qualified};

/// An open module.
struct Open {
    end: usize,
    name: String,
    /// Assertions of production code do not count.
    is_test_code: bool,
    /// Its own unit, for inner attributes.
    unit: usize,
}

pub(crate) fn read<'a>(path: &str, text: &'a str) -> Reading<'a> {
    let source = scan::scan(text);
    let mut reader = Reader::new(path, &source);
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
    open: Vec<Open>,
    /// Attributes of the next item.
    waiting: Vec<Attribute>,
    marks: Vec<Marked>,
}

impl<'s, 'a> Reader<'s, 'a> {
    fn new(path: &str, source: &'s Source<'a>) -> Self {
        let is_test_code = is_rust_test_file(path);
        let file = Open { end: usize::MAX, name: String::new(), is_test_code, unit: 0 };
        Self {
            source,
            units: vec![Unit::file()],
            open: vec![file],
            waiting: Vec::new(),
            marks: Vec::new(),
        }
    }

    fn step(&mut self, at: usize) -> usize {
        while self.open.len() > 1 && self.open.last().is_some_and(|open| at >= open.end) {
            self.open.pop();
        }
        let source = self.source;
        if source.is_mark(at, "#") && source.is_mark(at + 1, "[") {
            self.attribute(at + 1);
            return source.close(at + 1) + 1;
        }
        if source.is_mark(at, "#") && source.is_mark(at + 1, "!") && source.is_mark(at + 2, "[") {
            self.inner_attribute(at + 2);
            return source.close(at + 2) + 1;
        }
        match (source.word(at), source.word(at + 1)) {
            (Some("mod"), Some(name)) if source.is_mark(at + 2, "{") => self.module(at + 2, name),
            (Some("fn"), Some(name)) => return self.function(at + 2, name),
            _ if ["{", "}", ";", ",", "="].iter().any(|mark| source.is_mark(at, mark)) => {
                self.waiting.clear();
                self.marks.clear();
            }
            _ => {}
        }
        at + 1
    }

    fn attribute(&mut self, bracket: usize) {
        let range = self.source.inside(bracket);
        self.marks.extend(attributes::mark(self.source, range.clone()));
        self.waiting.push(attributes::read(self.source, range));
    }

    fn inner_attribute(&mut self, bracket: usize) {
        let mark = attributes::mark(self.source, self.source.inside(bracket));
        let unit = self.open.last().and_then(|open| self.units.get_mut(open.unit));
        if let (Some(unit), Some(mark)) = (unit, mark) {
            unit.marks.push(mark);
        }
    }

    fn module(&mut self, brace: usize, leaf: &'a str) {
        let (outer, mut is_test_code) = self.enclosing_module();
        let is_tests = matches!(leaf, "tests" | "test");
        is_test_code |= is_tests || self.waiting.contains(&Attribute::CfgTest);
        self.waiting.clear();
        let mut unit = Unit::new(Role::Group, qualified(&outer, "::", leaf), leaf);
        unit.marks = std::mem::take(&mut self.marks);
        // The conventional name `tests` is omitted from test names.
        let name = if is_tests { outer } else { unit.name.clone() };
        let end = self.source.close(brace);
        self.open.push(Open { end, name, is_test_code, unit: self.units.len() });
        self.units.push(unit);
    }

    /// Reads the function whose name is just before `at`; returns where to continue.
    fn function(&mut self, at: usize, leaf: &'a str) -> usize {
        let waiting = std::mem::take(&mut self.waiting);
        let marks = std::mem::take(&mut self.marks);
        let brace = self.end_of_head(at);
        if !self.source.is_mark(brace, "{") {
            return brace;
        }
        let (group, is_test_code) = self.enclosing_module();
        let is_test = waiting.iter().any(|a| matches!(a, Attribute::Test | Attribute::Case));
        let role = if is_test { Role::Test } else { Role::Helper };
        let mut unit = Unit::new(role, qualified(&group, "::", leaf), leaf);
        let range = self.source.inside(brace);
        if is_test || is_test_code {
            unit.marks = marks;
            assertions::read(self.source, range, &mut unit);
            unit.body.repeats += waiting.iter().filter(|a| **a == Attribute::Case).count();
            if waiting.contains(&Attribute::ShouldPanic) {
                unit.mark(Mark::FailureExpected, "#[should_panic]");
            }
        }
        self.units.push(unit);
        self.source.close(brace) + 1
    }

    /// The start of the body, or the end of a head without body.
    fn end_of_head(&self, mut at: usize) -> usize {
        while let Some(token) = self.source.get(at) {
            if token.is_mark("{") || token.is_mark(";") || token.closes() {
                break;
            }
            at = self.source.after(at);
        }
        at
    }

    /// Its name and whether it is test code.
    fn enclosing_module(&self) -> (String, bool) {
        self.open
            .last()
            .map_or((String::new(), false), |open| (open.name.clone(), open.is_test_code))
    }
}
