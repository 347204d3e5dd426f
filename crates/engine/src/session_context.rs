//! What a session, a guardrail or a version control task needs from its run.

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
    pub(crate) sink: &'s EventSink<'a>,
    pub(crate) clock: &'s mut RunClock,
    pub(crate) orders: &'s mut Orders,
    /// The Docker sandbox of Claude Code, if one is used.
    pub(crate) sandbox: Option<&'s mut DockerSandbox>,
}
