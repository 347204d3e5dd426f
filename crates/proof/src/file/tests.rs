use serde_json::{Value, json};

use super::*;

fn story(criteria: &[&str]) -> Story {
    let list = json!({
        "project": "p", "branchName": "b", "description": "",
        "userStories": [{
            "id": "US-1", "title": "t", "acceptanceCriteria": criteria, "priority": 1, "passes": false,
            "reviewStatus": null, "reviewCount": 0, "reviewFeedback": ""
        }]
    });
    let list = tasks::inspect(list.to_string().as_bytes()).accepted().unwrap();
    list.stories.into_iter().next().unwrap()
}

fn digest(criterion: &str) -> String {
    Sha256Digest::of(criterion).to_string()
}

fn test(file: &str, name: &str) -> Value {
    json!({"command": "pytest", "file": file, "name": name})
}

fn file(criteria: Value) -> Value {
    json!({"story": "US-1", "criteria": criteria})
}

fn parsed(file: &Value) -> Result<ProofFile, Vec<String>> {
    let lines = |problems: Vec<ProofProblem>| problems.iter().map(ToString::to_string).collect();
    ProofFile::parse(file.to_string().as_bytes()).map_err(lines)
}

fn checked(file: &Value, criteria: &[&str]) -> Result<MappedTests, Vec<String>> {
    let patterns = PathPatterns::new(&["tests/**"]).unwrap();
    let checked = parsed(file)?.check(&story(criteria), &patterns);
    checked.map_err(|problems| problems.iter().map(ToString::to_string).collect())
}

#[test]
fn a_whole_file_maps_every_criterion_in_the_order_of_the_story() {
    let file = file(json!([
        {"digest": digest("b"), "criterion": "b", "manual": "a picture"},
        {"digest": digest("a").to_uppercase(), "tests": [test("tests/x.py", "one"), test("tests/x.py", "two")]},
        {"digest": digest("c"), "criterion": null, "manual": null, "tests": [test("tests/x.py", "one")]},
    ]));
    let mapped = checked(&file, &["a", "b", "c", "a"]).unwrap();
    let texts: Vec<&str> =
        mapped.criteria.iter().map(|criterion| criterion.text.as_str()).collect();
    assert_eq!(texts, ["a", "b", "c", "a"]);
    assert_eq!(mapped.criteria[1].evidence, Evidence::Manual("a picture".into()));
    assert_eq!(mapped.tests().len(), 2);
    assert_eq!(mapped.files().into_iter().collect::<Vec<_>>(), ["tests/x.py"]);
}

#[test]
fn one_reading_reports_every_problem_with_its_place() {
    let found = parsed(&json!({
        "story": 5,
        "extra": 1,
        "criteria": [
            {"digest": "abc", "tests": []},
            {"digest": digest("a")},
            {"digest": digest("a"), "manual": " "},
            {"digest": digest("a"), "manual": "m", "tests": [test("tests/x.py", "n")]},
            {"digest": digest("a"), "tests": [
                {"command": "", "file": "../x.py", "name": "a\nb", "line": 3}, 7, test("/x.py", "n"), test("a//b.py", "n")
            ]},
            3
        ]
    }));
    assert_eq!(
        found.unwrap_err(),
        [
            "story: expected the id of the story, found 5",
            "criteria[0].digest: expected the sha256 of the criterion, 64 hex digits, found \"abc\"",
            "criteria[0]: expected at least one test, or \"manual\" with a reason instead",
            "criteria[1]: it needs \"tests\", or \"manual\" with a reason why no test can show it",
            "criteria[2].manual: expected why no test can show it, found \" \"",
            "criteria[3]: it has both \"tests\" and \"manual\"; keep one",
            "criteria[4].tests[0].command: expected cargo, pytest, unittest, jest, vitest, mocha, node, go, rspec, phpunit, gradle, maven, bats or custom, found \"\"",
            "criteria[4].tests[0].file: expected the path of a file, relative to the project, found \"../x.py\"",
            "criteria[4].tests[0].name: expected text on one line, found \"a\\nb\"",
            "criteria[4].tests[0]: unknown key \"line\"",
            "criteria[4].tests[1]: expected an object, found 7",
            "criteria[4].tests[2].file: expected the path of a file, relative to the project, found \"/x.py\"",
            "criteria[4].tests[3].file: expected the path of a file, relative to the project, found \"a//b.py\"",
            "criteria[5]: expected an object, found 3",
            "unknown key \"extra\"",
        ]
    );
}

#[test]
fn text_that_is_no_proof_file_is_one_problem() {
    for (text, start) in [
        ("", "not valid JSON: EOF"),
        ("[]", "expected an object, found an array"),
        ("{}", "story: expected the id of the story, it is missing"),
        (r#"{"story":"US-1","story":"US-2","criteria":[]}"#, "story: the key is there 2 times"),
    ] {
        let problems = ProofFile::parse(text.as_bytes()).unwrap_err();
        assert!(problems[0].to_string().starts_with(start), "{text}: {problems:?}");
    }
}

#[test]
fn every_criterion_has_exactly_one_entry_and_every_entry_a_criterion() {
    let entry = |criterion: &str| json!({"digest": digest(criterion), "manual": "m"});
    let problems = checked(&file(json!([entry("a"), entry("x"), entry("a")])), &["a", "b"]);
    assert_eq!(
        problems.unwrap_err(),
        [
            "criteria[1].digest: no criterion of US-1 has it".to_owned(),
            "criteria[2].digest: the criterion has an entry already; put all tests into one".into(),
            format!("criteria: no entry for the criterion \"b\", whose digest is {}", digest("b")),
        ]
    );
}

#[test]
fn a_proof_of_another_story_is_refused() {
    let mut file = file(json!([{"digest": digest("a"), "manual": "m"}]));
    file["story"] = json!("US-2");
    assert_eq!(checked(&file, &["a"]).unwrap_err(), ["story: expected US-1, found US-2"]);
}

#[test]
fn tests_are_in_test_files_and_there_are_not_too_many() {
    let tests = |count: usize| (0..count).map(|n| test("tests/x.py", &format!("t{n}"))).collect();
    let proof = |tests: Vec<Value>| file(json!([{"digest": digest("a"), "tests": tests}]));
    assert!(checked(&proof(tests(MOST_TESTS)), &["a"]).is_ok());
    assert_eq!(
        checked(&proof(tests(MOST_TESTS + 1)), &["a"]).unwrap_err(),
        ["criteria: 201 tests; at most 200 may prove a story"]
    );
    assert_eq!(
        checked(&proof(vec![test("src/x.py", "a")]), &["a"]).unwrap_err(),
        ["criteria[0].tests[0]: src/x.py is not in a test file"]
    );
}
