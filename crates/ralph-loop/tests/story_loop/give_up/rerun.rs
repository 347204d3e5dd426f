//! A run after one in which stories failed.

use events::{LoopEvent, RunEnd, StoryCommits};
use serde_json::json;
use simulator::{Act, Mode, Scenario, When};

use super::{branch_of, branches, failing, fails, given_up, in_commit, project};
use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::story;

/// One story is done, one has failed.
fn failed() -> (Project, String) {
    let project = project(["US-001", "US-002"].map(story)).scenario(fails("US-002", []));
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed);
    let branch = branch_of(&run, "US-002");
    (project, branch)
}

fn archived(run: &Outcome<'_>) -> Vec<(String, String)> {
    let archived = run.events.iter().filter_map(|event| match event {
        LoopEvent::BranchArchived { branch, tag } => Some((branch.clone(), tag.clone())),
        _ => None,
    });
    archived.collect()
}

fn tags(project: &Project) -> Vec<String> {
    project.git(&["tag", "--list"]).lines().map(str::to_owned).collect()
}

#[test]
fn a_run_that_does_not_begin_archives_nothing() {
    let (project, branch) = failed();
    project.write("mine.txt", "not committed\n");
    project.run(["--fresh"]).assert_exit(2);
    assert_eq!((branches(&project), tags(&project)), (vec![branch], vec![]));
}

#[test]
fn a_story_that_fails_again_gets_another_branch() {
    let (project, first) = failed();
    let run = project.run(["--fresh"]);
    run.assert_end(RunEnd::StoriesFailed);
    let second = given_up(&run, "US-002");
    assert_eq!((second.attempts, second.of), (1, 1));
    assert_eq!(branches(&project), [second.branch.clone().unwrap()]);
    assert_eq!(tags(&project), [format!("ralph-archive/{first}")]);
}

#[test]
fn an_existing_tag_is_unchanged() {
    let (project, branch) = failed();
    let tag = format!("ralph-archive/{branch}");
    project.git(&["tag", &tag, "HEAD"]);
    let (taken, commit) = (project.head(), project.git(&["rev-parse", &branch]));
    let run = project.run(["--fresh"]);
    assert_eq!(archived(&run), [(branch, format!("{tag}-2"))]);
    assert_eq!(project.git(&["rev-parse", &tag]), taken);
    assert_eq!(project.git(&["rev-parse", &format!("{tag}-2")]), commit);
}

#[test]
fn a_branch_that_the_user_removed_is_nothing_to_archive() {
    let (project, branch) = failed();
    project.git(&["branch", "-q", "-D", &branch]);
    project.agent(&Scenario::new());
    let run = project.run(["--fresh"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!((archived(&run), tags(&project)), (vec![], vec![]));
}

#[test]
fn resumed_there_is_nothing_left_to_do() {
    let (project, branch) = failed();
    let before = project.head();
    let run = project.run(["--resume"]);
    run.assert_end(RunEnd::StoriesFailed).assert_exit(1);
    assert_eq!(run.assignments(), Vec::<String>::new());
    assert_eq!(branches(&project), [branch.as_str()]);
    assert_eq!(run.summary("US-002").given_up.as_ref().unwrap().branch, Some(branch));
    assert_eq!(project.head(), before);
}

#[test]
fn resumed_it_works_on_what_the_user_added() {
    let (project, branch) = failed();
    let mut list = project.tasks();
    let stories = list["userStories"].as_array_mut().unwrap();
    stories.push(story("US-003"));
    project.write("ralph/tasks.json", format!("{list:#}\n"));
    test_repo::commit_all(&project.path());
    let run = project.run(["--resume"]);
    run.assert_end(RunEnd::StoriesFailed);
    assert_eq!(run.assignments(), ["implement US-003", "review US-003"]);
    assert_eq!(branches(&project), [branch]);
    assert_eq!(project.story("US-002")["reviewStatus"], json!(null));
}

/// A run that has used up its iterations with a story half done, which is going to fail.
fn half_done() -> Project {
    let implement = When::mode(Mode::Implement).story("US-001");
    let beginning = [Act::write("first.txt", "first\n"), Act::commit("feat: a beginning")];
    let scenario =
        Scenario::new().rule(implement.clone().visit(1), beginning).rule(implement, failing([]));
    let project = project([story("US-001")]).scenario(scenario);
    project.run(["-n", "1"]).assert_end(RunEnd::IterationsUsed);
    assert!(project.has("first.txt"));
    project
}

#[test]
fn a_new_run_takes_half_a_story_back_to_where_the_last_one_began_it() {
    for is_fresh in [true, false] {
        let project = half_done();
        let run = if is_fresh { project.run(["--fresh"]) } else { project.run([]) };
        run.assert_end(RunEnd::StoriesFailed);
        assert_eq!(given_up(&run, "US-001").commits, StoryCommits::Rewound, "{is_fresh}");
        assert_eq!(run.assignments(), ["implement US-001"], "a run of its own");
        assert!(!project.has("first.txt"), "{is_fresh}");
        assert_eq!(in_commit(&project, &branch_of(&run, "US-001"), "first.txt"), "first");
        let log = project.log();
        assert!(!log.iter().any(|subject| subject == "feat: a beginning"), "{log:?}");
    }
}

#[test]
fn half_a_story_that_the_user_changed_belongs_to_the_user() {
    let project = half_done();
    project.git(&["commit", "-q", "--amend", "-m", "feat: mine now"]);
    let run = project.run(["--fresh"]);
    run.assert_end(RunEnd::StoriesFailed);
    super::assert_rewound(&run, "US-001");
    assert!(project.has("first.txt"));
    assert!(project.log().iter().any(|subject| subject == "feat: mine now"));
}
