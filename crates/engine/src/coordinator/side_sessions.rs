//! Sessions outside the work on a story: which agent gets them, and what such a session of a killed runner changed.

use events::LoopEvent;
use tasks::StoryId;
use vcs::CommitId;

use crate::RunError;
use crate::control::AgentChoice;
use crate::coordinator::core::Coordinator;
use crate::coordinator::recover::REMOVE_STATE_HINT;
use crate::coordinator::state::SessionKind;
use crate::lane::recorded::{self};
use crate::lane::{SideSession, session_folder};
use crate::options::AgentOptions;
use crate::session::Session;
use crate::workspace::{Actor, ProjectSnapshot};

impl<'a> Coordinator<'a> {
    /// Runs the session for the wanted agent, or for another one while that is at its usage limit.
    pub(crate) fn run_aside(
        &mut self,
        wanted: &'a AgentOptions,
        story: &StoryId,
        session_of: impl Fn(&'a AgentOptions) -> SideSession<'a>,
    ) -> Result<Session, RunError> {
        let choice = AgentChoice::new(&self.options.run, wanted);
        let mut others = choice.agents().len();
        loop {
            others -= 1;
            let limits = &mut self.state.usage_limits;
            let agent = choice.choose(limits, events::now());
            if let Some(replaced) = choice.replacement(agent, limits, (Some(story.clone()), None)) {
                self.control.sink.emit(LoopEvent::AgentReplaced(replaced));
            }
            let unavailable_usd = self.state.counters.unavailable_usd();
            let side = session_of(agent);
            let session = self.lane.run_side_session(side, unavailable_usd, &mut self.control)?;
            let limits = &mut self.state.usage_limits;
            if !choice.takes_over(agent, limits, &session.conclusion) || others == 0 {
                return Ok(session);
            }
            self.count_session(&session);
        }
    }

    pub(crate) fn recover_side_session(&mut self) -> Result<(), RunError> {
        let Some(begun) = self.lane_state.side_session.clone() else { return Ok(()) };
        let (actor, what) = match begun.kind {
            SessionKind::Compaction => (Actor::Compaction, "a compaction"),
            SessionKind::FinalReview => (Actor::FinalReview, "a final review"),
        };
        let lost = || {
            let what = format!("{what} was interrupted, and the task list from before it is lost");
            RunError::precondition(what, REMOVE_STATE_HINT)
        };
        let folder = session_folder(self.layout, &self.state.run_id, &begun.folder);
        let (Some(folder), Ok(head)) = (folder, CommitId::new(&begun.head)) else {
            return Err(lost());
        };
        let judged = self.lane_state.judged.ok_or_else(lost)?;
        let task_list = self.lane.list_before(&folder, &head, judged).ok_or_else(lost)?.text;
        let protected = recorded::protected(&folder, &begun.protected);
        let (story, recorded) = (None, begun.protected);
        let snapshot = ProjectSnapshot { actor, story, head, task_list, recorded, protected };
        for finding in self.lane.workspace.restore_unexpected_changes(&snapshot, &folder)? {
            self.control
                .sink
                .leftover_found(format!("{finding} before its runner was killed; restored"));
        }
        self.lane_state.side_session = None;
        self.save()
    }
}
