//! A file of a change: its text before and after, and the tests in both.

use crate::language::{Language, is_rust_test_file};
use crate::reading::Reading;
use crate::{go, python, rust, script};

/// Larger files are not compared, which bounds the time.
pub(crate) const LARGEST_MIB: usize = 2;

/// A changed file.
#[derive(Debug, Clone, Copy)]
pub struct FileChange<'a> {
    /// The current path, or the old one if the file was removed.
    pub path: &'a str,
    /// `None` for a new file.
    pub before: Option<&'a str>,
    /// `None` for a removed file.
    pub after: Option<&'a str>,
    /// The old path of a renamed file. A rename given as deletion plus addition is also recognized.
    pub old_path: Option<&'a str>,
}

#[derive(Debug)]
pub(crate) struct File<'a> {
    pub(crate) change: FileChange<'a>,
    pub(crate) language: Option<Language>,
    pub(crate) before: Reading<'a>,
    pub(crate) after: Reading<'a>,
}

impl<'a> File<'a> {
    pub(crate) fn read(change: &FileChange<'a>) -> Self {
        let old_path = change.old_path.unwrap_or(change.path);
        let new = Language::of(change.path);
        let old = Language::of(old_path);
        let mut file = Self {
            change: *change,
            language: new.or(old),
            before: Reading::default(),
            after: Reading::default(),
        };
        if !file.is_too_large() {
            file.before = read(old, old_path, change.before);
            file.after = read(new, change.path, change.after);
        }
        file
    }

    pub(crate) fn is_too_large(&self) -> bool {
        let mut texts = [self.change.before, self.change.after].into_iter().flatten();
        texts.any(|text| text.len() > LARGEST_MIB << 20)
    }

    /// Whether the file is a test file; any Rust file may contain tests.
    pub(crate) fn is_for_tests(&self) -> bool {
        match self.language {
            Some(Language::Rust) => is_rust_test_file(self.change.path),
            language => language.is_some(),
        }
    }
}

fn read<'a>(language: Option<Language>, path: &str, text: Option<&'a str>) -> Reading<'a> {
    match (language, text) {
        (Some(Language::Rust), Some(text)) => rust::read(path, text),
        (Some(Language::Python), Some(text)) => python::read(text),
        (Some(Language::Script), Some(text)) => script::read(text),
        (Some(Language::Go), Some(text)) => go::read(text),
        _ => Reading::default(),
    }
}
