//! A new clone of the work tree for one candidate, or for the review that chooses among them. It is removed afterwards:
//! nothing that a session leaves there counts, except the commit that followed the rules and passed the checks.

use std::io;
use std::path::PathBuf;
use std::time::Instant;

use events::{AgentOutcome, LoopEvent, Stamped};
use vcs::CommitId;

use crate::clones::{self, SetupResult, set_up};
use crate::control::Step;
use crate::coordinator::core::{Coordinator, StateStore};
use crate::coordinator::state::{LaneState, SavedRun, StoryRunState};
use crate::event_sink::EventSink;
use crate::lane::{Assignment, Iteration, SideSession};
use crate::options::CandidateOptions;
use crate::run_files::{deadline, no_commit};
use crate::session::Session;
use crate::workspace::Baseline;
use crate::{Observer, RunError};

/// A candidate whose session ended and was judged.
pub(crate) struct EndedCandidate {
    pub(crate) outcome: AgentOutcome,
    pub(crate) passes: bool,
    pub(crate) commit: CommitId,
    pub(crate) session: Option<Session>,
}

/// The state of a candidate ends with it.
struct NotSaved;

impl StateStore for NotSaved {
    fn save(
        &self,
        _run: &mut StoryRunState,
        _lane: &LaneState,
        _baseline: &Baseline,
    ) -> Result<(), RunError> {
        Ok(())
    }
}

/// Forwards what happens in the sessions of candidates. Their steps are not those of the story.
struct CandidateEvents<'a>(EventSink<'a>);

impl Observer for CandidateEvents<'_> {
    fn event(&mut self, stamped: &Stamped) -> io::Result<()> {
        if is_about_a_session(&stamped.event) {
            self.0.emit(stamped.event.clone());
        }
        Ok(())
    }
}

fn is_about_a_session(event: &LoopEvent) -> bool {
    matches!(
        event,
        LoopEvent::Warning { .. }
            | LoopEvent::JobWaiting { .. }
            | LoopEvent::JobStarted { .. }
            | LoopEvent::AgentCalled { .. }
            | LoopEvent::SessionStarted { .. }
            | LoopEvent::AgentText { .. }
            | LoopEvent::AgentStderr { .. }
            | LoopEvent::ToolStarted { .. }
            | LoopEvent::ToolEnded { .. }
            | LoopEvent::Context { .. }
            | LoopEvent::ApiRetry { .. }
            | LoopEvent::Quota(_)
            | LoopEvent::HookAnswered { .. }
            | LoopEvent::HookMissing { .. }
            | LoopEvent::AgentEnded(_)
            | LoopEvent::ChangesReverted(_)
            | LoopEvent::SetupStarted { .. }
            | LoopEvent::CheckStarted { .. }
            | LoopEvent::CheckEnded(_)
            | LoopEvent::ProofRan(_)
    )
}

