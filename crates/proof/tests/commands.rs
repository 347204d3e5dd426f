//! The commands that run single tests, and what is refused.

#![expect(clippy::unwrap_used, reason = "a project that cannot be written fails the test")]

use std::path::Path;

use assert_fs::TempDir;
use assert_fs::prelude::*;
use proof::{Framework, ProofError, RunnerOptions, TestRef, commands};

fn test(framework: Framework, file: &str, name: &str) -> TestRef {
    TestRef { framework, file: file.to_owned(), name: name.to_owned() }
}

fn built(root: &TempDir, tests: &[TestRef]) -> Vec<String> {
    let commands =
        commands(tests, &RunnerOptions::default(), root.path(), Path::new("/r")).unwrap();
    commands.into_iter().map(|command| command.command).collect()
}

fn refused(file: &str, name: &str) -> ProofError {
    let root = TempDir::new().unwrap();
    let tests = [test(Framework::Pytest, file, name)];
    commands(&tests, &RunnerOptions::default(), root.path(), Path::new("/r")).unwrap_err()
}

#[test]
fn names_are_words_of_the_shell() {
    let root = TempDir::new().unwrap();
    let last = |framework, name| {
        let command = &built(&root, &[test(framework, "t/$(x) y.py", name)])[0];
        shlex::split(command).unwrap().pop().unwrap()
    };
    for name in ["a; rm -rf /", "$(reboot)", "`id`", "it's \"quoted\"", "{report}", "a|b", "a\\"] {
        assert_eq!(last(Framework::Pytest, name), format!("t/$(x) y.py::{name}"));
        assert_eq!(last(Framework::Cargo, name), name);
        assert_eq!(last(Framework::Jest, name), "t/$(x) y.py");
    }
}

#[test]
fn a_name_is_matched_as_a_whole() {
    let root = TempDir::new().unwrap();
    let tests = [
        test(Framework::Jest, "a.test.js", "group > adds 1+1 (twice)"),
        test(Framework::Jest, "a.test.js", "subtracts"),
    ];
    let words = shlex::split(&built(&root, &tests)[0]).unwrap();
    let pattern = "--testNamePattern=^(group( > | )adds 1\\+1 \\(twice\\)|subtracts)$";
    assert!(words.contains(&pattern.to_owned()), "{words:?}");
}

#[test]
fn a_command_runs_in_the_package_of_its_tests() {
    let root = TempDir::new().unwrap();
    root.child("web app/package.json").write_str("{}").unwrap();
    root.child("node_modules/.bin/jest").write_str("").unwrap();
    let tests = [
        test(Framework::Jest, "web app/src/a.test.js", "adds"),
        test(Framework::Jest, "web app/src/b.test.js", "adds"),
        test(Framework::Jest, "c.test.js", "adds"),
    ];
    let built = built(&root, &tests);
    assert_eq!(built.len(), 2);
    assert!(built[0].starts_with("CI=true ./node_modules/.bin/jest --ci"), "{built:?}");
    assert!(
        built[0].ends_with(
            "--outputFile=/r/jest-1.json '--testNamePattern=''^(adds)$' --runTestsByPath c.test.js"
        ),
        "{built:?}"
    );
    assert!(
        built[1].starts_with("cd 'web app' || exit 2; CI=true ../node_modules/.bin/jest --ci"),
        "{built:?}"
    );
    assert!(built[1].ends_with("--runTestsByPath src/a.test.js src/b.test.js"), "{built:?}");
}

#[test]
fn cargo_runs_the_target_of_the_file() {
    let root = TempDir::new().unwrap();
    for file in [
        "lib/Cargo.toml",
        "lib/src/lib.rs",
        "lib/tests/dir/main.rs",
        "bin/Cargo.toml",
        "bin/src/main.rs",
    ] {
        root.child(file).write_str("").unwrap();
    }
    let target = |file: &str| {
        let built = built(&root, &[test(Framework::Cargo, file, "a")]);
        let start = "--no-fail-fast ";
        built[0].split(start).nth(1).unwrap().split(" -- ").next().unwrap().to_owned()
    };
    assert_eq!(target("lib/tests/calc.rs"), "--test calc");
    assert_eq!(target("lib/tests/dir/inner.rs"), "--test dir");
    assert_eq!(target("lib/src/deep/calc.rs"), "--lib");
    assert_eq!(target("bin/src/deep/calc.rs"), "--bins");
    assert_eq!(target("lib/src/bin/tool.rs"), "--bin tool");
    assert_eq!(target("lib/other/calc.rs"), "--tests");
}

