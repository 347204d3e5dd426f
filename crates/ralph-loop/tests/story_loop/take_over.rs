//! The advice of the report about a failed story: its commands work in a shell.

use std::path::Path;

use events::{RunEnd, StoryCommits};
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};
use test_repo::assert_text;

use crate::failures::{CHECK, breaking, breaks, given_up, json_of};
use crate::harness::Project;
use crate::stories::{list, story};

/// The commands of the step whose text contains this.
#[track_caller]
fn commands(project: &Project, args: &[&str], words: &str) -> Vec<String> {
    let report = json_of(project, &[&["report", "--format", "json"], args].concat());
    let steps = report["next"].as_array().unwrap();
    let step = steps.iter().find(|step| step["text"].as_str().unwrap().contains(words));
    let step = step.unwrap_or_else(|| panic!("{words}: {report:#}"));
    let commands = step["commands"].as_array().unwrap().iter();
    commands.map(|command| command.as_str().unwrap().to_owned()).collect()
}

#[track_caller]
fn shell(project: &Project, folder: &Path, command: &str) -> String {
    let mut sh = project.command(Path::new("sh"));
    let done = sh.args(["-c", command]).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{command}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

#[track_caller]
fn take_over(project: &Project, args: &[&str], folder: &Path) {
    for command in commands(project, args, "apply the work") {
        shell(project, folder, &command);
    }
}

/// Uncommitted changes, from git.
fn changed(project: &Project) -> Vec<String> {
    project.git(&["status", "--porcelain"]).lines().map(str::to_owned).collect()
}

const BROKEN: [&str; 2] = ["M  src/code.txt", "A  broken-US-001"];

#[track_caller]
fn assert_changed(project: &Project, expected: &[&str]) {
    let (mut changed, mut expected) = (changed(project), expected.to_vec());
    changed.sort();
    expected.sort_unstable();
    assert_eq!(changed, expected);
}

#[test]
fn work_that_was_rewound_comes_back_without_the_list() {
    let stories = ["US-001", "US-002"].map(story);
    let project = Project::with_checks(stories, [CHECK]).scenario(breaking(["US-001"]));
    let run = project.run(["--max-attempts", "1"]);
    run.assert_end(RunEnd::StoriesFailed);
    assert_eq!(given_up(&run, "US-001").commits, StoryCommits::Rewound);
    let [diff] = &commands(&project, &[], "US-001: see what was tried")[..] else { panic!() };
    let diff = shell(&project, &project.path(), diff);
    assert!(diff.contains("+half") && !diff.contains("ralph/"), "{diff}");
    // From wherever one is.
    project.git(&["switch", "-q", "-c", "elsewhere"]);
    take_over(&project, &[], &project.path());
    assert_eq!(project.git(&["branch", "--show-current"]).trim(), "ralph/demo");
    assert_changed(&project, &BROKEN);
    assert!(project.has("work/US-002.txt"), "what was done since stays");
}

#[test]
fn work_that_was_undone_by_a_commit_comes_back_too() {
    let mut new = story("US-002");
    new["priority"] = json!(0);
    let Value::Object(new) = new else { panic!() };
    let beginning = [
        Act::write("src/code.txt", "half\n"),
        Act::AddStory { story: new },
        Act::commit("feat: a beginning"),
        Act::finish("More next time."),
    ];
    let implement = When::mode(Mode::Implement).story("US-001");
    let scenario = Scenario::new()
        .rule(implement.clone().visit(1), beginning)
        .rule(implement, breaks("US-001"));
    let project = Project::with_checks([story("US-001")], [CHECK]).scenario(scenario);
    let run = project.run(["--max-attempts", "1"]);
    run.assert_end(RunEnd::StoriesFailed);
    let commits = &given_up(&run, "US-001").commits;
    assert!(matches!(commits, StoryCommits::Reverted { .. }), "{commits:?}");
    take_over(&project, &[], &project.path());
    assert_changed(&project, &BROKEN);
    assert_eq!(project.read("src/code.txt"), "half\nhalf\n");
}

#[test]
fn a_list_in_a_folder_of_another_name_and_a_project_within_a_repository() {
    let project = Project::empty();
    let mut list = list([story("US-001")]);
    list["verifyCommands"] = json!([CHECK]);
    project.write("app/my plan/tasks.json", format!("{list:#}\n"));
    project.write("app/src/code.txt", "code\n");
    project.repository();
    let project = project.scenario(breaking(["US-001"])).flags(["--project-dir", "app"]);
    let args = ["--project-dir", "app"];
    project
        .run(["--ralph-dir", "my plan", "--max-attempts", "1"])
        .assert_end(RunEnd::StoriesFailed);
    let app = project.path().join("app");
    take_over(&project, &args, &app);
    assert_changed(&project, &["M  app/src/code.txt", "A  app/broken-US-001"]);
    let report = project.call(&[&["report"], &args[..]].concat());
    let report = String::from_utf8(report.stdout).unwrap();
    let outputs = report.split("All outputs: `").nth(1).unwrap().split('`').next().unwrap();
    let outputs = shell(&project, &app, outputs);
    assert!(outputs.contains("FAIL broken-US-001: assertion failed"), "{outputs}");
}

#[cfg(unix)]
#[test]
fn weakened_tests_are_shown_whatever_they_are_called() {
    let name = "tests/[a]|`b`\u{1b}[2J\nc.rs";
    let project = Project::new([story("US-001")]);
    project.write(name, "#[test]\nfn counts() {\n    assert_eq!(1, 1);\n}\n");
    project.write("tests/a.rs", "// not meant\n");
    test_repo::commit_all(&project.path());
    let acts = [
        Act::write(name, "fn counts() {}\n"),
        Act::write("tests/a.rs", "// changed\n"),
        Act::submit("done"),
        Act::commit("feat: x"),
    ];
    project.agent(&Scenario::new().rule(When::mode(Mode::Implement), acts));
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_text(&run.stderr, contains("\u{1b}[2J").not());
    let [diff] = &commands(&project, &[], "Review the weakened tests")[..] else { panic!() };
    let diff = shell(&project, &project.path(), diff);
    assert!(diff.contains("-    assert_eq!(1, 1);") && !diff.contains("not meant"), "{diff}");
}
