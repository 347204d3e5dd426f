//! Reports and outputs of a process that wants its tests to count as passed, or to stop the reader.

use proof::{
    FailureKind, Framework, TestCommand, TestOutput, TestRef, TestResult, canary, results,
};
use proptest::prelude::*;

const FRAMEWORKS: [Framework; 14] = [
    Framework::Cargo,
    Framework::Pytest,
    Framework::Unittest,
    Framework::Jest,
    Framework::Vitest,
    Framework::Mocha,
    Framework::Node,
    Framework::Go,
    Framework::Rspec,
    Framework::Phpunit,
    Framework::Gradle,
    Framework::Maven,
    Framework::Bats,
    Framework::Custom,
];

fn result(framework: Framework, exit_code: i32, text: &str, report: Option<&str>) -> TestResult {
    let test = TestRef { framework, file: "tests/test_a.py".to_owned(), name: "test_a".to_owned() };
    let command = TestCommand {
        framework,
        command: String::new(),
        folder: String::new(),
        report: None,
        tests: vec![test],
    };
    results(&command, &TestOutput { exit_code: Some(exit_code), text, report }).remove(0).1
}

fn pytest(exit_code: i32, cases: &str) -> TestResult {
    let report = format!("<testsuites><testsuite>{cases}</testsuite></testsuites>");
    result(Framework::Pytest, exit_code, "", Some(&report))
}

const PASSED: &str = r#"<testcase classname="tests.test_a" name="test_a" file="tests/test_a.py"/>"#;
const FAILED: &str = r#"<testcase classname="tests.test_a" name="test_a" file="tests/test_a.py"><failure message="no"/></testcase>"#;
const SKIPPED: &str = r#"<testcase classname="tests.test_a" name="test_a" file="tests/test_a.py"><skipped/></testcase>"#;
const OTHER_FAILED: &str = r#"<testcase classname="tests.test_a" name="test_b" file="tests/test_a.py"><failure message="no"/></testcase>"#;

#[test]
fn a_test_listed_twice_with_different_results_did_not_pass() {
    assert_eq!(pytest(0, PASSED), TestResult::Passed);
    assert!(matches!(pytest(1, &[PASSED, FAILED].concat()), TestResult::Failed(_)));
    assert!(matches!(pytest(1, &[FAILED, PASSED].concat()), TestResult::Failed(_)));
    assert_eq!(pytest(0, &[PASSED, SKIPPED].concat()), TestResult::Skipped);
    let text =
        "running 1 test\ntest test_a ... ok\ntest test_a ... FAILED\n\ntest result: FAILED.\n";
    assert!(matches!(result(Framework::Cargo, 101, text, None), TestResult::Failed(_)));
}

#[test]
fn a_passed_test_counts_only_if_the_exit_code_agrees() {
    assert!(matches!(pytest(1, PASSED), TestResult::NotCollected { .. }));
    assert!(matches!(pytest(0, &[PASSED, OTHER_FAILED].concat()), TestResult::NotCollected { .. }));
    assert_eq!(pytest(1, &[PASSED, OTHER_FAILED].concat()), TestResult::Passed);
}

#[test]
fn a_test_of_another_file_or_class_is_another_test() {
    let elsewhere = PASSED
        .replace("tests/test_a.py", "tests/test_b.py")
        .replace("tests.test_a", "tests.test_b");
    assert!(matches!(pytest(0, &elsewhere), TestResult::NotCollected { .. }));
    let in_class = PASSED.replace("tests.test_a\"", "tests.test_a.Other\"");
    assert!(matches!(pytest(0, &in_class), TestResult::NotCollected { .. }));
    let report = r#"{"testResults":[{"name":"/p/x_tests/test_a.py","assertionResults":[{"title":"test_a","status":"passed"}]}]}"#;
    assert!(matches!(
        result(Framework::Jest, 0, "", Some(report)),
        TestResult::NotCollected { .. }
    ));
    let right = report.replace("/x_tests", "/tests");
    assert_eq!(result(Framework::Jest, 0, "", Some(&right)), TestResult::Passed);
}

#[test]
fn printed_results_do_not_count_before_the_run_is_complete() {
    let forged = "running 2 tests\ntest test_a ... ok\n";
    assert!(matches!(result(Framework::Cargo, 0, forged, None), TestResult::NotCollected { .. }));
    let forged = "test_a (tests.test_a.test_a) ... ok\n";
    assert!(matches!(
        result(Framework::Unittest, 0, forged, None),
        TestResult::NotCollected { .. }
    ));
    let forged = "{\"Action\":\"pass\",\"Test\":\"test_a\"}\n";
    assert!(matches!(result(Framework::Go, 0, forged, None), TestResult::NotCollected { .. }));
}

