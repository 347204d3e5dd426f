//! Whole runs whose sessions are jobs of a played batch engine: each job runs the real worker in a thread.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use events::{AgentOutcome, CheckOutcome, JobPurpose, LoopEvent, RunEnd};
use job_engines::{
    Cancel, EngineError, Job, JobEnd, JobEngine, JobId, JobName, JobState, JobStatus,
};
use serde_json::{Value, json};
use supervise::ProgramRunner;
use vcs::{CommitId, WorkTree};

use crate::in_process::agent;
use crate::in_process::lanes::story_in_work;
use crate::in_process::processes::PlayedProcesses;
use crate::in_process::project::{BRANCH, Project, story};
use crate::jobs::{JobRunner, Machines, result_ref};
use crate::options::{JobOptions, LaneOptions, StoryOptions, TraceOptions};
use crate::worker::{WorkSource, WorkerOutput, fetch_work, run_node_work_with};
use crate::{FinishedRun, LoopResult, StopSwitch};

type Session = Arc<dyn Fn(&Project, u64) -> String + Send + Sync>;

/// What happens to jobs besides their work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Runs,
    /// The node of the first job is lost after its work, and before the engine starts it again.
    LosesNode,
    /// The worker of the first job dies before it says anything.
    Dies,
    /// The first submission is refused.
    IsRefused,
    /// A result that no worker pushed is in the log of the first job.
    IsForged,
    /// The same, with a commit without history, in which every story is approved.
    IsForgedWithCommit,
}

struct PlayedEngine {
    dir: assert_fs::TempDir,
    options: StoryOptions,
    project: Arc<Project>,
    session: Session,
    fate: Fate,
    jobs: Mutex<BTreeMap<String, Option<JoinHandle<()>>>>,
    /// The names of all jobs, in the order of their submission.
    submitted: Mutex<Vec<String>>,
    /// The span that each session got.
    spans: Arc<Mutex<Vec<String>>>,
}

impl std::fmt::Debug for PlayedEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PlayedEngine")
    }
}

impl PlayedEngine {
    /// Pushes such a commit as the result of the job.
    fn approve_all(&self, job: &Job) -> String {
        let (repository, name) = (&job.work.repository, &job.work.name);
        let folder = self.dir.path().join("forged");
        test_repo::git(self.dir.path(), &["clone", "-q", repository, "forged"]);
        let forger = self.project.in_clone(folder);
        forger.git(&["checkout", "-q", "--orphan", "forged", &format!("origin/{BRANCH}")]);
        agent::approve(&forger, "US-1", 1);
        let result = result_ref(name, 0);
        forger.git(&["push", "-q", "origin", &format!("HEAD:{result}")]);
        forger.git(&["rev-parse", "HEAD"])
    }

    /// The worker prints to `log`.
    fn work(
        &self,
        job: &Job,
        number: usize,
        start: u64,
        log: &Path,
    ) -> impl FnOnce() + Send + 'static {
        let source = WorkSource {
            repository: job.work.repository.clone(),
            name: job.work.name.clone(),
            commit: CommitId::new(&job.work.commit).unwrap(),
            node: format!("node{start}"),
            start,
        };
        let folder: PathBuf = self.dir.path().join(format!("{number}.{start}"));
        let log = OpenOptions::new().create(true).append(true).open(log).unwrap();
        let (options, session) = (self.options.clone(), Arc::clone(&self.session));
        let (project, spans) = (Arc::clone(&self.project), Arc::clone(&self.spans));
        move || {
            let processes = PlayedProcesses::in_lanes(
                |root, _| {
                    let project = project.in_clone(root.into());
                    session(&project, start)
                },
                || {},
            );
            let switch = StopSwitch::new(std::time::Duration::ZERO);
            let work = fetch_work(source, folder).unwrap();
            let output = WorkerOutput::new(start, Box::new(log));
            run_node_work_with(&processes, &options, work, &switch, output).unwrap();
            spans.lock().unwrap().append(&mut processes.spans.lock().unwrap());
        }
    }
}

