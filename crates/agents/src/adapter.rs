//! The properties of an agent's program: its capabilities, its install locations, its sign-in, its command and its
//! decoder.

use crate::{CommandLine, Decode, Needs, RefusedArgument, Request};

/// What distinguishes one agent from the others.
#[derive(Debug)]
pub(crate) struct Adapter {
    pub(crate) abilities: Abilities,
    pub(crate) installed: Installed,
    pub(crate) sign_in: SignIn,
    pub(crate) needs: Needs,
    /// Options that only the runner may set, separated by blanks.
    pub(crate) reserved: &'static str,
    /// Adds the arguments of a new session.
    pub(crate) arguments: fn(&Request, &mut CommandLine) -> Result<(), RefusedArgument>,
    /// For a session that was started with this prompt.
    pub(crate) decoder: fn(&str) -> Box<dyn Decode>,
}

/// Shown in docs/agents.md; the loop only uses some of them. A program that only prints an answer has none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Abilities {
    /// Reports the cost of a session.
    pub cost: bool,
    pub tokens: bool,
    pub session_id: bool,
    /// Has an option for the model.
    pub model: bool,
    /// Runs the Stop hook and the context monitor in its sessions.
    pub hooks: bool,
    /// Its stream separates tools from text.
    pub structured_output: bool,
    /// Reports how much of a usage window is used.
    pub quota: bool,
    /// Reports when a usage limit resets.
    pub usage_limits: bool,
    pub max_turns: bool,
    /// Has an option for the maximum cost of a session.
    pub budget: bool,
    /// Has an option for a JSON Schema of its answer.
    pub answer_schema: bool,
    /// Has an option for the MCP servers of a session.
    pub own_servers: bool,
    /// Can append a file to its system prompt.
    pub system_prompt_file: bool,
    /// Can switch to another model when one is overloaded.
    pub fallback_model: bool,
}

/// Usual install locations, and the install hint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Installed {
    /// Relative to the home folder.
    pub usual_places: &'static [&'static str],
    pub hint: &'static str,
}

/// What happens to a session without a sign-in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignIn {
    /// It fails with a message.
    ReportedByAgent,
    /// It would wait for input, so one of these must exist before the start.
    Needed {
        variable: &'static str,
        /// Relative to the home folder.
        file: &'static str,
        hint: &'static str,
    },
}
