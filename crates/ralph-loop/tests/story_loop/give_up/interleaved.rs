//! A story whose iterations have another's accepted work between them.

use events::{ChecksWithout, RunEnd, StoryCommits};
use predicates::str::contains;
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};
use test_repo::assert_text;

use super::{CHECK, ONCE, assert_sound, failing, given_up, project};
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
