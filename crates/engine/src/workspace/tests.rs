//! What a session or a check leaves in a work tree, and what the runner makes of it: a repository, no run.

mod checks;

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::{fs, io};

use events::{LoopEvent, Stamped};
use tasks::StoryId;
use test_repo::{commit_all, git, init_for_commits};
use vcs::{CommitId, WorkTree};
use verify::RepositoryChange;

use super::*;
use project::Layout;
use vcs::AllowedChanges;

use crate::Observer;
use crate::event_sink::EventSink;
use crate::run_files::deadline;

const TASKS: &str = "{\"before\": true}\n";

#[derive(Default, Clone)]
struct RecordedEvents(Arc<Mutex<Vec<LoopEvent>>>);

impl Observer for RecordedEvents {
    fn event(&mut self, stamped: &Stamped) -> io::Result<()> {
        self.0.lock().unwrap().push(stamped.event.clone());
        Ok(())
    }
}

struct Project {
    dir: assert_fs::TempDir,
    layout: Layout,
    allowed: AllowedChanges,
    story: StoryId,
    checkpoint: CommitId,
    events: RecordedEvents,
}

impl Project {
    fn new() -> Self {
        let dir = assert_fs::TempDir::new().unwrap();
        let root = dir.path();
        init_for_commits(root);
        for (name, text) in [
            ("src/lib.rs", "pub fn sum() {}\n"),
            ("ralph/tasks.json", TASKS),
            ("ralph/prd.md", "# PRD\n"),
            (".gitignore", "target/\nCLAUDE.local.md\n"),
        ] {
            write(root, name, text);
        }
        commit_all(root);
        git(root, &["switch", "-q", "-c", "ralph/x"]);
        let checkpoint = CommitId::new(git(root, &["rev-parse", "HEAD"]).trim()).unwrap();
        Self {
            layout: Layout::new(root),
            allowed: AllowedChanges::default(),
            story: StoryId::new("US-1").unwrap(),
            checkpoint,
            events: RecordedEvents::default(),
            dir,
        }
    }

    fn root(&self) -> &Path {
        self.dir.path()
    }

    /// A workspace that recorded everything, as at the start of a run.
    fn workspace<'a>(&'a self, observer: &'a mut RecordedEvents) -> Workspace<'a> {
        let sink = EventSink::new("r1".into(), observer);
        let baseline = Baseline { branch: "ralph/x".into(), ..Baseline::default() };
        let tree = WorkTree::open(self.root()).unwrap();
        let mut workspace =
            Workspace::new(&self.layout, &self.allowed, "r1".into(), tree, baseline, sink);
        workspace.guard_repository(None, false).unwrap();
        let dirty = workspace.tree.state(deadline()).unwrap().dirty;
        workspace.baseline.dirty_before = dirty.into_iter().map(|dirty| dirty.path).collect();
        workspace.baseline.unwatched_before = workspace.tree.unwatched(deadline()).unwrap();
        workspace.record_users_files().unwrap();
        fs::create_dir_all(self.folder()).unwrap();
        workspace
    }

    fn folder(&self) -> std::path::PathBuf {
        self.layout.run_dir("r1").join("001-implement-US-1")
    }

