//! Runs one session for a coordinator on another machine: makes a clone a lane, runs the session there, and pushes
//! everything that it left. Judges nothing.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use events::{CheckOutcome, LoopEvent, Stamped};
use serde::Deserialize;
use supervise::{
    ChildEvent, Ended, Launch, OutputLine, Reaction, Source, StopRequests, SuperviseError,
};
use vcs::{CommitId, Identity, WorkTree};
use verify::Finding;

use crate::checks::guardrails::GuardrailResult;
use crate::checks::{GuardrailResults, RoundInput, RoundPurpose};
use crate::clones::{SetupResult, set_up};
use crate::control::executor::{Executor, LocalProcesses};
use crate::control::node_jobs::{Submission, WorkerResult, WorkerStart};
use crate::control::{Counters, RunControl};
use crate::event_sink::EventSink;
use crate::jobs::worker_line::{LineNumber, WorkerMessage, of_agent};
use crate::jobs::{WORK_FILE, result_ref};
use crate::lane::{Lane, NodeTask, NodeWork, StartInput, TaskText};
use crate::options::StoryOptions;
use crate::run_files::{self, deadline, no_commit};
use crate::workspace::{Baseline, ReviewNotice};
use crate::{Observer, RunError, StopSwitch, TimeLimit, own_file};

/// Seconds between two attempts to push.
const PUSH_WAITS: [u64; 5] = [1, 5, 30, 120, 300];

const SAME_VERSION: &str = "use the same version of ralph-loop on the node and where the run is";

const LARGEST_WORK: u64 = 64 * 1024 * 1024;

/// Where work comes from, and where its result goes.
#[derive(Debug, Clone)]
pub struct WorkSource {
    pub repository: String,
    /// The full name of the ref.
    pub name: String,
    pub commit: CommitId,
    pub node: String,
    /// A later start of the same job has a higher number.
    pub start: u64,
}

/// Work on this machine, in a clone without files.
#[derive(Debug)]
pub struct FetchedWork {
    source: WorkSource,
    tree: WorkTree,
    start: CommitId,
    pub work: NodeWork,
}

/// Makes a clone in `folder`, which does not exist or is empty.
pub fn fetch_work(source: WorkSource, folder: PathBuf) -> Result<FetchedWork, RunError> {
    let WorkSource { repository, name, commit, .. } = &source;
    std::fs::create_dir_all(&folder).map_err(RunError::disk(folder.display()))?;
    let tree = WorkTree::fetch_into(&folder, repository, name, commit, deadline())?;
    let start = tree.rev_parse(&format!("{commit}^"), deadline())?.ok_or_else(no_commit)?;
    let bytes = tree.file_at(commit, WORK_FILE, LARGEST_WORK, deadline())?.unwrap_or_default();
    refuse_other_version(&bytes)?;
    let work = serde_json::from_slice(&bytes).map_err(|error| {
        RunError::precondition(format!("{name} contains no work: {error}"), SAME_VERSION)
    })?;
    Ok(FetchedWork { source, tree, start, work })
}

/// Another version could enforce other rules.
fn refuse_other_version(work: &[u8]) -> Result<(), RunError> {
    #[derive(Deserialize)]
    struct Versioned {
        version: String,
    }
    let own = env!("CARGO_PKG_VERSION");
    match serde_json::from_slice(work) {
        Ok(Versioned { version }) if version != own => Err(RunError::precondition(
            format!("ralph-loop on the node has version {own}, the run has {version}"),
            SAME_VERSION,
        )),
        _ => Ok(()),
    }
}

/// `options` are those of the settings in the work.
pub fn run_node_work(
    options: &StoryOptions,
    fetched: FetchedWork,
    switch: &StopSwitch,
    output: WorkerOutput,
) -> Result<(), RunError> {
    run_node_work_with(&LocalProcesses, options, fetched, switch, output)
}

