//! Whether the work of a prompt loop is done, where a program can tell: the agent's claim then counts for nothing.

use crate::RunError;

pub trait Acceptance {
    /// Called after each session that answered, with the user's settings as they were before it.
    fn assess(&mut self) -> Result<Assessed, RunError>;
}

#[derive(Debug, Default)]
pub struct Assessed {
    /// For the user.
    pub warnings: Vec<String>,
    /// For the next session, one section each. The run is complete once there are none.
    pub objections: Vec<String>,
}
