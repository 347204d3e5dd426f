//! Runs in clones of the project, and the removal of the clones.

use std::path::PathBuf;

use events::RunEnd;
use serde_json::Value;

use crate::harness::Project;
use crate::stories::story;

fn lanes(project: &Project, args: &[&str]) -> Value {
    let output = project.call(&[&["lanes", "--json"], args].concat());
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn states(rows: &Value) -> Vec<(&str, &str)> {
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| (row["lane"].as_str().unwrap(), row["state"].as_str().unwrap())).collect()
}

fn folder(row: &Value) -> PathBuf {
    row["folder"].as_str().unwrap().into()
}

#[test]
fn a_run_in_a_clone_leaves_the_work_tree_alone_and_its_clones_can_be_removed() {
    let project = Project::new([story("US-001")]);
    project.git(&["switch", "-q", "-c", "mine"]);
    project.write("mine.txt", "not committed\n");
    let run = project.run(["--separate"]);
    run.assert_end(RunEnd::Complete);
    let warning = "warning: 1 uncommitted file is not in the clones";
    assert!(run.stderr.contains(warning), "{}", run.stderr);
    assert_eq!(project.git(&["branch", "--show-current"]), "mine");
    assert_eq!(project.read("mine.txt"), "not committed\n");
    assert_eq!(project.read("ralph/tasks.json"), project.tasks_before());
    let merged = project.git(&["show", "ralph/demo:ralph/tasks.json"]);
    assert!(merged.contains("\"passes\": true"), "{merged}");

    let listed = lanes(&project, &[]);
    assert_eq!(states(&listed), [("1", "saved"), ("verification", "saved")]);
    let lane = folder(&listed[0]);
    #[cfg(target_os = "linux")]
    assert!(lane.to_string_lossy().contains("/home/.local/state/ralph/lanes/project-"), "{lane:?}");
    std::fs::write(lane.join("new.txt"), "not committed").unwrap();
    let planned = lanes(&project, &["prune", "--dry-run"]);
    let pruned = lanes(&project, &["prune"]);
    assert_eq!((&planned["removed"], &planned["kept"]), (&pruned["removed"], &pruned["kept"]));
    assert_eq!(states(&pruned["removed"]), [("verification", "saved")]);
    assert_eq!(states(&pruned["kept"]), [("1", "unsaved")]);
    assert_eq!(pruned["kept"][0]["why"], "uncommitted files: new.txt");
    assert!(lane.join("new.txt").is_file() && !folder(&listed[1]).exists());
    std::fs::remove_file(lane.join("new.txt")).unwrap();
    let text = project.call(&["lanes", "prune"]).stdout;
    let text = String::from_utf8(text).unwrap();
    assert!(text.starts_with("removed 1 clone, ") && !text.contains("kept"), "{text}");
    assert!(!lane.exists());
}

fn refused(project: &Project, args: &[&str]) -> String {
    let output = project.call(args);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn options_without_effect_in_clones_are_refused() {
    let project = Project::new([story("US-001")]).installed("claude");
    let error = refused(&project, &["-j", "2", "--allow-dirty", "--sandbox=guard"]);
    assert!(error.contains("--allow-dirty has no effect with --separate"), "{error}");
    assert!(error.contains("--no-separate"), "{error}");
    let error = refused(&project, &["--no-separate", "-j", "2"]);
    assert!(error.contains("cannot be used with"), "{error}");
    let error = refused(&project, &["--separate", "--lanes-dir", "lanes", "--sandbox=guard"]);
    assert!(
        error.contains("--lanes-dir: folder ") && error.contains("inside the project"),
        "{error}"
    );
    assert!(!project.has(".ralph/state.json"));
}

#[test]
fn a_dry_run_names_the_clones_and_the_files_that_they_do_not_have() {
    let project = Project::new([story("US-001")]).installed("claude");
    let settings = r#"{"jobs": 3, "lanes": {"dir": "../lanes"}}"#;
    let project = project.settings(&serde_json::from_str(settings).unwrap());
    project.write("mine.txt", "not committed\n");
    let shown = |args: &[&str]| {
        let output = project.call(&[&["--dry-run", "--sandbox=guard"], args].concat());
        String::from_utf8(output.stdout).unwrap()
    };
    let text = shown(&[]);
    assert!(text.contains("Clones: 3 lanes and one for verification, in "), "{text}");
    assert!(text.contains("Uncommitted, so not in the clones: mine.txt"), "{text}");
    let json: Value = serde_json::from_str(&shown(&["--output", "json"])).unwrap();
    assert_eq!(json["lanes"]["jobs"], 3);
    let text = shown(&["--no-separate"]);
    assert!(!text.contains("Clones:") && text.contains("Commit first: mine.txt"), "{text}");
    assert!(!project.path().with_file_name("lanes").exists());
}

fn printed(project: &Project, args: &[&str]) -> (Option<i32>, String) {
    let output = project.call(args);
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).unwrap())
}