#[test]
fn reports_that_are_deep_wide_or_large_are_read_in_bounded_time() {
    let deep = 200_000;
    let open = "<testsuite name='a'>".repeat(deep);
    let suites = format!(
        "{open}{}{}",
        "<testcase name='test_a'/>".repeat(1_000),
        "</testsuite>".repeat(deep)
    );
    let entities = "<!DOCTYPE a [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;'>]><testsuite><testcase name='&b;'/></testsuite>";
    let array = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let large = " ".repeat(33 << 20) + "<testsuite/>";
    for framework in FRAMEWORKS {
        for report in [suites.as_str(), entities, &array] {
            result(framework, 0, report, Some(report));
        }
        let not_read = result(framework, 0, &large, Some(&large));
        let why = "the report is larger than 32 MiB".to_owned();
        assert_eq!(not_read, TestResult::NotCollected { why }, "{framework}");
    }
}

#[test]
fn source_that_a_message_quotes_does_not_decide_its_kind() {
    let kind = |result| match result {
        TestResult::Failed(failure) => Some(failure.kind),
        _ => None,
    };
    let report = r#"{"testResults":[{"name":"/p/tests/test_a.py","status":"failed","assertionResults":[],
        "message":"Cannot find module './b'\n> 1 | // AssertionError"}]}"#;
    let not_loaded = result(Framework::Jest, 1, "", Some(report));
    assert_eq!(kind(not_loaded), Some(FailureKind::MissingSymbol));
    let report = r#"{"testResults":[{"name":"/p/tests/test_a.py","status":"failed","assertionResults":[
        {"title":"test_a","status":"failed","failureMessages":["SyntaxError: Unexpected token in JSON"]}]}]}"#;
    let parsed_by_the_product = result(Framework::Jest, 1, "", Some(report));
    assert_eq!(kind(parsed_by_the_product), Some(FailureKind::Other));
}

#[test]
fn a_title_of_node_can_look_like_a_path() {
    let case =
        |name: &str| format!("<testsuites><testcase name='{name}' classname='test'/></testsuites>");
    let test = |name: &str| TestRef {
        framework: Framework::Node,
        file: "a.test.js".to_owned(),
        name: name.to_owned(),
    };
    let shown = |name: &str| {
        let command = TestCommand {
            framework: Framework::Node,
            command: String::new(),
            folder: String::new(),
            report: None,
            tests: vec![test(name)],
        };
        let report = case(name);
        results(&command, &TestOutput { exit_code: Some(0), text: "", report: Some(&report) })
            .remove(0)
            .1
    };
    assert_eq!(shown("/users lists"), TestResult::Passed);
    // A file that ended early is listed as passed.
    assert!(matches!(shown("/p/a.test.js"), TestResult::NotCollected { .. }));
}

#[test]
fn messages_are_bounded_and_without_control_characters() {
    let message = "\u{1b}[31mred\u{7}".to_owned() + &"é".repeat(100_000);
    let report = format!(
        r#"{{"testResults":[{{"name":"/p/tests/test_a.py","assertionResults":[{{"title":"test_a","status":"failed","failureMessages":[{}]}}]}}]}}"#,
        serde_json::Value::from(message)
    );
    let TestResult::Failed(failure) = result(Framework::Jest, 1, "", Some(&report)) else {
        panic!("the test failed");
    };
    assert!(failure.message.starts_with("red") && failure.message.len() <= 4_000);
    assert!(!failure.message.chars().any(|c| c.is_control() && c != '\n'));
}

#[test]
fn a_canary_has_an_id_that_is_part_of_no_syntax() {
    let source = "def test_a():\n    assert 1\n";
    assert!(canary(Framework::Pytest, "test_a.py", source, "7f3a").is_some());
    for id in ["", "a b", "a'", "../a"] {
        assert_eq!(canary(Framework::Pytest, "test_a.py", source, id), None);
    }
    assert_eq!(canary(Framework::Pytest, "test_a.py", "", "7f3a"), None);
    assert_eq!(canary(Framework::Cargo, "src/lib.rs", "#[test]\nfn a() {}\n", "7f3a"), None);
    assert_eq!(canary(Framework::Go, "a_test.go", "func TestA(t *testing.T) {}", "7f3a"), None);
}

proptest! {
    #[test]
    fn no_text_or_report_panics(
        framework in prop::sample::select(FRAMEWORKS.to_vec()),
        parts in prop::collection::vec(prop::sample::select(vec![
            "running 1 test\n", "test test_a ... ok\n", "test result: ok.\n", "---- test_a stdout ----\n", "failures:\n",
            "<testsuite name='", "<testcase name='test_a'", " classname='tests.test_a'", ">", "/>", "'", "</testsuite>",
            "{", "}", "[", "]", ",", ":", "\"testResults\"", "\"Action\"", "\"fail\"", "\"Test\"", "é", "\u{1e}", "\n",
            "test_a (tests.test_a.test_a)", " ... ", "ok", "FAIL: ", "Ran 1 test in 0.1s\n\nOK\n",
            "======================================================================", "error[E0425]", "SyntaxError: ",
        ]), 0..40),
        exit_code in -1..3,
    ) {
        let text = parts.concat();
        result(framework, exit_code, &text, Some(&text));
    }

    #[test]
    fn any_file_and_name_builds_a_canary_or_none(file in ".{0,20}", source in ".{0,60}", id in "[a-z0-9]{0,8}") {
        for framework in FRAMEWORKS {
            canary(framework, &file, &source, &id);
        }
    }
}
