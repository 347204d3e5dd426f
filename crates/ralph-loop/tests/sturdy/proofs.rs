//! The runner is killed while it runs the tests of a story's proof: the work tree then differs from the commit. The next
//! run puts it in order, judges again and loses nothing.

use std::path::Path;

use events::{Gate, LoopEvent, ProofPhase};
use serde_json::json;
use simulator::{Act, Mode, Scenario, When};

use crate::harness::{Project, await_none_in, until};
use crate::lane_kill_sweep::{BRANCH, list_at};
use crate::sweep::{Sweep, Victim, logged, sweep_all};

const ARGS: [&str; 5] = ["--proof", "--max-iterations", "200", "--retry-wait", "1ms"];

/// The file of a story's tests. `before` is what its test does first.
fn test_file(story: &str, before: &str) -> (String, String) {
    let path = format!("tests/test_{}.py", story.replace('-', "_"));
    let text = format!(
        "import os\nimport time\nimport unittest\n\n\nclass WorkTest(unittest.TestCase):\n    def test_work(self):\n        \
         {before}\n        self.assertTrue(os.path.exists('work/{story}.txt'))\n"
    );
    (path, text)
}

pub(crate) fn specify(story: &str, before: &str) -> Vec<Act> {
    let (path, text) = test_file(story, before);
    let test = vec![["unittest", &*path, "WorkTest.test_work"]];
    vec![Act::specify([(&*path, &*text), ("tests/__init__.py", "")], [test]), Act::finish("done")]
}

pub(crate) fn project(stories: usize, before: &str) -> Project {
    let project = Project::new(stories, &["git diff --quiet HEAD"]).without_base_checks();
    let ignored = std::fs::read_to_string(project.root().join(".gitignore")).unwrap();
    project.write(".gitignore", &format!("{ignored}__pycache__/\n"));
    test_repo::commit_all(project.root());
    project.scenario(&honest(Scenario::new(), stories, before));
    project
}

pub(crate) fn honest(mut scenario: Scenario, stories: usize, before: &str) -> Scenario {
    for story in (1..=stories).map(|number| format!("US-{number}")) {
        scenario = scenario.rule(When::mode(Mode::Specify).story(&*story), specify(&story, before));
    }
    scenario
}

/// What a run with proofs leaves, however often it was killed.
#[track_caller]
fn assert_proven(project: &Project) {
    project.assert_complete();
    assert_in_order(project);
    let root = project.root();
    let files = test_repo::git(root, &["log", "--name-only", "--format="]);
    assert!(!files.contains("canary"), "{files}");
    for story in project.list().stories {
        let work = format!("work/{}.txt", story.id);
        let (path, text) = test_file(story.id.as_str(), "");
        assert!(root.join(&work).exists(), "{work}");
        let lines = std::fs::read_to_string(root.join(path)).unwrap();
        assert_eq!(lines.lines().last(), text.lines().last());
        let deleted = ["log", "--oneline", "--diff-filter=D", "--", &*work];
        assert_eq!(test_repo::git(root, &deleted), "", "a commit takes {work} away");
        // A killed runner repeats the runs of its iteration.
        let mut phases: Vec<ProofPhase> = accepted(project, story.id.as_str());
        phases.dedup();
        assert_eq!(phases.first(), Some(&ProofPhase::Red), "{}: {phases:?}", story.id);
        assert!(phases.contains(&ProofPhase::WithoutWork), "{}: {phases:?}", story.id);
        assert_eq!(phases.last(), Some(&ProofPhase::Green), "{}: {phases:?}", story.id);
    }
}

fn accepted(project: &Project, story: &str) -> Vec<ProofPhase> {
    let phase = |event| match event {
        LoopEvent::ProofRan(ran) if ran.story.as_str() == story && ran.accepted => Some(ran.phase),
        _ => None,
    };
    logged(project).into_iter().filter_map(phase).collect()
}

/// No file of a run of tests is left.
#[track_caller]
fn assert_in_order(project: &Project) {
    let left: Vec<_> = walk(project.root())
        .into_iter()
        .filter(|path| {
            !path.contains("__pycache__")
                && !path.contains(".git/")
                && (path.contains("canary") || path.ends_with("proof-files.json"))
        })
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

fn walk(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(walk(&path)),
            false => found.push(path.display().to_string()),
        }
    }
    found
}

