//! Tests that an implementation deletes, skips or loosens: the next reviewer and the report name
//! them. Nothing is blocked.

use events::{LoopEvent, RunEnd, WeakenedTests};
use simulator::{Act, Mode, Scenario, When};

use crate::failures::{failed_attempts, json_of, stdout_of};
use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::story;

const TITLE: &str = "### Weakened tests";

const RUST: &str = "#[test]\nfn adds() {\n    assert_eq!(1 + 1, 2);\n}\n\n#[test]\nfn sums() {\n    \
                    assert_eq!(2 + 1, 3);\n}\n";
const PYTHON: &str = "def test_total():\n    assert total([1]) == 1\n    assert total([]) == 0\n";
const SCRIPT: &str = "test('logs in', () => {\n  expect(login()).toBe(true);\n});\n";
const GO: &str = "package cart\n\nimport \"testing\"\n\nfunc TestTotal(t *testing.T) {\n\tif Total() != 1 \
                  {\n\t\tt.Fatal(\"total\")\n\t}\n}\n";

/// A project with tests in four languages; the first implementation does this and submits.
fn weakening(acts: impl IntoIterator<Item = Act>) -> Scenario {
    let acts = acts.into_iter().chain([Act::submit("done"), Act::commit("feat: done")]);
    Scenario::new().rule(When::mode(Mode::Implement).visit(1), acts)
}

fn with_tests(scenario: Scenario) -> Project {
    let project = Project::new([story("US-001")]).scenario(scenario);
    project.write("tests/cart.rs", RUST);
    project.write("tests/test_cart.py", PYTHON);
    project.write("web/login.test.ts", SCRIPT);
    project.write("cart/cart_test.go", GO);
    test_repo::commit_all(&project.path());
    project
}

fn weakened(run: &Outcome<'_>) -> Vec<WeakenedTests> {
    let files = run.events.iter().filter_map(|event| match event.clone() {
        LoopEvent::TestsWeakened { story, iteration, files } => {
            assert_eq!((story.as_str(), iteration), ("US-001", 1));
            Some(files)
        }
        _ => None,
    });
    files.flatten().collect()
}

#[test]
fn a_reviewer_sees_weakened_tests_by_file_and_only_once() {
    let rejected = [Act::request_changes("why?"), Act::commit("review: no")];
    let scenario = weakening([
        Act::write("tests/cart.rs", RUST.split("\n\n").next().unwrap_or_default()),
        Act::write("tests/test_cart.py", PYTHON.replace("    assert total([]) == 0\n", "")),
        Act::write("web/login.test.ts", SCRIPT.replace("test(", "test.skip(")),
        Act::bash("git rm -q cart/cart_test.go"),
    ]);
    let scenario = scenario.rule(When::mode(Mode::Review).visit(1), rejected);
    let project = with_tests(scenario);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    let assignments = ["implement US-001", "review US-001", "review-fix US-001", "review US-001"];
    assert_eq!(run.assignments(), assignments, "nothing is blocked");
    assert_eq!(failed_attempts(&run).len(), 1, "the review");

    let files = weakened(&run);
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(
        paths,
        ["cart/cart_test.go", "tests/cart.rs", "tests/test_cart.py", "web/login.test.ts"]
    );
    for (file, word) in files.iter().zip(["TestTotal", "sums", "test_total", "skip"]) {
        assert!(file.findings.join("\n").contains(word), "{file:?}");
    }
    let prompt = run.prompt(2);
    assert!(prompt.contains(TITLE), "{prompt}");
    for WeakenedTests { path, findings } in &files {
        let block = format!("\n`{path}`\n- {}\n", findings.join("\n- "));
        assert!(format!("{prompt}\n").contains(&block), "{block}: {prompt}");
    }
    for start in [1, 3, 4] {
        assert!(!run.prompt(start).contains(TITLE), "{start}: {}", run.prompt(start));
    }
    let report = json_of(&project, &["report", "--format", "json"]);
    let reported: Vec<&str> = report["weakenedTests"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["path"].as_str().unwrap())
        .collect();
    assert_eq!(reported, paths);
    let text = stdout_of(&project, &["report"]);
    assert!(text.contains("## Weakened tests") && text.contains("- `tests/cart.rs`"), "{text}");
    let page = stdout_of(&project, &["report", "--format", "html"]);
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"), "{page}");
    // The changes of the story come from git.
    assert!(page.contains("<span class=\"removed\">-    assert total([]) == 0</span>"), "{page}");
    let printed = stdout_of(&project, &["report", "--format", "html", "--out", "page.html"]);
    assert!(printed.starts_with("Report written to page.html\nfile:///"), "{printed}");
    assert!(project.path().join("page.html").is_file());
}

#[test]
fn after_a_failed_review_session_the_next_one_sees_the_weakened_tests() {
    let scenario = weakening([Act::bash("git rm -q tests/cart.rs")])
        .rule(When::mode(Mode::Review).visit(1), [Act::finish("Hm.")]);
    let project = with_tests(scenario);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(run.assignments(), ["implement US-001", "review US-001", "review US-001"]);
    for start in [2, 3] {
        assert!(run.prompt(start).contains(TITLE), "{start}: {}", run.prompt(start));
    }
}

#[test]
fn a_template_with_a_place_for_it_has_it_there() {
    let project = with_tests(weakening([Act::bash("git rm -q tests/cart.rs")]));
    project.write("ralph/prompt.md", "BEGIN ${STORY}\n${WEAKENED_TESTS}\nEND\n");
    test_repo::commit_all(&project.path());
    let prompt = project.run([]).prompt(2);
    assert!(prompt.find(TITLE).unwrap() < prompt.find("\nEND\n").unwrap(), "{prompt}");
    assert_eq!(prompt.matches(TITLE).count(), 1, "{prompt}");
}

#[test]
fn a_test_that_moves_is_no_test_that_is_gone() {
    let (first, second) = RUST.split_once("\n\n").unwrap();
    let project = with_tests(weakening([
        Act::write("tests/cart.rs", format!("{first}\n")),
        Act::write("tests/sums.rs", second),
        Act::bash("git mv web/login.test.ts web/session.test.ts"),
    ]));
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(weakened(&run), []);
    assert!(!run.prompt(2).contains(TITLE), "{}", run.prompt(2));
    assert!(!stdout_of(&project, &["report"]).contains("Weakened tests"));
}