pub(crate) fn run_node_work_with(
    executor: &dyn Executor,
    options: &StoryOptions,
    fetched: FetchedWork,
    switch: &StopSwitch,
    output: WorkerOutput,
) -> Result<(), RunError> {
    let FetchedWork { source, tree, start, work } = fetched;
    let name = result_ref(&source.name, source.start);
    let root: PathBuf = tree.top().join(&work.project_folder).components().collect();
    prepare_clone(&tree, &start, &root, &work)?;
    let tree = WorkTree::open(&root).map_err(|_| no_commit())?;
    let options = options_in_clone(options, &work, root.clone());
    output.say(WorkerMessage::Started(WorkerStart { node: source.node.clone(), root }));
    let ended = Arc::new(Mutex::new(None));
    let mut observer = NodeEvents { output: output.clone(), ended: Arc::clone(&ended) };
    let sink = EventSink::new(work.job.clone(), &mut observer);
    if work.is_trial() {
        tree.push_commit(&source.repository, &start, &name, deadline())?;
        let (ended, commit) = (Ended::not_started(), Some(start.to_string()));
        let (findings, notices) = Default::default();
        output.say(WorkerMessage::Ended(WorkerResult { ended, commit, findings, notices }));
        return Ok(());
    }
    let baseline = Baseline { branch: work.branch.clone(), ..Baseline::default() };
    let lane = Lane::new(&options, work.job.clone(), tree.clone(), baseline, sink.clone());
    let counters = Counters::default();
    let control = RunControl::new(&options.run, work.job.clone(), &counters, switch, sink);
    let control = RunControl { executor, trace: work.trace.clone(), ..control };
    let forwarding = Forwarding { executor, output: output.clone(), ended: Arc::clone(&ended) };
    let has_changes = !matches!(work.task, NodeTask::Checks { .. });
    let (findings, notices) = NodeLane { lane, control }.run(work, &start, &forwarding)?;
    let mut commit = None;
    if has_changes {
        let head = tree.head(deadline())?.ok_or_else(no_commit)?;
        let warn = |text| output.say(WorkerMessage::Warning(text));
        push_persistently(&tree, &source.repository, &head, &name, &warn)?;
        commit = Some(head.to_string());
    }
    let ended = ended.lock().unwrap_or_else(PoisonError::into_inner).take();
    let ended = ended.unwrap_or_else(Ended::not_started);
    output.say(WorkerMessage::Ended(WorkerResult { ended, commit, findings, notices }));
    Ok(())
}

/// Several times, because the work of the session would be lost.
pub(crate) fn push_persistently(
    tree: &WorkTree,
    repository: &str,
    head: &CommitId,
    name: &str,
    warn: &dyn Fn(String),
) -> Result<(), RunError> {
    for wait in PUSH_WAITS {
        match tree.push_commit(repository, head, name, deadline()) {
            Ok(()) => return Ok(()),
            Err(error) => {
                warn(format!("cannot push the work; trying again in {wait}s: {error}"));
                std::thread::sleep(Duration::from_secs(wait));
            }
        }
    }
    Ok(tree.push_commit(repository, head, name, deadline())?)
}

/// Checks out the files, and adds those of the runner.
fn prepare_clone(
    tree: &WorkTree,
    start: &CommitId,
    root: &Path,
    work: &NodeWork,
) -> Result<(), RunError> {
    tree.check_out(&work.branch, start, deadline())?;
    if let Some((name, email)) = &work.author {
        let author = Identity { name: name.clone(), email: email.clone() };
        tree.set_identity(&author, deadline())?;
    }
    for (path, text) in &work.files {
        let path = root.join(path);
        own_file::put(root, &path, text.as_bytes()).map_err(RunError::disk(path.display()))?;
    }
    Ok(())
}

fn options_in_clone(options: &StoryOptions, work: &NodeWork, root: PathBuf) -> StoryOptions {
    let mut options = options.in_folder(root, work.lane, &[options.run.layout.runs()]);
    let hard = work.seconds_left.and_then(|left| Duration::try_from_secs_f64(left).ok());
    options.run.limits.run = TimeLimit { hard, soft: None };
    // Failed work is rolled back where it is judged.
    options.rollback = None;
    options
}

/// A lane without a coordinator.
struct NodeLane<'a> {
    lane: Lane<'a>,
    control: RunControl<'a>,
}

impl<'a> NodeLane<'a> {
    /// Returns forbidden changes of the repository, and notices for the reviewer. The work is committed.
    fn run(
        self,
        work: NodeWork,
        start: &CommitId,
        forwarding: &'a Forwarding<'a>,
    ) -> Result<(Vec<String>, Vec<ReviewNotice>), RunError> {
        let Self { mut lane, mut control } = self;
        let options = lane.options;
        control.clock.start(Instant::now());
        control.sandbox = control.prepare_sandbox(options.agents())?;
        lane.workspace.guard_repository(None, false)?;
        let folder = lane.layout.run_dir(&work.job).join("setup");
        match set_up(&work.setup, start, &lane.workspace, &mut control, &mut None, &folder)? {
            SetupResult::Unneeded => {}
            SetupResult::Done => {
                lane.workspace.tree.start_branch(&work.branch, start, deadline())?;
            }
            SetupResult::Failed(why) => return Err(RunError::precondition(why, "")),
            SetupResult::Interrupted => return Ok(Default::default()),
        }
        lane.workspace.record_users_files()?;
        let before = Arc::new(TaskText::read(lane.layout)?);
        let (assignment, session, input) = match work.task {
            NodeTask::Trial => return Ok(Default::default()),
            NodeTask::Session { assignment, session, input } => (assignment, session, input),
            NodeTask::Checks { story, guardrails, list } => {
                control.executor = forwarding;
                let folder = lane.layout.run_dir(&work.job).join("checks");
                run_files::make_folder(&folder, lane.layout)?;
                let (story, start) = (Some(story), start.clone());
                let purpose = RoundPurpose::Check;
                let input = RoundInput { guardrails: &guardrails, folder: &folder, purpose };
                let (results, changes) =
                    lane.run_round(&mut control, story, input, &list, start)?;
                refuse_unstarted(&results)?;
                return Ok((changes, Vec::new()));
            }
        };
        let start = StartInput {
            began_at: input.began_at.as_deref(),
            context_window: input.context_window,
            clock: &control.clock,
            proof_files: &input.proof_files,
        };
        let iteration = lane.prepare(assignment, before, session, &start)?;
        control.executor = forwarding;
        lane.run_prepared_session(&iteration, &input, Submission::New, &mut control)?;
        let tampering = iteration.tampering(lane.layout);
        let tampering = tampering.map(|found| Finding::Tampered(found).to_string());
        lane.remove_marker();
        let changed = lane.commit_work(&iteration)?;
        let changed = changed.into_iter().map(|change| change.to_string());
        let notices = lane.workspace.take_notices();
        let notices = notices.into_iter().map(|(_, notice)| notice).collect();
        Ok((tampering.into_iter().chain(changed).collect(), notices))
    }
}

