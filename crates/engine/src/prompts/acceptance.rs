//! Completion check of a prompt loop by a program, which replaces the agent's own claim.

use crate::RunError;

pub trait Acceptance {
    /// Called after each session that answered, after the user's settings were restored.
    fn assess(&mut self) -> Result<Assessment, RunError>;
}

#[derive(Debug, Default)]
pub struct Assessment {
    /// For the user.
    pub warnings: Vec<String>,
    /// For the next session, one section each. The run is complete once there are none.
    pub objections: Vec<String>,
}