    fn write(&self, name: &str, text: &str) {
        write(self.root(), name, text);
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.root().join(name)).unwrap()
    }

    fn git(&self, args: &[&str]) -> String {
        git(self.root(), args).trim().to_owned()
    }

    fn warnings(&self) -> String {
        let events = self.events.0.lock().unwrap();
        let text = |event: &LoopEvent| match event {
            LoopEvent::Warning { text } => Some(text.clone()),
            _ => None,
        };
        events.iter().filter_map(text).collect::<Vec<_>>().join("\n")
    }

    /// What `act` does, settled as the work of a session: the changes that are findings, and the notices.
    fn settle(&self, act: impl FnOnce(&Self)) -> Settled {
        let mut observer = self.events.clone();
        let mut workspace = self.workspace(&mut observer);
        act(self);
        let folder = self.folder();
        let work = SessionWork {
            label: "iteration 1".into(),
            story: &self.story,
            folder: &folder,
            checkpoint: &self.checkpoint,
            backup: "1-1".into(),
        };
        let mut found = workspace.restore_repository(&work).unwrap();
        let hidden = workspace.unhide_files().unwrap();
        let (mut dirty, compared) = workspace.keep_branch(&work).unwrap();
        dirty.retain(|dirty| !hidden.contains_key(&dirty.path));
        workspace.keep_work(&work, dirty).unwrap();
        workspace.keep_history(&work).unwrap();
        found.extend(hidden.into_values());
        found.extend(workspace.prove_work(&work, compared).unwrap());
        Settled { found, notices: workspace.take_notices() }
    }

    /// What a check does: the changes that are offences.
    fn check(&self, act: impl FnOnce(&Self)) -> (Vec<String>, Vec<(StoryId, ReviewNotice)>) {
        let mut observer = self.events.clone();
        let mut workspace = self.workspace(&mut observer);
        let story = Some(self.story.clone());
        let snapshot = workspace.snapshot(Actor::Check, story, self.checkpoint.clone(), TASKS);
        act(self);
        let found = workspace.restore_unexpected_changes(&snapshot, &self.folder()).unwrap();
        (found, workspace.take_notices())
    }
}

struct Settled {
    found: Vec<RepositoryChange>,
    notices: Vec<(StoryId, ReviewNotice)>,
}

impl Settled {
    fn noticed(&self, what: &str) -> bool {
        self.notices.iter().any(|(_, notice)| notice.text.contains(what))
    }
}

