//! Finds product code that names the test framework or the tests: it can change what the tests do, which no run of them
//! shows for sure.

use crate::{Framework, TestRef};

/// Whether `source`, a file of the product, names the framework of one of the tests, or a test by a name that only
/// tests have.
pub fn names_tests(source: &str, tests: &[TestRef]) -> bool {
    let names = |word: &str| words(source).any(|found| found == word);
    tests.iter().any(|test| {
        let framework = match test.framework {
            Framework::Node => source.contains("node:test"),
            // Words of other meanings, or of all product code.
            Framework::Cargo | Framework::Go | Framework::Custom => false,
            other => names(&other.to_string()),
        };
        framework || words(&test.name).any(|word| is_of_tests(word) && names(word))
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
}

fn is_of_tests(word: &str) -> bool {
    let lower = word.to_lowercase();
    lower.contains("test") && !["test", "tests"].contains(&&*lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn product_code_that_names_tests_is_found() {
        let test = |framework, name: &str| TestRef {
            framework,
            file: "tests/x".into(),
            name: name.into(),
        };
        let unittest = test(Framework::Unittest, "SumTest.test_two");
        let node = test(Framework::Node, "adds two numbers");
        let cargo = test(Framework::Cargo, "tests::adds");
        for (source, test, expected) in [
            ("import unittest.case", &unittest, true),
            ("case = getattr(module, 'SumTest')", &unittest, true),
            ("if name == 'test_two':", &unittest, true),
            ("def total(numbers):", &unittest, false),
            ("my_unittest_like()  # SumTests", &unittest, false),
            ("require('node:test').test = () => {}", &node, true),
            ("// adds two numbers in node", &node, false),
            ("#[cfg(test)]\nmod tests { fn adds() {} }", &cargo, false),
        ] {
            assert_eq!(names_tests(source, std::slice::from_ref(test)), expected, "{source}");
        }
    }
}
