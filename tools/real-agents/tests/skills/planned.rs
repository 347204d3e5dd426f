//! `/ralph-plan` in both of its modes, with a model that follows the skill.

use real_agents::CLAUDE_PATH_VARIABLE;
use serde_json::{Value, json};
use simulator::Turn;

use crate::skill_test::{SessionLog, SkillTest};

const VALIDATE: &str = "ralph-loop validate --json";

const PRD: &str = "\
# PRD: Filter

## 1. Summary
`list` gets an option that leaves out the tasks of other states.

## 2. Problem Statement
Whoever has many tasks cannot find those that are left to do.

## 6. Technical Design
`list --state active|done`, read in src/list.js.

## 10. Open Questions
- Assumption: without the option all tasks are listed, as before.
";

/// A valid plan.
fn plan() -> Value {
    let story = |id: &str, priority: u32, title: &str, criteria: [&str; 2], needs: &[&str]| {
        json!({
            "id": id, "title": title,
            "description": "As a user, I want to see what is left to do, so that I can begin.",
            "acceptanceCriteria": criteria, "priority": priority, "passes": false,
            "reviewStatus": null, "reviewCount": 0, "reviewFeedback": "", "notes": "",
            "dependsOn": needs,
        })
    };
    json!({
        "project": "tasks", "branchName": "ralph/filter", "description": "Filter the task list",
        "verifyCommands": ["npm test"],
        "userStories": [
            story("US-001", 1, "Store the state of a task", [
                "A new task in tasks.db has the state \"active\"",
                "`done 3` sets the state of task 3 to \"done\"",
            ], &[]),
            story("US-002", 2, "List tasks by their state", [
                "`list --state done` prints only tasks whose state is \"done\"",
                "`list --state other` exits with 2 and prints \"unknown state: other\"",
            ], &["US-001"]),
        ],
    })
}

/// The same with a missing dependency and a vague criterion.
fn faulty_plan() -> Value {
    let mut plan = plan();
    plan["userStories"][1]["dependsOn"] = json!(["US-007"]);
    plan["userStories"][1]["acceptanceCriteria"][0] = json!("Works correctly");
    plan
}

fn write(name: &str, text: impl Into<String>) -> Turn {
    Turn::tool("Write", json!({ "file_path": name, "content": text.into() }))
}

fn write_plan(plan: &Value) -> Turn {
    write("ralph/tasks.json", format!("{plan:#}\n"))
}

/// Claude Code overwrites only files that it has read.
fn read_both() -> Turn {
    Turn::tool("Read", json!({ "file_path": "ralph/prd.md" }))
        .and_tool("Read", json!({ "file_path": "ralph/tasks.json" }))
}

/// The output of `validate` up to this request.
fn verdict(log: &SessionLog, request: usize) -> Value {
    let answer = log.text_for_model(request, "\"verdict\"");
    let begin = answer.find('{').unwrap();
    let mut values = serde_json::Deserializer::from_str(&answer[begin..]).into_iter();
    values.next().unwrap().unwrap()
}

/// The findings name their place, and after the fix there are none.
fn assert_reported_and_fixed(log: &SessionLog, before: usize, after: usize) {
    let verdict_before = verdict(log, before);
    assert_eq!(verdict_before["errors"], 1, "{verdict_before:#}");
    let findings = verdict_before["findings"].as_array().unwrap();
    for field in ["dependsOn", "acceptanceCriteria"] {
        let at_fault = |found: &&Value| found["story"] == "US-002" && found["field"] == field;
        let found = findings.iter().find(at_fault);
        let found = found.unwrap_or_else(|| panic!("nothing on {field} in {verdict_before:#}"));
        assert_ne!(found["fix"].as_str().unwrap(), "", "{found}");
    }
    let verdict_after = verdict(log, after);
    assert_eq!(verdict_after["findings"], json!([]), "{verdict_after:#}");
}

fn assert_the_loop_accepts_it(skill_test: &SkillTest) {
    skill_test.ralph_loop(&["validate"]).success();
    test_repo::commit_all(&skill_test.project());
    let claude = std::env::var(CLAUDE_PATH_VARIABLE).unwrap();
    let dry_run = skill_test.ralph_loop(&["--dry-run", "--agent-program", &claude]).success();
    let shown = String::from_utf8_lossy(&dry_run.get_output().stdout).into_owned();
    assert!(shown.contains("Store the state of a task"), "{shown}");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn with_a_scaffold_both_files_are_written_and_the_findings_fixed() {
    let skill_test = SkillTest::new();
    let turns = [
        read_both(),
        write("ralph/prd.md", PRD),
        write_plan(&faulty_plan()),
        Turn::bash(VALIDATE),
        write_plan(&plan()),
        Turn::bash(VALIDATE),
        Turn::text("Two stories. Next: ralph-loop --dry-run"),
    ];
    let log = skill_test.run("/ralph-plan a filter for the list", turns);

    let skill = log.text_for_model(0, "# Plan a Ralph loop");
    assert!(skill.contains("if the user named it: a filter for the list\n"), "{skill}");
    assert!(skill.contains("the task list has only the example story"), "{skill}");
    // Without this tool the skill cannot ask.
    assert!(!log.requests[0].tools().contains(&"AskUserQuestion"));
    assert_reported_and_fixed(&log, 4, 6);
    assert_eq!(skill_test.read("ralph/prd.md"), PRD);
    assert_the_loop_accepts_it(&skill_test);
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn a_prd_with_content_is_only_read() {
    let skill_test = SkillTest::new();
    skill_test.write("ralph/prd.md", PRD);
    let turns = [
        read_both(),
        write_plan(&faulty_plan()),
        Turn::bash(VALIDATE),
        write_plan(&plan()),
        Turn::bash(VALIDATE),
        Turn::text("Two stories. Next: ralph-loop --dry-run"),
    ];
    let log = skill_test.run("/ralph-plan", turns);

    assert!(log.text_for_model(1, "## 6. Technical Design").contains("src/list.js"));
    assert_reported_and_fixed(&log, 3, 5);
    assert_eq!(skill_test.read("ralph/prd.md"), PRD);
    assert_the_loop_accepts_it(&skill_test);
}
