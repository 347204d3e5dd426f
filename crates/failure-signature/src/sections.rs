//! Assigns each line to the heading under which a test runner, linter or compiler printed it, so
//! that the order of reports does not matter.
//!
//! Drops text that only its position distinguishes from the failure: lists of test names before
//! reports, the source that pytest prints, backtraces.

use std::rc::Rc;
use std::sync::LazyLock;

use regex::Regex;

use crate::pattern::{Pattern, compiled};
use crate::report_line::{Owner, OwnerKind, ReportLine};
use crate::trailers;

/// A longer heading is no name.
const LONGEST_NAME: usize = 300;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    NextSection,
    BlankLine,
    /// A line that is not indented further than the heading.
    Indent(usize),
}

static HEADINGS: LazyLock<Vec<(OwnerKind, Until, Regex)>> = LazyLock::new(|| {
    use OwnerKind::{File, Message, Pytest, Test};
    use Until::{BlankLine, NextSection};
    [
        // cargo test
        (Test, NextSection, r"^---- (?P<name>.+) stdout ----$"),
        // pytest
        (Pytest, NextSection, r"^_{3,} (?P<name>\S.*) _{3,}$"),
        // go test
        (Test, NextSection, r"^\s*--- FAIL: (?P<name>\S+)"),
        // jest
        (Test, NextSection, r"^\s*● (?P<name>.+)$"),
        // vitest
        (Test, NextSection, r"^\s?FAIL +(?P<name>\S+ (?:>|\[) .+)$"),
        // unittest
        (Test, NextSection, r"^(?:FAIL|ERROR): (?P<name>\w+ \(.+\))$"),
        // TAP, node's own runner
        (Test, NextSection, r"^\s*not ok \d+ - (?P<name>.+)$"),
        // gradle
        (Test, BlankLine, r"^(?P<name>\S.* > .+) FAILED$"),
        // ctest
        (Test, NextSection, r"^\s*\d+/\d+ Test\s+#\d+: (?P<name>\S+) \.*\s*\*\*\*"),
        // bun, whose report precedes the heading
        (Test, NextSection, r"^\(fail\) (?P<name>.+?)(?: \[[\d.]+m?s\])?$"),
        // dotnet
        (Test, BlankLine, r"^\s+Failed (?P<name>\S.*) \[[^\]]+ m?s\]$"),
        // rustc, clippy, cargo
        (Message, BlankLine, r"^(?P<name>(?:error|warning)(?:\[[^\]]+\])?: .+)$"),
        // eslint
        (File, BlankLine, r"^(?P<name>(?:[A-Za-z]:)?[^\s:()]*[/\\][^\s:()]+\.\w+)$"),
    ]
    .map(|(kind, until, text)| (kind, until, compiled(&[text])))
    .into()
});

/// `go test -v` names each test before it fails.
static RUNS: Pattern = Pattern::new(&[r"^=== (?:RUN|CONT|NAME|PAUSE)\s+(?P<name>\S+)"]);
static PASSED: Pattern = Pattern::new(&[r"^\s*--- (?:PASS|SKIP): (?P<name>\S+)"]);

static ENDS: Pattern = Pattern::new(&[
    r"^failures:$|^test result: ",
    r"^={3,} .*={3,}$",
    r"^\s?(?:FAIL|PASS|ok)(?:\s|$)",
    r"^Test Suites:|^Seed:|^Summary of all failing tests",
    r"^⎯{3,}",
    r"^Ran \d+ tests?",
    r"^\s*ok \d+|^\s*\d+\.\.\d+$|^\s*# Subtest: ",
    r"^Finished in \d",
    r"^\s*Start\s+\d+: |^\d+% tests passed|^\s*\d+ (?:pass|fail)$|^\((?:pass|skip|todo)\) ",
]);

/// Precedes the numbered reports of mocha and rspec.
static SUMMARY: Pattern = Pattern::new(&[r"^\s*\d+ failing$|^Failures:$"]);
static NUMBERED: Pattern = Pattern::new(&[r"^(?P<before>\s*\d+\) )(?P<name>.+)$"]);
/// A failed test in the progress output, reported later under this number.
static AHEAD: Pattern = Pattern::new(&[r"^\s*\d+\) |\(FAILED - \d+\)$"]);

/// Reports that repeat the name of every failed test, so that lists of names are redundant.
static REPORT: Pattern = Pattern::new(&[
    r"^_{3,} \S.* _{3,}$",
    r"^\s*● ",
    r"^\s?FAIL +\S+ (?:>|\[) ",
    r"^(?:FAIL|ERROR): \w+ \(",
]);
static NAME_LIST: Pattern =
    Pattern::new(&[r"^\s*[×✕✗✘] |^\s+→ |^\w+ \(.+\) \.\.\. (?:FAIL|ERROR)$"]);
static MARKED: Pattern =
    Pattern::new(&[r"^(?P<before>\s*)[×✕✗✘✖] (?P<name>\D.*?)(?: \([\d.]+ ?m?s\))?$"]);
