//! The runner dies while it gives up a story. The next run finishes that with the same result.
//!
//! A stand-in git comes first in PATH (`programs/git.sh`): at the chosen call it kills or
//! interrupts the runner.

mod every_call;
mod meanwhile;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::Value;
use simulator::{Act, Mode, Scenario, When};
use test_repo::git;

use crate::harness::{Finished, Project, await_none_in};

const ARGS: [&str; 5] = ["--max-attempts", "1", "--retry-wait", "1ms", "--allow-dirty"];

/// The decision to give up a story is on disk.
const DECIDED: &str = r#""givingUp": *{"#;

/// An attempt at a story has failed.
const FAILED: &str = r#""filesModified""#;

/// The action of git at the chosen call.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Moment {
    /// It kills the runner and does nothing.
    Before,
    /// It kills the runner and does its work all the same.
    During,
    /// Sends Ctrl-C to the whole foreground group and does its work.
    Interrupt,
}

/// Other work besides that of the story.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Besides {
    Nothing,
    /// Changes of the user's, which the story committed as well.
    UsersChanges,
    /// A branch that has the story's commits, so that they are undone by one.
    AnotherBranch,
}

/// US-1 gets done, US-2 is going to fail with commits, a kept file and a changed one.
fn about_to_fail(stories: usize, besides: Besides) -> Project {
    // After an interrupt it ends with the run.
    let check = "test ! -e broken && { test ! -e ../interrupted || tail -f /dev/null; }";
    let mut project = Project::new(stories, &[check]);
    project.write("shared.txt", "as it was\n");
    project.write("mine.txt", "committed\n");
    test_repo::commit_all(project.root());
    let mut acts = vec![
        Act::write("broken", "x"),
        Act::write("new/file.txt", "new\n"),
        Act::write("shared.txt", "changed\n"),
        Act::submit("it works"),
        Act::commit("feat: half of it"),
        Act::write("kept.txt", "uncommitted\n"),
    ];
    match besides {
        Besides::Nothing => {}
        Besides::UsersChanges => {
            project.write("mine.txt", "changed\n");
            project.write("mine-new.txt", "new\n");
        }
        Besides::AnotherBranch => {
            // The result is a tree that was never checked.
            acts.push(Act::append("ralph/progress.txt", "half of it\n"));
            acts.push(Act::bash("git branch theirs"));
        }
    }
    project.scenario(
        &Scenario::new()
            .rule(When::mode(Mode::Implement).story("US-2"), acts)
            .rule(When::mode(Mode::Implement), commits_its_own(Act::submit("done")))
            .rule(When::mode(Mode::Review), commits_its_own(Act::approve("done"))),
    );
    wrap_git(&mut project);
    project
}

/// Gets its story done and leaves the user's files alone.
fn commits_its_own(step: Act) -> [Act; 2] {
    [step, Act::bash("git commit -q -m 'one step' -- ralph")]
}

/// So much is decided, and nothing done.
fn cut_off(stories: usize, besides: Besides) -> Project {
    let project = about_to_fail(stories, besides);
    run_killed(&project, 1, Moment::Before);
    disarm(&project);
    assert!(!project.state().unwrap()["givingUp"].is_null());
    project
}

fn fresh_copy(template: &Project) -> Project {
    let mut project = template.copy();
    wrap_git(&mut project);
    project
}

pub(crate) fn wrap_git(project: &mut Project) {
    let (bin, path) = (project.beside("bin"), std::env::var("PATH").unwrap());
    std::fs::create_dir_all(&bin).unwrap();
    let mut gits = std::env::split_paths(&path).map(|folder| folder.join("git"));
    let real = gits.find(|git| git.is_file()).unwrap();
    let quoted = |path: &Path| format!("'{}'", path.display());
    let script = include_str!("../programs/git.sh")
        .replace("@BESIDE@", &quoted(bin.parent().unwrap()))
        .replace("@GIT@", &quoted(&real));
    let git = bin.join("git");
    std::fs::write(&git, script).unwrap();
    std::fs::set_permissions(&git, std::fs::Permissions::from_mode(0o755)).unwrap();
    project.wrapper = vec!["env".into(), format!("PATH={}:{path}", bin.display())];
}

/// `at` is the number of a call since then, or a text in its arguments.
pub(crate) fn arm(project: &Project, since: &str, at: impl std::fmt::Display, moment: Moment) {
    std::fs::write(project.beside("since"), since).unwrap();
    std::fs::write(project.beside("armed"), format!("{moment:?} {at}\n")).unwrap();
}

