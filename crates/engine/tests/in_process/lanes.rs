//! Several lanes at once: order, conflicts, checks on the merged files, failures of a lane, orders of the user.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use events::{Gate, LoopEvent, RunEnd, StopSignal};
use project::orders::{Order, give};
use serde_json::{Value, json};

use crate::in_process::agent;
use crate::in_process::processes::PlayedProcesses;
use crate::in_process::project::{BRANCH, PATIENCE, Project, story};
use crate::options::MemoryOptions;
use crate::{FinishedRun, LaneFolder, LaneFolderState, LaneOptions, LoopResult, lane_folders};

pub(crate) struct Lanes {
    pub(crate) project: Project,
    lanes_dir: assert_fs::TempDir,
}

impl Lanes {
    pub(crate) fn new(jobs: u64, stories: &[Value], checks: &[&str]) -> Self {
        let clones = assert_fs::TempDir::new().unwrap();
        let mut project = Project::with(stories, checks);
        project.git(&["switch", "-q", "main"]);
        project.options.run.policy.max_iterations = 200;
        project.options.lanes = Some(LaneOptions {
            dir: clones.path().to_path_buf(),
            jobs,
            setup: Vec::new(),
            first_port: 20_000,
            sessions: None,
            checks: None,
        });
        Self { project, lanes_dir: clones }
    }

    fn remember(&mut self, compact_after_iterations: u64) {
        let options = &mut self.project.options;
        options.memory = Some(MemoryOptions {
            agent: options.run.agent.clone(),
            context_tokens: 8000,
            compact_after_iterations,
            compact_after_bytes: 1_000_000,
        });
    }

    /// `session` gets the agent's folder as a project, and the story.
    pub(crate) fn run(
        &self,
        session: impl Fn(&Project, &str) -> String + Send + Sync,
    ) -> FinishedRun {
        let processes = PlayedProcesses::in_lanes(
            |folder, _| {
                let agent = self.project.in_clone(folder.to_path_buf());
                session(&agent, &story_in_work(folder))
            },
            || {},
        );
        match self.project.run_by(&processes).unwrap() {
            LoopResult::Ran(finished) => finished,
            LoopResult::NothingToDo { .. } => panic!("nothing to do"),
        }
    }

    pub(crate) fn completes(&self, session: impl Fn(&Project, &str) -> String + Send + Sync) {
        let finished = self.run(session);
        assert_eq!(
            (finished.end, finished.error.map(|error| error.to_string())),
            (RunEnd::Complete, None)
        );
    }

    fn git(&self, args: &[&str]) -> String {
        self.project.git(args)
    }

    fn clones(&self) -> Vec<LaneFolder> {
        lane_folders(&self.project.options.run.layout, self.lanes_dir.path()).unwrap()
    }

    pub(crate) fn send(&self, order: &Order) {
        let layout = &self.project.options.run.layout;
        let mut runs = std::fs::read_dir(layout.runs()).unwrap();
        let id = runs.next().unwrap().unwrap().file_name();
        give(layout, id.to_str().unwrap(), order).unwrap();
    }

    pub(crate) fn shown(&self, name: &str) -> String {
        self.git(&["show", &format!("{BRANCH}:{name}")])
    }

    pub(crate) fn files(&self) -> BTreeSet<String> {
        let listed = self.git(&["ls-tree", "-r", "--name-only", BRANCH]);
        listed.lines().map(str::to_owned).collect()
    }

    pub(crate) fn merged(&self) -> Vec<String> {
        let merged = |event| match event {
            LoopEvent::StoryMerged { story, .. } => Some(story.to_string()),
            _ => None,
        };
        self.project.events.all().into_iter().filter_map(merged).collect()
    }

    /// Stories whose merge failed.
    fn reopened(&self) -> Vec<String> {
        let failed = |event| match event {
            LoopEvent::AttemptFailed(failed) if failed.gate == Gate::Merge => {
                Some(failed.story.to_string())
            }
            _ => None,
        };
        self.project.events.all().into_iter().filter_map(failed).collect()
    }
}

