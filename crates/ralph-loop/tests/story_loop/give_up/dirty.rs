//! The user's own files: not committed when the run began, and still theirs after a story failed,
//! whatever the story did with them.

use std::collections::BTreeSet;

use events::RunEnd;
use serde_json::json;
use simulator::{Act, Mode, Scenario, When};

use super::{assert_rewound, branch_of, failing, fails, given_up, in_commit, project};
use crate::harness::Project;
use crate::stories::story;

/// Changed, staged, both, deleted, staged for deletion, new, staged as new.
fn with_changes() -> Project {
    let project = project(["US-001", "US-002"].map(story)).flags(["--allow-dirty"]);
    for name in ["changed", "staged", "both", "deleted", "unstaged", "code"] {
        project.write(&format!("user/{name}.txt"), format!("{name}: committed\n"));
    }
    test_repo::commit_all(&project.path());
    project.write("user/changed.txt", "changed: mine\n");
    project.write("user/staged.txt", "staged: mine\n");
    project.write("user/both.txt", "both: mine\n");
    project.write("user/added.txt", "added: mine\n");
    project.git(&["add", "user/staged.txt", "user/both.txt", "user/added.txt"]);
    project.write("user/both.txt", "both: mine, and more\n");
    project.write("user/new folder/ü.txt", b"new: mine\xff\n");
    std::fs::remove_file(project.path().join("user/deleted.txt")).unwrap();
    project.git(&["rm", "-q", "user/unstaged.txt"]);
    project
}

fn theirs(project: &Project) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let folder = project.path().join("user");
    project.listing().into_iter().filter(|(path, _)| path.starts_with(&folder)).collect()
}

/// Only the names: what an agent committed is not staged any more, but changed.
fn status(project: &Project) -> BTreeSet<String> {
    let status = project.git(&["status", "--porcelain", "-uall"]);
    // The first line has lost its space.
    let name = |line: &str| line.trim_start().split_once(' ').unwrap().1.trim_start().to_owned();
    status.lines().map(name).collect()
}

#[test]
fn changes_that_the_story_left_alone_are_exactly_as_they_were() {
    let project = with_changes();
    let acts = [
        Act::write("broken", "x"),
        Act::append("src/code.txt", "half\n"),
        Act::submit("it works"),
        Act::bash("git add broken && git commit -q -m 'feat: broken' -- broken src ralph"),
    ];
    let scenario = Scenario::new().rule(When::mode(Mode::Implement).story("US-001"), acts);
    let project = project.scenario(scenario);
    let (files, before) = (theirs(&project), project.git(&["status", "--porcelain", "-uall"]));
    let staged = project.git(&["diff", "--cached"]);
    let run = project.run(["-n", "1"]);
    given_up(&run, "US-001");
    assert_eq!(theirs(&project), files);
    assert_eq!(project.git(&["status", "--porcelain", "-uall"]), before);
    assert_eq!(project.git(&["diff", "--cached"]), staged);
    assert_eq!(project.read("src/code.txt"), "code\n");
    assert!(!project.has("broken"));
}

#[test]
fn changes_that_the_story_committed_are_changes_again() {
    let project = with_changes();
    let project = project.scenario(fails("US-001", [Act::append("src/code.txt", "half\n")]));
    let (files, before) = (theirs(&project), status(&project));
    let run = project.run(["-n", "1"]);
    assert_rewound(&run, "US-001");
    let branch = branch_of(&run, "US-001");
    assert_eq!(in_commit(&project, &branch, "user/both.txt"), "both: mine, and more");
    assert_eq!(theirs(&project), files, "not a byte");
    assert_eq!(status(&project), before);
    assert_eq!(project.read("src/code.txt"), "code\n");
}

