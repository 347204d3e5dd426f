//! The text of `python3 -m unittest -v -b`.

use std::sync::LazyLock;

use regex::Regex;

use super::{Case, ENDED_EARLY, FileError, Report, Status};

static TEST: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(\w+) \(([\w.]+)\)").ok());
static END: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?m)^Ran \d+ tests? in [\d.]+s\n\n(?:OK|FAILED|NO TESTS RAN)").ok()
});
const RULE: &str = "======================================================================";

pub(super) fn read(text: &str) -> Result<Report, String> {
    let (Some(test), Some(end)) = (TEST.as_ref(), END.as_ref()) else {
        return Err("the pattern of a result is broken".to_owned());
    };
    if !end.is_match(text) {
        return Err(ENDED_EARLY.to_owned());
    }
    let mut report = Report::default();
    let mut sections = text.split(RULE);
    add_results(&mut report, test, sections.next().unwrap_or_default());
    sections.for_each(|section| add_failure(&mut report, test, section));
    Ok(report)
}

/// Lines `test_a (tests.test_x.CalcTest.test_a) ... ok`. A docstring stands on a line of its own
/// before the status.
fn add_results(report: &mut Report, test: &Regex, text: &str) {
    let mut current = None;
    for line in text.lines() {
        // A failed subtest leaves its test without a status, before the next test on the same line.
        if let Some(found) = test.captures_iter(line).last() {
            current = Some(id(&found[2], &found[1]));
        }
        let Some((_, status)) = line.rsplit_once("... ") else { continue };
        let status = match status {
            "ok" => Status::Passed,
            "FAIL" | "ERROR" | "unexpected success" => Status::Failed,
            // Also "expected failure": such a test passes whatever fails in it.
            _ => Status::Skipped,
        };
        if let Some(name) = current.take() {
            report.cases.push(Case { file: None, names: vec![name], status, text: String::new() });
        }
    }
}

/// `FAIL: test_a (tests.test_x.CalcTest.test_a)`, and the traceback.
fn add_failure(report: &mut Report, test: &Regex, text: &str) {
    let text = text.trim_start();
    let header = text.lines().next().unwrap_or_default();
    if !["FAIL: ", "ERROR: ", "UNEXPECTED SUCCESS: "].iter().any(|start| header.starts_with(start))
    {
        return;
    }
    // What the test and the product printed says nothing about the failure.
    let end = ["\nStdout:\n", "\nStderr:\n"].iter().filter_map(|start| text.find(start)).min();
    let text = &text[..end.unwrap_or(text.len())];
    let found = test.captures(header);
    // Without a name that a test can have: the loader did not find it.
    let names = found.as_ref().map(|found| id(&found[2], &found[1]));
    let is_fixture = found.is_some_and(|found| matches!(&found[1], "setUpModule" | "setUpClass"));
    if is_fixture || text.contains("Failed to import test module") {
        report.errors.push(FileError { file: None, text: text.to_owned() });
    } else {
        let (names, text) = (names.into_iter().collect(), text.to_owned());
        report.cases.push(Case { file: None, names, status: Status::Failed, text });
    }
}

/// Python before 3.11 names the class only.
fn id(path: &str, method: &str) -> String {
    if path.rsplit('.').next() == Some(method) {
        path.to_owned()
    } else {
        format!("{path}.{method}")
    }
}
