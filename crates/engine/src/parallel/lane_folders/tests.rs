//! Which clones are found, and which are removed.

use std::fs;

use assert_fs::TempDir;
use events::RunEnd;
use tasks::StoryId;
use test_repo::{commit_all, init_for_commits};

use super::*;
use crate::coordinator::{SavedLane, SavedRun, SeparateState};

const OLD: &str = "20261115-010000-ab12";
const LAST: &str = "20261115-020000-cd34";
const NEW: &str = "20261115-030000-ef56";

struct Project {
    dir: TempDir,
    layout: Layout,
}

impl Project {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        let root = dir.path().canonicalize().unwrap().join("shop");
        fs::create_dir(&root).unwrap();
        init_for_commits(&root);
        fs::write(root.join("a.txt"), "1").unwrap();
        commit_all(&root);
        Self { dir, layout: Layout::new(root) }
    }

    fn lanes(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("lanes")
    }

    fn lane(&self, run: &str, lane: &str) -> PathBuf {
        let folder = self.lanes().join(run).join(lane);
        let tree = WorkTree::open(self.layout.root()).unwrap();
        let clone = tree.clone_to(&folder, deadline()).unwrap();
        let head = tree.head(deadline()).unwrap().unwrap();
        clone.start_branch("ralph/x", &head, deadline()).unwrap();
        folder
    }

    /// Writes `state.json`.
    fn save(&self, run: &str, ended: Option<RunEnd>, separate: Option<SeparateState>) {
        let mut saved = SavedRun::new(run.into(), events::now());
        saved.run.ended = ended;
        saved.run.separate = separate;
        fs::create_dir_all(self.layout.data_dir()).unwrap();
        saved.save(&self.layout).unwrap();
    }

    /// Run, lane and state of each clone.
    fn found(&self) -> Vec<(String, String, LaneFolderState)> {
        let found = lane_folders(&self.layout, &self.lanes()).unwrap();
        found.into_iter().map(|found| (found.run_id, found.lane, found.state)).collect()
    }

    fn states(&self) -> Vec<LaneFolderState> {
        self.found().into_iter().map(|(_, _, state)| state).collect()
    }

    fn prune(&self) -> Vec<LaneFolderState> {
        let pruned = prune_lanes(&self.layout, &self.lanes()).unwrap();
        assert!(pruned.iter().all(|(_, error)| error.is_none()), "{pruned:?}");
        pruned.into_iter().map(|(found, _)| found.state).collect()
    }
}

#[test]
fn clones_are_listed_by_run_and_number() {
    let project = Project::new();
    assert_eq!(project.found(), []);
    for (run, lane) in [(OLD, "1"), (NEW, "verification"), (NEW, "10"), (NEW, "2")] {
        project.lane(run, lane);
    }
    for other in ["notes", "20261115-030000-ef56/cache", "20261115-030000-ef56x/1"] {
        fs::create_dir_all(project.lanes().join(other)).unwrap();
    }
    let found = project.found();
    let names: Vec<String> = found.iter().map(|(run, lane, _)| format!("{run} {lane}")).collect();
    let expected = [(NEW, "2"), (NEW, "10"), (NEW, "verification"), (OLD, "1")];
    assert_eq!(names, expected.map(|(run, lane)| format!("{run} {lane}")));
    assert!(found.iter().all(|(.., state)| *state == LaneFolderState::Saved), "{found:?}");
}

#[test]
fn a_clone_with_work_of_its_own_stays() {
    let project = Project::new();
    let [committed, changed, merged] = ["1", "2", "3"].map(|lane| project.lane(OLD, lane));
    fs::write(committed.join("b.txt"), "1").unwrap();
    commit_all(&committed);
    fs::write(changed.join("b.txt"), "1").unwrap();
    fs::write(merged.join(".ralph-active"), "the marker of a killed run").unwrap();
    let verification = project.lane(OLD, "verification");
    fs::write(verification.join("output"), "of a check").unwrap();
    let states = project.prune();
    let own = |refs: &[&str], files: &[&str]| {
        let owned = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
        LaneFolderState::Unsaved(OnlyInClone { refs: owned(refs), files: owned(files) })
    };
    let [done, again] = [LaneFolderState::Saved, LaneFolderState::Saved];
    let unsaved = own(&["HEAD", "refs/heads/ralph/x"], &[]);
    assert_eq!(states, [unsaved, own(&[], &["b.txt"]), done, again]);
    let left = [committed, changed, merged, verification].map(|folder| folder.is_dir());
    assert_eq!(left, [true, true, false, false]);
    fs::remove_file(project.lanes().join(OLD).join("2/b.txt")).unwrap();
    fs::remove_dir_all(project.lanes().join(OLD).join("1")).unwrap();
    project.prune();
    assert!(!project.lanes().exists(), "an empty folder");
    assert!(project.layout.root().is_dir());
}

#[test]
fn clones_of_a_run_that_goes_on_stay() {
    let project = Project::new();
    let all = [OLD, LAST, NEW].map(|run| project.lane(run, "1"));
    project.save(LAST, None, None);
    let interrupted = LaneFolderState::Interrupted;
    assert_eq!(project.states()[1], interrupted);
    project.save(LAST, Some(RunEnd::Complete), None);
    assert_eq!(project.states()[1], LaneFolderState::Saved);
    let lock = RunLock::acquire(&project.layout).unwrap();
    let running = LaneFolderState::Running;
    assert_eq!(project.prune(), [running.clone(), running.clone(), LaneFolderState::Saved]);
    assert_eq!(all.each_ref().map(|folder| folder.is_dir()), [false, true, true]);
    fs::write(project.layout.state(), "damaged").unwrap();
    assert_eq!(project.states(), [running.clone(), running]);
    drop(lock);
    assert_eq!(project.prune().len(), 2);
    assert!(!project.lanes().join(NEW).exists());
}

#[test]
fn a_folder_that_is_no_clone_stays() {
    let project = Project::new();
    let folder = project.lanes().join(OLD).join("1");
    fs::create_dir_all(&folder).unwrap();
    let state = project.prune().remove(0);
    assert!(matches!(state, LaneFolderState::Unclear(_)), "{state:?}");
    assert!(folder.is_dir());
}

#[test]
fn the_last_run_names_its_stories_and_its_folder() {
    let project = Project::new();
    let stories = || {
        let found = lane_folders(&project.layout, Path::new("/none")).unwrap();
        found.into_iter().map(|found| found.story).collect::<Vec<_>>()
    };
    for lane in ["1", "2", "verification"] {
        project.lane(LAST, lane);
    }
    let folder = project.lanes().join(LAST);
    let second = SavedLane { story: StoryId::new("US-2").ok(), ..SavedLane::default() };
    let lanes = vec![SavedLane::default(), second];
    let separate = SeparateState { folder, lanes, ..SeparateState::default() };
    project.save(LAST, None, Some(separate));
    assert_eq!(stories(), [None, Some("US-2".to_owned()), None]);
}

#[test]
fn without_clones_nothing_is_written() {
    let project = Project::new();
    assert!(prune_lanes(&project.layout, &project.lanes()).unwrap().is_empty());
    assert!(!project.layout.data_dir().exists());
}