/// Each run of the test writes a dot, and waits while a file of this number is there.
fn held(project: &Project) -> String {
    let (runs, hold) = (project.beside("runs"), project.beside("hold-"));
    format!(
        "runs = '{0}'\n        with open(runs, 'a') as file:\n            file.write('.')\n        \
         number = len(open(runs).read())\n        \
         while os.path.exists('{1}' + str(number)):\n            time.sleep(0.01)",
        runs.display(),
        hold.display()
    )
}

fn runs(project: &Project) -> usize {
    std::fs::read_to_string(project.beside("runs")).unwrap_or_default().len()
}

/// Red twice, green, green beside a test that must fail, without the work, and the same two green runs after the review.
#[test]
fn a_kill_in_any_run_of_the_tests_loses_nothing() {
    for number in 1..=7 {
        let project = project(1, "pass");
        project.scenario(&honest(Scenario::new(), 1, &held(&project)));
        let hold = project.beside(&format!("hold-{number}"));
        std::fs::write(&hold, "").unwrap();
        let runner = project.start(&ARGS);
        until("the test waits", || (runs(&project) == number).then_some(()));
        let is_work_there = project.root().join("work/US-1.txt").exists();
        assert_eq!(is_work_there, number > 2 && number != 5, "run {number}");
        runner.kill();
        await_none_in(project.root(), None);
        std::fs::remove_file(&hold).unwrap();
        let next = project.run(&ARGS);
        next.assert_exit(0);
        assert_proven(&project);
        // No session is repeated.
        let sessions = next.count(|event| matches!(event, LoopEvent::IterationStarted(_)));
        assert_eq!(sessions, [2, 2, 1, 1, 1, 0, 0][number - 1], "run {number}");
    }
}

/// At the dispute, and after the runner has recorded it.
#[test]
fn a_dispute_counts_once_if_the_runner_is_killed_over_it() {
    let is_disputed = |event: &LoopEvent| matches!(event, LoopEvent::Warning { text } if text.contains("disputes WorkTest"));
    let is_judged = |event: &LoopEvent| matches!(event, LoopEvent::IterationEnded(ended) if ended.iteration == 2);
    for moment in [is_disputed as fn(&LoopEvent) -> bool, is_judged] {
        let project = project(1, "pass");
        let dispute = [
            Act::write("work/half.txt", "half\n"),
            Act::set_story([("notes", json!("DISPUTE: WorkTest.test_work: it is wrong"))]),
            Act::commit("wip"),
            Act::finish("I dispute the test."),
        ];
        let first = Scenario::new().rule(When::mode(Mode::Implement).visit(1), dispute);
        project.scenario(&honest(first, 1, "pass"));
        let mut runner = project.start(&ARGS);
        runner.wait_for("the dispute", moment);
        runner.kill();
        await_none_in(project.root(), None);
        project.run(&ARGS).assert_exit(0);
        assert_proven(&project);
        assert_eq!(project.state().unwrap()["stories"]["US-1"]["proof"]["disputes"], 1);
        assert!(project.root().join("work/half.txt").exists());
        let red = accepted(&project, "US-1").into_iter().filter(|phase| *phase == ProofPhase::Red);
        assert_eq!(red.count(), 2);
    }
}

const MOMENTS: [&str; 5] =
    ["iteration-started", "agent-ended", "proof-ran", "story-status-changed", "iteration-ended"];

#[test]
fn kills_anywhere_in_a_run_with_proofs_lose_nothing_and_let_nothing_through() {
    let sweep = Sweep {
        kills: 10,
        moments: &MOMENTS,
        most_events: 40,
        begin: || Box::new(Proving { project: project(2, "pass") }),
    };
    sweep_all(&[sweep, sweep]);
}

struct Proving {
    project: Project,
}

impl Victim for Proving {
    fn project(&self) -> &Project {
        &self.project
    }

    fn args(&self) -> Vec<&'static str> {
        ARGS.to_vec()
    }

    #[track_caller]
    fn check_after_kill(&mut self) {
        assert_eq!(self.project.list().stories.len(), 2, "a story is lost");
        test_repo::git(self.project.root(), &["fsck", "--strict", "--no-dangling"]);
        for story in self.project.list().stories.iter().filter(|story| story.passes) {
            let phases = accepted(&self.project, story.id.as_str());
            assert!(phases.contains(&ProofPhase::WithoutWork), "{}: {phases:?}", story.id);
        }
    }

    #[track_caller]
    fn check_end(&self) {
        assert_proven(&self.project);
    }
}

