//! Reads what frameworks report. A report comes from a process that may be hostile: sizes are
//! bounded, and a report that is incomplete or cannot be read lists no test.

mod go;
mod jest;
mod junit;
mod libtest;
mod mocha;
mod rspec;
mod unittest;

use std::rc::Rc;

pub(crate) use junit::Dialect;

use super::TestOutput;

const LARGEST: usize = 32 << 20;

/// How a framework reports results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reader {
    Junit(Dialect),
    /// Jest's JSON, which vitest writes too.
    Jest,
    Mocha,
    Rspec,
    /// The lines of `go test -json`.
    Go,
    /// The text of Rust's test harness.
    Libtest,
    /// The text of `unittest -v`.
    Unittest,
}

impl Reader {
    /// `None` if the results are in the output of the command.
    pub(crate) fn file_extension(self) -> Option<&'static str> {
        match self {
            Reader::Junit(_) => Some("xml"),
            Reader::Jest | Reader::Mocha | Reader::Rspec => Some("json"),
            Reader::Go | Reader::Libtest | Reader::Unittest => None,
        }
    }
}

/// What a report says.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) cases: Vec<Case>,
    pub(crate) errors: Vec<FileError>,
}

/// One test of a report. A test can be listed several times.
#[derive(Debug)]
pub(crate) struct Case {
    /// The test's file, if the report names it: absolute or from the package.
    pub(crate) file: Option<Rc<str>>,
    /// The names under which a proof file can list the test.
    pub(crate) names: Vec<String>,
    pub(crate) status: Status,
    /// Why it failed.
    pub(crate) text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Passed,
    Failed,
    Skipped,
}

/// A failure outside of tests, for example of a file that could not be loaded.
#[derive(Debug)]
pub(crate) struct FileError {
    /// `None` if it concerns all files of the command.
    pub(crate) file: Option<Rc<str>>,
    pub(crate) text: String,
}

impl Report {
    pub(crate) fn has_failure(&self) -> bool {
        !self.errors.is_empty() || self.cases.iter().any(|case| case.status == Status::Failed)
    }
}

/// Reads the report of a command, or says why there is none.
pub(crate) fn read(reader: Reader, output: &TestOutput<'_>) -> Result<Report, String> {
    let text = match reader.file_extension() {
        Some(_) => output.report.unwrap_or_default(),
        None => output.text,
    };
    if text.len() > LARGEST {
        return Err(format!("the report is larger than {} MiB", LARGEST >> 20));
    }
    if text.trim().is_empty() {
        return Err("the command wrote no report".to_owned());
    }
    match reader {
        Reader::Junit(dialect) => junit::read(text, dialect),
        Reader::Jest => jest::read(text),
        Reader::Mocha => mocha::read(text),
        Reader::Rspec => rspec::read(text),
        Reader::Go => go::read(text),
        Reader::Libtest => libtest::read(text),
        Reader::Unittest => unittest::read(text),
    }
}

/// A name made of nested titles, however they are joined.
pub(crate) fn titles(name: &str) -> String {
    name.replace(" > ", " ").trim().to_owned()
}

fn unreadable(error: impl std::fmt::Display) -> String {
    format!("the report cannot be read: {error}")
}

const ENDED_EARLY: &str = "the run ended before its results were complete";
