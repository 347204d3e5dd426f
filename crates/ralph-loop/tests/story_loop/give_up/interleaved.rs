//! A story whose iterations have another's accepted work between them.

use events::{ChecksWithout, RunEnd, StoryCommits};
use predicates::str::contains;
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};
use test_repo::assert_text;

use super::{CHECK, ONCE, assert_sound, branch_of, failing, given_up, in_commit, project};
use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::story;

/// The story that writes `user.txt` needs `first.txt`.
const RESTS: &str =
    "test ! -e user.txt || test -e first.txt || { echo 'error: no first'; exit 1; }";

/// US-001 makes a beginning and adds US-002, which comes first; US-002 does these acts and gets done;
/// US-001 fails.
fn in_between(acts: Option<Vec<Act>>) -> Project {
    let mut new = story("US-002");
    new["priority"] = json!(0);
    let Value::Object(new) = new else { panic!() };
    let beginning = [
        Act::write("src/code.txt", "half\n"),
        Act::write("first.txt", "first\n"),
        Act::AddStory { story: new },
        Act::commit("feat: a beginning"),
        Act::finish("More next time."),
    ];
    let implement = |story: &str| When::mode(Mode::Implement).story(story);
    let mut scenario = Scenario::new()
        .rule(implement("US-001").visit(1), beginning)
        .rule(implement("US-001"), failing([Act::write("second.txt", "second\n")]));
    if let Some(acts) = acts {
        scenario = scenario.rule(implement("US-002"), acts);
    }
    Project::with_checks([story("US-001")], [CHECK, RESTS]).flags(ONCE).scenario(scenario)
}

#[track_caller]
fn assert_order(run: &Outcome<'_>) {
    let expected = ["implement US-001", "implement US-002", "review US-002", "implement US-001"];
    assert_eq!(run.assignments(), expected, "{}", run.stderr);
}

#[test]
fn without_a_conflict_it_is_undone_by_a_commit_and_the_others_stays() {
    let project = in_between(None);
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed);
    assert_order(&run);
    let StoryCommits::Reverted { commit, checks } = &given_up(&run, "US-001").commits else {
        panic!("{:?}", given_up(&run, "US-001"));
    };
    assert_eq!(*checks, ChecksWithout::Passed);
    assert_eq!(*commit, project.git(&["rev-parse", "HEAD~1"]), "before the entry in progress.txt");
    for name in ["first.txt", "second.txt", "broken"] {
        assert!(!project.has(name), "{name}");
        in_commit(&project, &branch_of(&run, "US-001"), name);
    }
    assert_eq!(project.read("src/code.txt"), "code\n");
    assert!(project.has("work/US-002.txt"));
    assert_eq!(project.story("US-002")["passes"], true);
    assert_eq!(project.story("US-001")["reviewStatus"], json!(null));
    assert!(
        project.log().iter().any(|subject| subject == "feat: a beginning"),
        "no commit is lost"
    );
    assert_eq!(project.git(&["status", "--porcelain"]), "");
    assert_sound(&project);
}

#[test]
fn with_a_conflict_it_stays_and_that_is_reported() {
    let builds_on_it = vec![
        Act::write("src/code.txt", "half\nand the other half\n"),
        Act::submit("on top of it"),
        Act::commit("feat: the other half"),
    ];
    let project = in_between(Some(builds_on_it));
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed);
    assert_order(&run);
    let conflicts = vec!["src/code.txt".to_owned()];
    assert_eq!(given_up(&run, "US-001").commits, StoryCommits::Kept { conflicts });
    assert_eq!(project.read("src/code.txt"), "half\nand the other half\n");
    assert!(project.has("first.txt") && project.has("broken"));
    in_commit(&project, &branch_of(&run, "US-001"), "broken");
    assert!(run.stderr.contains("src/code.txt"), "reported on stderr: {}", run.stderr);
    assert_eq!(project.story("US-001")["reviewStatus"], json!(null));
    assert_sound(&project);
}

/// No file of both, so that git sees no conflict.
#[test]
fn approved_work_that_fails_without_it_is_reported() {
    let rests_on_it = vec![
        Act::write("user.txt", "uses first.txt\n"),
        Act::submit("with its help"),
        Act::commit("feat: rests on it"),
    ];
    let project = in_between(Some(rests_on_it));
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed);
    assert_order(&run);
    let StoryCommits::Reverted { checks, .. } = &given_up(&run, "US-001").commits else {
        panic!("{:?}", given_up(&run, "US-001"));
    };
    let expected = ChecksWithout::Failed {
        command: RESTS.into(),
        error: "error: no first".into(),
        approved: vec![tasks::StoryId::new("US-002").unwrap()],
    };
    assert_eq!(*checks, expected);
    assert_eq!(project.story("US-002")["passes"], true, "it blocks nothing");
    assert_text(&run.stderr, contains("fails: error: no first"));
    let progress = project.read("ralph/progress.txt");
    assert!(progress.contains(" fails: error: no first\n---\n"), "{progress}");
    let report = project.call(&["report"]);
    let report = String::from_utf8_lossy(&report.stdout).into_owned();
    assert!(report.contains("Check US-002 first, approved after US-001 began"), "{report}");
    assert_eq!(project.git(&["status", "--porcelain"]), "");
    assert_sound(&project);
}

/// The user stops the loop, adds a story that comes first, and resumes it.
#[test]
fn commits_of_the_user_in_between_are_kept() {
    let mut first = story("US-001");
    first["priority"] = json!(5);
    let implement = When::mode(Mode::Implement).story("US-001");
    let beginning = [Act::write("first.txt", "first\n"), Act::commit("feat: a beginning")];
    let scenario =
        Scenario::new().rule(implement.clone().visit(1), beginning).rule(implement, failing([]));
    let project = project([first]).scenario(scenario);
    project.run(["-n", "1"]).assert_end(RunEnd::IterationsUsed);
    let mut list = project.tasks();
    list["userStories"].as_array_mut().unwrap().push(story("US-002"));
    project.write("ralph/tasks.json", format!("{list:#}\n"));
    project.write("src/user.txt", "theirs\n");
    let theirs = test_repo::commit_all(&project.path());
    let run = project.run(["--resume", "-n", "9"]);
    run.assert_end(RunEnd::StoriesFailed);
    assert_eq!(run.assignments(), ["implement US-002", "review US-002", "implement US-001"]);
    assert!(matches!(given_up(&run, "US-001").commits, StoryCommits::Reverted { .. }));
    project.git(&["merge-base", "--is-ancestor", &theirs, "HEAD"]);
    assert_eq!(project.read("src/user.txt"), "theirs\n");
    assert!(project.has("work/US-002.txt") && !project.has("first.txt"));
    assert_eq!(project.story("US-002")["passes"], true, "the list is not restored with the work");
}