pub(crate) fn story_in_work(folder: &Path) -> String {
    let marker = std::fs::read(folder.join(".ralph-active")).unwrap();
    let marker: Value = serde_json::from_slice(&marker).unwrap();
    marker["storyId"].as_str().unwrap().to_owned()
}

fn make_executable(file: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}

pub(crate) fn stories(count: usize) -> Vec<Value> {
    (1..=count).map(|number| story(&format!("US-{number}"))).collect()
}

/// Sessions that wait for each other.
#[derive(Default)]
pub(crate) struct Meeting {
    arrived: Mutex<BTreeSet<String>>,
    changed: Condvar,
}

impl Meeting {
    /// Waits until `count` stories have come here.
    pub(crate) fn wait_for(&self, count: usize, story: &str) {
        let mut arrived = self.arrived.lock().unwrap();
        arrived.insert(story.to_owned());
        self.changed.notify_all();
        let (arrived, waited) = self
            .changed
            .wait_timeout_while(arrived, PATIENCE, |arrived| arrived.len() < count)
            .unwrap();
        assert!(!waited.timed_out(), "only {arrived:?} came");
    }
}

#[test]
fn twelve_stories_in_four_lanes_respect_their_dependencies() {
    let mut list = stories(12);
    let needs = [(2, 1), (3, 1), (5, 4), (6, 5), (8, 2), (9, 8), (10, 6), (12, 10)];
    for (story, needed) in needs {
        list[story - 1]["dependsOn"] = json!([format!("US-{needed}")]);
    }
    let run = Lanes::new(4, &list, &["pass"]);
    let begun: Mutex<BTreeMap<String, BTreeSet<String>>> = Mutex::default();
    run.completes(|agent, story| {
        let there: BTreeSet<String> = (1..=12)
            .map(|number| format!("US-{number}"))
            .filter(|id| agent.root().join(format!("src/{id}.rs")).exists())
            .collect();
        begun.lock().unwrap().entry(story.to_owned()).or_insert(there);
        agent::work_on(agent, story)
    });
    let begun = begun.into_inner().unwrap();
    for (story, needed) in needs {
        let (story, needed) = (format!("US-{story}"), format!("US-{needed}"));
        assert!(begun[&story].contains(&needed), "{story} began without {needed}");
    }
    assert_eq!(run.merged().len(), 12);
    assert_eq!(run.reopened(), Vec::<String>::new());
    let lanes: BTreeSet<_> =
        run.project.events.stamped().iter().filter_map(|stamped| stamped.lane).collect();
    assert_eq!(lanes, BTreeSet::from([1, 2, 3, 4]));
    // The same result as one story after the other.
    let alone = Lanes::new(1, &list, &["pass"]);
    alone.completes(agent::work_on);
    assert_eq!(run.files(), alone.files());
    let parsed =
        |run: &Lanes| serde_json::from_str::<Value>(&run.shown("ralph/tasks.json")).unwrap();
    assert_eq!(parsed(&run), parsed(&alone));
    let numbers = run.project.events.all().into_iter().filter_map(|event| match event {
        LoopEvent::IterationStarted(started) => Some(started.iteration),
        _ => None,
    });
    let numbers: Vec<u64> = numbers.collect();
    assert_eq!(numbers.iter().collect::<BTreeSet<_>>().len(), numbers.len(), "{numbers:?}");
}

#[test]
fn work_on_the_same_line_conflicts_and_its_solution_is_reviewed_and_merged() {
    let run = Lanes::new(2, &stories(2), &["pass"]);
    let (meeting, prompts) = (Meeting::default(), Mutex::new(0));
    run.completes(|agent, story| {
        let found = agent.read("src/lib.rs");
        if found.contains("<<<<<<<") {
            *prompts.lock().unwrap() += 1;
            let feedback = agent.story(story)["reviewFeedback"].as_str().unwrap().to_owned();
            assert!(feedback.contains("conflicts with ralph/x"), "{feedback}");
            agent.write("src/lib.rs", "pub fn sum() { both }\n");
        } else if found.contains("sum() {}") && agent.story(story)["reviewStatus"].is_null() {
            meeting.wait_for(2, story);
            agent.write("src/lib.rs", &format!("pub fn sum() {{ {story} }}\n"));
        }
        agent::work_on(agent, story)
    });
    assert_eq!(*prompts.lock().unwrap(), 1);
    assert_eq!(run.shown("src/lib.rs"), "pub fn sum() { both }");
    assert_eq!((run.merged().len(), run.reopened().len()), (2, 1));
    let reviews = run.project.events.all().into_iter().filter(|event| {
        matches!(event, LoopEvent::StoryStatusChanged { to: tasks::ReviewStatus::Approved, .. })
    });
    assert_eq!(reviews.count(), 3, "the solution is reviewed again");
}

