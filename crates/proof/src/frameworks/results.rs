//! Says for each test of a command whether it passed. A test passed only if the report names it as
//! run and passed, and the exit code agrees with the report.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::TestRef;
use super::commands::TestCommand;
use super::commands::named;
use super::data::spec;
use super::failure_kind::kind;
use super::reports::{Case, Report, Status, read, titles};

const LONGEST_MESSAGE: usize = 4_000;
/// A failure is classified by the beginning of its text.
const CLASSIFIED: usize = 256 << 10;

/// What a command printed and wrote.
#[derive(Clone, Copy, Debug, Default)]
pub struct TestOutput<'a> {
    /// `None` if a signal or a time limit ended the command.
    pub exit_code: Option<i32>,
    /// Standard output and standard error, in the order in which they were written.
    pub text: &'a str,
    /// The content of `TestCommand::report`; `None` if the file does not exist.
    pub report: Option<&'a str>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TestResult {
    Passed,
    Failed(Failure),
    Skipped,
    /// The test did not run: there is none of this name, the run ended early, or the report cannot
    /// be believed.
    NotCollected {
        why: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    pub kind: FailureKind,
    /// From the test's output, of bounded length.
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FailureKind {
    /// An assertion of the test does not hold.
    Assertion,
    /// The test uses a name that the product does not have yet.
    MissingSymbol,
    /// The test file has a syntax error.
    BrokenTest,
    Other,
}

/// The result of each test of `command`, in the order of `command.tests`.
pub fn results(command: &TestCommand, output: &TestOutput<'_>) -> Vec<(TestRef, TestResult)> {
    let run = Run { command, output, report: read(spec(command.framework).reader, output) };
    command.tests.iter().map(|test| (test.clone(), run.result(test))).collect()
}

struct Run<'a> {
    command: &'a TestCommand,
    output: &'a TestOutput<'a>,
    report: Result<Report, String>,
}

impl Run<'_> {
    fn result(&self, test: &TestRef) -> TestResult {
        let Some(exit_code) = self.output.exit_code else {
            return not_collected("the command was ended by a signal or a time limit");
        };
        let report = match &self.report {
            Ok(report) => report,
            Err(why) if exit_code == 0 => return not_collected(why),
            Err(why) => return self.not_loaded(test, self.output.text, why),
        };
        let file = self.command.file_in_package(test);
        let name = titles(&named(spec(self.command.framework).reported_as, test, file));
        let is_test = |case: &&Case| {
            case.names.contains(&name)
                && case.file.as_deref().is_none_or(|path| is_file(path, file, test))
        };
        let cases: Vec<&Case> = report.cases.iter().filter(is_test).collect();
        let failed = cases.iter().filter(|case| case.status == Status::Failed);
        if let Some(case) = failed.max_by_key(|case| case.text.len()) {
            // The test ran, so its file has no syntax error. The product may have parsed something.
            let possible = |kind| kind != FailureKind::BrokenTest;
            return TestResult::Failed(self.failure(test, &case.text, possible));
        }
        if cases.is_empty() {
            return self.missing(test, report, exit_code);
        }
        if cases.iter().any(|case| case.status == Status::Skipped) {
            return TestResult::Skipped;
        }
        match (exit_code == 0, report.has_failure()) {
            (true, false) | (false, true) => TestResult::Passed,
            (false, false) => not_collected(&format!(
                "the report says that it passed, but the command ended with exit code {exit_code} and no test failed"
            )),
            (true, true) => not_collected(
                "the report says that it passed, but the exit code is 0 although another test failed",
            ),
        }
    }

    /// The result of a test that the report does not list.
    fn missing(&self, test: &TestRef, report: &Report, exit_code: i32) -> TestResult {
        let file = self.command.file_in_package(test);
        let concerns =
            |path: &Option<Rc<str>>| path.as_deref().is_none_or(|path| is_file(path, file, test));
        let why = "the report does not list it";
        if let Some(error) = report.errors.iter().find(|error| concerns(&error.file)) {
            self.not_loaded(test, &error.text, why)
        } else if exit_code != 0 && report.cases.is_empty() && report.errors.is_empty() {
            self.not_loaded(test, self.output.text, why)
        } else {
            not_collected(why)
        }
    }

    /// The result of a test whose file could not be loaded or compiled, as `text` says.
    fn not_loaded(&self, test: &TestRef, text: &str, why: &str) -> TestResult {
        // The text quotes source, perhaps with assertions.
        let failure = self.failure(test, text, |kind| kind != FailureKind::Assertion);
        match failure.kind {
            FailureKind::MissingSymbol | FailureKind::BrokenTest => TestResult::Failed(failure),
            FailureKind::Assertion | FailureKind::Other if failure.message.is_empty() => {
                not_collected(why)
            }
            FailureKind::Assertion | FailureKind::Other => {
                not_collected(&format!("{why}: {}", failure.message))
            }
        }
    }

    fn failure(
        &self,
        test: &TestRef,
        text: &str,
        possible: impl Fn(FailureKind) -> bool,
    ) -> Failure {
        // Without the sequences that colour text, which stand inside of what is searched for.
        let text = sanitize::block(start_of(text, CLASSIFIED)).join("\n");
        let signs = spec(self.command.framework).failures.iter();
        let signs = signs.filter(|sign| possible(sign.kind));
        let kind = kind(signs, &text, test, self.command.file_in_package(test));
        Failure { kind, message: start_of(&text, LONGEST_MESSAGE).to_owned() }
    }
}

/// Whether a report's `path`, absolute or from the package, is the test's file.
fn is_file(path: &str, file: &str, test: &TestRef) -> bool {
    let path = path.strip_prefix("./").unwrap_or(path);
    path == file
        || path.strip_suffix(test.file.as_str()).is_some_and(|before| before.ends_with('/'))
}

fn not_collected(why: &str) -> TestResult {
    TestResult::NotCollected { why: bounded(why) }
}

fn bounded(text: &str) -> String {
    start_of(&sanitize::block(start_of(text, CLASSIFIED)).join("\n"), LONGEST_MESSAGE).to_owned()
}

fn start_of(text: &str, longest: usize) -> &str {
    let end = (0..=longest.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or_default()]
}