#[test]
fn many_tests_run_in_several_commands_with_a_report_each() {
    let root = TempDir::new().unwrap();
    let tests: Vec<_> = (0..120)
        .map(|n| test(Framework::Pytest, "tests/test_a.py", &format!("test_{n}")))
        .collect();
    let twice = [tests.clone(), tests].concat();
    let commands =
        commands(&twice, &RunnerOptions::default(), root.path(), Path::new("/r")).unwrap();
    assert_eq!(commands.iter().map(|command| command.tests.len()).sum::<usize>(), 120);
    assert!(commands.iter().all(|command| command.command.len() < 100_000));
    let mut reports: Vec<_> =
        commands.iter().map(|command| command.report.clone().unwrap()).collect();
    reports.dedup();
    assert_eq!(reports.len(), 3);
}

#[test]
fn files_outside_of_the_project_and_options_are_refused() {
    for file in [
        "../a.py",
        "/a.py",
        "a/../../b.py",
        "./a.py",
        "a//b.py",
        "",
        "a\nb.py",
        "a\\b.py",
        "-a.py",
        "t/--version",
        "C:\\a.py",
    ] {
        assert!(matches!(refused(file, "a"), ProofError::File { .. }), "{file:?}");
    }
    assert!(matches!(refused(&"a".repeat(501), "a"), ProofError::File { .. }));
    for name in ["", " ", "-x", "--collect-only", "a\0b", "a\nb"] {
        assert!(matches!(refused("a.py", name), ProofError::Name { .. }), "{name:?}");
    }
    assert!(matches!(refused("a.py", &"a".repeat(501)), ProofError::Name { .. }));
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_project_is_refused() {
    let (root, outside) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    outside.child("test_a.py").write_str("").unwrap();
    std::os::unix::fs::symlink(outside.path(), root.child("tests").path()).unwrap();
    let tests = [test(Framework::Pytest, "tests/test_a.py", "test_a")];
    let error =
        commands(&tests, &RunnerOptions::default(), root.path(), Path::new("/r")).unwrap_err();
    assert_eq!(error.to_string(), "test file \"tests/test_a.py\" is a link out of the project");
}

#[test]
fn the_custom_command_needs_both_placeholders() {
    let root = TempDir::new().unwrap();
    let tests = [test(Framework::Custom, "a", "it's")];
    let with = |custom| commands(&tests, &RunnerOptions { custom }, root.path(), Path::new("/r"));
    assert_eq!(with(None), Err(ProofError::NoCustomCommand));
    assert_eq!(with(Some("make {tests}")), Err(ProofError::CustomPlaceholder("{junit}")));
    assert_eq!(with(Some("make {junit}")), Err(ProofError::CustomPlaceholder("{tests}")));
    let command = with(Some("make T={tests} J={junit} X=${HOME}")).unwrap().remove(0).command;
    assert_eq!(command, "make T=\"it's\" J=/r/custom-1.xml X=${HOME}");
}

#[test]
fn the_files_of_a_project_show_its_frameworks() {
    let detected = |file: &str, content: &str| {
        let root = TempDir::new().unwrap();
        root.child(file).write_str(content).unwrap();
        Framework::detect(root.path())
    };
    assert_eq!(detected("README.md", "pytest"), []);
    assert_eq!(detected("Cargo.toml", ""), [Framework::Cargo]);
    assert_eq!(detected("requirements-dev.txt", "pytest==8"), [Framework::Pytest]);
    assert_eq!(detected("tests/test_a.py", "import unittest"), [Framework::Unittest]);
    assert_eq!(
        detected("package.json", r#"{"devDependencies":{"vitest":"1"}}"#),
        [Framework::Vitest]
    );
    assert_eq!(
        detected("package.json", r#"{"scripts":{"test":"node --test"}}"#),
        [Framework::Node]
    );
    assert_eq!(detected("jest.config.ts", ""), [Framework::Jest]);
    assert_eq!(detected("go.mod", ""), [Framework::Go]);
    assert_eq!(detected("build.gradle.kts", ""), [Framework::Gradle]);
    assert_eq!(detected("test/a.bats", ""), [Framework::Bats]);
}