#[test]
fn work_that_fails_a_check_only_together_is_fixed_before_it_is_merged() {
    let run = Lanes::new(2, &stories(2), &["apart src/US-1.rs src/US-2.rs src/fix.rs"]);
    let meeting = Meeting::default();
    run.completes(|agent, story| {
        let status = agent.story(story)["reviewStatus"].clone();
        if status.is_null() {
            meeting.wait_for(2, story);
        } else if status == "changes_requested" {
            let feedback = agent.story(story)["reviewFeedback"].as_str().unwrap().to_owned();
            assert!(feedback.contains("wrong together"), "{feedback}");
            agent.write("src/fix.rs", "fixed");
        }
        agent::work_on(agent, story)
    });
    assert_eq!((run.merged().len(), run.reopened().len()), (2, 1));
    // The checks pass on every commit of the run's branch.
    for commit in run.git(&["rev-list", "--first-parent", BRANCH]).lines() {
        let files = run.git(&["ls-tree", "-r", "--name-only", commit]);
        let there = ["src/US-1.rs", "src/US-2.rs", "src/fix.rs"].map(|name| files.contains(name));
        assert!(there != [true, true, false], "{commit}");
    }
}

#[test]
fn a_story_that_deletes_what_another_needs_is_caught_on_the_merged_files() {
    let run = Lanes::new(2, &stories(2), &["apart src/US-2.rs src/US-2.rs src/lib.rs"]);
    let meeting = Meeting::default();
    run.completes(|agent, story| {
        let status = agent.story(story)["reviewStatus"].clone();
        if status.is_null() {
            meeting.wait_for(2, story);
            if story == "US-1" {
                std::fs::remove_file(agent.root().join("src/lib.rs")).unwrap();
            }
        } else if status == "changes_requested" {
            agent.write("src/lib.rs", "pub fn sum() {}\n");
        }
        agent::work_on(agent, story)
    });
    assert_eq!((run.merged().len(), run.reopened().len()), (2, 1));
    assert!(run.files().contains("src/lib.rs"));
}

#[test]
fn renames_modes_and_binary_files_are_merged_or_solved_and_never_lost() {
    let run = Lanes::new(3, &stories(3), &["pass"]);
    run.git(&["switch", "-q", BRANCH]);
    run.project.commit("bin/data", "\0binary\0");
    run.project.commit("bin/tool", "#!/bin/sh\n");
    run.git(&["switch", "-q", "main"]);
    let meeting = Meeting::default();
    run.completes(|agent, story| {
        let status = agent.story(story)["reviewStatus"].clone();
        if status.is_null() {
            meeting.wait_for(3, story);
            agent.write("bin/data", &format!("\0{story}\0"));
            match story {
                "US-1" => drop(agent.git(&["mv", "src/lib.rs", "src/sum.rs"])),
                "US-2" => agent.write("src/lib.rs", "pub fn sum() {}\n// edited\n"),
                _ => make_executable(&agent.root().join("bin/tool")),
            }
        } else if status == "changes_requested" {
            agent.write("bin/data", "\0all\0");
        }
        agent::work_on(agent, story)
    });
    assert_eq!((run.merged().len(), run.reopened().len()), (3, 2));
    assert_eq!(run.shown("src/sum.rs"), "pub fn sum() {}\n// edited");
    assert_eq!(run.shown("bin/data"), "\0all\0");
    assert!(cfg!(windows) || run.git(&["ls-tree", BRANCH, "bin/tool"]).starts_with("100755"));
}