impl Coordinator<'_> {
    /// Its commit has a ref in the work tree's repository afterwards.
    pub(crate) fn run_candidate(
        &mut self,
        iteration: &Iteration,
        base: &CommitId,
        number: u64,
        options: &CandidateOptions,
    ) -> Result<EndedCandidate, RunError> {
        let assignment = Assignment { candidate: Some(number), ..iteration.assignment.clone() };
        let Assignment { iteration: of, story, .. } = &assignment;
        let kept_as = format!("refs/ralph/{}/candidates/{story}-{of}-{number}", self.state.run_id);
        let own = self.lane.workspace.tree.clone();
        let branch = self.lane.workspace.baseline.branch.clone();
        let ended = self.in_new_clone(iteration, base, options, |candidate| {
            let (result, session) = candidate.run_iteration(assignment, Instant::now())?;
            let tree = &candidate.lane.workspace.tree;
            let head = tree.head(deadline())?.ok_or_else(no_commit)?;
            own.fetch_branch(tree.top(), &branch, &head, &kept_as, deadline())?;
            let passes = result.step == Step::Accepted;
            let outcome = result.outcome;
            Ok(EndedCandidate { outcome, passes, commit: head, session })
        })?;
        let not_set_up = || EndedCandidate {
            outcome: match self.control.switch.requested() {
                Some(_) => AgentOutcome::Stopped,
                None => AgentOutcome::Answered,
            },
            passes: false,
            commit: base.clone(),
            session: None,
        };
        let mut ended = ended.unwrap_or_else(not_set_up);
        // The rules for an iteration include that, so this guards against their mistakes.
        ended.passes &= own.is_ancestor(base, &ended.commit, deadline())?;
        Ok(ended)
    }

    /// What the session changes is lost.
    pub(crate) fn review_in_clone(
        &mut self,
        iteration: &Iteration,
        base: &CommitId,
        options: &CandidateOptions,
        side: SideSession<'_>,
    ) -> Result<Option<Session>, RunError> {
        self.in_new_clone(iteration, base, options, |reviewer| {
            let unavailable = reviewer.state.counters.unavailable_usd();
            let side = SideSession { servers: reviewer.layout.mcp_coding(), ..side };
            let session =
                reviewer.lane.run_side_session(side, unavailable, &mut reviewer.control)?;
            reviewer.count_session(&session);
            Ok(session)
        })
    }

    /// `work` runs in a clone at `base`, and what it costs is counted. `None` if the clone cannot be set up, or if the
    /// user stopped the run meanwhile.
    fn in_new_clone<T>(
        &mut self,
        iteration: &Iteration,
        base: &CommitId,
        options: &CandidateOptions,
        work: impl FnOnce(&mut Coordinator<'_>) -> Result<T, RunError>,
    ) -> Result<Option<T>, RunError> {
        let (own, run_id) = (self.lane.workspace.tree.clone(), self.state.run_id.clone());
        let lane = self.options.run.lane.unwrap_or_default();
        let folder =
            options.dir.join(&run_id).join(format!("{}{}", clones::CANDIDATE, lane.number));
        let parent = folder.parent().unwrap_or(&options.dir);
        clones::make_private(parent).map_err(RunError::disk(parent.display()))?;
        let root: PathBuf = folder.join(own.project_folder()).components().collect();
        let borrowed = clones::borrowed_folders(&own, self.layout);
        let in_clone = self.options.in_folder(root, lane, &borrowed);
        let mut events = CandidateEvents(self.control.sink.clone());
        let sink = EventSink::new(run_id, &mut events);
        let tree = clones::make(&own, &folder, self.layout, &sink)?;
        let branch = self.lane.workspace.baseline.branch.clone();
        tree.check_out(&branch, base, deadline())?;
        let saved = SavedRun {
            run: StoryRunState { separate: None, ..self.state.clone() },
            lane: LaneState::default(),
            baseline: Baseline { branch, ..Baseline::default() },
        };
        let mut candidate = Coordinator::new(&in_clone, tree, saved, self.control.switch, sink);
        candidate.control.executor = self.control.executor;
        candidate.control.clock = self.control.clock.clone();
        candidate.store = Box::new(NotSaved);
        candidate.take_up_clone()?;
        let logs = iteration.folder.join("setup-candidate");
        let Coordinator { lane, control, .. } = &mut candidate;
        let set_up = set_up(&options.setup, base, &lane.workspace, control, &mut None, &logs)?;
        let result = match set_up {
            SetupResult::Unneeded => work(&mut candidate).map(Some),
            SetupResult::Done => {
                // The commands may have changed tracked files.
                let branch = candidate.lane.workspace.baseline.branch.clone();
                candidate.lane.workspace.tree.start_branch(&branch, base, deadline())?;
                candidate.lane.workspace.record_users_files()?;
                work(&mut candidate).map(Some)
            }
            SetupResult::Interrupted => Ok(None),
            SetupResult::Failed(why) => {
                candidate.control.sink.warn(format!("a clone cannot be used: {why}"));
                Ok(None)
            }
        };
        let spent = candidate.state;
        self.count_clone(iteration, spent);
        if let Err(error) = project::remove_any(&folder) {
            self.control.sink.warn(format!("cannot remove {}: {error}", folder.display()));
        }
        // The folders of the run and of the project, if nothing is left in them.
        let _ = folder.ancestors().skip(1).take(2).try_for_each(std::fs::remove_dir);
        result
    }

    fn count_clone(&mut self, iteration: &Iteration, spent: StoryRunState) {
        let counters = &mut self.state.counters;
        let cost = spent.counters.cost_usd - counters.cost_usd;
        counters.cost_usd = spent.counters.cost_usd;
        counters.turns = spent.counters.turns;
        counters.quota = spent.counters.quota;
        self.state.tokens = spent.tokens;
        self.state.usage_limits.merge(&spent.usage_limits);
        let record = self.state.story(&iteration.assignment.story);
        record.cost_usd += cost;
        record.help_cost_usd += cost;
    }
}
