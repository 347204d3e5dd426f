//! Failure branches and remotes.

use std::os::unix::fs::PermissionsExt;

use events::{RunEnd, StoryCommits};
use serde_json::json;
use simulator::{Act, Mode, Scenario, When};

use super::{branch_of, fails, given_up, project};
use crate::harness::Project;
use crate::stories::{fields, story};

fn with_tasks(tasks: &[&str], stories: &[&str]) -> Project {
    project(stories.iter().map(|id| story(id)))
        .settings(&json!({"scm": {"command": "git", "tasks": tasks}}))
}

/// Takes nothing but additions.
fn with_remote(project: Project) -> Project {
    let remote = project.bin().join("remote.git");
    let remote = remote.to_str().unwrap();
    project.git(&["init", "-q", "--bare", remote]);
    project.git(&["-C", remote, "config", "receive.denyNonFastForwards", "true"]);
    project.git(&["remote", "add", "origin", remote]);
    project
}

fn pushed(project: &Project) -> String {
    project.git(&["ls-remote", "origin"])
}

#[test]
fn the_branch_stays_here_where_they_do_not() {
    let project = with_remote(with_tasks(&["commit"], &["US-001"]));
    let project = project.scenario(fails("US-001", []));
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed);
    branch_of(&run, "US-001");
    assert_eq!(pushed(&project), "");
}

#[test]
fn a_remote_that_refuses_it_is_a_warning() {
    let project = with_remote(with_tasks(&["push"], &["US-001", "US-002"]));
    let hook = project.bin().join("remote.git/hooks/update");
    std::fs::write(&hook, "#!/bin/sh\ncase $1 in refs/heads/wip*) echo no wips; exit 1;; esac\n")
        .unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    let project = project.scenario(fails("US-001", []));
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed);
    let branch = branch_of(&run, "US-001");
    let words = format!("cannot push {branch}; it exists only locally");
    assert!(run.warnings().contains(&words), "{}", run.warnings());
    assert_eq!(project.story("US-002")["passes"], true, "the run continues");
    assert!(!pushed(&project).contains("wip"));
}

#[test]
fn pushed_commits_are_reverted_by_a_commit() {
    let project = with_remote(with_tasks(&["push"], &["US-001", "US-002"]));
    let rejection = [Act::request_changes("all of it"), Act::commit("review: no")];
    let scenario = Scenario::new().rule(When::mode(Mode::Review).story("US-001"), rejection);
    let project = project.scenario(scenario);
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed);
    let StoryCommits::Reverted { commit, .. } = &given_up(&run, "US-001").commits else {
        panic!("{:?}", given_up(&run, "US-001"));
    };
    assert!(!project.has("work/US-001.txt"));
    run.assert_fields("US-001", &fields(false, json!(null), 0, ""));
    assert_eq!(project.story("US-002")["passes"], true);
    project.git(&["merge-base", "--is-ancestor", commit, "origin/ralph/demo"]);
    assert!(pushed(&project).contains(&format!("{}\trefs/heads/ralph/demo", project.head())));
}
