//! The two ways in which a session tries to end.

use hook_io::{HookEvent, HookInput, HookOutput};

/// The tool that ends a session with a JSON schema. After it, Claude Code ignores the Stop hook.
const ANSWERING_TOOL: &str = "StructuredOutput";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EndAttempt {
    Stop,
    /// The session gives its structured answer.
    Answer,
}

impl EndAttempt {
    /// `None` for a tool that does not end the session. An input without an event counts as a stop.
    pub(crate) fn of(input: &HookInput) -> Option<Self> {
        match input.event {
            Some(HookEvent::PreToolUse) => {
                (input.tool_name.as_deref() == Some(ANSWERING_TOOL)).then_some(Self::Answer)
            }
            _ => Some(Self::Stop),
        }
    }

    pub(crate) fn refuse(self, reason: String) -> HookOutput {
        match self {
            Self::Stop => HookOutput::Block { reason },
            Self::Answer => HookOutput::Deny { reason },
        }
    }
}
