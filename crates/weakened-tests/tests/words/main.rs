//! Files before and after, and the words a reviewer reads about them. As many that must stay silent as
//! that must not.

mod across_files;
mod config;
mod go;
mod hostile;
mod python;
mod rust;
mod script;

use weakened_tests::{FileChange, compare};

/// What is told of one file that changed.
fn words(path: &str, before: &str, after: &str) -> Vec<String> {
    words_of(&[FileChange { path, before: Some(before), after: Some(after), old_path: None }])
}

/// What is told of several, each line with its file unless there is but one.
fn words_of(changes: &[FileChange<'_>]) -> Vec<String> {
    let mut words = Vec::new();
    for file in compare(changes) {
        for finding in &file.findings {
            let line = finding.to_string();
            words.push(if changes.len() > 1 { format!("{}: {line}", file.path) } else { line });
        }
    }
    words
}

/// A file with tests, of which something changes.
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
    fn told(&self, old: &str, new: &str, expected: &[&str]) {
        assert_eq!(words(self.path, self.text, &self.with(old, new)), expected, "{new}");
    }

    #[track_caller]
    fn silent(&self, old: &str, new: &str, about: &str) {
        assert_eq!(words(self.path, self.text, &self.with(old, new)), [""; 0], "{about}");
    }
}

/// Each case: what it is about, before, after, and what is told.
#[track_caller]
fn check(path: &str, cases: &[(&str, &str, &str, &[&str])]) {
    for (about, before, after, told) in cases {
        assert_eq!(words(path, before, after), *told, "{about}");
    }
}

/// Each case: what it is about, before, after. Nothing is told.
#[track_caller]
fn silent(path: &str, cases: &[(&str, &str, &str)]) {
    for (about, before, after) in cases {
        assert_eq!(words(path, before, after), [""; 0], "{about}");
    }
}