#[test]
fn a_story_whose_merge_fails_too_often_is_given_up_and_its_work_is_kept() {
    let mut run = Lanes::new(2, &stories(2), &["pass"]);
    run.project.options.attempts.most = 1;
    let meeting = Meeting::default();
    let finished = run.run(|agent, story| {
        if agent.story(story)["reviewStatus"].is_null() {
            meeting.wait_for(2, story);
            agent.write("src/lib.rs", &format!("pub fn sum() {{ {story} }}\n"));
        }
        agent::work_on(agent, story)
    });
    assert_eq!(finished.end, RunEnd::StoriesFailed, "{:?}", finished.error);
    let (merged, failed) = (run.merged(), run.reopened());
    assert_eq!((merged.len(), failed.len()), (1, 1));
    assert_eq!(run.shown("src/lib.rs"), format!("pub fn sum() {{ {} }}", merged[0]));
    let kept = run.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads/wip/"]);
    assert!(kept.starts_with(&format!("wip/ralph-fail-{}-", failed[0])), "{kept}");
    assert!(run.git(&["show", &format!("{kept}:src/lib.rs")]).contains(&failed[0]));
}

#[test]
fn submodules_stay_at_their_commits() {
    let run = Lanes::new(2, &stories(2), &["pass"]);
    let source = assert_fs::TempDir::new().unwrap();
    test_repo::init_for_commits(source.path());
    std::fs::write(source.path().join("part.txt"), "part").unwrap();
    test_repo::commit_all(source.path());
    run.git(&["switch", "-q", BRANCH]);
    let add = ["-c", "protocol.file.allow=always", "submodule", "add", "-q"];
    run.git(&[&add[..], &[source.path().to_str().unwrap(), "sub"]].concat());
    run.git(&["commit", "-q", "-m", "with a submodule"]);
    let before = run.git(&["ls-tree", BRANCH, "sub"]);
    run.git(&["switch", "-q", "main"]);
    run.completes(agent::work_on);
    assert!(before.contains("commit"), "{before}");
    assert_eq!(run.git(&["ls-tree", BRANCH, "sub"]), before);
}

#[test]
fn a_story_gets_the_handoffs_of_merged_stories_only() {
    let mut list = stories(3);
    list[2]["dependsOn"] = json!(["US-1", "US-2"]);
    let mut run = Lanes::new(2, &list, &["pass"]);
    run.remember(100);
    let (meeting, prompts) = (Meeting::default(), Mutex::new(BTreeMap::new()));
    let session = |folder: &Path, prompt: &str| {
        let (agent, story) = (run.project.in_clone(folder.to_path_buf()), story_in_work(folder));
        let answer = match agent.story(&story)["reviewStatus"].is_null() {
            true => {
                prompts.lock().unwrap().insert(story.clone(), prompt.to_owned());
                if story != "US-3" {
                    meeting.wait_for(2, &story);
                }
                agent.write(&format!("src/{story}.rs"), "work");
                agent::handoff(&format!("learned from {story}"), true, json!([]))
            }
            false => agent::approve_in_handoff(&agent, &story, 1),
        };
        answer.replace("\"US-1\"", &format!("\"{story}\""))
    };
    let processes = PlayedProcesses::in_lanes(session, || {});
    let LoopResult::Ran(finished) = run.project.run_by(&processes).unwrap() else { unreachable!() };
    assert_eq!(finished.end, RunEnd::Complete, "{:?}", finished.error);
    let prompts = prompts.lock().unwrap();
    let knows = |story: &str, other: &str| prompts[story].contains(&format!("[{other}] "));
    assert!(knows("US-3", "US-1") && knows("US-3", "US-2"), "{}", prompts["US-3"]);
    assert!(prompts["US-3"].contains("learned from "), "{}", prompts["US-3"]);
    assert!(!knows("US-1", "US-2") && !knows("US-2", "US-1"));
}

