//! A scratch repository with a task list, and the options of a run in it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;
use std::{fs, io};

use agents::{Agent, PromptVia};
use events::{AgentOutcome, Figures, LoopEvent, Stamped};
use project::{CommandRules, Layout};
use serde_json::{Value, json};
use supervise::Keeper;
use tasks::{Mode, ReviewPolicy, ReviewVerdict, StoryId};
use test_repo::{commit_all, git, init_for_commits};
use vcs::{AllowedChanges, WorkTree};

use crate::control::executor::Executor;
use crate::control::{IterationAttempt, IterationResult, Step};
use crate::coordinator::core::Coordinator;
use crate::coordinator::failed_attempt::IterationEnding;
use crate::coordinator::start::run_with;
use crate::coordinator::state::SavedRun;
use crate::event_sink::EventSink;
use crate::in_process::processes::PlayedProcesses;
use crate::lane::assignment::{Assignment, StoryWork};
use crate::lane::handoff::SessionHandoff;
use crate::lane::iteration::Iteration;
use crate::lane::prepare::StartInput;
use crate::lane::prompt::Escalation;
use crate::lane::settlement::{SessionEnd, Settlement};
use crate::options::{
    AgentOptions, AtReviewCap, AttemptLimits, BaseChecks, CheckSandbox, ChosenIsolation,
    FinalReviewUse, McpServers, OnTimeout, OnUsageLimit, QuestionLimits, Retries, RunOptions,
    RunPolicy, SessionIsolation, StartMode, StoryOptions, ValidationStrategy,
};
use crate::parallel::start::run_separately;
use crate::run_files::deadline;
use crate::{FinishedRun, LoopResult, Observer, RunError, StopSwitch, TimeLimit, TimeLimits};

pub(crate) const BRANCH: &str = "ralph/x";

/// Longer than any session waits for another one.
pub(crate) const PATIENCE: Duration = Duration::from_secs(600);

#[derive(Default, Clone)]
pub(crate) struct RecordedEvents(Arc<(Mutex<Vec<Stamped>>, Condvar)>);

impl RecordedEvents {
    pub(crate) fn all(&self) -> Vec<LoopEvent> {
        self.stamped().into_iter().map(|stamped| stamped.event).collect()
    }

    pub(crate) fn stamped(&self) -> Vec<Stamped> {
        self.0.0.lock().unwrap().clone()
    }

    pub(crate) fn wait_for(&self, is_wanted: impl Fn(&LoopEvent) -> bool) {
        let (events, changed) = &*self.0;
        let is_missing =
            |events: &mut Vec<Stamped>| !events.iter().any(|stamped| is_wanted(&stamped.event));
        let events = events.lock().unwrap();
        let waited = changed.wait_timeout_while(events, PATIENCE, is_missing).unwrap();
        assert!(!waited.1.timed_out(), "the event did not come");
    }
}

impl Observer for RecordedEvents {
    fn event(&mut self, stamped: &Stamped) -> io::Result<()> {
        self.0.0.lock().unwrap().push(stamped.clone());
        self.0.1.notify_all();
        Ok(())
    }
}

pub(crate) struct Project {
    /// `None` for a clone.
    _dir: Option<assert_fs::TempDir>,
    root: PathBuf,
    pub(crate) options: StoryOptions,
    pub(crate) switch: StopSwitch,
    pub(crate) events: RecordedEvents,
    pub(crate) processes: PlayedProcesses<'static>,
}

pub(crate) fn id(text: &str) -> StoryId {
    StoryId::new(text).unwrap()
}

pub(crate) fn story(id: &str) -> Value {
    json!({"id": id, "title": "Sum", "acceptanceCriteria": ["works"], "priority": 1, "passes": false,
        "reviewStatus": null, "reviewCount": 0, "reviewFeedback": "", "notes": ""})
}

impl Project {
    /// With one story, US-1, and these checks.
    pub(crate) fn new(checks: &[&str]) -> Self {
        Self::with(&[story("US-1")], checks)
    }

    pub(crate) fn with(stories: &[Value], checks: &[&str]) -> Self {
        let dir = assert_fs::TempDir::new().unwrap();
        let root = dir.path();
        init_for_commits(root);
        let list = json!({"project": "p", "branchName": BRANCH, "description": "d",
            "verifyCommands": checks, "userStories": stories});
        let text = serde_json::to_string_pretty(&list).unwrap() + "\n";
        for (name, text) in [
            ("src/lib.rs", "pub fn sum() {}\n"),
            ("ralph/tasks.json", text.as_str()),
            ("ralph/prd.md", "# PRD\n"),
            (".gitignore", ".ralph/\n.ralph-active\ntarget/\n"),
        ] {
            write(root, name, text);
        }
        commit_all(root);
        git(root, &["switch", "-q", "-c", BRANCH]);
        fs::create_dir_all(root.join(".ralph")).unwrap();
        Self {
            root: root.to_path_buf(),
            options: options(Layout::new(root)),
            switch: StopSwitch::new(Duration::ZERO),
            events: RecordedEvents::default(),
            processes: PlayedProcesses::checks_only(),
            _dir: Some(dir),
        }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// For an agent that works in a clone.
    pub(crate) fn in_clone(&self, root: PathBuf) -> Self {
        let options = self.options.clone();
        let switch = StopSwitch::new(Duration::ZERO);
        let (events, processes) = (self.events.clone(), PlayedProcesses::checks_only());
        Self { _dir: None, root, options, switch, events, processes }
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        write(self.root(), name, text);
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.root().join(name)).unwrap()
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        git(self.root(), args).trim().to_owned()
    }

