//! A canary: a test that must fail, in a copy of the test file. If it passes or is missing, the
//! product switches assertions off, forges results or ends the run early.

use regex::Regex;

use super::data::spec;
use super::template::fill;
use super::{FailureKind, Framework, TestRef, TestResult};

/// A test file with one more test, which must fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canary {
    /// The copy, beside the test file.
    pub file: String,
    pub source: String,
    /// The test that must fail.
    pub test: TestRef,
    id: String,
}

/// A canary for `test_file` of `framework`, whose content is `source`. `id` is random, of letters
/// and digits: product code cannot know it before the run. `None` if the framework needs no canary
/// or if the file does not declare tests in a known way.
pub fn canary(framework: Framework, test_file: &str, source: &str, id: &str) -> Option<Canary> {
    let spec = spec(framework).canary?;
    if id.is_empty() || !id.chars().all(|c| c.is_ascii_alphanumeric()) {
        return None;
    }
    let found = Regex::new(spec.declaration).ok()?.captures(source)?.get(1)?.as_str();
    let (folder, name) =
        test_file.rsplit_once('/').map_or(("", test_file), |(folder, name)| (folder, name));
    if spec.parent.is_some_and(|parent| folder.rsplit('/').next() != Some(parent)) {
        return None;
    }
    let (stem, suffix) = name.split_at(name.find('.')?);
    if stem.is_empty() {
        return None;
    }
    let used = spec.assertions.iter().filter(|assertion| source.contains(assertion.used));
    let attempts: Vec<String> = used
        .map(|assertion| {
            fill(spec.attempt, |placeholder| {
                (placeholder == "statement").then(|| assertion.statement.to_owned())
            })
        })
        .collect();
    let filled = |template| {
        fill(template, |placeholder| match placeholder {
            "id" => Some(id.to_owned()),
            "found" => Some(found.to_owned()),
            "count" => Some(attempts.len().to_string()),
            "attempts" => Some(attempts.concat()),
            "stem" => Some(stem.to_owned()),
            "suffix" => Some(suffix.to_owned()),
            _ => None,
        })
    };
    let name = filled(spec.file);
    let file = if folder.is_empty() { name } else { format!("{folder}/{name}") };
    let source = format!("{source}{}", filled(spec.test));
    Some(Canary {
        test: TestRef { framework, file: file.clone(), name: filled(spec.name) },
        file,
        source,
        id: id.to_owned(),
    })
}

impl Canary {
    /// What to run: `tests` of the original file, in the copy, and then the test that must fail. What
    /// the product does when the tests call it happens before.
    pub fn tests(&self, tests: &[TestRef]) -> Vec<TestRef> {
        let copies = tests.iter().map(|test| TestRef { file: self.file.clone(), ..test.clone() });
        copies.chain([self.test.clone()]).collect()
    }

    /// Whether the canary failed as it must, which shows that assertions and results can be believed.
    pub fn failed_as_it_must(&self, results: &[(TestRef, TestResult)]) -> bool {
        let mut own = results.iter().filter(|(test, _)| *test == self.test);
        own.any(|(_, result)| match result {
            TestResult::Failed(failure) => {
                failure.kind != FailureKind::BrokenTest
                    && failure.message.contains(&format!("canary {}", self.id))
            }
            _ => false,
        })
    }
}