#[test]
fn lanes_compact_one_after_the_other_and_share_the_account() {
    let mut list = stories(5);
    list[4]["dependsOn"] = json!(["US-3", "US-4"]);
    let mut run = Lanes::new(2, &list, &["pass"]);
    run.project.options.review = tasks::ReviewPolicy::Skipped;
    run.remember(1);
    // How many compact now, and the most at once.
    let (at_once, changed) = (Mutex::new((0, 0)), Condvar::new());
    let last = Mutex::new(String::new());
    let session = |folder: &Path, prompt: &str| {
        if prompt.contains("compact the handoffs") {
            let mut counts = at_once.lock().unwrap();
            counts.0 += 1;
            counts.1 = counts.1.max(counts.0);
            changed.notify_all();
            // Long enough for the other lane to begin if it may.
            let second = Duration::from_secs(1);
            let waited = changed.wait_timeout_while(counts, second, |counts| counts.1 < 2);
            waited.unwrap().0.0 -= 1;
            return agent::account();
        }
        let (agent, story) = (run.project.in_clone(folder.to_path_buf()), story_in_work(folder));
        if story == "US-5" {
            last.lock().unwrap().push_str(prompt);
        }
        agent.write(&format!("src/{story}.rs"), "work");
        let answer = agent::handoff(&format!("learned from {story}"), true, json!([]));
        answer.replace("\"US-1\"", &format!("\"{story}\""))
    };
    let processes = PlayedProcesses::in_lanes(session, || {});
    let LoopResult::Ran(finished) = run.project.run_by(&processes).unwrap() else { unreachable!() };
    assert_eq!(finished.end, RunEnd::Complete, "{:?}", finished.error);
    assert_eq!(at_once.lock().unwrap().1, 1, "one at a time");
    let last = last.lock().unwrap();
    assert!(last.contains("a library of sums"), "the account is not in: {last}");
}

#[test]
fn a_compaction_saves_the_handoffs_of_the_story_in_work() {
    let mut run = Lanes::new(2, &stories(2), &["pass"]);
    run.remember(1);
    let saved_meanwhile = Mutex::new(Vec::new());
    let session = |folder: &Path, prompt: &str| {
        if prompt.contains("compact the handoffs") {
            let saved = run.project.saved().run.separate.unwrap();
            let of_first = saved.lanes.into_iter().find(|lane| lane.story.is_some()).unwrap();
            let handoffs = of_first.memory.uncompacted.into_iter();
            saved_meanwhile.lock().unwrap().extend(handoffs.map(|kept| kept.story.to_string()));
            return agent::account();
        }
        let (agent, story) = (run.project.in_clone(folder.to_path_buf()), story_in_work(folder));
        let count = agent.story(&story)["reviewCount"].as_u64().unwrap();
        let answer = match agent.story(&story)["reviewStatus"].as_str() {
            Some("needs_review") if story == "US-1" && count == 0 => {
                let is_merged = |event: &LoopEvent| matches!(event, LoopEvent::StoryMerged { .. });
                run.project.events.wait_for(is_merged);
                agent::reject_in_handoff(&agent, &story, 1)
            }
            Some("needs_review") => agent::approve_in_handoff(&agent, &story, count + 1),
            _ => {
                agent.write(&format!("src/{story}-{count}.rs"), "work");
                agent::handoff("learned", true, json!([]))
            }
        };
        answer.replace("\"US-1\"", &format!("\"{story}\""))
    };
    let processes = PlayedProcesses::in_lanes(session, || {});
    let LoopResult::Ran(finished) = run.project.run_by(&processes).unwrap() else { unreachable!() };
    assert_eq!(finished.end, RunEnd::Complete, "{:?}", finished.error);
    let saved_meanwhile = saved_meanwhile.lock().unwrap();
    assert_eq!(*saved_meanwhile, ["US-2", "US-2", "US-1", "US-1"]);
    let memory = run.project.saved().run.memory;
    let uncompacted: Vec<&str> =
        memory.uncompacted.iter().map(|kept| kept.story.as_str()).collect();
    assert_eq!((memory.compactions, &uncompacted[..]), (1, &["US-1"; 4][..]));
}

#[test]
fn setup_commands_run_once_in_each_lane_and_in_the_verification_clone() {
    let mut run = Lanes::new(2, &stories(3), &["pass"]);
    let lanes = run.project.options.lanes.as_mut().unwrap();
    lanes.setup = vec!["act".into()];
    let calls = Mutex::new(0);
    let act = || {
        let mut calls = calls.lock().unwrap();
        *calls += 1;
    };
    let session = |folder: &Path, _: &str| {
        agent::work_on(&run.project.in_clone(folder.to_path_buf()), &story_in_work(folder))
    };
    let LoopResult::Ran(finished) =
        run.project.run_by(&PlayedProcesses::in_lanes(session, act)).unwrap()
    else {
        unreachable!()
    };
    assert_eq!(finished.end, RunEnd::Complete, "{:?}", finished.error);
    assert_eq!(*calls.lock().unwrap(), 3, "once in each lane and once for the checks");
}

