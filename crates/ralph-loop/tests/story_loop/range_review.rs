//! `ralph-loop review`: sessions review a range of commits, each in a clone of its own.

use std::process::Output;

use predicates::str::contains;
use serde_json::{Value, json};
use simulator::{Act, Scenario, When};
use test_repo::assert_text;

use crate::harness::{Project, program};

const PLACE: (&str, u64) = ("src/code.txt", 1);

fn finds(title: &str) -> Act {
    let (file, line) = PLACE;
    Act::Structured(json!({"findings": [
        {"title": title, "problem": "The total is wrong\u{1b}[2J.", "file": file, "line": line}
    ]}))
}

fn nothing() -> Act {
    Act::Structured(json!({"findings": []}))
}

fn lens(name: &str) -> When {
    When::any().prompt_contains(format!("## What to look for: {name}"))
}

/// A branch with one commit, without anything of a run.
fn project(scenario: Scenario) -> Project {
    let project = Project::empty();
    project.write("src/code.txt", "code\n");
    project.repository();
    project.git(&["branch", "-m", "main"]);
    project.git(&["switch", "-q", "-c", "work"]);
    project.write("src/code.txt", "changed\n");
    project.git(&["commit", "-qam", "change"]);
    project.scenario(scenario)
}

fn review(project: &Project, args: &[&str]) -> Output {
    let agent = program("simulated-agent");
    let fixed = ["review", "--agent-program", agent.to_str().unwrap(), "--sandbox=guard"];
    project.call(&[&fixed[..], args].concat())
}

#[track_caller]
fn stdout(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[track_caller]
fn refused(project: &Project, args: &[&str]) -> String {
    let output = review(project, args);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn the_findings_of_all_lenses_are_one_list() {
    let scenario = Scenario::new()
        .rule(lens("correctness"), [finds("The total is wrong")])
        .rule(lens("security"), [nothing()])
        .rule(lens("tests"), [finds("No test of the total")]);
    let project = project(scenario);
    project.write("mine.txt", "not committed\n");
    let before = project.listing();
    let output = review(&project, &["--lens", "correctness,security,tests", "--json"]);
    let result: Value = serde_json::from_str(&stdout(&output, 1)).unwrap();
    assert_eq!((&result["version"], &result["agent"]), (&json!(1), &json!("claude")));
    assert_eq!(result["from"], project.git(&["rev-parse", "main"]));
    assert_eq!(result["to"], project.head());
    let found = result["findings"].as_array().unwrap();
    assert_eq!(found.len(), 1, "{result:#}");
    assert_eq!(found[0]["lenses"], json!(["correctness", "tests"]));
    assert_eq!((&found[0]["file"], &found[0]["line"]), (&json!(PLACE.0), &json!(PLACE.1)));
    let counts: Vec<&Value> =
        result["lenses"].as_array().unwrap().iter().map(|lens| &lens["findings"]).collect();
    assert_eq!(counts, [1, 0, 1]);
    let progress = String::from_utf8(output.stderr).unwrap();
    assert_text(&progress, contains("security: reviewing with claude"));
    assert!(project.listing() == before, "the project is as it was");
}

#[test]
fn the_exit_code_says_whether_there_are_findings() {
    let project = project(Scenario::new().rule(lens("correctness"), [nothing()]));
    let text = stdout(&review(&project, &[]), 0);
    assert_text(&text, contains("..HEAD by claude: no findings\n  correctness: no findings ("));
    project.agent(&Scenario::new().rule(lens("correctness"), [finds("a")]));
    let text = stdout(&review(&project, &["main..work"]), 1);
    assert_text(&text, contains("review of main..work by claude: 1 finding\n"));
    assert_text(&text, contains("\nsrc/code.txt:1  a [correctness]\n    The total is wrong.\n"));
    assert!(!text.contains('\u{1b}'), "{text}");
}

#[test]
fn a_lens_without_a_list_is_no_approval() {
    let project = project(
        Scenario::new()
            .rule(lens("tests"), [Act::finish("Fine.")])
            .rule(lens("security"), [finds("a")]),
    );
    let text = stdout(&review(&project, &["--lens=tests,security"]), 4);
    assert_text(&text, contains("tests: no result: its final message does not end with a list"));
    assert_text(&text, contains("security: 1 finding"));
    // A second session may give it.
    project.agent(
        &Scenario::new()
            .rule(lens("tests").visit(1), [Act::Empty])
            .rule(lens("tests"), [nothing()])
            .memory("second"),
    );
    stdout(&review(&project, &["--lens=tests"]), 0);
}

#[test]
fn what_a_session_changes_is_gone() {
    let changes = "echo x > src/code.txt; git commit -qam x; git tag t; touch new.txt; git push -q origin HEAD:x || true";
    let project =
        project(Scenario::new().rule(lens("correctness"), [Act::bash(changes), nothing()]));
    let (before, refs) = (project.listing(), project.git(&["for-each-ref"]));
    stdout(&review(&project, &[]), 0);
    assert!(project.listing() == before && project.git(&["for-each-ref"]) == refs);
    let left = project.path().with_file_name("home").join(".local/state/ralph/lanes");
    #[cfg(target_os = "linux")]
    for of_project in left.read_dir().unwrap().flatten() {
        let reviews = of_project.path().join("reviews");
        let left = reviews.join("1").read_dir().unwrap().flatten();
        let left: Vec<_> = left.map(|entry| entry.file_name()).collect();
        assert_eq!(left, [".ralph"], "the clones are removed");
    }
    let _ = left;
}

#[test]
fn the_cost_limit_ends_the_review() {
    let costs = [Act::Cost { usd: 2.0 }, nothing()];
    let project =
        project(Scenario::new().rule(lens("tests"), costs).rule(lens("security"), [nothing()]));
    let text = stdout(&review(&project, &["--lens=tests,security", "--max-cost-usd=1"]), 3);
    assert_text(&text, contains("security: not reviewed: the cost limit is reached"));
}

#[test]
fn commits_that_do_not_exist_are_refused() {
    let project = project(Scenario::new());
    for (args, why) in [
        (&["nothing"][..], "git knows no commit \"nothing\""),
        (&["HEAD..HEAD"], "there are no commits in HEAD..HEAD"),
        (&["main"], "there are no commits in main"),
        (&["--lens=taste"], "invalid value 'taste'"),
    ] {
        assert_text(&refused(&project, args), contains(why));
    }
    assert!(!project.has(".ralph"));
}
