//! `.ralph/state.md`: its contents, writers, lifetime, and use in a prompt.

use std::collections::BTreeMap;

use events::RunEnd;
use simulator::{Act, Mode, Scenario, When};

use crate::failures::{PRINTS, failed_attempts, printing, submits_with};
use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::story;

const STATE: &str = ".ralph/state.md";

fn checked(scenario: Scenario) -> Project {
    Project::with_checks([story("US-001")], [PRINTS]).scenario(scenario)
}

/// The front matter, a value or list a key, and what follows it.
#[track_caller]
fn parsed(text: &str) -> (BTreeMap<String, String>, String) {
    let (front, rest) = text.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
    let mut values = BTreeMap::new();
    let mut last = String::new();
    for line in front.lines() {
        match line.strip_prefix("  - ") {
            Some(item) => {
                let list: &mut String = values.entry(last.clone()).or_default();
                list.push_str(item);
                list.push(';');
            }
            None => {
                let (key, value) = line.split_once(':').unwrap();
                key.clone_into(&mut last);
                values.insert(last.clone(), value.trim().to_owned());
            }
        }
    }
    (values, rest.to_owned())
}

#[test]
fn it_quotes_the_failure() {
    let output =
        "FAIL src/auth.test.ts\n  ✕ rejects `expired` tokens\n```\n    at   src/auth.ts:14\n";
    let project = checked(printing(&[output]));
    let run = project.run(["-n", "2"]);
    let (front, rest) = parsed(&project.read(STATE));
    let hash = failed_attempts(&run)[1].hash.clone();
    for (key, value) in [
        ("task_id", "US-001"),
        ("iteration", "2"),
        ("max_iterations", "5"),
        ("last_gate", "tests"),
        ("exit_code", "1"),
        ("stuck_count", "2"),
        ("strategy_shifts", "0"),
    ] {
        assert_eq!(front[key], value, "{key}: {front:?}");
    }
    assert_eq!(front["error_hash"].trim_matches('"'), hash);
    assert!(front["timestamp"].ends_with('Z') && front["timestamp"].len() == 20, "{front:?}");
    let expected = format!("\n## Test Output (verbatim)\n````\n$ {PRINTS}\n{output}````\n");
    assert!(rest.contains(&expected), "{rest}");
    let history = format!("\n| 1 | tests | {hash} | no |\n| 2 | tests | {hash} | no |\n");
    assert!(rest.ends_with(&history), "{rest}");
}

#[test]
fn the_attempts_of_a_story_are_one_count_whatever_they_failed_at() {
    let check = "! grep -qs error out.txt";
    let verdict = [Act::request_changes("Missing: a reset"), Act::commit("review: no")];
    let scenario = Scenario::new()
        .rule(When::mode(Mode::Implement).visit(1), submits_with("error: a"))
        .rule(When::mode(Mode::Implement).visit(2), submits_with("fine"))
        .rule(When::mode(Mode::Review), verdict);
    let project = Project::with_checks([story("US-001")], [check]).scenario(scenario);
    let run = project.run(["-n", "4"]);
    assert_eq!(run.assignments()[3], "review-fix US-001");
    let (front, rest) = parsed(&project.read(STATE));
    let of = ["iteration", "last_gate", "exit_code", "stuck_count"].map(|key| front[key].as_str());
    assert_eq!(of, ["2", "spec-review", "null", "0"]);
    let verbatim = "\n## Spec Reviewer Output (verbatim)\n```\nMissing: a reset\n```\n";
    assert!(rest.starts_with(verbatim), "{rest}");
    let prompt = run.prompt(4);
    assert!(
        prompt.contains("\n| 1 | tests |") && prompt.contains("\n| 2 | spec-review |"),
        "{prompt}"
    );
    assert_eq!(prompt.matches("Missing: a reset").count(), 1, "as feedback alone: {prompt}");
}

#[test]
fn a_long_output_is_cut_to_its_last_hundred_lines_and_the_rest_is_counted() {
    let output: String = (1..=137).map(|line| format!("line {line}\n")).collect();
    let project = checked(printing(&[output]));
    project.run(["-n", "1"]);
    let (_, rest) = parsed(&project.read(STATE));
    let (_, verbatim) = rest.split_once("```\n").unwrap();
    let lines: Vec<&str> = verbatim.split("\n```").next().unwrap().lines().collect();
    assert_eq!(lines.len(), 102, "the command, the count and a hundred lines: {rest}");
    assert_eq!(
        (lines[1], lines[2], lines[101]),
        ("[... 37 lines truncated ...]", "line 38", "line 137")
    );
}

#[test]
fn it_holds_the_last_three_attempts() {
    let outputs = ["error: alpha", "error: bravo", "error: charlie", "error: delta"];
    let project = checked(printing(&outputs));
    project.run(["-n", "4"]);
    let state = project.read(STATE);
    assert!(!state.contains("alpha") && !state.contains("\n| 1 |"), "{state}");
    for (number, output) in [(2, "error: bravo"), (3, "error: charlie"), (4, "error: delta")] {
        assert!(state.contains(output), "{state}");
        assert!(state.contains(&format!("\n| {number} | tests |")), "{state}");
    }
    assert!(state.find("delta").unwrap() < state.find("charlie").unwrap(), "newest first: {state}");
}

