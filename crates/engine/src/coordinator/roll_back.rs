//! Rolls a failed iteration back. The decision is in `state.json` before anything changes, so a resumed run can finish
//! what a killed runner began.

use std::path::Path;

use vcs::NewIgnored;

use crate::RunError;
use crate::coordinator::core::Coordinator;
use crate::lane::{Iteration, RollbackPoint, RollingBack};

impl Coordinator<'_> {
    /// Records that the failed iteration is to be rolled back.
    pub(crate) fn plan_roll_back(&mut self, iteration: &Iteration) {
        let Some(rollback_point) = &iteration.rollback_point else { return };
        self.lane_state.rolling_back = Some(RollingBack {
            assignment: iteration.assignment.clone(),
            folder: self.layout.name_of(&iteration.folder),
            checkpoint: rollback_point.digest(),
        });
    }

    /// Finishes what a killed runner began.
    pub(crate) fn finish_rolling_back(&mut self) -> Result<(), RunError> {
        let Some(begun) = &self.lane_state.rolling_back else { return Ok(()) };
        let name = Path::new(&begun.folder).file_name().unwrap_or_default();
        let folder = self.layout.run_dir(&self.state.run_id).join(name);
        let point = RollbackPoint::recorded_in(&folder, begun.checkpoint);
        self.roll_back_to(point.as_ref(), NewIgnored::Kept)
    }

    /// Rolls back if that is planned; can be repeated. Uses the point in memory, because an agent can remove the file.
    /// After a killed runner, new ignored files may not be the agent's, so they stay.
    pub(crate) fn roll_back_to(
        &mut self,
        point: Option<&RollbackPoint>,
        new_ignored: NewIgnored,
    ) -> Result<(), RunError> {
        if self.lane_state.rolling_back.is_some() || point.is_some() {
            self.save()?;
        }
        self.perform_roll_back(point, new_ignored)?;
        if let Some(point) = point {
            point.remove_file();
        }
        Ok(())
    }

    fn perform_roll_back(
        &mut self,
        point: Option<&RollbackPoint>,
        new_ignored: NewIgnored,
    ) -> Result<(), RunError> {
        let Some(begun) = self.lane_state.rolling_back.clone() else { return Ok(()) };
        match point {
            Some(point) if self.lane.still_exists(point)? => {
                let discarded = self.lane.roll_back(&begun, point, new_ignored)?;
                let record = self.state.story(&begun.assignment.story);
                record.rolled_back = discarded.map(|commit| commit.to_string());
                // The rollback restored the old list.
                self.judged = None;
            }
            _ => self.control.sink.warn(format!(
                "the checkpoint of iteration {} is lost ({}), so its changes stay",
                begun.assignment.iteration, begun.folder
            )),
        }
        self.lane_state.rolling_back = None;
        self.save()
    }
}
