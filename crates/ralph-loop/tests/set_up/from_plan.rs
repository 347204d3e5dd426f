//! `init --from-plan`: a plan of another loop becomes stories.

use std::process::{Output, Stdio};

use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::{Value, json};
use test_repo::assert_text;

use crate::project::Project;

const PLAN: &str = r#"{
  "project": "compass",
  "branch": "feature/orchestrator",
  "max_iterations": 50,
  "validation_strategy": "lenient",
  "tasks": [
    {"id": "TASK-001", "title": "Scaffold", "description": "Folders.", "status": "done", "order": 1,
     "skills": ["testing"], "needs_docs": false, "libraries": [], "acceptance_criteria": ["it exists"],
     "depends_on": [], "max_turns": 15, "retry_count": 0, "max_retries": 2},
    {"id": "TASK-002", "title": "Loop", "description": "The loop.", "status": "pending", "order": 2,
     "acceptance_criteria": ["it loops"], "depends_on": ["TASK-001"], "max_retries": 6},
    {"id": "TASK-003", "title": "Gold", "status": "skipped", "order": 3, "colour": "gold"}
  ]
}"#;

#[track_caller]
fn init(project: &Project, flags: &[&str]) -> Output {
    project.init(flags).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn json_of(project: &Project, path: &str) -> Value {
    serde_json::from_str(&project.read(path)).unwrap()
}

#[test]
fn a_plan_becomes_stories_and_settings_with_remarks() {
    let project = Project::new();
    project.write("plan.json", PLAN);
    let output = init(&project, &["--from-plan", "plan.json", "--verify", "make test"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let list = tasks::inspect(project.read("ralph/tasks.json").as_bytes()).accepted().unwrap();
    assert_eq!(
        (list.project.as_str(), list.branch_name.as_str()),
        ("compass", "feature/orchestrator")
    );
    assert_eq!(list.verify_commands, ["make test".into()]);
    let stories: Vec<_> = list.stories.iter().map(|s| (s.id.as_str(), s.passes)).collect();
    assert_eq!(stories, [("TASK-001", true), ("TASK-002", false)]);
    let settings = json_of(&project, ".ralph/settings.json");
    assert_eq!(settings["maximumIterations"], 50);
    assert_eq!(settings["attempts"], json!({"most": 7}));
    assert_eq!(settings["validation"], "lenient");

    let printed = text(&output.stdout);
    for line in [
        "compass is set up for a loop on branch feature/orchestrator.\n",
        "\nFrom the plan: 2 stories.\n",
        "  task \"TASK-003\" was skipped and is not imported\n",
        "  \"colour\" of 1 task has no counterpart\n",
        "  retry_count has no counterpart: attempts start at 0\n",
        "and read the stories in",
    ] {
        assert!(printed.contains(line), "{line:?}: {printed}");
    }
}

#[test]
fn the_settings_it_makes_can_be_loaded() {
    let project = Project::new();
    project.write("plan.json", PLAN);
    init(&project, &["--from-plan", "plan.json"]);
    let path = |name| project.root().join(".ralph").join(name);
    let (base, local) = (path("settings.json"), path("settings.local.json"));
    let loaded = settings::load(&base, &local, &settings::Flags::new()).unwrap().settings;
    assert_eq!((loaded.maximum_iterations, loaded.attempts.most), (Some(50), 7));
}

#[test]
fn the_second_import_changes_nothing() {
    let project = Project::new();
    project.write("plan.json", PLAN);
    init(&project, &["--from-plan", "plan.json"]);
    let list = project.read("ralph/tasks.json");
    let printed = text(&init(&project, &["--from-plan", "plan.json"]).stdout);
    assert!(printed.starts_with("Nothing to do: "), "{printed}");
    assert_text(&printed, contains("plan.json").not());
    assert_eq!(project.read("ralph/tasks.json"), list);
}

#[test]
fn an_existing_list_and_settings_are_kept_without_force() {
    let project = Project::new();
    project.write("plan.json", PLAN);
    init(&project, &[]);
    let list = project.read("ralph/tasks.json");
    let printed = text(&init(&project, &["--from-plan", "plan.json"]).stdout);
    assert_eq!(project.read("ralph/tasks.json"), list);
    for line in [
        "\nFrom the plan:\n  the existing task list is kept; use --force to replace it\n",
        "  the existing settings are kept; the plan has maximumIterations 50\n",
        "  the existing settings are kept; the plan has attempts.most 7\n",
    ] {
        assert!(printed.contains(line), "{line:?}: {printed}");
    }

    init(&project, &["--from-plan", "plan.json", "--force"]);
    assert_eq!(project.read("ralph/tasks.json.bak"), list);
    assert_eq!(json_of(&project, "ralph/tasks.json")["userStories"][1]["id"], "TASK-002");
    assert_eq!(json_of(&project, ".ralph/settings.json")["maximumIterations"], 50);
}

#[test]
fn flags_count_more_than_the_plan() {
    let project = Project::new();
    project.write("plan.json", PLAN);
    let output = init(&project, &["--from-plan", "plan.json", "--name", "shop", "-n", "9"]);
    assert_eq!(json_of(&project, "ralph/tasks.json")["branchName"], "ralph/shop");
    assert_eq!(json_of(&project, ".ralph/settings.json")["maximumIterations"], 9);
    let printed = text(&output.stdout);
    let remark =
        "the plan's branch \"feature/orchestrator\" is not used, because --name overrides it";
    assert_text(&printed, contains(remark));
}

#[test]
fn the_report_is_available_as_json() {
    let project = Project::new();
    project.write("plan.json", PLAN);
    let output = init(&project, &["--from-plan", "plan.json", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["project"], "compass");
    assert_eq!(report["branch"], "feature/orchestrator");
    assert_eq!(report["files"][1], json!({"path": "ralph/tasks.json", "outcome": "created"}));
    assert_eq!(report["plan"]["stories"], 2);
    let skipped = json!({"kind": "skipped", "about": "TASK-003",
        "message": "task \"TASK-003\" was skipped and is not imported"});
    let remarks = report["plan"]["remarks"].as_array().unwrap();
    assert!(remarks.contains(&skipped), "{report:#}");

    let plain = init(&Project::new(), &["--json"]);
    let report: Value = serde_json::from_slice(&plain.stdout).unwrap();
    assert_eq!((&report["project"], report.get("plan")), (&json!("shop"), None));
}

#[test]
fn a_broken_plan_is_refused_with_every_problem_and_nothing_is_written() {
    let project = Project::new();
    let plan = PLAN.replace("\"Loop\"", "7").replace("\"done\"", "\"finished\"");
    project.write("plan.json", &plan);
    let output = init(&project, &["--from-plan", "plan.json"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let error = text(&output.stderr);
    for line in [
        "error: cannot import plan.json:\n",
        "\n  tasks[0] (\"TASK-001\"): status: expected one of \"pending\", ",
        "\n  tasks[1] (\"TASK-002\"): title: expected a string, found 7\n",
    ] {
        assert!(error.contains(line), "{line:?}: {error}");
    }
    assert_eq!(project.everything(), ["plan.json"]);

    let absent = init(&project, &["--from-plan", "none.json"]);
    assert_eq!(absent.status.code(), Some(2), "{absent:?}");
    assert!(text(&absent.stderr).starts_with("error: cannot read none.json: "), "{absent:?}");
    assert_eq!(project.everything(), ["plan.json"]);
}