/// The result of a test file, with its test tree below in verbose jest output.
static TREE: Pattern = Pattern::new(&[r"^\s?(?:FAIL|PASS) +\S+\.\w+(?: \(\d[^)]*\))?$"]);
static SHORT_SUMMARY: Pattern = Pattern::new(&[r"^={3,} short test summary info ={3,}$"]);
/// pytest prints captured output after the source.
static CAPTURED: Pattern = Pattern::new(&[r"^-{3,} Captured .* -{3,}$"]);
static FRAME: Pattern = Pattern::new(&[r"^\s+(?:\d+: |at )"]);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Suppressed {
    Nothing,
    Tree,
    ShortSummary,
    Source,
    Backtrace,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Summary {
    Never,
    Ahead,
    /// With the column of the last title while it may continue.
    Here(Option<usize>),
}

struct Reader {
    owner: Option<Rc<Owner>>,
    until: Until,
    suppressed: Suppressed,
    summary: Summary,
    reported: bool,
    report: Vec<ReportLine>,
}

pub(crate) fn attribute(lines: Vec<String>) -> Vec<ReportLine> {
    let reported = lines.iter().any(|line| REPORT.is_match(line));
    let summary = lines.iter().any(|line| SUMMARY.is_match(line));
    let mut reader = Reader {
        owner: None,
        until: Until::NextSection,
        suppressed: Suppressed::Nothing,
        summary: if summary { Summary::Ahead } else { Summary::Never },
        reported,
        report: Vec::with_capacity(lines.len()),
    };
    for line in lines {
        reader.read(line);
    }
    reader.report
}

impl Reader {
    fn read(&mut self, line: String) {
        if line.trim().is_empty() {
            return self.blank();
        }
        if matches!(self.until, Until::Indent(indent) if indented(&line) <= indent) {
            self.owner = None;
        }
        if self.numbered(&line) {
            return;
        }
        if let Some((owner, until)) = heading(&line).or_else(|| self.marked(&line)) {
            return self.open(owner, until);
        }
        if let Some(found) = RUNS.captures(&line) {
            let owner = named(OwnerKind::Test, &found["name"]);
            (self.owner, self.until, self.suppressed) =
                (Some(Rc::new(owner)), Until::NextSection, Suppressed::Nothing);
            return;
        }
        if let Some(found) = PASSED.captures(&line) {
            return self.forget(&found["name"]);
        }
        if ENDS.is_match(&line) || SUMMARY.is_match(&line) || trailers::is_trailer(&line) {
            self.end(&line);
        }
        if !self.suppressed(&line) {
            self.report.push(ReportLine { owner: self.owner.clone(), text: line });
        }
    }

    fn end(&mut self, line: &str) {
        self.owner = None;
        self.suppressed = Suppressed::Nothing;
        if SUMMARY.is_match(line) {
            self.summary = Summary::Here(None);
        } else if self.summary != Summary::Never {
            self.summary = Summary::Ahead;
        }
    }

    /// `1) title` in a summary: a heading that continues on lines that are indented further.
    fn numbered(&mut self, line: &str) -> bool {
        let Summary::Here(title) = self.summary else { return false };
        self.summary = Summary::Here(None);
        let (column, name) = match (NUMBERED.captures(line), title, &self.owner) {
            (Some(found), ..) => (found["before"].len(), found["name"].to_owned()),
            (None, Some(column), Some(owner)) if indented(line) > column => {
                self.report.pop();
                (column, format!("{} › {}", owner.name, line.trim()))
            }
            _ => return false,
        };
        let test = named(OwnerKind::Test, name.trim_end_matches(':'));
        self.open(test, Until::NextSection);
        self.summary = Summary::Here(Some(column));
        true
    }

    /// Without reports, a listed name is the heading of the text below it.
    fn marked(&self, line: &str) -> Option<(Owner, Until)> {
        let found = if self.reported { None } else { MARKED.captures(line) }?;
        Some((named(OwnerKind::Test, &found["name"]), Until::Indent(found["before"].len())))
    }

    fn blank(&mut self) {
        if self.until == Until::BlankLine {
            self.owner = None;
        }
        if let Summary::Here(title) = &mut self.summary {
            *title = None;
        }
        if matches!(self.suppressed, Suppressed::Tree | Suppressed::Backtrace) {
            self.suppressed = Suppressed::Nothing;
        }
    }

    fn open(&mut self, owner: Owner, until: Until) {
        let owner = Rc::new(owner);
        self.report.push(ReportLine { text: owner.name.clone(), owner: Some(Rc::clone(&owner)) });
        self.suppressed =
            if owner.kind == OwnerKind::Pytest { Suppressed::Source } else { Suppressed::Nothing };
        (self.owner, self.until) = (Some(owner), until);
    }

    /// Drops the output of a test that passed.
    fn forget(&mut self, test: &str) {
        let of_it =
            |report: &mut ReportLine| report.owner.as_ref().is_some_and(|owner| owner.name == test);
        while self.report.pop_if(of_it).is_some() {}
        self.owner = None;
    }

    fn suppressed(&mut self, line: &str) -> bool {
        if self.reported && TREE.is_match(line) {
            self.suppressed = Suppressed::Tree;
            return false;
        }
        if self.reported && SHORT_SUMMARY.is_match(line) {
            self.suppressed = Suppressed::ShortSummary;
        }
        if line.trim() == "stack backtrace:" {
            self.suppressed = Suppressed::Backtrace;
            return true;
        }
        if self.suppressed == Suppressed::Backtrace && !FRAME.is_match(line) {
            self.suppressed = Suppressed::Nothing;
        }
        if self.suppressed == Suppressed::Source && CAPTURED.is_match(line) {
            self.suppressed = Suppressed::Nothing;
        }
        match self.suppressed {
            Suppressed::Tree | Suppressed::ShortSummary | Suppressed::Backtrace => true,
            Suppressed::Source => line.starts_with("    "),
            Suppressed::Nothing => {
                self.reported && NAME_LIST.is_match(line)
                    || self.summary == Summary::Ahead && AHEAD.is_match(line)
            }
        }
    }
}

fn heading(line: &str) -> Option<(Owner, Until)> {
    HEADINGS.iter().find_map(|(kind, until, pattern)| {
        let found = pattern.captures(line)?;
        Some((named(*kind, &found["name"]), *until))
    })
}

fn indented(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn named(kind: OwnerKind, name: &str) -> Owner {
    Owner { kind, name: name.trim().chars().take(LONGEST_NAME).collect() }
}
