//! Sessions outside the work on a story whose runner was killed: restores what they changed.

use vcs::CommitId;

use crate::RunError;
use crate::coordinator::core::Coordinator;
use crate::coordinator::recover::REMOVE_STATE_HINT;
use crate::coordinator::state::SessionKind;
use crate::lane::recorded::{self};
use crate::lane::session_folder;
use crate::workspace::{Actor, ProjectSnapshot};

impl Coordinator<'_> {
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