/// The coordinator runs such checks itself.
fn refuse_unstarted(results: &GuardrailResults) -> Result<(), RunError> {
    let is_unstarted = |it: &&GuardrailResult| it.outcome == CheckOutcome::NotStarted;
    match results.finished.iter().find(is_unstarted).and_then(|it| it.failed.as_ref()) {
        Some(failed) => {
            let what = format!("check `{}` {}: {}", failed.command, failed.how, failed.start);
            Err(RunError::precondition(what, ""))
        }
        None => Ok(()),
    }
}

/// What the coordinator reads: the worker's own lines, and those of the agent.
#[derive(Clone)]
pub struct WorkerOutput(Arc<Mutex<NumberedLines>>);

impl fmt::Debug for WorkerOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkerOutput").finish_non_exhaustive()
    }
}

struct NumberedLines {
    last: LineNumber,
    stream: Box<dyn Write + Send>,
}

impl WorkerOutput {
    /// `start` is that of the job.
    pub fn new(start: u64, stream: Box<dyn Write + Send>) -> Self {
        let last = LineNumber { start, line: 0 };
        Self(Arc::new(Mutex::new(NumberedLines { last, stream })))
    }

    /// Why the worker could not run the session.
    pub fn failed(&self, text: &str) {
        let text = text.replace('\n', "; ");
        let (source, bytes) = (Source::Stderr, text.as_bytes());
        self.write(|number| of_agent(OutputLine { source, bytes, cut: 0 }, number));
    }

    /// What a trial of a node found.
    pub fn note(&self, text: &str) {
        let (source, bytes) = (Source::Stdout, text.as_bytes());
        self.write(|number| of_agent(OutputLine { source, bytes, cut: 0 }, number));
    }

    fn say(&self, message: WorkerMessage) {
        self.write(|number| message.line(number));
    }

    /// A coordinator that cannot read any more must not end the session.
    fn write(&self, line: impl FnOnce(LineNumber) -> Vec<u8>) {
        let mut output = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        output.last.line += 1;
        let line = line(output.last);
        let _ = output.stream.write_all(&line).and_then(|()| output.stream.flush());
    }
}

/// The events that the coordinator needs.
struct NodeEvents {
    output: WorkerOutput,
    ended: LastEnd,
}

/// How the last process of a session or a check ended.
type LastEnd = Arc<Mutex<Option<Ended>>>;

impl Observer for NodeEvents {
    fn event(&mut self, stamped: &Stamped) -> io::Result<()> {
        match &stamped.event {
            LoopEvent::Warning { text } => self.output.say(WorkerMessage::Warning(text.clone())),
            LoopEvent::CheckStarted { number, .. } => {
                self.output.say(WorkerMessage::CheckStarted(*number));
            }
            LoopEvent::CheckEnded(_) => {
                let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner).take();
                if let Some(ended) = ended {
                    self.output.say(WorkerMessage::CheckEnded(ended));
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// Passes the lines of the agent and of checks on.
struct Forwarding<'e> {
    executor: &'e dyn Executor,
    output: WorkerOutput,
    ended: LastEnd,
}

impl Executor for Forwarding<'_> {
    fn run(
        &self,
        launch: Launch,
        stop: &StopRequests,
        on_event: &mut dyn FnMut(ChildEvent<'_>) -> Reaction,
    ) -> Result<Ended, SuperviseError> {
        let ended = self.executor.run(launch, stop, &mut |event| {
            if let ChildEvent::Line(line) = event {
                self.output.write(|number| of_agent(line, number));
            }
            on_event(event)
        })?;
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(ended.clone());
        Ok(ended)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_of_another_version_is_refused_whatever_else_it_contains() {
        let own = format!(r#"{{"version": "{}", "x": 1}}"#, env!("CARGO_PKG_VERSION"));
        assert!(refuse_other_version(own.as_bytes()).is_ok());
        let error = refuse_other_version(br#"{"version": "0.0.1"}"#).unwrap_err();
        assert!(error.to_string().ends_with("the run has 0.0.1"), "{error}");
    }
}