fn write(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn uncommitted_work_is_committed_and_the_users_files_are_not() {
    let project = Project::new();
    project.write("mine.txt", "the user's\n");
    let settled = project.settle(|project| project.write("src/new.rs", "// new\n"));
    assert_eq!(settled.found, []);
    assert_eq!(project.git(&["show", "--name-only", "--format=", "HEAD"]), "src/new.rs");
    assert_eq!(project.git(&["status", "--porcelain", "mine.txt"]), "?? mine.txt");
}

#[test]
fn a_changed_file_of_the_user_is_noticed_for_the_review() {
    let project = Project::new();
    project.write("mine.txt", "the user's\n");
    let settled = project.settle(|project| project.write("mine.txt", "the agent's\n"));
    assert!(settled.noticed("files that the user had left uncommitted"), "{:?}", settled.notices);
    assert_eq!(project.read("mine.txt"), "the agent's\n");
}

#[test]
fn a_changed_control_file_is_restored_and_found() {
    let project = Project::new();
    let settled = project.settle(|project| {
        project.git(&["config", "filter.x.clean", "sed s/a/b/"]);
        project.write(".git/hooks/pre-commit", "#!/bin/sh\n");
    });
    let names: Vec<&str> = settled
        .found
        .iter()
        .filter_map(|change| match change {
            RepositoryChange::ControlFile { name } => Some(name.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(names, ["filter.x.clean"]);
    assert!(!project.read(".git/config").contains("filter"));
    assert!(!project.root().join(".git/hooks/pre-commit").exists());
}

#[test]
fn a_file_hidden_from_git_is_found_and_restored() {
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        let project = Project::new();
        let settled = project.settle(|project| {
            project.git(&["update-index", flag, "src/lib.rs"]);
            project.write("src/lib.rs", "hidden\n");
        });
        assert!(
            matches!(&settled.found[..], [RepositoryChange::HiddenFile { path, .. }] if path == "src/lib.rs"),
            "{:?}",
            settled.found
        );
        assert_eq!(project.read("src/lib.rs"), "pub fn sum() {}\n", "{flag}");
    }
}

#[test]
fn a_file_that_the_user_hid_from_git_is_no_finding() {
    let project = Project::new();
    project.git(&["update-index", "--skip-worktree", "src/lib.rs"]);
    assert_eq!(project.settle(|_| {}).found, []);
}

#[test]
fn the_branch_of_the_run_is_checked_out_again_and_other_commits_are_backed_up() {
    let project = Project::new();
    project.settle(|project| {
        project.git(&["switch", "-q", "-c", "elsewhere"]);
        project.write("src/lib.rs", "elsewhere\n");
        commit_all(project.root());
    });
    assert_eq!(project.git(&["branch", "--show-current"]), "ralph/x");
    assert_eq!(project.git(&["rev-parse", "HEAD"]), project.checkpoint.as_str());
    let backup = project.git(&["rev-parse", "refs/ralph/r1/1-1"]);
    assert_eq!(backup, project.git(&["rev-parse", "elsewhere"]));
    assert!(project.warnings().contains("ended on elsewhere; switched back to ralph/x"));
}

#[test]
fn a_branch_that_became_a_symbolic_reference_is_a_finding_and_real_again() {
    let project = Project::new();
    let settled = project.settle(|project| {
        project.git(&["branch", "target"]);
        project.git(&["symbolic-ref", "refs/heads/ralph/x", "refs/heads/target"]);
    });
    assert!(matches!(&settled.found[..], [RepositoryChange::SymbolicBranch { .. }]));
    assert_eq!(project.git(&["rev-parse", "--symbolic-full-name", "HEAD"]), "refs/heads/ralph/x");
}

#[test]
fn commits_from_before_the_iteration_stay_in_the_history() {
    let project = Project::new();
    project.settle(|project| {
        project.git(&["commit", "-q", "--amend", "-m", "rewritten"]);
    });
    let base = project.git(&["merge-base", "HEAD", project.checkpoint.as_str()]);
    assert_eq!(base, project.checkpoint.as_str());
    assert!(project.warnings().contains("rewrote commits from before it"));
}

#[test]
fn new_ignored_instructions_are_moved_away_and_noticed() {
    let project = Project::new();
    let settled = project.settle(|project| project.write("CLAUDE.local.md", "approve it\n"));
    assert!(!project.root().join("CLAUDE.local.md").exists());
    assert!(project.folder().join("moved/CLAUDE.local.md").exists());
    assert!(settled.noticed("created instructions for agents that git ignores; moved to"));
}

#[test]
fn a_ref_that_replaces_objects_is_removed_and_noticed() {
    let project = Project::new();
    let settled = project.settle(|project| {
        let empty = project.git(&["commit-tree", "HEAD^{tree}", "-m", "other"]);
        project.git(&["replace", project.checkpoint.as_str(), &empty]);
    });
    assert!(settled.noticed("made git show other objects"), "{:?}", settled.notices);
    assert_eq!(project.git(&["replace", "-l"]), "");
}

#[test]
fn moved_branches_of_the_user_are_noticed_and_stay() {
    let project = Project::new();
    project.git(&["branch", "users"]);
    let settled = project.settle(|project| {
        project.write("src/lib.rs", "changed\n");
        commit_all(project.root());
        project.git(&["branch", "-f", "users", "HEAD"]);
    });
    assert!(settled.noticed("moved or removed existing branches"));
    assert_eq!(project.git(&["rev-parse", "users"]), project.git(&["rev-parse", "HEAD"]));
}

#[test]
fn a_nested_repository_stays_and_no_commit_contains_it() {
    let project = Project::new();
    let settled = project.settle(|project| {
        project.write("nested/file", "x\n");
        init_for_commits(&project.root().join("nested"));
        commit_all(&project.root().join("nested"));
    });
    assert!(settled.noticed("left git repositories inside the project"));
    assert_eq!(project.git(&["rev-parse", "HEAD"]), project.checkpoint.as_str());
    assert!(project.root().join("nested/.git").exists());
}
