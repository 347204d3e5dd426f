//! The runner of several lanes is killed a hundred times, and sessions of single lanes: no approved work is lost, and
//! nothing that was not reviewed gets into the run's branch.
//!
//! Implementations approve themselves, one story needs two others, and two stories edit the same line.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use events::{IterationMode, LoopEvent};
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};
use tasks::TaskList;

use crate::harness::{Project, tool};
use crate::sweep::{Sweep, Victim, logged, sweep_all, verdicts};

/// Each occurs in every run. A conflict does not: it depends on which lane is faster.
const MOMENTS: [&str; 8] = [
    "story-assigned",
    "story-queued",
    "merge-started",
    "check-started",
    "story-merged",
    "iteration-ended",
    "agent-ended",
    "lane-prepared",
];

pub(crate) const BRANCH: &str = "ralph/scratch";

/// Fails on conflict markers and on files that are not committed.
const CHECKS: [&str; 2] = ["test -d work", "! grep -q '^[<=>][<=>][<=>]' shared.txt"];

#[test]
fn a_hundred_kills_of_the_runner_of_lanes_lose_nothing_and_let_nothing_through() {
    let sweep =
        Sweep { kills: 25, moments: &MOMENTS, most_events: 60, begin: || Box::new(InLanes::new()) };
    sweep_all(&[sweep; 4]);
}

struct InLanes {
    project: Project,
    /// Commits of work that a review approved.
    approved: BTreeSet<String>,
    lists: Lists,
}

impl InLanes {
    fn new() -> Self {
        Self { project: lanes_project(), approved: BTreeSet::new(), lists: Lists::new() }
    }
}

/// Five stories: US-4 needs US-1, US-5 needs US-2 and US-3, and these two edit the same line.
pub(crate) fn lanes_project() -> Project {
    let project = Project::new(5, &CHECKS);
    let text = std::fs::read(project.layout().tasks()).unwrap();
    let mut list: Value = serde_json::from_slice(&text).unwrap();
    list["userStories"][3]["dependsOn"] = json!(["US-1"]);
    list["userStories"][4]["dependsOn"] = json!(["US-2", "US-3"]);
    project.write("ralph/tasks.json", &format!("{list:#}\n"));
    project.write("shared.txt", "base\n");
    test_repo::commit_all(project.root());
    let Value::Object(approval) =
        json!({"reviewStatus": "approved", "passes": true, "reviewCount": 1, "notes": "me"})
    else {
        unreachable!("it is an object")
    };
    let cheat = [
        Act::write("work/cheat.txt", "x\n"),
        Act::SetStory { story: None, fields: approval },
        Act::finish("It is approved."),
    ];
    let mut scenario =
        Scenario::new().rule(When::mode(Mode::Implement).story("US-1").visit(1), cheat.clone());
    for visit in [1, 3, 5] {
        let when = When::mode(Mode::Implement).story("US-4").visit(visit);
        scenario = scenario.rule(when, cheat.clone());
    }
    for story in ["US-2", "US-3"] {
        let edit = format!("grep -q {story} shared.txt || sed -i '1s/$/ {story}/' shared.txt");
        let implement = [
            Act::bash(edit),
            Act::write(format!("work/{story}.txt"), "done\n"),
            Act::submit("done"),
            Act::commit(format!("feat: {story}")),
            Act::finish("It is done."),
        ];
        let keep_both = [
            Act::bash("sed -i '/^[<=>][<=>][<=>]/d' shared.txt"),
            Act::Resubmit,
            Act::commit(format!("fix: {story}")),
            Act::finish("Both lines are kept."),
        ];
        scenario = scenario
            .rule(When::mode(Mode::Implement).story(story), implement)
            .rule(When::mode(Mode::ReviewFix).story(story), keep_both);
    }
    project.scenario(&scenario);
    project
}

/// The folders of the clones in which agents work.
pub(crate) fn clones(project: &Project) -> Vec<PathBuf> {
    let state = project.state();
    let folder = state.as_ref().and_then(|state| state["separate"]["folder"].as_str());
    let folders = std::fs::read_dir(folder.unwrap_or_default()).into_iter().flatten().flatten();
    folders.map(|entry| entry.path()).filter(|path| !path.ends_with("verification")).collect()
}

fn git(folder: &Path, args: &[&str]) -> String {
    test_repo::git(folder, args).trim().to_owned()
}

fn is_yes(folder: &Path, args: &[&str]) -> bool {
    tool("git").arg("-C").arg(folder).args(args).output().unwrap().status.success()
}

/// The task list of a commit, which must be valid.
#[track_caller]
pub(crate) fn list_at(project: &Project, commit: &str) -> TaskList {
    let text = git(project.root(), &["show", &format!("{commit}:ralph/tasks.json")]);
    let inspection = tasks::inspect(text.as_bytes());
    match inspection.list {
        Some(list) if inspection.problems.is_empty() => list,
        _ => panic!("{:?} in {commit}: {text}", inspection.problems),
    }
}

/// Stories that an event says to be merged, with the commit.
fn merged(project: &Project) -> Vec<(String, String)> {
    let merged = |event| match event {
        LoopEvent::StoryMerged { story, commit, .. } => Some((story.to_string(), commit)),
        _ => None,
    };
    logged(project).into_iter().filter_map(merged).collect()
}

