//! Failed work that is a merge, or that other branches have.

use events::{RunEnd, StoryCommits};
use simulator::Act;

use super::{assert_rewound, assert_sound, branch_of, fails, given_up, project};
use crate::stories::story;

const SIDE: &str = "git switch -q -c side && echo s >side.txt && git add side.txt && \
                    git commit -q -m side && git switch -q - && ";

#[test]
fn a_merge_is_taken_out_with_all_it_brought() {
    let acts = [
        Act::bash(format!("{SIDE} echo o >own.txt && git add own.txt && git commit -q -m own")),
        Act::bash("git merge -q --no-ff -m joined side && git branch -q -D side"),
    ];
    let project = project(["US-001", "US-002"].map(story)).scenario(fails("US-001", acts));
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed);
    assert_rewound(&run, "US-001");
    assert!(!project.has("side.txt") && !project.has("own.txt"));
    let branch = branch_of(&run, "US-001");
    let subjects = project.git(&["log", "--format=%s", &branch]);
    for subject in ["joined", "own", "side"] {
        assert!(subjects.lines().any(|line| line == subject), "{subject}: {subjects}");
    }
}

#[test]
fn a_conflict_that_the_agent_resolved_is_no_obstacle() {
    let acts = [
        Act::bash("git switch -q -c side && echo theirs >src/code.txt && git commit -qam side"),
        Act::bash("git switch -q - && echo ours >src/code.txt && git commit -qam own"),
        Act::bash("git merge -q side; echo both >src/code.txt; git commit -qam joined"),
    ];
    let project = project([story("US-001")]).scenario(fails("US-001", acts));
    let run = project.run([]);
    assert_rewound(&run, "US-001");
    assert_eq!(project.read("src/code.txt"), "code\n");
    assert_eq!(project.git(&["log", "-1", "--format=%s", "side"]), "side", "the branch stays");
}

#[test]
fn commits_of_another_branch_are_reverted_by_a_commit() {
    let acts = [
        Act::write("shared.txt", "s"),
        Act::commit("feat: shared"),
        Act::bash("git branch theirs"),
    ];
    let project = project(["US-001", "US-002"].map(story)).scenario(fails("US-001", acts));
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed);
    let StoryCommits::Reverted { commit, .. } = &given_up(&run, "US-001").commits else {
        panic!("{:?}", given_up(&run, "US-001"));
    };
    project.git(&["merge-base", "--is-ancestor", "theirs", commit]);
    assert!(!project.has("shared.txt") && !project.has("broken"));
    assert!(project.has("work/US-002.txt"));
    assert_eq!(project.git(&["show", "theirs:shared.txt"]), "s");
    assert_sound(&project);
}

#[test]
fn an_agent_that_drops_others_commits_takes_nothing_from_them() {
    let acts = [Act::bash("git reset -q --hard main"), Act::write("own.txt", "o")];
    let project = project(["US-001", "US-002"].map(story)).scenario(fails("US-002", acts));
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed);
    let others = super::began(&run, "US-002");
    project.git(&["merge-base", "--is-ancestor", &others, "HEAD"]);
    assert!(project.has("work/US-001.txt") && !project.has("own.txt") && !project.has("broken"));
    assert_eq!(project.story("US-001")["passes"], true);
    assert_eq!(project.git(&["show", &format!("{}:own.txt", branch_of(&run, "US-002"))]), "o");
    assert_eq!(project.git(&["status", "--porcelain"]), "");
    assert_sound(&project);
}
