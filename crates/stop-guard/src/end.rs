//! The two ways in which a session can be about to end.

use hook_io::{HookEvent, HookInput, HookOutput};

/// The tool with which a session that was given a JSON schema ends. Claude Code takes the session
/// for ended once it was used, whatever a Stop hook answers then.
const ANSWERING_TOOL: &str = "StructuredOutput";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Stop,
    /// It is about to give its structured answer.
    Answer,
}

impl End {
    /// `None` where a tool is about to be used that ends nothing. An input that does not say what it
    /// is about is taken for a stop.
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
