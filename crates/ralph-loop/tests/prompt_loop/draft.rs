//! `ralph-loop draft`: an agent writes the plan, the runner validates it, has it repaired, and protects progress.

use std::process::Output;

use events::{IterationStatus, LoopEvent, Stamped};
use serde_json::{Value, json};

use crate::harness::{AGENT, Project};

const WHAT: &str = "a filter for the task list";

/// The task lists that the first, second … session of the agent writes.
const COPY: &str = r#"n=1; while [ -e "$here/work-$((n + 1)).prompt" ]; do n=$((n + 1)); done
    [ -e "$here/plan-$n.json" ] || n=last
    cp "$here/plan-$n.json" ralph/tasks.json; echo planned"#;

fn story(id: &str, depends_on: &[&str]) -> Value {
    json!({
        "id": id, "title": format!("Store part {id} of a task"),
        "description": "As a user, I want tasks to have a state, so that I can filter by it.",
        "acceptanceCriteria": [
            format!("{id} offers All, Active and Done"), format!("an unknown state of {id} exits with 2"),
        ],
        "priority": 1, "passes": false, "reviewStatus": null, "reviewCount": 0,
        "reviewFeedback": "", "notes": "", "dependsOn": depends_on
    })
}

fn list(stories: &[Value]) -> Value {
    json!({
        "project": "shop", "branchName": "ralph/filter", "description": "Filter the task list",
        "verifyCommands": ["make test"], "userStories": stories
    })
}

fn good() -> Value {
    list(&[story("US-001", &[]), story("US-002", &["US-001"])])
}

/// Depends on a missing story.
fn broken() -> Value {
    list(&[story("US-001", &["US-009"])])
}

/// A project after `ralph-loop init`, and an agent whose sessions write these lists.
fn project(plans: &[Value]) -> Project {
    let project = Project::new().agent([COPY]);
    let init = project.call(&["init", "--yes", "--name", "filter"]);
    assert!(init.status.success(), "{}", String::from_utf8_lossy(&init.stderr));
    project.write("ralph/prd.md", "# PRD\n\nFilter the task list by state.\n");
    test_repo::commit_all(&project.path());
    for (number, plan) in plans.iter().enumerate() {
        let name =
            if number + 1 == plans.len() { "last".to_owned() } else { (number + 1).to_string() };
        std::fs::write(project.beside(&format!("agent/plan-{name}.json")), plan.to_string())
            .unwrap();
    }
    project
}

fn draft(project: &Project, args: &[&str]) -> Output {
    let common = ["draft", WHAT, "--agent", AGENT, "--sandbox=guard", "--retry-wait", "1ms"];
    project.call(&[&common[..], args].concat())
}

#[track_caller]
fn result(output: &Output, code: i32) -> Value {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{stderr}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {stderr}"))
}

fn tasks(project: &Project) -> Value {
    serde_json::from_str(&project.read("ralph/tasks.json")).unwrap()
}

fn statuses(project: &Project) -> Vec<IterationStatus> {
    let log = project.run_file("events.jsonl");
    let events = log.lines().map(|line| Stamped::from_line(line.as_bytes()).unwrap().event);
    let ended = events.filter_map(|event| match event {
        LoopEvent::IterationEnded(events::IterationEnded { status, .. }) => Some(status),
        _ => None,
    });
    ended.collect()
}

#[test]
fn a_good_draft_is_shown_and_committed_with_exactly_its_two_files() {
    let project = project(&[good()]);
    project.write("ralph/prd.md", "# PRD\n\n## 1. Summary\n");
    project.write("own.txt", "of the user");
    let act =
        format!("{COPY}; echo notes >notes.txt; printf '# PRD\\n\\nFilters.\\n' >ralph/prd.md");
    let project = project.agent([&act]);
    let output = draft(&project, &["--yes"]);
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stdout}{stderr}");
    assert!(!stderr.contains("no checks are configured"), "validation decides: {stderr}");
    for words in [
        "The plan: 2 stories",
        "Story   Title                      Criteria  Depends on",
        "US-002  Store part US-002 of a task         2  US-001",
        "checks: make test",
        "not part of the plan and not committed: notes.txt",
        "ralph-loop --dry-run",
    ] {
        let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(squeezed(&stdout).contains(&squeezed(words)), "{words}: {stdout}");
    }
    let changed = project.git(&["show", "--name-only", "--format=%s", "HEAD"]);
    let expected = format!("plan: {WHAT}\n\nralph/prd.md\nralph/tasks.json");
    assert_eq!(changed.trim(), expected);
    assert_eq!(statuses(&project), [IterationStatus::Accepted]);

    let [prompt] = &project.prompts()[..] else { panic!("one session") };
    assert!(prompt.starts_with("# Plan a Ralph loop"), "{prompt}");
    assert!(prompt.contains(&format!("if the user named it: {WHAT}")), "{prompt}");
    assert!(prompt.contains("branch ralph/filter") && !prompt.contains("!`ralph-loop"), "{prompt}");
    assert!(!prompt.contains("<promise>") && !prompt.contains("<response>"), "{prompt}");
}