fn status(project: &Project) -> String {
    printed(project, &["status"]).1
}

#[test]
fn until_the_runs_branch_is_merged_its_task_list_is_shown() {
    let project = Project::new([story("US-001"), story("US-002")]).installed("claude");
    project.git(&["switch", "-q", "-c", "mine"]);
    project.run(["--separate", "-n", "2"]).assert_end(RunEnd::IterationsUsed);
    let note = "showing the task list of branch ralph/demo; your work tree has another one";
    let text = status(&project);
    assert!(text.contains(note) && text.contains("1 of 2 done"), "{text}");
    assert!(text.contains("next: implement US-002"), "{text}");

    project.run(["-j", "2", "--resume"]).assert_end(RunEnd::Complete);
    let text = status(&project);
    assert!(text.contains(note) && text.contains("2 of 2 done"), "{text}");
    let next = "next: all stories are done; merge them with `git merge ralph/demo`";
    assert!(text.contains(next), "{text}");
    let json: Value = serde_json::from_str(&printed(&project, &["status", "--json"]).1).unwrap();
    assert_eq!(json["judged"]["branch"], "ralph/demo");
    assert_eq!(json["totals"]["done"], 2);
    let refusal = "error: the work of the last run is on branch ralph/demo, which is not merged\n\
                   hint: run `git merge ralph/demo`, then archive again\n";
    assert_eq!(printed(&project, &["archive"]), (Some(2), refusal.to_owned()));
    for args in [&["-j", "2", "--sandbox=guard"][..], &["--sandbox=guard"]] {
        let dry = printed(&project, &[args, &["--dry-run"]].concat()).1;
        assert_eq!(dry, "Every story is done: nothing to do.\n");
        let (code, text) = printed(&project, args);
        let hint =
            "hint: `ralph-loop report` shows the last run; `git merge ralph/demo` merges the work";
        assert!(
            code == Some(0) && text.contains("all 2 stories are done: nothing to do"),
            "{text}"
        );
        assert!(text.contains(hint) && !text.contains("new clone"), "{text}");
        assert_eq!(project.git(&["branch", "--show-current"]), "mine");
    }

    project.git(&["merge", "-q", "ralph/demo"]);
    let text = status(&project);
    assert!(!text.contains("task list") && text.contains("2 of 2 done"), "{text}");
    assert!(text.contains("next: nothing, all stories are done"), "{text}");
    project.write("ralph/tasks.json", project.read("ralph/tasks.json").replace("a demo", "mine"));
    assert!(status(&project).contains("the task list was edited after the last run verified it"));
    let (code, text) = printed(&project, &["archive"]);
    assert!(code == Some(0) && text.contains("(2 of 2 stories done)"), "{text}");
    assert!(!text.contains("Merge the work"), "{text}");
}

#[test]
fn a_plan_for_another_branch_counts_instead_of_that_of_the_last_run() {
    let project = Project::new([story("US-001")]);
    project.git(&["switch", "-q", "-c", "mine"]);
    project.run(["--separate"]).assert_end(RunEnd::Complete);
    let other = project.read("ralph/tasks.json").replace("ralph/demo", "ralph/other");
    project.write("ralph/tasks.json", other);
    let text = status(&project);
    assert!(text.contains("0 of 1 done") && !text.contains("showing"), "{text}");
}

#[test]
fn the_list_of_the_runs_branch_is_the_one_that_the_run_merged_last() {
    let project = Project::new([story("US-001")]);
    project.git(&["switch", "-q", "-c", "mine"]);
    project.run(["--separate"]).assert_end(RunEnd::Complete);
    let mut state = project.state();
    state["ended"] = Value::Null;
    project.write(".ralph/state.json", state.to_string());
    project.git(&["branch", "-f", "ralph/demo", "mine"]);
    let text = status(&project);
    assert!(text.contains("showing") && text.contains("1 of 1 done"), "during a run: {text}");
    project.git(&["branch", "-D", "ralph/demo"]);
    let text = status(&project);
    assert!(text.contains("0 of 1 done") && !text.contains("showing"), "{text}");
}
