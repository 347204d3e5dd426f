//! What a test file is, by its path: the conventions of each language, and the user's own patterns.

/// Languages and the patterns of their test files.
pub const CONVENTIONS: &[(&str, &[&str])] = &[
    ("any", &["**/tests/**", "**/test/**", "**/Tests/**", "**/__tests__/**", "**/testdata/**"]),
    ("rust", &["**/tests.rs", "**/*_test.rs", "**/*_tests.rs"]),
    ("python", &["**/test_*.py", "**/*_test.py", "**/conftest.py"]),
    ("javascript", &["**/*.test.*", "**/*.spec.*", "**/__mocks__/**", "**/__snapshots__/**"]),
    ("go", &["**/*_test.go"]),
    ("ruby", &["**/spec/**", "**/*_spec.rb", "**/*_test.rb"]),
    ("php", &["**/*Test.php"]),
    ("java", &["**/src/*Test/**", "**/*Test.java", "**/*Test.kt"]),
    ("c#", &["**/*.Tests/**", "**/*Tests.cs"]),
    ("c", &["**/*_test.c", "**/*_test.cc", "**/*_test.cpp"]),
    ("shell", &["**/*.bats", "**/*_test.sh", "**/test_*.sh"]),
    ("other", &["**/*_test.dart", "**/*_test.exs", "**/*Tests.swift"]),
];

/// The patterns of test files: the conventions, then the user's own (`proof.testPaths`), which may exclude some with `!`.
pub fn test_path_patterns(own: &[String]) -> Vec<String> {
    let known = CONVENTIONS.iter().flat_map(|(_, patterns)| *patterns).map(|it| (*it).to_owned());
    known.chain(own.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PathPatterns;

    fn is_test(path: &str, own: &[&str]) -> bool {
        let own: Vec<String> = own.iter().map(ToString::to_string).collect();
        PathPatterns::new(&test_path_patterns(&own)).unwrap().matches(path)
    }

    #[test]
    fn conventions_tell_test_files_from_product_files() {
        for path in [
            "tests/test_x.py",
            "pkg/test_x.py",
            "pkg/x_test.py",
            "conftest.py",
            "crates/a/tests/it.rs",
            "src/a/tests.rs",
            "web/src/a.test.tsx",
            "web/src/a.spec.ts",
            "src/__tests__/a.js",
            "cmd/x_test.go",
            "cmd/testdata/in.txt",
            "spec/a_spec.rb",
            "tests/ATest.php",
            "app/src/test/java/A.java",
            "app/src/androidTest/A.kt",
            "Shop.Tests/CartTests.cs",
            "test/a.bats",
        ] {
            assert!(is_test(path, &[]), "{path}");
        }
        for path in [
            "src/lib.rs",
            "src/contest.py",
            "latest/x.py",
            "src/test.rs",
            "package.json",
            "pytest.ini",
            "vitest.config.ts",
            "src/testing.go",
            "Makefile",
            "ralph/tasks.json",
            "src/attestation/x.py",
        ] {
            assert!(!is_test(path, &[]), "{path}");
        }
    }

    #[test]
    fn the_users_patterns_add_and_exclude() {
        assert!(is_test("checks/a.py", &["checks/**"]));
        assert!(!is_test("test/helpers/product.py", &["!test/helpers/**"]));
    }
}