#[test]
fn a_lane_whose_setup_fails_returns_its_story_and_the_others_go_on() {
    let mut run = Lanes::new(2, &stories(3), &["pass"]);
    run.project.options.lanes.as_mut().unwrap().setup = vec!["not-in-lane 1".into()];
    run.completes(agent::work_on);
    assert_eq!(run.merged().len(), 3);
    let warnings = run.project.warnings();
    let is_said = |text: &String| text.starts_with("lane 1 cannot be used: setup command");
    assert_eq!(warnings.iter().filter(|text| is_said(text)).count(), 1, "{warnings:?}");
}

#[test]
fn if_no_lane_can_be_set_up_the_run_ends_with_the_reason() {
    let mut run = Lanes::new(2, &stories(3), &["pass"]);
    let setup = vec!["fail no network".into(), "pass never runs".into()];
    run.project.options.lanes.as_mut().unwrap().setup = setup;
    let finished = run.run(|_, _| panic!("no session is expected"));
    let error = finished.error.unwrap().to_string();
    assert!(
        error.contains("no lane is left")
            && error.contains("`fail no network` failed with exit code 1"),
        "{error}"
    );
    assert!(finished.end != RunEnd::Complete);
    let begun = |event| match event {
        LoopEvent::SetupStarted { command, .. } => Some(command),
        _ => None,
    };
    let begun: Vec<String> = run.project.events.all().into_iter().filter_map(begun).collect();
    assert_eq!(begun, ["fail no network"; 2], "once in each lane");
}

#[test]
fn stories_that_touch_the_same_files_are_not_worked_on_at_once() {
    let mut list = stories(3);
    for (story, touches) in [(0, "src/a"), (1, "src/a/b.rs"), (2, "docs/*.md")] {
        list[story]["touches"] = json!([touches]);
    }
    let run = Lanes::new(2, &list, &["pass"]);
    let (meeting, order) = (Meeting::default(), Mutex::new(Vec::new()));
    run.completes(|agent, story| {
        let mut order = order.lock().unwrap();
        let is_new = !order.contains(&story.to_owned());
        if is_new {
            order.push(story.to_owned());
        }
        drop(order);
        if is_new && story != "US-2" {
            meeting.wait_for(2, story);
        }
        agent::work_on(agent, story)
    });
    assert_eq!(order.into_inner().unwrap()[2], "US-2");
}

/// What a session of Claude Code prints at its end.
fn claude_result(text: &str, cost_usd: f64) -> String {
    json!({"type": "result", "subtype": "success", "is_error": false, "num_turns": 1, "result": text,
        "session_id": "s", "total_cost_usd": cost_usd})
    .to_string()
}

#[test]
fn sessions_of_all_lanes_together_stay_below_the_cost_limit() {
    let mut run = Lanes::new(3, &stories(6), &["pass"]);
    run.project.options.run.agent.agent = agents::Agent::Claude;
    run.project.options.run.policy.max_cost_usd = Some(3.0);
    let meeting = Meeting::default();
    let session = |folder: &Path, _: &str| {
        let (agent, story) = (run.project.in_clone(folder.to_path_buf()), story_in_work(folder));
        if agent.story(&story)["reviewStatus"].is_null()
            && ["US-1", "US-2", "US-3"].contains(&&*story)
        {
            meeting.wait_for(3, &story);
        }
        claude_result(&agent::work_on(&agent, &story), 0.9)
    };
    let processes = PlayedProcesses::in_lanes(session, || {});
    let LoopResult::Ran(finished) = run.project.run_by(&processes).unwrap() else { unreachable!() };
    assert_eq!(finished.end, RunEnd::CostCeiling, "{:?}", finished.error);
    let sessions = processes.sessions.lock().unwrap();
    // The first three share the limit; each later one gets a part of what is left.
    let caps: Vec<&String> = sessions
        .iter()
        .map(|args| &args[args.iter().position(|arg| arg == "--max-budget-usd").unwrap() + 1])
        .collect();
    assert_eq!(caps[..3], ["1", "1", "1"], "{caps:?}");
    assert!(caps[3..].iter().all(|cap| cap.parse::<f64>().unwrap() < 0.31), "{caps:?}");
}

