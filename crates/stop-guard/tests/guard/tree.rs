//! Uncommitted changes in the work tree.

use serde_json::json;

use crate::harness::{Project, SESSION, story, story_at};

fn implementing() -> Project {
    Project::in_iteration("implement", [story("US-001")])
}

#[test]
fn uncommitted_changes_block_with_their_names() {
    let project = implementing();
    project.write("src/lib.rs", "// changed");
    project.write("src/new file.rs", "// new");
    let answer = project.stop();
    answer.assert_blocked_for("modified: src/lib.rs");
    answer.assert_blocked_for("untracked: src/new file.rs");
    answer.assert_blocked_for("ralph/progress.txt");
    project.commit_all();
    project.stop().assert_allowed("no findings");
}

#[test]
fn the_programs_own_files_never_count_whatever_gitignore_says() {
    let project = implementing();
    for name in [
        ".ralph/lock",
        ".ralph/state.json",
        ".ralph/state.md",
        ".ralph/settings.local.json",
        ".ralph/runs/r/events.jsonl",
    ] {
        project.write(name, "{}");
    }
    project.stop().assert_allowed("no findings");
    project.write(".ralph/settings.json", "{}");
    let answer = project.stop();
    answer.assert_blocked_for("untracked: .ralph/settings.json");
    assert!(!answer.reason().contains(".ralph/lock"), "{}", answer.reason());
}

#[test]
fn changes_from_before_the_run_are_ignored() {
    let project = Project::new();
    let mut marker = project.marker("implement");
    marker["dirtyBefore"] = json!(["notes.txt", "scratch/"]);
    project.write_marker(&marker);
    project.write("notes.txt", "mine");
    project.write("scratch/deep/x", "mine");
    project.stop().assert_allowed("no findings");
    project.write("notes.txt.bak", "not mine");
    project.stop().assert_blocked_for("untracked: notes.txt.bak");
}

#[test]
fn without_a_repository_the_rest_is_still_checked() {
    let project = Project::without_git();
    project.write_marker(&project.marker("implement"));
    project.stop().assert_allowed("uncommitted changes were not checked: not a git repository");
    project.write("ralph/prd.md", "changed");
    project.stop().assert_blocked_for("ralph/prd.md: changed");
}

#[test]
fn a_broken_repository_is_a_warning_not_a_block() {
    let project = implementing();
    std::fs::remove_file(project.file(".git/HEAD")).unwrap();
    project.stop().assert_allowed("uncommitted changes were not checked: not a git repository");
    project.write(".git/HEAD", "nonsense");
    project.stop().assert_allowed("warning: git status failed: fatal: ");
}

#[test]
fn a_thousand_left_over_files_make_a_short_reason() {
    let project = implementing();
    for n in 0..1000 {
        project.write(&format!("out/{n}.txt"), "x");
    }
    let answer = project.stop();
    answer.assert_blocked_for("… and 980 more");
    assert!(answer.reason().len() < 4000, "{}", answer.reason().len());
}

fn reviewing() -> Project {
    let project = Project::new();
    project.write_tasks(&crate::harness::list([story_at(
        "US-001",
        false,
        json!("needs_review"),
        0,
    )]));
    project.commit_all();
    let mut marker = project.marker("review");
    marker["checkpoint"] = json!(project.git(&["rev-parse", "HEAD"]));
    project.write_marker(&marker);
    project
}

#[test]
fn a_review_may_write_its_verdict_and_memory() {
    let project = reviewing();
    project.write("CLAUDE.md", "use cargo");
    project.write(".claude/rules/x.md", "x");
    project.write("ralph/progress.txt", "reviewed");
    project.stop().assert_blocked_for("untracked: ralph/progress.txt");
    project.agent_edits(|list| {
        crate::harness::move_to(&mut list["userStories"][0], true, json!("approved"), 1)
    });
    project.stop().assert_allowed("no findings");
}

#[test]
fn a_review_that_fixes_is_blocked_committed_or_not() {
    let project = reviewing();
    project.write("src/lib.rs", "// fixed");
    let answer = project.stop();
    answer.assert_blocked_for("Files that this review changed:\n- src/lib.rs\nA review judges");
    assert!(!answer.reason().contains("Uncommitted"), "{}", answer.reason());
    let checkpoint = project.git(&["rev-parse", "HEAD"]);
    answer.assert_blocked_for(&format!("`git checkout {checkpoint} -- FILE`"));

    project.commit_all();
    project.stop().assert_blocked_for("- src/lib.rs\nA review judges, it does not fix");

    project.write("src/lib.rs", "// code");
    project.commit_all();
    project.stop().assert_allowed("no findings");
}

#[test]
fn the_same_commits_are_fine_in_another_mode_or_without_review() {
    for edit in [("iterationMode", json!("implement")), ("skipReview", json!(true))] {
        let project = reviewing();
        let text = std::fs::read(project.file(".ralph-active")).unwrap();
        let mut marker: serde_json::Value = serde_json::from_slice(&text).unwrap();
        marker[edit.0] = edit.1;
        project.write_marker(&marker);
        project.write("src/lib.rs", "// new");
        project.commit_all();
        project.stop().assert_allowed("no findings");
    }
}

#[test]
fn a_checkpoint_that_is_not_a_commit_is_a_warning() {
    for checkpoint in ["--output=/tmp/x", "main", &"0".repeat(40)] {
        let project = Project::new();
        let mut done = story_at("US-001", true, json!("approved"), 1);
        done["notes"] = json!("done");
        project.write_tasks(&crate::harness::list([done]));
        let mut marker = project.marker("review");
        marker["checkpoint"] = json!(checkpoint);
        project.write_marker(&marker);
        project.commit_all();
        project.stop().assert_allowed("warning: ");
    }
}

#[test]
fn a_project_in_a_folder_of_a_repository_is_found() {
    let project = Project::without_git();
    test_repo::init(project.path());
    std::fs::create_dir(project.file("app")).unwrap();
    std::fs::rename(project.file("ralph"), project.file("app/ralph")).unwrap();
    project.commit_all();
    project.write("app/.ralph-active", json!({"sessionId": SESSION}).to_string());
    project.write("app/.ralph/lock", "1");
    let app = project.file("app").display().to_string();
    let project = project.env("CLAUDE_PROJECT_DIR", app);
    project.stop().assert_allowed("no findings");
    project.write("lib/x", "x");
    project.stop().assert_blocked_for("untracked: ../lib/x");
}