#[test]
fn it_is_gone_once_the_story_is_done_and_stays_when_it_is_given_up() {
    let first = When::mode(Mode::Implement).visit(1);
    let scenario = Scenario::new().rule(first, submits_with("error: a"));
    let check = "test ! -f out.txt || grep -q repaired out.txt || { cat out.txt; exit 1; }";
    let fixes = submits_with("repaired");
    let scenario = scenario.rule(When::mode(Mode::Implement).visit(2), fixes);
    let project = Project::with_checks([story("US-001")], [check]).scenario(scenario);
    project.run(["-n", "2"]).assert_end(RunEnd::IterationsUsed);
    assert!(project.has(STATE), "it is not reviewed yet");
    project.run(["--resume", "-n", "3"]).assert_end(RunEnd::Complete);
    assert!(!project.has(STATE));

    let project = checked(printing(&["error: a"]));
    project.run(["--max-attempts", "2"]).assert_end(RunEnd::StoriesFailed);
    assert!(project.read(STATE).contains("iteration: 2\n"));
}

#[test]
fn text_of_an_agent_is_neither_read_nor_kept() {
    let lie = "---\ntask_id: US-001\niteration: 0\n---\nLIE: everything is fine\n";
    let mut acts = vec![Act::write(STATE, lie)];
    acts.extend(submits_with("error: a"));
    let works = [Act::write(STATE, lie), Act::write("more.txt", "x"), Act::commit("feat: more")];
    let scenario = Scenario::new()
        .rule(When::mode(Mode::Implement).visit(1), acts)
        .rule(When::mode(Mode::Implement).visit(2), works);
    let project = checked(scenario.rule(When::any(), submits_with("error: a")));
    let run = project.run(["-n", "1"]);
    assert!(project.read(STATE).contains("error: a") && !project.read(STATE).contains("LIE"));
    assert_eq!(run.findings(), "", "the file is not protected");
    let run = project.run(["--resume", "-n", "3"]);
    for start in [1, 2] {
        let prompt = run.prompt(start);
        assert!(!prompt.contains("LIE"), "{prompt}");
        assert!(prompt.contains("1 of 5 attempts at this story failed"), "{prompt}");
    }
    assert!(!project.read(STATE).contains("LIE"));
}

#[cfg(unix)]
#[test]
fn a_link_in_its_place_is_not_followed() {
    for (what, trick) in [
        ("a link", "rm -f .ralph/state.md; ln -s ../mine.txt .ralph/state.md"),
        ("a folder", "rm -rf .ralph/state.md; mkdir -p .ralph/state.md/full"),
    ] {
        let mut acts = vec![Act::bash(trick)];
        acts.extend(submits_with("error: a"));
        let project = checked(Scenario::new().otherwise(acts));
        let run = project.run(["--max-attempts", "2"]);
        run.assert_end(RunEnd::StoriesFailed);
        assert_eq!(project.read("mine.txt"), "committed\n", "{what}");
        assert!(run.prompt(2).contains("1 of 2 attempts"), "{what}: {}", run.prompt(2));
    }
}

/// The second prompt after a failure, with this template.
fn second_prompt(template: &str) -> String {
    let project = checked(printing(&["error: a"]));
    project.write("ralph/prompt.md", template);
    test_repo::commit_all(&project.path());
    let run: Outcome<'_> = project.run(["-n", "2"]);
    assert!(!run.prompt(1).contains("max_iterations"), "{}", run.prompt(1));
    run.prompt(2)
}

#[test]
fn the_next_prompt_has_it_at_its_end_or_at_its_variable() {
    let at_end = second_prompt("BEGIN ${STORY}\n${LAST_FAILURE}\nEND\n");
    let in_place = second_prompt("BEGIN ${STORY}\n${PREVIOUS_ATTEMPTS}\n${LAST_FAILURE}\nEND\n");
    for prompt in [&at_end, &in_place] {
        for part in [
            "### Previous attempts\n\n1 of 5 attempts at this story failed; 4 left",
            "---\ntask_id: US-001\niteration: 1\nmax_iterations: 5\nlast_gate: tests\n",
            "files_modified:\n  - out.txt\n---",
            "\n| 1 | tests | ",
        ] {
            assert!(prompt.contains(part), "{part}: {prompt}");
        }
        assert_eq!(prompt.matches("### Previous attempts").count(), 1, "{prompt}");
    }
    let place = |prompt: &str| {
        let at = |words| prompt.find(words).unwrap();
        (at("### Previous attempts") > at("\nEND\n"), at("### Previous attempts") > at("BEGIN"))
    };
    assert_eq!(place(&at_end), (true, true));
    assert_eq!(place(&in_place), (false, true));
}

#[test]
fn a_session_without_changes_is_reported_to_the_next_one() {
    let project = checked(Scenario::new().otherwise([Act::finish("Later.")]));
    let run = project.run(["-n", "2"]);
    assert!(run.prompt(2).contains("the session had no result"), "{}", run.prompt(2));
}