    pub(crate) fn commit(&self, name: &str, text: &str) {
        self.write(name, text);
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "work"]);
    }

    /// The story in the list on disk.
    pub(crate) fn story(&self, id: &str) -> Value {
        let list: Value = serde_json::from_str(&self.read("ralph/tasks.json")).unwrap();
        let stories = list["userStories"].as_array().unwrap().clone();
        stories.into_iter().find(|story| story["id"] == id).unwrap()
    }

    /// Sets fields of a story, as an agent does, and commits.
    pub(crate) fn set(&self, id: &str, fields: &[(&str, Value)]) {
        let mut list: Value = serde_json::from_str(&self.read("ralph/tasks.json")).unwrap();
        let stories = list["userStories"].as_array_mut().unwrap();
        let story = stories.iter_mut().find(|story| story["id"] == id).unwrap();
        for (name, value) in fields {
            story[*name] = value.clone();
        }
        self.commit("ralph/tasks.json", &(serde_json::to_string_pretty(&list).unwrap() + "\n"));
    }

    pub(crate) fn submit(&self, id: &str) {
        self.set(id, &[("reviewStatus", json!("needs_review")), ("reviewFeedback", json!(""))]);
    }

    /// A story with a submission that waits for its review.
    pub(crate) fn submitted(checks: &[&str]) -> Self {
        let mut submitted = story("US-1");
        submitted["reviewStatus"] = json!("needs_review");
        Self::with(&[submitted], checks)
    }

    /// As at the start of a run.
    pub(crate) fn coordinator<'a>(&'a self, observer: &'a mut RecordedEvents) -> Coordinator<'a> {
        let mut saved = SavedRun::new("r1".into(), events::now());
        saved.baseline.branch = BRANCH.into();
        self.resumed(saved, observer)
    }

    pub(crate) fn resumed<'a>(
        &'a self,
        saved: SavedRun,
        observer: &'a mut RecordedEvents,
    ) -> Coordinator<'a> {
        let tree = WorkTree::open(self.root()).unwrap();
        let sink = EventSink::new("r1".into(), observer);
        let mut run = Coordinator::new(&self.options, tree, saved, &self.switch, sink);
        run.control.executor = &self.processes;
        let workspace = &mut run.lane.workspace;
        workspace.guard_repository(None, false).unwrap();
        workspace.baseline.unwatched_before = workspace.tree.unwatched(deadline()).unwrap();
        workspace.record_users_files().unwrap();
        workspace.baseline.control = Some(workspace.tree.control_record().unwrap());
        run
    }

    /// A whole run, as the program starts it: `session` gets every prompt and returns the answer.
    pub(crate) fn run(
        &self,
        session: impl FnMut(&str) -> String + Send,
    ) -> Result<LoopResult, RunError> {
        self.run_by(&PlayedProcesses::new(session, || {}))
    }

    pub(crate) fn run_by(&self, processes: &dyn Executor) -> Result<LoopResult, RunError> {
        let mut observer = self.events.clone();
        match &self.options.lanes {
            None => run_with(processes, &self.options, &self.switch, &mut observer),
            Some(lanes) => {
                run_separately(processes, &self.options, lanes, &self.switch, &mut observer)
            }
        }
    }

    pub(crate) fn finished(&self, session: impl FnMut(&str) -> String + Send) -> FinishedRun {
        match self.run(session).unwrap() {
            LoopResult::Ran(finished) => finished,
            LoopResult::NothingToDo { .. } => panic!("nothing to do"),
        }
    }

    pub(crate) fn warnings(&self) -> Vec<String> {
        let text = |event| match event {
            LoopEvent::Warning { text } => Some(text),
            _ => None,
        };
        self.events.all().into_iter().filter_map(text).collect()
    }

    pub(crate) fn saved(&self) -> SavedRun {
        SavedRun::load(&self.options.run.layout).unwrap().unwrap()
    }
}

/// The first attempt at an iteration.
pub(crate) fn assigned(mode: Mode, story: &str, iteration: u64) -> Assignment {
    let work = StoryWork { mode, story: id(story) };
    Assignment::new(IterationAttempt { iteration, attempt: 1 }, work)
}

/// An iteration in which the test is the agent.
pub(crate) struct PlayedIteration {
    pub(crate) iteration: Iteration,
    pub(crate) settlement: Settlement,
}

impl PlayedIteration {
    pub(crate) fn step(&self) -> Option<Step> {
        self.settlement.result.judged(AgentOutcome::Answered).map(|(step, _)| step)
    }