pub(crate) fn disarm(project: &Project) {
    for name in ["armed", "calls", "interrupted"] {
        let _ = std::fs::remove_file(project.beside(name));
    }
}

fn calls(project: &Project) -> Vec<String> {
    let calls = std::fs::read_to_string(project.beside("calls")).unwrap_or_default();
    calls.lines().map(str::to_owned).collect()
}

/// A run that dies here; returns the call at which it ended.
#[track_caller]
fn run_killed(project: &Project, at: impl std::fmt::Display, moment: Moment) -> String {
    run_killed_since(project, DECIDED, at, moment)
}

#[track_caller]
fn run_killed_since(
    project: &Project,
    since: &str,
    at: impl std::fmt::Display,
    moment: Moment,
) -> String {
    arm(project, since, at, moment);
    let killed = project.run(&ARGS);
    let what = format!("{moment:?}: {:?}", calls(project).last());
    assert!(killed.status.code().is_none(), "{what}: it was not killed\n{}", killed.stderr);
    await_none_in(project.root(), None);
    disarm(project);
    what
}

fn failure_branches(project: &Project) -> Vec<String> {
    let listed = git(project.root(), &["branch", "--list", "--format=%(refname:short)", "wip*"]);
    listed.lines().map(str::to_owned).collect()
}

/// The tip that the story had reached, as the plan has it.
fn tip(project: &Project) -> String {
    let state = project.state().unwrap();
    state["givingUp"]["kept"]["tip"].as_str().unwrap().to_owned()
}

/// Everything is where it belongs, however often it was tried.
#[track_caller]
fn assert_given_up(
    project: &Project,
    finished: &Finished,
    tip: &str,
    besides: Besides,
    what: &str,
) {
    finished.assert_exit(1);
    project.assert_quiet();
    project.assert_sound_repository();
    let root = project.root();
    let git = |args: &[&str]| git(root, args);
    let branches = failure_branches(project);
    assert_eq!(branches.len(), 1, "{what}: {branches:?}");
    let branch = branches[0].as_str();
    assert_eq!(git(&["rev-parse", &format!("{branch}^")]), tip, "{what}");
    for (name, contents) in [("broken", "x"), ("new/file.txt", "new"), ("kept.txt", "uncommitted")]
    {
        assert_eq!(git(&["show", &format!("{branch}:{name}")]), contents, "{what}");
        assert!(!root.join(name).exists(), "{what}: {name} is still there");
    }
    let backups = git(&["for-each-ref", "--format=%(objectname)", "refs/ralph/"]);
    assert!(backups.lines().any(|backup| backup == tip), "{what}: no backup of {tip}");
    assert_eq!(git(&["symbolic-ref", "--short", "HEAD"]), "ralph/scratch", "{what}");
    let state = project.state().unwrap();
    assert_booked(&state, branch, what);
    let (kind, status, contents) = match besides {
        Besides::Nothing => ("rewound", "", "committed\n"),
        Besides::UsersChanges => ("rewound", "M mine.txt\n?? mine-new.txt", "changed\n"),
        Besides::AnotherBranch => ("reverted", "", "committed\n"),
    };
    let story = &state["stories"]["US-2"];
    assert_eq!(story["givenUp"]["commits"]["kind"], kind, "{what}");
    assert_eq!(git(&["status", "--porcelain"]), status, "{what}");
    let read = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
    assert_eq!((read("shared.txt").as_str(), read("mine.txt").as_str()), ("as it was\n", contents));
    let began = story["beganAt"].as_str().unwrap();
    let parent = if kind == "rewound" { began } else { tip };
    // One that restores the work, and one that says where it went.
    assert_eq!(git(&["log", "--format=%P", "-1", "HEAD^"]), parent, "{what}: two commits more");
    let changed = git(&["diff", "--name-only", began, "HEAD"]);
    assert!(changed.lines().all(|path| path.starts_with("ralph/")), "{what}: {changed}");
}

#[track_caller]
fn assert_booked(state: &Value, branch: &str, what: &str) {
    assert!(state["givingUp"].is_null(), "{what}");
    let story = &state["stories"]["US-2"];
    assert_eq!(story["givenUp"]["branch"], branch, "{what}");
    assert_eq!(story["attempts"].as_array().unwrap().len(), 1, "{what}");
    assert_eq!(state["counters"]["iterations"], 3, "{what}");
    assert_eq!(state["counters"]["failed"], 1, "{what}");
}
