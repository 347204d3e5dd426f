//! A parsed file of a change.

use crate::change::FileChange;
use crate::language::{Language, is_rust_test_file};
use crate::reading::Reading;
use crate::{go, python, rust, script};

/// Larger files are not compared, which bounds the time.
const LARGEST_MIB: usize = 2;

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
        if file.too_large().is_none() {
            file.before = read(old, old_path, change.before);
            file.after = read(new, change.path, change.after);
        }
        file
    }

    /// The limit, if one of the two texts exceeds it.
    pub(crate) fn too_large(&self) -> Option<usize> {
        let large = |text: Option<&str>| text.is_some_and(|text| text.len() > LARGEST_MIB << 20);
        (large(self.change.before) || large(self.change.after)).then_some(LARGEST_MIB)
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