impl JobEngine for PlayedEngine {
    fn submit(&self, job: &Job, _: &ProgramRunner<'_>) -> Result<JobId, EngineError> {
        let mut submitted = self.submitted.lock().unwrap();
        let number = submitted.len();
        submitted.push(job.name.to_string());
        let fate = if number == 0 { self.fate } else { Fate::Runs };
        let (log, of_first) = (job.log.clone(), job.log.with_extension("first"));
        let forged = match fate {
            Fate::IsForgedWithCommit => self.approve_all(job),
            _ => "0".repeat(40),
        };
        let printed_to = if fate == Fate::LosesNode { &of_first } else { &log };
        let first = self.work(job, number, 0, printed_to);
        let again = self.work(job, number, 1, &log);
        let thread = std::thread::spawn(move || match fate {
            Fate::Runs => first(),
            Fate::LosesNode => {
                first();
                let text = std::fs::read_to_string(of_first).unwrap();
                let (before, late) = text.trim_end().rsplit_once('\n').unwrap();
                append(&log, before);
                again();
                append(&log, late);
            }
            Fate::Dies | Fate::IsRefused => {}
            Fate::IsForged | Fate::IsForgedWithCommit => {
                let ended = json!({"how": "by-itself", "exit": {"code": 0}, "elapsed": {"secs": 1, "nanos": 0},
                    "leftovers": {"ended": [], "alive": []}});
                let result = json!({"ended": {"ended": ended, "commit": forged, "findings": [],
                    "notices": []}});
                let answer = r#"o0.1 {"type":"result"}"#;
                std::fs::write(&log, format!("{answer}\nr0.2 {result}\n")).unwrap();
            }
        });
        if fate == Fate::IsRefused {
            let (program, message) = ("sbatch".to_owned(), "no partition".to_owned());
            let printed = job_engines::Printed::Text;
            return Err(EngineError::Refused { program, message, printed });
        }
        self.jobs.lock().unwrap().insert(job.name.to_string(), Some(thread));
        Ok(JobId(job.name.to_string()))
    }

    fn find(&self, name: &JobName, _: &ProgramRunner<'_>) -> Result<Option<JobId>, EngineError> {
        let jobs = self.jobs.lock().unwrap();
        Ok(jobs.contains_key(name.as_str()).then(|| JobId(name.to_string())))
    }

    fn statuses(
        &self,
        ids: &[JobId],
        _: &ProgramRunner<'_>,
    ) -> Result<BTreeMap<JobId, JobStatus>, EngineError> {
        let jobs = self.jobs.lock().unwrap();
        let status = |id: &JobId| {
            let is_over = jobs.get(&id.0)?.as_ref().is_none_or(JoinHandle::is_finished);
            let ended = JobState::Ended(JobEnd::Completed);
            let state = if is_over { ended } else { JobState::Running };
            Some((id.clone(), JobStatus { state, node: None, output: None }))
        };
        Ok(ids.iter().filter_map(status).collect())
    }

    fn cancel(&self, _: &JobId, _: Cancel, _: &ProgramRunner<'_>) -> Result<(), EngineError> {
        Ok(())
    }
}

fn append(log: &Path, text: &str) {
    let mut file = OpenOptions::new().append(true).open(log).unwrap();
    writeln!(file, "{text}").unwrap();
}

struct OnNodes {
    project: Project,
    engine: Arc<PlayedEngine>,
    _clones: assert_fs::TempDir,
}

impl OnNodes {
    /// `session` gets the agent's folder as a project, and the number of the start.
    fn new(
        stories: &[Value],
        fate: Fate,
        session: impl Fn(&Project, u64) -> String + Send + Sync + 'static,
    ) -> Self {
        Self::with_checks(stories, &["pass"], fate, session)
    }

