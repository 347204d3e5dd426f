//! A review of a range of commits, without a run: each lens is a session of its own, in a clone of its own outside of the
//! project. What it changes there is removed with the clone.

mod merged;

use std::path::{Path, PathBuf};
use std::time::Instant;

use events::{AgentOutcome, TimedTask};
use run_options::{ReviewLens, Word};
use vcs::{CommitId, WorkTree};

pub use merged::{MergedFinding, merged_findings};

use crate::clones;
use crate::control::{Counters, RunControl, cost_limit_is_reached};
use crate::drive::preconditions;
use crate::event_sink::EventSink;
use crate::lane::{AnswerFormat, Lane, SideSession, answer_schema, findings, prompt};
use crate::options::StoryOptions;
use crate::run_files::{self, deadline};
use crate::run_id::new_run_id;
use crate::session::{Allowance, Session};
use crate::workspace::Baseline;
use crate::{Observer, RunError, StopSwitch};

/// Sessions of one lens, until one gives a list of findings.
const MOST_TRIES: u64 = 2;

/// The branch of the clones.
const BRANCH: &str = "ralph-review";

/// The commits after `from`, up to `to`.
#[derive(Debug, Clone)]
pub struct ReviewRange {
    /// As the user wrote it.
    pub name: String,
    pub from: CommitId,
    pub to: CommitId,
}

/// The review of one lens.
#[derive(Debug, Clone)]
pub struct LensReview {
    pub lens: ReviewLens,
    /// The error says why there is no list that counts.
    pub findings: Result<Vec<events::ReviewFinding>, NoFindings>,
    pub seconds: f64,
    pub cost_usd: f64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoFindings {
    /// The cost limit was reached before.
    CostCeiling,
    Stopped,
    Failed {
        why: String,
    },
}

/// A clone for one session of a lens, and the options there.
struct Place {
    folder: PathBuf,
    options: StoryOptions,
}

struct RangeReviewer<'r> {
    range: &'r ReviewRange,
    project: &'r WorkTree,
    run_id: String,
    switch: &'r StopSwitch,
    sink: EventSink<'r>,
    counters: Counters,
}

/// Sessions of the implementing agent of `options` review the range, one after the other, in clones in `folder`. Events
/// name the lens by its number as the lane, from 1.
pub fn review_range(
    options: &StoryOptions,
    range: &ReviewRange,
    lenses: &[ReviewLens],
    folder: &Path,
    switch: &StopSwitch,
    observer: &mut dyn Observer,
) -> Result<Vec<LensReview>, RunError> {
    preconditions::require_reported_limits(&options.run, [&options.run.agent].into_iter())?;
    let project = clones::project_of(options)?;
    let places: Vec<Vec<Place>> = (1..)
        .zip(lenses)
        .map(|(number, lens)| {
            let of_try = |attempt: u64| {
                let folder = folder.join(format!("{}-{attempt}", lens.name()));
                Place {
                    options: clones::options_outside(options, &project, &folder, number),
                    folder,
                }
            };
            (1..=MOST_TRIES).map(of_try).collect()
        })
        .collect();
    let run_id = new_run_id();
    let sink = EventSink::new(run_id.clone(), observer);
    let counters = Counters::default();
    let mut reviewer =
        RangeReviewer { range, project: &project, run_id, switch, sink: sink.clone(), counters };
    let mut reviews = Vec::new();
    for (number, (lens, places)) in (1..).zip(lenses.iter().zip(&places)) {
        reviewer.sink = sink.of_lane(number);
        reviews.push(reviewer.review(*lens, number, places)?);
    }
    Ok(reviews)
}

impl<'r> RangeReviewer<'r> {
    fn review(
        &mut self,
        lens: ReviewLens,
        number: u64,
        places: &'r [Place],
    ) -> Result<LensReview, RunError> {
        let (began, spent) = (Instant::now(), self.counters.cost_usd);
        let mut found = Err(NoFindings::Stopped);
        for place in places {
            if self.switch.requested().is_some() {
                found = Err(NoFindings::Stopped);
            } else if cost_limit_is_reached(&place.options.run.policy, self.counters.cost_usd) {
                found = Err(NoFindings::CostCeiling);
            } else {
                let session = self.session(lens, number, place);
                if let Err(error) = project::remove_any(&place.folder) {
                    let folder = place.folder.display();
                    self.sink.warn(format!("cannot remove the clone {folder}: {error}"));
                }
                let session = session?;
                self.counters.add_session(&session.conclusion);
                found = findings(&session).map_err(|why| match session.conclusion.outcome {
                    AgentOutcome::Stopped => NoFindings::Stopped,
                    AgentOutcome::BudgetExhausted => NoFindings::CostCeiling,
                    _ => NoFindings::Failed { why },
                });
            }
            if !matches!(found, Err(NoFindings::Failed { .. })) {
                break;
            }
        }
        let (seconds, cost_usd) = (began.elapsed().as_secs_f64(), self.counters.cost_usd - spent);
        Ok(LensReview { lens, findings: found, seconds, cost_usd })
    }

    fn session(
        &self,
        lens: ReviewLens,
        number: u64,
        Place { folder: place, options }: &'r Place,
    ) -> Result<Session, RunError> {
        let (layout, clone) = (&options.run.layout, place.join("clone"));
        let folder = layout.run_dir(&self.run_id);
        run_files::make_folder(&folder, layout)?;
        let tree = clones::make(self.project, &clone, layout, &self.sink)?;
        tree.check_out(BRANCH, &self.range.to, deadline())?;
        let (run_id, sink) = (self.run_id.clone(), self.sink.clone());
        let mut control =
            RunControl::new(&options.run, run_id.clone(), &self.counters, self.switch, sink);
        control.clock.start(Instant::now());
        control.sandbox = control.prepare_sandbox([&options.run.agent])?;
        let baseline = Baseline { branch: BRANCH.to_owned(), ..Baseline::default() };
        let mut lane = Lane::new(options, run_id, tree, baseline, self.sink.clone());
        let (agent, limit) = (&options.run.agent, options.run.limits.review);
        let commits = [self.range.from.as_str(), self.range.to.as_str()];
        let answer = AnswerFormat::of(agent);
        let side = SideSession {
            agent,
            prompt: prompt::about_range(&self.range.name, commits, lens, answer),
            prompt_file: folder.join("prompt.md"),
            recording: folder.join("stream.jsonl"),
            iteration: number,
            servers: layout.mcp_coding(),
            answer_schema: answer_schema(agent),
            allowance: Allowance { what: TimedTask::Review, limit },
        };
        lane.run_side_session(side, self.counters.unavailable_usd(), &mut control)
    }
}
