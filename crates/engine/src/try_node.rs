//! Tries whether a batch engine can run sessions: submits a small job that does everything but the session.

use std::path::Path;
use std::time::{Duration, Instant};

use job_engines::JobName;
use project::Layout;
use supervise::{Keeper, Reaction, Source, StopRequests};
use tasks::StoryId;
use vcs::WorkTree;

use crate::RunError;
use crate::control::node_jobs::{JobEvent, NodeJob, SessionJobs, Submission};
use crate::event_sink::{EventSink, NoObserver};
use crate::jobs::JobRunner;
use crate::lane::{NodeTask, NodeWork};
use crate::options::{JobOptions, LaneVariables};
use crate::run_files::{deadline, no_commit};
use crate::run_id::new_run_id;

/// A queue can be long.
const PATIENCE: Duration = Duration::from_secs(60);

/// The job is cancelled then.
const GRACE: Duration = Duration::from_secs(5);

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeTrial {
    /// The node that ran the job, and the agents that it has.
    Passed { node: String, agents: Vec<String> },
    /// It did not start in time, for the reason of the engine.
    Waits { reason: String },
    /// What the worker or the engine printed.
    Failed { why: String },
}

/// `log` is a file for the output of the job, on a file system that the nodes share.
pub fn try_node(
    jobs: &JobOptions,
    layout: &Layout,
    log: &Path,
    keeper: &Keeper,
    stop: &StopRequests,
) -> Result<NodeTrial, RunError> {
    let tree = WorkTree::open(layout.root()).map_err(|_| no_commit())?;
    let start = tree.head(deadline())?.ok_or_else(no_commit)?;
    let (id, story) = (new_run_id(), StoryId::new("trial"));
    let story = story.map_err(|error| RunError::precondition(error.to_string(), ""))?;
    let work = trial_work(jobs, layout, &tree);
    let job = NodeJob {
        name: JobName::new(&id, story.as_str(), "0"),
        run_id: &id,
        story: &story,
        work: &serde_json::to_vec(&work).unwrap_or_default(),
        clone: &tree,
        start: &start,
        log,
        limit: Some(PATIENCE),
        grace: GRACE,
        submission: Submission::New,
    };
    let runner = JobRunner::new(jobs, tree.clone(), keeper);
    let (begun, mut node, mut waits) = (Instant::now(), None, String::new());
    let (mut printed, mut agents) = (Vec::new(), Vec::new());
    let done = runner.run(&job, stop, &mut |event| {
        match event {
            JobEvent::Waiting { reason } => waits = reason,
            JobEvent::Started(start, _) => node = Some(start.node),
            JobEvent::Line(line) => {
                let lines = if line.source == Source::Stderr { &mut printed } else { &mut agents };
                lines.push(String::from_utf8_lossy(line.bytes).into_owned());
            }
            JobEvent::Warning(text) => printed.push(text),
            JobEvent::Tick if begun.elapsed() > PATIENCE => return Reaction::Enough,
            _ => {}
        }
        Reaction::Nothing
    });
    let mut observer = NoObserver;
    runner.forget(&id, &story, &EventSink::new(id.clone(), &mut observer));
    Ok(match (done?.result, node) {
        (Some(_), Some(node)) => NodeTrial::Passed { node, agents },
        _ if printed.is_empty() && begun.elapsed() > PATIENCE => NodeTrial::Waits { reason: waits },
        _ => NodeTrial::Failed { why: printed.join("; ") },
    })
}

fn trial_work(jobs: &JobOptions, layout: &Layout, tree: &WorkTree) -> NodeWork {
    NodeWork {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        settings: jobs.settings.clone(),
        agent_program: jobs.agent_program.clone(),
        ralph_dir: layout.ralph_dir_name().into(),
        project_folder: tree.project_folder().to_path_buf(),
        branch: "ralph-trial".to_owned(),
        author: None,
        job: "trial".to_owned(),
        task: NodeTask::Trial,
        trace: None,
        lane: LaneVariables::default(),
        setup: Vec::new(),
        seconds_left: None,
        files: Default::default(),
    }
}