    pub(crate) fn findings(&self) -> String {
        let failure = self.settlement.failure.as_ref();
        failure.map(|failure| failure.findings.join("\n")).unwrap_or_default()
    }
}

impl Coordinator<'_> {
    /// Prepares and begins an iteration, as `iterate_story` does before the session.
    pub(crate) fn started(&mut self, mode: Mode, story: &str, number: u64) -> Iteration {
        let assignment = assigned(mode, story, number);
        let before = self.expected_tasks().unwrap();
        let began_at =
            self.state.stories.get(&id(story)).and_then(|record| record.began_at.clone());
        let start = StartInput {
            began_at: began_at.as_deref(),
            context_window: None,
            clock: &self.control.clock,
            proof_files: &Default::default(),
        };
        let iteration = self.lane.prepare(assignment, before, "session".into(), &start).unwrap();
        self.begin_iteration(&iteration).unwrap();
        iteration
    }

    /// The text of the prompt for iteration 2.
    pub(crate) fn prompt_text(&mut self, mode: Mode, story: &str) -> String {
        let list = self.expected_tasks().unwrap();
        let context = self.story_context(&id(story), Escalation::default());
        let assignment = assigned(mode, story, 2);
        self.lane.prompt(&assignment, &list.list, &context).unwrap().text
    }

    /// Settles what the test did since `started`.
    pub(crate) fn settled(
        &mut self,
        iteration: Iteration,
        outcome: AgentOutcome,
        verdict: Option<ReviewVerdict>,
    ) -> PlayedIteration {
        let handoff = SessionHandoff::default();
        let end = SessionEnd { outcome, verdict, handoff };
        let context = self.story_context(&iteration.assignment.story, Escalation::default());
        let settlement = self.settle(&iteration, &end, &context).unwrap();
        PlayedIteration { iteration, settlement }
    }

    /// One whole iteration: `act` is the session.
    pub(crate) fn played(
        &mut self,
        mode: Mode,
        number: u64,
        verdict: Option<ReviewVerdict>,
        act: impl FnOnce(),
    ) -> PlayedIteration {
        let iteration = self.started(mode, "US-1", number);
        act();
        self.settled(iteration, AgentOutcome::Answered, verdict)
    }

    /// Books an iteration that ended with this step and outcome.
    pub(crate) fn booked(
        &mut self,
        iteration: &Iteration,
        step: Step,
        outcome: AgentOutcome,
    ) -> IterationResult {
        let ending = IterationEnding {
            outcome,
            step,
            session: None,
            elapsed: Duration::ZERO,
            check_time: Duration::ZERO,
            reviewers_cost_usd: 0.0,
            question: None,
        };
        self.account(iteration, &ending).unwrap();
        self.save().unwrap();
        IterationResult::new(outcome, step, None)
    }
}

fn write(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn options(layout: Layout) -> StoryOptions {
    let limit = TimeLimit::minutes(1, 2);
    StoryOptions {
        run: RunOptions {
            layout,
            agent: AgentOptions {
                agent: Agent::Text,
                program: PathBuf::from("agent"),
                program_in_image: PathBuf::from("agent"),
                model: None,
                fallback_model: None,
                max_turns: None,
                extra_args: Vec::new(),
                settings: None,
                prompt_via: PromptVia::default(),
                filters: None,
                environment: Vec::new(),
                isolation: ChosenIsolation {
                    chosen: SessionIsolation::Guard,
                    passed_over: Vec::new(),
                },
            },
            fallbacks: Vec::new(),
            lane: None,
            trace: None,
            policy: RunPolicy {
                max_iterations: 20,
                max_cost_usd: None,
                max_quota: None,
                on_usage_limit: OnUsageLimit::default(),
                on_timeout: OnTimeout::CountIteration,
                retries: Retries { most: 3, first_wait: run_options::TimeSpan::from_secs(0) },
                pause: Duration::ZERO,
            },
            limits: TimeLimits {
                run: TimeLimit::default(),
                implement: limit,
                review: limit,
                check: limit,
                quality: limit,
                memory: limit,
                idle: None,
                grace: Duration::from_secs(5),
                linger: Duration::from_secs(5),
            },
            guardrails: Vec::new(),
            checks: CheckSandbox::Off,
            quoted_output: 2000,
            variables: Default::default(),
            include_iteration_count: false,
            scm: None,
            start: StartMode::Auto,
            keeper: Keeper::at("no keeper"),
            guard: None,
            commands: CommandRules::default(),
            allowed_changes: AllowedChanges::default(),
        },
        only_story: None,
        reviewer: None,
        panel: Vec::new(),
        review: ReviewPolicy::Required { cap: 3 },
        at_review_cap: AtReviewCap::default(),
        final_review: FinalReviewUse::default(),
        attempts: AttemptLimits::default(),
        help: Default::default(),
        questions: QuestionLimits::default(),
        proof: Default::default(),
        validation: ValidationStrategy::default(),
        base_checks: BaseChecks::Off,
        quality: None,
        memory: None,
        servers: McpServers::default(),
        rollback: None,
        allow_dirty: false,
        max_blocks: None,
        so_far: Figures::default(),
        lanes: None,
    }
}
