//! All the work of a story, of several iterations, committed or not.

use events::RunEnd;
use simulator::{Act, Mode, Scenario, When};

use super::{CHECK, assert_rewound, branch_of, branches, failing, in_commit};
use crate::harness::Project;
use crate::stories::story;

/// Two iterations: a commit, then work that is only kept by the runner, then the claim.
fn several() -> Project {
    let first = [
        Act::write("first.txt", "first\n"),
        Act::append("src/code.txt", "half\n"),
        Act::commit("feat: a beginning"),
        Act::bash("mkdir -p u/v && echo untracked >u/v/new.txt && rm mine.txt"),
    ];
    let second = failing([Act::write("second.txt", "second\n"), Act::bash("git rm -q first.txt")]);
    let scenario = Scenario::new()
        .rule(When::mode(Mode::Implement).story("US-002").visit(1), failing(first))
        .rule(When::mode(Mode::Implement).story("US-002").visit(2), second);
    Project::with_checks(["US-001", "US-002", "US-003"].map(story), [CHECK])
        .scenario(scenario)
        .flags(["--max-attempts", "2"])
}

#[test]
fn is_on_the_branch_and_nowhere_else() {
    let project = several();
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed);
    assert_rewound(&run, "US-002");
    let branch = branch_of(&run, "US-002");
    assert_eq!(branches(&project), [branch.as_str()]);
    let files = project.git(&["ls-tree", "-r", "--name-only", &branch]);
    let files: Vec<&str> = files.lines().collect();
    for name in ["broken", "second.txt", "u/v/new.txt", "ralph/failure-US-002.md"] {
        assert!(files.contains(&name), "{name}: {files:?}");
        assert!(!project.has(name), "{name}");
    }
    assert!(!files.contains(&"first.txt") && !files.contains(&"mine.txt"), "{files:?}");
    assert_eq!(in_commit(&project, &branch, "src/code.txt"), "code\nhalf");
    let subjects = project.git(&["log", "--format=%s", &branch]);
    assert!(subjects.contains("feat: a beginning"), "history is kept too: {subjects}");
    assert_eq!(project.read("src/code.txt"), "code\n");
    assert_eq!(project.read("mine.txt"), "committed\n");
    assert!(!project.has("u"), "an empty folder is left");
    assert_eq!(project.git(&["status", "--porcelain"]), "");
    assert!(project.has("work/US-001.txt") && project.has("work/US-003.txt"));
    let subjects = project.log().join("\n");
    assert!(!subjects.contains("feat: a beginning") && !subjects.contains("feat: broken"));
}

#[test]
fn comes_back_when_the_branch_is_merged() {
    let project = several();
    let run = project.run([]);
    let before = project.tasks();
    project.git(&["merge", "-q", "--no-edit", &branch_of(&run, "US-002")]);
    for name in ["broken", "second.txt", "u/v/new.txt", "work/US-001.txt", "work/US-003.txt"] {
        assert!(project.has(name), "{name}");
    }
    assert!(!project.has("mine.txt"), "it was the story that removed it");
    assert_eq!(project.read("src/code.txt"), "code\nhalf\n");
    assert_eq!(project.tasks()["userStories"][2], before["userStories"][2]);
}
