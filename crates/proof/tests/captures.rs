//! Reads outputs and reports that the real frameworks wrote (those of gradle and maven follow their
//! documented formats). Each file of `captures/` is one run of a command, with the results expected.

#![expect(clippy::unwrap_used, reason = "a capture that cannot be read fails the test")]

use std::path::Path;

use proof::{Framework, TestCommand, TestOutput, TestRef, TestResult, results};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Capture {
    framework: Framework,
    folder: String,
    exit_code: Option<i32>,
    /// File, name and what the test shows.
    results: Vec<(String, String, String)>,
    text: String,
    report: Option<String>,
}

impl Capture {
    fn command(&self) -> TestCommand {
        let test = |(file, name, _): &(String, String, String)| TestRef {
            framework: self.framework,
            file: file.clone(),
            name: name.clone(),
        };
        TestCommand {
            framework: self.framework,
            command: String::new(),
            folder: self.folder.clone(),
            report: None,
            tests: self.results.iter().map(test).collect(),
        }
    }

    fn output(&self) -> TestOutput<'_> {
        TestOutput { exit_code: self.exit_code, text: &self.text, report: self.report.as_deref() }
    }

    fn shown(&self, output: &TestOutput<'_>) -> Vec<String> {
        results(&self.command(), output).iter().map(|(_, result)| shown(result)).collect()
    }
}

fn shown(result: &TestResult) -> String {
    match result {
        TestResult::Failed(failure) => format!("Failed({:?})", failure.kind),
        TestResult::NotCollected { .. } => "NotCollected".to_owned(),
        other => format!("{other:?}"),
    }
}

fn captures() -> Vec<(String, Capture)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/captures");
    let files = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    files
        .map(|path| {
            let capture = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
            (path.file_stem().unwrap().to_string_lossy().into_owned(), capture)
        })
        .collect()
}

#[test]
fn results_are_as_the_frameworks_report_them() {
    for (name, capture) in captures() {
        let expected: Vec<_> = capture.results.iter().map(|(_, _, shows)| shows.clone()).collect();
        assert_eq!(capture.shown(&capture.output()), expected, "{name}");
    }
}

#[test]
fn a_cut_report_shows_no_passed_test_that_the_whole_report_does_not_show() {
    for (name, capture) in captures() {
        let whole = capture.shown(&capture.output());
        let (text, report) = (capture.text.as_str(), capture.report.as_deref().unwrap_or_default());
        for part in 1..40 {
            let cut = |text: &str| {
                text.chars().take(text.chars().count() * part / 40).collect::<String>()
            };
            let (text, report) = (cut(text), cut(report));
            let output = TestOutput {
                text: &text,
                report: capture.report.as_ref().map(|_| &*report),
                ..capture.output()
            };
            for (cut, whole) in capture.shown(&output).iter().zip(&whole) {
                assert!(cut != "Passed" || whole == "Passed", "{name}, {part} parts of 40");
            }
        }
    }
}

#[test]
fn nothing_passes_without_an_exit_code() {
    for (name, capture) in captures() {
        let output = TestOutput { exit_code: None, ..capture.output() };
        assert!(capture.shown(&output).iter().all(|shown| shown == "NotCollected"), "{name}");
    }
}

/// With the other exit code, what passed either no longer counts or is still consistent.
#[test]
fn nothing_passes_when_the_exit_code_contradicts_the_report() {
    for (name, capture) in captures() {
        let other = if capture.exit_code == Some(0) { 1 } else { 0 };
        let output = TestOutput { exit_code: Some(other), ..capture.output() };
        assert!(capture.shown(&output).iter().all(|shown| shown != "Passed"), "{name}");
    }
}
