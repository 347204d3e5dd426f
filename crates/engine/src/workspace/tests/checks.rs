//! What a check leaves in a work tree.

use super::*;

#[test]
fn what_a_check_changes_is_restored_and_backed_up() {
    let project = Project::new();
    let (found, _) = project.check(|project| {
        project.write("src/lib.rs", "by a check\n");
        project.write("left.txt", "left\n");
    });
    assert_eq!(found, [""; 0]);
    assert_eq!(project.read("src/lib.rs"), "pub fn sum() {}\n");
    assert!(!project.root().join("left.txt").exists());
    assert!(project.folder().join("moved/left.txt").exists());
    let backup = project.git(&["for-each-ref", "--format=%(refname)", "refs/ralph"]);
    assert!(backup.starts_with("refs/ralph/r1/put-back-"), "{backup}");
    assert_eq!(project.git(&["show", &format!("{backup}:src/lib.rs")]), "by a check");
}

#[test]
fn a_check_that_commits_switches_branches_or_edits_the_list_is_an_offence() {
    let project = Project::new();
    let (found, _) = project.check(|project| {
        project.write("src/lib.rs", "by a check\n");
        commit_all(project.root());
        project.write("ralph/tasks.json", "{\"approved\": true}\n");
        project.write("ralph/prd.md", "# Easier\n");
    });
    let expected = [
        "a check made commits",
        "a check changed protected file ralph/prd.md",
        "a check changed ralph/tasks.json",
    ];
    assert_eq!(found, expected);
    assert_eq!(project.read("ralph/tasks.json"), TASKS);
    assert_eq!(project.read("ralph/prd.md"), "# PRD\n");
    assert_eq!(project.read("src/lib.rs"), "pub fn sum() {}\n");
    let project = Project::new();
    let (found, _) = project.check(|project| {
        project.git(&["switch", "-q", "-c", "elsewhere"]);
    });
    assert_eq!(found, ["a check changed the branch"]);
    assert_eq!(project.git(&["branch", "--show-current"]), "ralph/x");
}

#[test]
fn build_outputs_of_a_check_are_not_noticed_and_those_of_a_session_are() {
    let project = Project::new();
    let (_, notices) = project.check(|project| project.write("target/out", "x"));
    assert_eq!(notices, []);
    let project = Project::new();
    let settled = project.settle(|project| project.write("target/out", "x"));
    assert!(settled.noticed("created files that git ignores"), "{:?}", settled.notices);
}