const IN_LANES: [&str; 7] =
    ["--proof", "-j", "2", "--max-iterations", "200", "--retry-wait", "1ms"];

#[track_caller]
pub(crate) fn assert_proven_in_lanes(project: &Project) {
    project.assert_quiet();
    project.assert_sound_repository();
    let root = project.root();
    let files = test_repo::git(root, &["ls-tree", "-r", "--name-only", BRANCH]);
    for story in list_at(project, BRANCH).stories {
        assert!(story.passes && story.review_count > 0, "{story:?}");
        let (path, _) = test_file(story.id.as_str(), "");
        for file in
            [path, format!("work/{}.txt", story.id), format!("ralph/proofs/{}.json", story.id)]
        {
            assert!(files.lines().any(|line| line == file), "{file} is not in {files}");
        }
        let phases = accepted(project, story.id.as_str());
        assert_eq!(phases.first(), Some(&ProofPhase::Red), "{}: {phases:?}", story.id);
        assert!(phases.contains(&ProofPhase::WithoutWork), "{}: {phases:?}", story.id);
    }
    let all = test_repo::git(root, &["log", "--name-only", "--format=", BRANCH]);
    assert!(!all.contains("canary"), "{all}");
    assert_eq!(test_repo::git(root, &["status", "--porcelain"]), "");
}

#[test]
fn two_lanes_prove_a_story_each() {
    let project = project(2, "pass");
    project.run(&IN_LANES).assert_exit(0);
    assert_proven_in_lanes(&project);
}

/// The work of both stories passes the checks, and without `work/both.txt` it fails the tests of both.
#[test]
fn tests_that_fail_only_on_the_merged_files_send_the_story_back() {
    let alone = |other: &str| {
        format!(
            "self.assertTrue(not os.path.exists('work/{other}.txt') or os.path.exists('work/both.txt'), 'together')"
        )
    };
    let project = project(2, "pass");
    let mut scenario = Scenario::new();
    for (story, other) in [("US-1", "US-2"), ("US-2", "US-1")] {
        let begun = |story: &str| project.beside(story).display().to_string();
        let meet =
            format!("touch {}; until [ -e {} ]; do sleep 0.01; done", begun(story), begun(other));
        let work = format!("work/{story}.txt");
        let implement =
            [Act::bash(meet), Act::write(work, "done\n"), Act::submit("done"), Act::commit("work")];
        let fix = [Act::write("work/both.txt", ""), Act::Resubmit, Act::commit("fix")];
        scenario = scenario
            .rule(When::mode(Mode::Specify).story(story), specify(story, &alone(other)))
            .rule(When::mode(Mode::Implement).story(story), implement)
            .rule(When::mode(Mode::ReviewFix).story(story), fix);
    }
    project.scenario(&scenario);
    let run = project.run(&IN_LANES);
    run.assert_exit(0);
    assert_proven_in_lanes(&project);
    let is_failed_merge = |event: &LoopEvent| matches!(event, LoopEvent::AttemptFailed(failed) if failed.gate == Gate::Merge);
    assert_eq!(run.count(is_failed_merge), 1);
    let is_refused = |event: &LoopEvent| matches!(event, LoopEvent::ProofRan(ran) if !ran.accepted && ran.phase == ProofPhase::Green);
    assert_eq!(run.count(is_refused), 1);
    test_repo::git(project.root(), &["cat-file", "-e", &format!("{BRANCH}:work/both.txt")]);
}

#[test]
fn stories_in_two_lanes_are_proven_after_kills() {
    for (number, phase) in
        [(1, ProofPhase::Red), (2, ProofPhase::Green), (2, ProofPhase::WithoutWork)]
    {
        let project = project(2, "pass");
        let mut runner = project.start(&IN_LANES);
        let mut seen = 0;
        while seen < number {
            let event = runner.next().unwrap().event;
            seen += usize::from(matches!(event, LoopEvent::ProofRan(ran) if ran.phase == phase));
        }
        runner.kill();
        await_none_in(&project.around(), None);
        project.run(&IN_LANES).assert_exit(0);
        assert_proven_in_lanes(&project);
    }
}
