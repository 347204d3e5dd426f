//! Names that are taken, and story ids that no branch can be called after.

use events::RunEnd;
use simulator::{Act, Scenario, When};

use super::{assert_sound, branch_of, branches, failing, fails, given_up, in_commit, project};
use crate::stories::story;

#[test]
fn a_branch_named_wip_blocks_the_name_and_is_kept() {
    let project = project([story("US-001")]).scenario(fails("US-001", []));
    project.git(&["branch", "wip"]);
    let wip = project.git(&["rev-parse", "wip"]);
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed);
    let branch = branch_of(&run, "US-001");
    assert!(branch.starts_with("wip-ralph-fail-US-001-"), "{branch}");
    assert_eq!(in_commit(&project, &branch, "broken"), "x");
    assert_eq!(project.git(&["rev-parse", "wip"]), wip);
}

#[test]
fn a_blocked_ref_name_loses_nothing_and_the_run_continues() {
    for (what, backups) in [
        ("git update-ref refs/ralph/$RALPH_RUN_ID HEAD", 2),
        ("echo garbage >.git/refs/ralph", 0),
        ("echo garbage >.git/refs/heads/wip", 1),
    ] {
        let project = project(["US-001", "US-002"].map(story));
        let project = project.scenario(fails("US-001", [Act::bash(what)]));
        let run = project.run([]);
        run.assert_end(RunEnd::StoriesFailed);
        let branch = branch_of(&run, "US-001");
        assert_eq!(in_commit(&project, &branch, "broken"), "x", "{what}");
        assert_eq!(given_up(&run, "US-001").commits, events::StoryCommits::Rewound, "{what}");
        assert_eq!(project.story("US-002")["passes"], true, "{what}");
        let kept = project.git(&["for-each-ref", "--format=%(refname)", "refs/ralph/"]);
        assert_eq!(kept.lines().count(), backups, "{what}: {kept}");
        let is_told = run.stderr.contains(&format!("cannot create a backup ref for {branch}"));
        assert_eq!(is_told, backups == 0, "{what}: {}", run.stderr);
    }
}

/// The name holds the second in which the story was given up, so every one that it can be is taken.
#[test]
fn a_branch_of_that_name_stays_what_it_is() {
    let project = project([story("US-001")]).scenario(fails("US-001", []));
    let first = project.head();
    let now = events::now();
    for second in 0..60 {
        let at = (now + chrono::TimeDelta::seconds(second)).format("%Y%m%d-%H%M%S");
        project.git(&["branch", &format!("wip/ralph-fail-US-001-{at}")]);
    }
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed);
    let branch = branch_of(&run, "US-001");
    assert!(branch.starts_with("wip/ralph-fail-US-001-") && branch.ends_with("-2"), "{branch}");
    assert_eq!(in_commit(&project, &branch, "broken"), "x");
    let others = branches(&project).into_iter().filter(|name| *name != branch);
    let moved: Vec<String> =
        others.filter(|name| project.git(&["rev-parse", name]) != first).collect();
    assert_eq!(moved, Vec::<String>::new());
}

#[test]
fn every_id_gets_a_branch_a_backup_and_diagnostics_of_its_own() {
    let long = "a".repeat(64);
    let ids = [
        "..", ".", "...", "a..b", "a._b", "x.lock", "-x", "a.b.", ".a.b", "HEAD", &long, "CON",
        "us-1", "US-1", "--",
    ];

    let project = project(ids.iter().map(|id| story(id)))
        .scenario(Scenario::new().rule(When::any(), failing([])));
    let run = project.run(["-n", "40"]);
    run.assert_end(RunEnd::StoriesFailed);
    for id in &ids {
        let given_up = given_up(&run, id);
        assert_eq!(given_up.commits, events::StoryCommits::Rewound, "{id}");
        let branch = given_up.branch.as_deref().unwrap();
        project.git(&["check-ref-format", "--branch", branch]);
        let message = project.git(&["log", "-1", "--format=%s", branch]);
        assert_eq!(message, format!("Ralph Loop failed: {id}"));
        let files = project.git(&["diff", "--name-only", &format!("{branch}^"), branch]);
        assert!(files.starts_with("ralph/failure-") && files.ends_with(".md"), "{id}: {files}");
    }
    assert_eq!(branches(&project).len(), ids.len());
    assert_sound(&project);
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}