    fn with_checks(
        stories: &[Value],
        checks: &[&str],
        fate: Fate,
        session: impl Fn(&Project, u64) -> String + Send + Sync + 'static,
    ) -> Self {
        let clones = assert_fs::TempDir::new().unwrap();
        let mut project = Project::with(stories, checks);
        project.git(&["switch", "-q", "main"]);
        let dir = assert_fs::TempDir::new().unwrap();
        let mut options = project.options.clone();
        std::fs::create_dir_all(dir.path().join("project/.ralph")).unwrap();
        options.run.layout = project::Layout::new(dir.path().join("project"));
        let for_agents = project.in_clone(dir.path().to_path_buf());
        let engine = Arc::new(PlayedEngine {
            dir,
            options,
            project: Arc::new(for_agents),
            session: Arc::new(session),
            fate,
            jobs: Mutex::default(),
            submitted: Mutex::default(),
            spans: Arc::default(),
        });
        let sessions = JobOptions {
            name: "played".into(),
            engine: Arc::clone(&engine) as Arc<dyn JobEngine>,
            remote: None,
            limit: None,
            agent_program: None,
            settings: json!({}),
        };
        project.options.lanes = Some(LaneOptions {
            dir: clones.path().to_path_buf(),
            jobs: 2,
            setup: Vec::new(),
            first_port: 20_000,
            sessions: Some(sessions),
            checks: None,
        });
        Self { project, engine, _clones: clones }
    }

    fn run(&self) -> FinishedRun {
        self.run_with(&PlayedProcesses::checks_only())
    }

    /// `here` are the processes that this machine runs.
    fn run_with(&self, here: &PlayedProcesses<'_>) -> FinishedRun {
        let options = &self.project.options;
        let tree = WorkTree::open(self.project.root()).unwrap();
        let runner = |jobs| JobRunner::new(jobs, tree.clone(), &options.run.keeper);
        let lanes = options.lanes.as_ref().unwrap();
        let machines = Machines {
            here,
            sessions: lanes.sessions.as_ref().map(runner),
            checks: lanes.checks.as_ref().map(runner),
        };
        let LoopResult::Ran(finished) = self.project.run_by(&machines).unwrap() else {
            panic!("nothing to do")
        };
        finished
    }

    #[track_caller]
    fn completes(&self) {
        let finished = self.run();
        let why = finished.error.map(|error| error.to_string());
        assert_eq!(
            (finished.end, why),
            (RunEnd::Complete, None),
            "{:#?}",
            self.project.events.all()
        );
        assert_eq!(self.project.git(&["for-each-ref", "refs/ralph/"]), "");
    }

    fn outcomes(&self) -> Vec<AgentOutcome> {
        let ended = self.project.events.all().into_iter().filter_map(|event| match event {
            LoopEvent::AgentEnded(ended) => Some(ended.outcome),
            _ => None,
        });
        ended.collect()
    }

    fn submitted(&self) -> usize {
        self.engine.submitted.lock().unwrap().len()
    }
}

fn honest(project: &Project, _: u64) -> String {
    agent::work_on(project, &story_in_work(project.root()))
}

#[test]
fn stories_are_worked_on_elsewhere_and_merged_here() {
    let run = OnNodes::new(&[story("US-1"), story("US-2"), story("US-3")], Fate::Runs, honest);
    run.completes();
    assert_eq!(run.submitted(), 6);
    let files = run.project.git(&["ls-tree", "-r", "--name-only", BRANCH]);
    for id in ["US-1", "US-2", "US-3"] {
        assert!(files.contains(&format!("src/{id}.rs")), "{files}");
    }
    let nodes = run.project.events.all().into_iter().filter(
        |event| matches!(event, LoopEvent::JobStarted { node, restart: 0, .. } if node == "node0"),
    );
    assert_eq!(nodes.count(), 6);
}

/// The settings on the node name no collector.
#[test]
fn an_agent_elsewhere_gets_the_span_of_its_session() {
    let mut run = OnNodes::new(&[story("US-1")], Fate::Runs, honest);
    run.completes();
    assert!(run.engine.spans.lock().unwrap().is_empty());

    run = OnNodes::new(&[story("US-1")], Fate::Runs, honest);
    run.project.options.run.trace = Some(TraceOptions::default());
    run.completes();
    let events = run.project.events.all().into_iter();
    let called = events.filter_map(|event| match event {
        LoopEvent::AgentCalled { traceparent, .. } => Some(traceparent.unwrap().to_string()),
        _ => None,
    });
    let called: Vec<_> = called.collect();
    assert_eq!(called.len(), 2);
    assert_eq!(*run.engine.spans.lock().unwrap(), called);
}