#[test]
fn without_confirmation_nothing_is_committed() {
    let project = project(&[good()]);
    let before = project.git(&["rev-parse", "HEAD"]);
    for flag in ["--headless", "--no-commit"] {
        let output = draft(&project, &[flag]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(project.git(&["rev-parse", "HEAD"]), before);
        project.git(&["checkout", "-q", "ralph/tasks.json"]);
    }
}

#[test]
fn a_draft_with_errors_is_repaired_by_another_session() {
    let project = project(&[broken(), good()]);
    let result = result(&draft(&project, &["--json", "--yes"]), 0);
    assert_eq!(result["result"], "planned");
    assert_eq!((&result["rounds"], &result["validation"]["errors"]), (&json!(1), &json!(0)));
    let stories = json!([
        { "id": "US-001", "title": "Store part US-001 of a task", "criteria": 2, "dependsOn": [] },
        { "id": "US-002", "title": "Store part US-002 of a task", "criteria": 2, "dependsOn": ["US-001"] },
    ]);
    assert_eq!(result["stories"], stories);
    assert_eq!(result["commit"], project.git(&["rev-parse", "HEAD"]).trim());
    assert_eq!(statuses(&project), [IterationStatus::ChecksFailed, IterationStatus::Accepted]);
    let [first, second] = &project.prompts()[..] else { panic!("two sessions") };
    assert!(!first.contains("## Repair"), "{first}");
    assert!(second.starts_with(first.trim_end()), "{second}");
    assert!(second.contains("- error unknown-dependency: US-001 dependsOn"), "{second}");
}

#[test]
fn a_session_gets_warnings_once() {
    let mut vague = good();
    vague["userStories"][0]["acceptanceCriteria"][0] = json!("It works correctly");
    let project = project(&[vague]);
    let result = result(&draft(&project, &["--json"]), 0);
    assert_eq!(
        (&result["rounds"], &result["validation"]["verdict"]),
        (&json!(1), &json!("warnings"))
    );
    assert_eq!(result["commit"], Value::Null);
    let [_, second] = &project.prompts()[..] else { panic!("two sessions") };
    assert!(second.contains("- warning vague-criterion: US-001"), "{second}");
}

#[test]
fn a_draft_that_is_never_valid_is_not_kept() {
    let project = project(&[broken()]);
    let before = project.read("ralph/tasks.json");
    let result = result(&draft(&project, &["--json", "--yes"]), 2);
    assert_eq!((&result["result"], &result["rounds"]), (&json!("errors"), &json!(3)));
    assert_eq!((&result["validation"]["errors"], &result["commit"]), (&json!(1), &Value::Null));
    assert_eq!(project.prompts().len(), 4);
    assert_eq!(project.read("ralph/tasks.json"), before);
    let draft = result["drafts"][0].as_str().unwrap();
    assert!(draft.starts_with(".ralph/runs/") && draft.ends_with("/tasks.draft.json"), "{draft}");
    assert_eq!(serde_json::from_str::<Value>(&project.read(draft)).unwrap(), broken());
}

#[test]
fn changes_of_a_failed_agent_are_reverted() {
    let project = project(&[good()]).agent([&format!("{COPY}; exit 7")]);
    let before = project.read("ralph/tasks.json");
    let result = result(&draft(&project, &["--json", "--retries", "0"]), 4);
    assert_eq!(result["result"], "stopped");
    assert_eq!(project.read("ralph/tasks.json"), before);
}

#[test]
fn progress_and_the_prd_of_the_user_are_restored() {
    let mut begun = good();
    begun["userStories"][0]["passes"] = json!(true);
    begun["userStories"][0]["reviewStatus"] = json!("approved");
    begun["userStories"][0]["reviewCount"] = json!(1);
    begun["userStories"][0]["notes"] = json!("stored");
    let mut plan = list(&[story("US-002", &["US-001"]), story("US-003", &[])]);
    plan["userStories"][1]["passes"] = json!(true);
    plan["userStories"][1]["reviewStatus"] = json!("approved");
    plan["userStories"][1]["reviewCount"] = json!(1);
    plan["branchName"] = json!("ralph/other");
    let act = format!("{COPY}; echo x >>ralph/prd.md");
    let project = project(&[plan]).agent([&act]);
    project.write("ralph/tasks.json", begun.to_string());
    test_repo::commit_all(&project.path());
    let prd = project.read("ralph/prd.md");
    let result = result(&draft(&project, &["--json", "--yes"]), 0);
    let now = tasks(&project);
    assert_eq!(now["userStories"][0], begun["userStories"][0]);
    assert_eq!(now["branchName"], begun["branchName"]);
    let new = &now["userStories"][2];
    assert_eq!((&new["id"], &new["passes"]), (&json!("US-003"), &json!(false)));
    assert_eq!((&new["reviewStatus"], &new["reviewCount"]), (&Value::Null, &json!(0)));
    assert_eq!(project.read("ralph/prd.md"), prd);
    let restored = result["restored"].to_string();
    for words in [
        "the session changed ralph/prd.md",
        "story US-001: restored",
        "story US-003: passes true → false",
        "branchName",
    ] {
        assert!(restored.contains(words), "{words}: {restored}");
    }
}

#[test]
fn a_link_in_place_of_the_task_list_is_not_followed() {
    let act =
        r#"cp "$here/plan-last.json" ../own.json; ln -sf ../../own.json ralph/tasks.json; echo x"#;
    let project = project(&[good()]).agent([act, COPY]);
    let result = result(&draft(&project, &["--json", "--yes"]), 0);
    assert!(
        result["restored"].to_string().contains("replaced ralph/tasks.json with a link"),
        "{result}"
    );
    assert!(!project.path().join("ralph/tasks.json").is_symlink());
    assert_eq!(tasks(&project), good());
    let own = std::fs::read_to_string(project.beside("own.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&own).unwrap(), good());
}

#[test]
fn an_agent_that_writes_no_plan_is_not_asked_again() {
    let project = project(&[good()]).agent(["echo 'what is to be filtered?'"]);
    let output = draft(&project, &["--yes"]);
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.contains("the agent changed neither ralph/prd.md nor ralph/tasks.json"),
        "{stderr}"
    );
    assert_eq!(project.prompts().len(), 1);
}

#[test]
fn guardrails_and_version_control_of_the_settings_are_for_code() {
    let settings = json!({
        "guardrails": [{"command": "false"}], "scm": {"tasks": ["commit"]}, "maximumIterations": 1,
    });
    let project = project(&[broken(), good()]).settings(&settings);
    let before = project.git(&["rev-parse", "HEAD"]);
    result(&draft(&project, &["--json"]), 0);
    assert_eq!(project.git(&["rev-parse", "HEAD"]), before);
}

#[test]
fn refused_without_a_folder_a_description_or_a_list_that_can_be_read() {
    let project = Project::new();
    let refused = |args: &[&str], parts: [&str; 2]| {
        let before = project.listing();
        let output = project.call(&[args, &["--agent", AGENT, "--sandbox=guard"]].concat());
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(parts.iter().all(|part| stderr.contains(part)), "{stderr}");
        assert_eq!(project.listing(), before);
    };
    refused(
        &["draft", WHAT],
        ["folder ralph/ not found", "hint: create it with `ralph-loop init`"],
    );
    project.write("ralph/tasks.json", "{");
    refused(&["draft", WHAT], ["ralph/tasks.json is not a valid task list", "hint: "]);
    project.write("ralph/tasks.json", good().to_string());
    refused(&["draft", " "], ["the description is empty", "hint: "]);
    refused(&["draft", "-"], ["the description is empty", "hint: "]);
    refused(&["draft", WHAT, "--output", "json"], ["draft does not support --output", "hint: "]);
    assert!(project.prompts().is_empty());
}

#[test]
fn refused_while_a_loop_runs() {
    let project = project(&[good()]);
    let lock = project::RunLock::acquire(&project::Layout::new(project.path())).unwrap();
    let output = draft(&project, &["--json"]);
    assert_eq!(output.status.code(), Some(2));
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(
        printed["error"].as_str().unwrap().contains("another ralph-loop is running here"),
        "{printed}"
    );
    drop(lock);
    assert!(project.prompts().is_empty());
}

/// A file of the user's is read-only in the sandbox of the operating system.
#[cfg(target_os = "linux")]
#[test]
fn in_a_sandbox_the_prd_can_be_written_as_long_as_it_is_not_the_users() {
    use std::os::unix::fs::PermissionsExt;
    let project = project(&[good()]);
    let agent = project.beside("bin/planner");
    let script = "#!/bin/sh\ncat >/dev/null\necho x >ralph/prompt.md\n\
                  echo Filters. >ralph/prd.md\ncp plan.json ralph/tasks.json\necho planned\n";
    std::fs::write(&agent, script).unwrap();
    std::fs::set_permissions(&agent, std::fs::Permissions::from_mode(0o755)).unwrap();
    project.write("plan.json", good().to_string());
    let prompt = project.read("ralph/prompt.md");
    for (prd, expected) in [("# PRD\n", "Filters.\n"), ("Of the user.\n", "Of the user.\n")] {
        project.write("ralph/prd.md", prd);
        project.git(&["checkout", "-q", "ralph/tasks.json"]);
        let agent = agent.display().to_string();
        let output = project.call(&["draft", WHAT, "--agent", &agent, "--sandbox=os", "--json"]);
        let result = result(&output, 0);
        assert_eq!((&result["result"], &result["restored"]), (&json!("planned"), &json!([])));
        assert_eq!(project.read("ralph/prd.md"), expected);
        assert_eq!(project.read("ralph/prompt.md"), prompt);
    }
}
