//! One test of the project: its framework, file and name, and what makes them unfit for a command.

use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

use super::Framework;

const LONGEST: usize = 500;

/// One test, as a proof file names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestRef {
    #[serde(rename = "command")]
    pub framework: Framework,
    /// Path from the project's root, with `/`.
    pub file: String,
    /// The name that the framework reports: `tests::adds` (cargo), `TestGroup::test_adds` (pytest),
    /// `CalcTest.test_adds` (unittest), `TestAdds/zero` (go), `adds` or `CalcTest.adds` (phpunit,
    /// gradle, maven). Where titles nest, they are joined by a space or by ` > `.
    pub name: String,
}

/// Why no command can be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    #[error("test file {file:?} {why}")]
    File { file: String, why: &'static str },
    #[error("test name {name:?} of {file:?} {why}")]
    Name { file: String, name: String, why: &'static str },
    #[error("no command for custom tests: set proof.run")]
    NoCustomCommand,
    #[error("the command for custom tests (proof.run) does not contain {0}")]
    CustomPlaceholder(&'static str),
    #[error("the path of the reports folder is not text")]
    ReportsFolder,
}

impl TestRef {
    /// Whether `source`, the text of its file, can declare it. A file that does not compile hides a wrong name.
    pub fn can_be_in(&self, source: &str) -> bool {
        let name = &self.name;
        let declared = match self.framework {
            Framework::Cargo | Framework::Pytest => name.rsplit("::").next(),
            Framework::Unittest | Framework::Gradle | Framework::Maven | Framework::Phpunit => {
                name.rsplit(['.', ':', '#']).next()
            }
            Framework::Go => name.split('/').next(),
            _ => None,
        };
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let word = declared.and_then(|name| name.split(|letter| !is_part(letter)).next());
        word.is_none_or(|word| source.split(|letter| !is_part(letter)).any(|found| found == word))
    }

    /// Checks that file and name can stand in a command, and that the file is inside the project.
    pub(crate) fn check(&self, root: &Path) -> Result<(), ProofError> {
        if let Some(why) = unfit_file(&self.file, root) {
            return Err(ProofError::File { file: sanitize::plain(&self.file), why });
        }
        if let Some(why) = unfit_text(&self.name) {
            return Err(ProofError::Name {
                file: self.file.clone(),
                name: sanitize::plain(&self.name),
                why,
            });
        }
        Ok(())
    }
}

fn unfit_file(file: &str, root: &Path) -> Option<&'static str> {
    if let Some(why) = unfit_text(file) {
        return Some(why);
    }
    let is_plain = |component| matches!(component, Component::Normal(_));
    if file.contains('\\')
        || !Path::new(file).components().all(is_plain)
        || file.split('/').any(str::is_empty)
    {
        return Some("is not a plain path inside the project");
    }
    // A folder becomes the work folder, so any part of the path can come first in a command.
    if file.split('/').any(|part| part.starts_with('-')) {
        return Some("has a part that begins with '-'");
    }
    let inside = match (root.canonicalize(), root.join(file).canonicalize()) {
        (Ok(root), Ok(file)) => file.starts_with(root),
        // The framework reports a file that does not exist.
        _ => true,
    };
    (!inside).then_some("is a link out of the project")
}

fn unfit_text(text: &str) -> Option<&'static str> {
    if text.trim().is_empty() {
        Some("is empty")
    } else if text.len() > LONGEST {
        Some("is longer than 500 bytes")
    } else if text.chars().any(char::is_control) {
        Some("contains a control character")
    } else if text.starts_with('-') {
        Some("begins with '-'")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_test_is_a_word_of_its_file() {
        let can_be = |framework, name: &str, source: &str| {
            TestRef { framework, file: "tests/a".into(), name: name.into() }.can_be_in(source)
        };
        let python = "class A:\n    def test_two(self): pass";
        assert!(can_be(Framework::Pytest, "A::test_two[1-2]", python));
        assert!(can_be(Framework::Unittest, "A.test_two", python));
        assert!(!can_be(Framework::Unittest, "A.test_tw", python));
        assert!(can_be(Framework::Go, "TestA/zero", "func TestA(t *testing.T) {"));
        assert!(!can_be(Framework::Cargo, "sums::empty", "fn empty_list() {}"));
        assert!(can_be(Framework::Vitest, "sums > any title", ""));
    }
}