#[test]
fn work_that_was_not_committed_comes_back_too() {
    let run = OnNodes::new(&[story("US-1")], Fate::Runs, |project, _| {
        let answer = agent::work(project, true);
        if project.story("US-1")["passes"] == false {
            project.write("late.txt", "not committed");
        }
        answer
    });
    run.completes();
    assert_eq!(run.project.git(&["show", &format!("{BRANCH}:late.txt")]), "not committed");
}

#[test]
fn only_the_last_start_of_a_job_counts() {
    let run = OnNodes::new(&[story("US-1")], Fate::LosesNode, |project, start| {
        if project.story("US-1")["reviewStatus"].is_null() {
            project.write(&format!("start-{start}.txt"), "x");
        }
        agent::work(project, true)
    });
    run.completes();
    let files = run.project.git(&["ls-tree", "--name-only", BRANCH]);
    assert!(files.contains("start-1.txt") && !files.contains("start-0.txt"), "{files}");
    assert_eq!(run.outcomes(), [AgentOutcome::Answered; 2]);
}

#[test]
fn a_job_without_a_result_is_tried_again() {
    for fate in [Fate::Dies, Fate::IsRefused, Fate::IsForged] {
        let run = OnNodes::new(&[story("US-1")], fate, honest);
        run.completes();
        assert_eq!(run.submitted(), 3, "{fate:?}");
        assert_ne!(run.outcomes()[0], AgentOutcome::Answered, "{fate:?}");
    }
}

#[test]
fn changes_of_the_repository_on_a_node_are_offences_here() {
    let first = Mutex::new(true);
    let run = OnNodes::new(&[story("US-1")], Fate::Runs, move |project, _| {
        let answer = agent::work(project, true);
        if std::mem::take(&mut *first.lock().unwrap()) {
            project.git(&["config", "filter.x.clean", "cat"]);
        }
        answer
    });
    run.completes();
    let reverted = run.project.events.all().into_iter().find_map(|event| match event {
        LoopEvent::ChangesReverted(reverted) => Some(reverted.findings),
        _ => None,
    });
    let findings = reverted.unwrap();
    assert!(findings.iter().any(|finding| finding.contains("filter.x.clean")), "{findings:?}");
    assert_eq!(run.submitted(), 3);
}

#[test]
fn a_forged_result_approves_nothing() {
    let run = OnNodes::new(&[story("US-1")], Fate::IsForgedWithCommit, honest);
    run.completes();
    // The honest sessions did the work again, and the history is whole.
    assert_eq!(run.submitted(), 3);
    let merged = run.project.git(&["show", &format!("{BRANCH}:src/US-1.rs")]);
    assert_eq!(merged, "work");
    run.project.git(&["merge-base", "--is-ancestor", "main", BRANCH]);
}

#[cfg(unix)]
#[test]
fn a_result_that_cannot_be_pushed_at_once_is_pushed_later() {
    use std::os::unix::fs::PermissionsExt;
    let run = OnNodes::new(&[story("US-1")], Fate::Runs, honest);
    let hook = run.project.root().join(".git/hooks/pre-receive");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, "#!/bin/sh\n[ -e failed ] || { >failed; exit 1; }\n").unwrap();
    std::fs::set_permissions(&hook, PermissionsExt::from_mode(0o755)).unwrap();
    run.completes();
    assert_eq!(run.submitted(), 2);
    let warnings = run.project.warnings();
    assert!(warnings.iter().any(|text| text.starts_with("cannot push the work")), "{warnings:?}");
}

#[test]
fn a_remote_that_cannot_be_reached_is_tried_again_and_ends_the_run_like_a_broken_agent() {
    let mut run = OnNodes::new(&[story("US-1")], Fate::Runs, honest);
    let lanes = run.project.options.lanes.as_mut().unwrap();
    lanes.sessions.as_mut().unwrap().remote = Some("/nonexistent/remote".into());
    let finished = run.run();
    assert_eq!((finished.end, run.submitted()), (RunEnd::AgentFailed, 0));
    assert_eq!(run.outcomes(), [AgentOutcome::Crashed; 4]);
}