#[test]
fn a_file_that_the_user_had_changed_keeps_what_both_wrote() {
    let project = with_changes();
    let acts = [
        Act::append("user/changed.txt", "the story's\n"),
        Act::append("user/added.txt", "the story's\n"),
        Act::write("user/deleted.txt", "the story's\n"),
    ];
    let project = project.scenario(fails("US-001", acts));
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed);
    assert_eq!(project.read("user/changed.txt"), "changed: mine\nthe story's\n");
    assert_eq!(project.read("user/added.txt"), "added: mine\nthe story's\n");
    assert!(!project.has("broken"));
    assert_eq!(project.story("US-002")["passes"], true);
}

#[test]
fn the_next_run_finds_them_too() {
    let project = with_changes();
    let scenario = Scenario::new().rule(When::any(), failing([]));
    let project = project.scenario(scenario);
    let (files, before) = (theirs(&project), status(&project));
    project.run([]).assert_end(RunEnd::StoriesFailed);
    project.run(["--fresh"]).assert_end(RunEnd::StoriesFailed);
    assert_eq!(theirs(&project), files);
    assert_eq!(status(&project), before);
}

/// Ignored files belong to the user, even if an agent commits them.
#[test]
fn an_ignored_file_that_the_story_committed_stays() {
    let project = project([story("US-001")]);
    project.write(".gitignore", format!("{}.env\n", project.read(".gitignore")));
    test_repo::commit_all(&project.path());
    project.write(".env", "SECRET=1\n");
    let acts = [Act::bash("git add -f .env"), Act::write("src/more.txt", "more")];
    let project = project.scenario(fails("US-001", acts));
    let run = project.run([]);
    assert_rewound(&run, "US-001");
    assert_eq!(project.read(".env"), "SECRET=1\n");
    assert!(!project.has("src/more.txt"));
    assert_eq!(project.git(&["ls-files", ".env"]), "");
}

/// Only the rules from before the story count: what it made itself goes with it.
#[test]
fn files_that_the_story_ignored_are_removed() {
    let acts = [
        Act::write("target/out.txt", "out"),
        Act::commit("feat: too much"),
        Act::append(".gitignore", "target/\n"),
    ];
    let project = project([story("US-001")]).scenario(fails("US-001", acts));
    let run = project.run([]);
    assert_rewound(&run, "US-001");
    assert!(!project.has("target"));
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}

/// The story's first session commits everything there is, and only the next run sees it fail.
#[test]
fn files_that_an_earlier_session_committed_are_still_theirs_after_a_rerun() {
    for again in ["--resume", "a new run"] {
        let project = with_changes();
        let implement = When::mode(Mode::Implement).story("US-001");
        let beginning = [Act::write("first.txt", "first\n"), Act::commit("feat: a beginning")];
        let scenario = Scenario::new()
            .rule(implement.clone().visit(1), beginning)
            .rule(implement, failing([]));
        let project = project.scenario(scenario);
        let (files, before) = (theirs(&project), status(&project));
        project.run(["-n", "1"]).assert_end(RunEnd::IterationsUsed);
        let run = match again {
            "--resume" => project.run(["--resume", "-n", "2"]),
            _ => project.run(["-n", "1"]),
        };
        given_up(&run, "US-001");
        assert_eq!(theirs(&project), files, "{again}: not a byte");
        assert_eq!(status(&project), before, "{again}");
        assert!(!project.has("first.txt"), "{again}");
    }
}

/// Files that are equal for git may differ on disk.
#[test]
fn line_ends_go_with_the_attributes_that_made_them() {
    let project = project(["US-001", "US-002"].map(story))
        .settings(&json!({"git": {"allow": [".gitattributes"]}}));
    let acts = [
        Act::write(".gitattributes", "*.txt text eol=crlf\n"),
        Act::write("src/code.txt", "code\r\n"),
    ];
    let project = project.scenario(fails("US-001", acts));
    project.run([]).assert_end(RunEnd::StoriesFailed);
    assert_eq!(project.read("src/code.txt"), "code\n");
    assert_eq!(in_commit(&project, "HEAD", "src/code.txt"), "code");
    let changed = project.git(&["log", "--format=", "--name-only", "--", "src", ".gitattributes"]);
    assert_eq!(changed, "src/code.txt", "only where it was made: {changed}");
}