#[test]
fn orders_reach_the_lanes() {
    let run = Lanes::new(2, &stories(3), &["pass"]);
    let meeting = Meeting::default();
    let finished = run.run(|agent, story| {
        if agent.story(story)["reviewStatus"].is_null() && story != "US-3" {
            meeting.wait_for(2, story);
            if story == "US-1" {
                run.send(&Order::Skip { story: Some(crate::in_process::project::id("US-3")) });
            }
            // Otherwise a lane could be done with its story first and begin the third.
            run.project.events.wait_for(|event| {
                matches!(event, LoopEvent::OrderAccepted { order: Order::Skip { .. } })
            });
        }
        agent::work_on(agent, story)
    });
    assert_eq!(finished.end, RunEnd::StoriesFailed);
    let clones = run.clones();
    assert!(clones.iter().all(|clone| clone.state == LaneFolderState::Saved), "{clones:?}");
    assert_eq!(
        run.merged().into_iter().collect::<BTreeSet<_>>(),
        ["US-1", "US-2"].map(str::to_owned).into()
    );
}

#[test]
fn an_instruction_for_a_story_reaches_its_session_only_and_a_paused_run_resumes() {
    let run = Lanes::new(2, &stories(3), &["pass"]);
    let meeting = Meeting::default();
    let told = Mutex::new(BTreeSet::new());
    let send = |order: &Order| run.send(order);
    let session = |folder: &Path, prompt: &str| {
        let (agent, story) = (run.project.in_clone(folder.to_path_buf()), story_in_work(folder));
        if prompt.contains("Mind the gap") {
            told.lock().unwrap().insert(story.clone());
        }
        if agent.story(&story)["reviewStatus"].is_null() && story != "US-3" {
            meeting.wait_for(2, &story);
            if story == "US-1" {
                let for_third = Order::steer("Mind the gap").unwrap();
                send(&for_third.for_story(Some(crate::in_process::project::id("US-3"))));
                send(&Order::Pause);
                // Nothing else can resume the run: every lane waits.
                while !run
                    .project
                    .events
                    .all()
                    .iter()
                    .any(|e| matches!(e, LoopEvent::OrderAccepted { order: Order::Pause }))
                {
                    std::thread::yield_now();
                }
            }
        }
        agent::work_on(&agent, &story)
    };
    let processes = PlayedProcesses::in_lanes(session, || {});
    let ended = std::thread::scope(|scope| {
        let running = scope.spawn(|| run.project.run_by(&processes).unwrap());
        while !run.project.events.all().contains(&LoopEvent::Paused) {
            assert!(!running.is_finished(), "the run ended instead of pausing");
            std::thread::yield_now();
        }
        send(&Order::GoOn);
        running.join().unwrap()
    });
    let LoopResult::Ran(finished) = ended else { unreachable!() };
    assert_eq!(finished.end, RunEnd::Complete, "{:?}", finished.error);
    assert_eq!(*told.lock().unwrap(), BTreeSet::from(["US-3".to_owned()]));
    assert!(run.project.events.all().contains(&LoopEvent::Resumed));
}

#[test]
fn a_stop_ends_every_lane_and_the_run_is_resumed() {
    let run = Lanes::new(2, &stories(4), &["pass"]);
    let meeting = Meeting::default();
    let finished = run.run(|agent, story| {
        meeting.wait_for(2, story);
        run.project.switch.request(StopSignal::Interrupt);
        agent::work_on(agent, story)
    });
    assert_eq!(finished.end, RunEnd::Interrupted);
    let mut run = run;
    run.project.switch = crate::StopSwitch::new(Duration::ZERO);
    run.completes(agent::work_on);
    assert_eq!(run.merged().len(), 4);
}