/// The commits of stories that wait for their merge, or were about to be merged.
fn queued(project: &Project) -> BTreeSet<String> {
    let Some(state) = project.state() else { return BTreeSet::new() };
    let queued = |event| match event {
        LoopEvent::StoryQueued { story } => Some(story.to_string()),
        _ => None,
    };
    let queued: BTreeSet<String> = logged(project).into_iter().filter_map(queued).collect();
    let commit = |story: &String| {
        let work = state["stories"][story]["work"].as_array()?;
        work.last()?["to"].as_str().map(str::to_owned)
    };
    queued.iter().filter_map(commit).collect()
}

/// Whether the project's run branch or one of its kept refs, or a clone contains the commit.
fn is_kept(project: &Project, commit: &str) -> bool {
    let refs = git(project.root(), &["for-each-ref", "--format=%(refname)", "refs/ralph/"]);
    let is_in =
        |folder: &Path, name: &str| is_yes(folder, &["merge-base", "--is-ancestor", commit, name]);
    std::iter::once(BRANCH).chain(refs.lines()).any(|name| is_in(project.root(), name))
        || clones(project).iter().any(|clone| is_in(clone, "HEAD"))
}

/// The stories that pass in commits of the run's branch.
pub(crate) type Lists = BTreeMap<String, BTreeSet<String>>;

#[track_caller]
fn passing(project: &Project, commit: &str) -> BTreeSet<String> {
    let list = list_at(project, commit);
    assert_eq!(list.stories.len(), 5, "a story is lost in {commit}");
    list.stories.iter().filter(|story| story.passes).map(|story| story.id.to_string()).collect()
}

/// Invariants at any time. `lists` has those that were read before.
#[track_caller]
pub(crate) fn check_branch(project: &Project, lists: &mut Lists) {
    git(project.root(), &["fsck", "--strict", "--no-dangling"]);
    if !is_yes(project.root(), &["rev-parse", "-q", "--verify", BRANCH]) {
        return;
    }
    let merged = merged(project);
    for (story, commit) in &merged {
        assert!(
            is_yes(project.root(), &["merge-base", "--is-ancestor", commit, BRANCH]),
            "{story} is said to be merged in {commit}"
        );
    }
    for commit in git(project.root(), &["rev-list", BRANCH]).lines() {
        lists.entry(commit.to_owned()).or_insert_with(|| passing(project, commit));
    }
    // The runner alone moves the branch, by one story at a time.
    let (approvals, _) = verdicts(project);
    let tips = git(project.root(), &["rev-list", "--first-parent", "--reverse", BRANCH]);
    let mut before = &BTreeSet::new();
    for commit in tips.lines() {
        let now = &lists[commit];
        assert!(now.is_superset(before) && now.len() <= before.len() + 1, "{before:?} → {now:?}");
        for story in now {
            let by = approvals.get(story).map_or(&[][..], Vec::as_slice);
            assert!(by.contains(&IterationMode::Review), "{story} passes in {commit}: {by:?}");
        }
        before = now;
    }
}

impl Victim for InLanes {
    fn project(&self) -> &Project {
        &self.project
    }

    fn args(&self) -> Vec<&'static str> {
        vec!["-j", "4", "--max-iterations", "500", "--retry-wait", "1ms"]
    }

    #[track_caller]
    fn check_after_kill(&mut self) {
        check_branch(&self.project, &mut self.lists);
        self.approved.extend(queued(&self.project));
        if self.approved.is_empty() {
            return;
        }
        // `check_branch` sees to it that the branch never moves back.
        let in_branch = git(self.project.root(), &["rev-list", BRANCH]);
        self.approved.retain(|commit| !in_branch.contains(commit.as_str()));
        for commit in &self.approved {
            assert!(is_kept(&self.project, commit), "{commit} was approved and is lost");
        }
    }

    #[track_caller]
    fn check_end(&self) {
        check_complete(&self.project);
    }
}

/// Everything is done, by reviews alone, and is in the run's branch.
#[track_caller]
pub(crate) fn check_complete(project: &Project) {
    project.assert_quiet();
    check_branch(project, &mut Lists::new());
    let (approvals, _) = verdicts(project);
    for story in list_at(project, BRANCH).stories {
        assert!(story.passes && story.review_count > 0, "{story:?}");
        let by = &approvals[story.id.as_str()];
        assert!(by.iter().all(|mode| *mode == IterationMode::Review), "{}: {by:?}", story.id);
    }
    let stories: BTreeSet<String> = merged(project).into_iter().map(|(story, _)| story).collect();
    assert_eq!(stories.len(), 5, "{stories:?}");
    let state = project.state().unwrap();
    let kept = format!("refs/ralph/{}/", state["runId"].as_str().unwrap());
    assert_eq!(git(project.root(), &["for-each-ref", &kept]), "", "no ref is left");
    let status = git(project.root(), &["status", "--porcelain"]);
    assert_eq!(status, "", "the user's work tree is untouched");
    // The user's checks, on a copy of the final files.
    let copy = project.beside("copy");
    let (from, to) = (project.root().to_str().unwrap(), copy.to_str().unwrap());
    git(project.root(), &["clone", "-q", "--shared", "-b", BRANCH, from, to]);
    for check in CHECKS {
        let checked = tool("sh").args(["-c", check]).current_dir(&copy).status().unwrap();
        assert!(checked.success(), "{check}");
    }
    for number in 1..=5 {
        assert!(copy.join(format!("work/US-{number}.txt")).exists(), "US-{number}");
    }
    let shared = std::fs::read_to_string(copy.join("shared.txt")).unwrap();
    assert!(shared.contains("US-2") && shared.contains("US-3"), "{shared}");
}