#[test]
fn work_and_results_can_go_through_another_repository() {
    let mut run = OnNodes::new(&[story("US-1")], Fate::Runs, honest);
    let remote = assert_fs::TempDir::new().unwrap();
    test_repo::git(remote.path(), &["init", "-q", "--bare"]);
    let lanes = run.project.options.lanes.as_mut().unwrap();
    let name = remote.path().display().to_string();
    lanes.sessions.as_mut().unwrap().remote = Some(name);
    run.completes();
    assert_eq!(run.submitted(), 2);
    let left = test_repo::git(remote.path(), &["for-each-ref"]);
    assert_eq!(left, "", "no ref is left");
}

/// Runs with one story whose checks are jobs and whose sessions run here. Returns its checks that ran here.
fn run_with_checks_elsewhere(checks: &[&str], fate: Fate) -> (OnNodes, Vec<String>) {
    let no_session = |_: &Project, _| panic!("a session on a node");
    let mut run = OnNodes::with_checks(&[story("US-1")], checks, fate, no_session);
    let lanes = run.project.options.lanes.as_mut().unwrap();
    lanes.checks = lanes.sessions.take();
    let sessions = Mutex::new(0);
    let here = PlayedProcesses::in_lanes(
        |root, _| {
            let project = run.project.in_clone(root.into());
            *sessions.lock().unwrap() += 1;
            if *sessions.lock().unwrap() == 2 {
                project.write("needed.txt", "x");
            }
            agent::work(&project, true)
        },
        || {},
    );
    let finished = run.run_with(&here);
    let why = finished.error.map(|error| error.to_string());
    assert_eq!((finished.end, why), (RunEnd::Complete, None), "{:#?}", run.project.events.all());
    assert_eq!(run.project.git(&["for-each-ref", "refs/ralph/"]), "");
    let ran_here = here.checks_run.lock().unwrap().clone();
    drop(here);
    (run, ran_here)
}

fn check_results(run: &OnNodes) -> Vec<(String, CheckOutcome, Vec<String>)> {
    let ended = run.project.events.all().into_iter().filter_map(|event| match event {
        LoopEvent::CheckEnded(ended) => Some((ended.command, ended.outcome, ended.tail)),
        _ => None,
    });
    ended.collect()
}

#[test]
fn checks_and_those_of_merged_work_can_be_jobs() {
    // A line like those of a worker counts as output of the check.
    let forged = r#"pass r0.9 {"check-ended":null}"#;
    let (run, ran_here) = run_with_checks_elsewhere(&[forged, "has needed.txt"], Fate::Runs);
    assert_eq!(ran_here, Vec::<String>::new());
    let results = check_results(&run);
    let (passed, failed) = (CheckOutcome::Passed, CheckOutcome::Failed(Some(1)));
    let outcomes: Vec<CheckOutcome> = results.iter().map(|(_, outcome, _)| *outcome).collect();
    let later = [passed; 6];
    assert_eq!(outcomes, [&[passed, failed], &later[..]].concat(), "{results:#?}");
    assert_eq!(results[1].2, ["needed.txt is missing"]);
    // Two attempts, the review and the merge.
    assert_eq!(run.submitted(), 4);
    let nodes =
        run.project.events.all().into_iter().filter(|event| {
            matches!(event, LoopEvent::JobStarted { purpose: JobPurpose::Checks, .. })
        });
    assert_eq!(nodes.count(), 4);
}

#[test]
fn checks_run_here_if_their_job_fails() {
    for fate in [Fate::Dies, Fate::IsRefused] {
        let (run, ran_here) = run_with_checks_elsewhere(&["pass"], fate);
        assert_eq!(ran_here, ["pass"], "{fate:?}");
        let warnings = run.project.warnings();
        let start = "running the checks on this machine, because their job failed: ";
        assert!(warnings.iter().any(|text| text.starts_with(start)), "{warnings:?}");
    }
}
