//! Files before and after, with the expected messages. As many negative cases as positive ones.

mod across_files;
mod config;
mod go;
mod hostile;
mod python;
mod rust;
mod script;

use weakened_tests::{FileChange, compare};

/// The findings of one changed file.
fn messages(path: &str, before: &str, after: &str) -> Vec<String> {
    messages_of(&[FileChange { path, before: Some(before), after: Some(after), old_path: None }])
}

/// The findings of several files, each with its path unless there is only one.
fn messages_of(changes: &[FileChange<'_>]) -> Vec<String> {
    let mut words = Vec::new();
    for file in compare(changes) {
        for finding in &file.findings {
            let line = finding.to_string();
            words.push(if changes.len() > 1 { format!("{}: {line}", file.path) } else { line });
        }
    }
    words
}

/// A file with tests, parts of which change.
struct Sample {
    path: &'static str,
    text: &'static str,
}

impl Sample {
    #[track_caller]
    fn with(&self, old: &str, new: &str) -> String {
        assert!(self.text.contains(old), "{old}");
        self.text.replace(old, new)
    }

    #[track_caller]
    fn reports(&self, old: &str, new: &str, expected: &[&str]) {
        assert_eq!(messages(self.path, self.text, &self.with(old, new)), expected, "{new}");
    }

    #[track_caller]
    fn silent(&self, old: &str, new: &str, about: &str) {
        assert_eq!(messages(self.path, self.text, &self.with(old, new)), [""; 0], "{about}");
    }
}

/// Each case: description, before, after, expected findings.
#[track_caller]
fn check(path: &str, cases: &[(&str, &str, &str, &[&str])]) {
    for (about, before, after, findings) in cases {
        assert_eq!(messages(path, before, after), *findings, "{about}");
    }
}

/// Each case: description, before, after. No findings are expected.
#[track_caller]
fn silent(path: &str, cases: &[(&str, &str, &str)]) {
    for (about, before, after) in cases {
        assert_eq!(messages(path, before, after), [""; 0], "{about}");
    }
}
