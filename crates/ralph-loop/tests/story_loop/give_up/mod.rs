//! The work of a given-up story: a branch of its own, and the run's branch without it. Everything
//! else is unchanged, above all the user's files.

mod dependants;
mod dirty;
mod interleaved;
mod merges;
mod names;
mod places;
#[cfg(unix)]
mod pushes;
mod rerun;
mod submodules;
mod work;

use events::{GivenUp, LoopEvent, StoryCommits};
use serde_json::Value;
use simulator::{Act, Mode, Scenario, When};

use crate::harness::Project;
use crate::outcome::Outcome;

/// Fails while this file exists.
const CHECK: &str = "test ! -e broken";

/// For every run: one failed attempt is enough.
const ONCE: [&str; 2] = ["--max-attempts", "1"];

fn project(stories: impl IntoIterator<Item = Value>) -> Project {
    Project::with_checks(stories, [CHECK]).flags(ONCE)
}

/// Does this and then claims that the story is done, which it is not.
fn failing(acts: impl IntoIterator<Item = Act>) -> Vec<Act> {
    let claim = [Act::write("broken", "x"), Act::submit("it works"), Act::commit("feat: broken")];
    acts.into_iter().chain(claim).collect()
}

/// Implementing this story fails; all other sessions are honest.
fn fails(story: &str, acts: impl IntoIterator<Item = Act>) -> Scenario {
    Scenario::new().rule(When::mode(Mode::Implement).story(story), failing(acts))
}

#[track_caller]
fn given_up<'a>(run: &'a Outcome<'_>, id: &str) -> &'a GivenUp {
    let found = run.events.iter().find_map(|event| match event {
        LoopEvent::StoryGivenUp { story, given_up } if story.as_str() == id => Some(given_up),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("{id} is not given up: {:#?}\n{}", run.events, run.stderr))
}

/// The one that keeps the story's work.
#[track_caller]
fn branch_of(run: &Outcome<'_>, id: &str) -> String {
    given_up(run, id).branch.clone().unwrap_or_else(|| panic!("{id} has no branch"))
}

fn branches(project: &Project) -> Vec<String> {
    let list = project.git(&["branch", "--format=%(refname:short)", "--list", "wip*"]);
    list.lines().map(str::to_owned).collect()
}

/// The commit that the story's first iteration of this run started from.
#[track_caller]
fn began(run: &Outcome<'_>, id: &str) -> String {
    let found = run.events.iter().find_map(|event| match event {
        LoopEvent::IterationStarted(events::IterationStarted {
            story: Some(story),
            checkpoint,
            ..
        }) if story.as_str() == id => Some(checkpoint.clone()),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("{id} was never begun"))
}

/// The contents of a path in a commit.
#[track_caller]
fn in_commit(project: &Project, commit: &str, name: &str) -> String {
    project.git(&["show", &format!("{commit}:{name}")])
}

/// Nothing but the list's folder differs between where the story began and what came of that.
#[track_caller]
fn assert_rewound(run: &Outcome<'_>, id: &str) {
    let project = run.project;
    assert_eq!(given_up(run, id).commits, StoryCommits::Rewound);
    let began = began(run, id);
    let grep = format!("--grep=^ralph: give up {id} ");
    let commit = project.git(&["log", "-1", "--format=%H", &grep, "HEAD"]);
    assert_eq!(project.git(&["rev-parse", &format!("{commit}^@")]), began);
    let changed = project.git(&["diff", "--name-only", &began, &commit]);
    assert!(changed.lines().all(|path| path.starts_with("ralph/")), "{changed}");
    assert_sound(project);
}

/// The repository is in order, and the tip from before is kept for every failure branch.
#[track_caller]
fn assert_sound(project: &Project) {
    project.git(&["fsck", "--strict", "--no-dangling"]);
    let backups = project.git(&["for-each-ref", "--format=%(objectname)", "refs/ralph/"]);
    for branch in branches(project) {
        let tip = project.git(&["rev-parse", &format!("{branch}^")]);
        assert!(backups.contains(&tip), "no backup of {tip} of {branch}: {backups}");
    }
}
