//! A line of output with its heading.

use std::rc::Rc;

use crate::{chatter, excerpts, lines, sections};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReportLine {
    /// The test, file or error under which the line was printed.
    pub(crate) owner: Option<Rc<Owner>>,
    pub(crate) text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) kind: OwnerKind,
    pub(crate) name: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnerKind {
    Test,
    /// A test of pytest, with its source below.
    Pytest,
    /// A linter's file, with its findings below.
    File,
    /// A compiler message, with its locations and notes below.
    Message,
}

pub(crate) fn report_lines(output: &str) -> Vec<ReportLine> {
    let lines = excerpts::reduce(lines::lines(output).collect());
    let mut report = sections::attribute(lines);
    report.retain_mut(|line| chatter::without_chatter(&mut line.text));
    report
}
