//! What a session of the agent, a guardrail or a task of version control needs of the run around it.

use crate::StopSwitch;
use crate::clock::RunClock;
use crate::options::RunOptions;
use crate::teller::Teller;

pub(crate) struct Stage<'s, 'a> {
    pub(crate) options: &'s RunOptions,
    pub(crate) run_id: &'s str,
    pub(crate) switch: &'s StopSwitch,
    pub(crate) teller: &'s mut Teller<'a>,
    pub(crate) clock: &'s mut RunClock,
}
