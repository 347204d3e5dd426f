//! What a session of the agent, a guardrail or a task of version control needs of the run around it.

use crate::StopSwitch;
use crate::clock::RunClock;
use crate::event_sink::EventSink;
use crate::isolation::docker::DockerSandbox;
use crate::options::RunOptions;
use crate::orders::Orders;

pub(crate) struct SessionContext<'s, 'a> {
    pub(crate) options: &'s RunOptions,
    pub(crate) run_id: &'s str,
    pub(crate) switch: &'s StopSwitch,
    pub(crate) sink: &'s mut EventSink<'a>,
    pub(crate) clock: &'s mut RunClock,
    pub(crate) orders: &'s mut Orders,
    /// Where Claude Code works, if not on the host.
    pub(crate) sandbox: Option<&'s mut DockerSandbox>,
}
