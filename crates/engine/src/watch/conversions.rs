//! Conversions from agent types to event types, which are a stable format.

use agents::LimitState;

use crate::{QuotaState, TodoItem, TodoState, TokenCount, ToolOutcome, ToolOutput};

impl From<agents::ToolOutcome> for ToolOutcome {
    fn from(outcome: agents::ToolOutcome) -> Self {
        match outcome {
            agents::ToolOutcome::Ok => Self::Ok,
            agents::ToolOutcome::Failed => Self::Failed,
        }
    }
}

impl From<agents::ToolOutput> for ToolOutput {
    fn from(output: agents::ToolOutput) -> Self {
        let agents::ToolOutput { excerpt, lines, chars } = output;
        Self { excerpt, lines, chars }
    }
}

impl From<agents::TodoItem> for TodoItem {
    fn from(item: agents::TodoItem) -> Self {
        let state = match item.state {
            agents::TodoState::Pending => TodoState::Pending,
            agents::TodoState::InProgress => TodoState::InProgress,
            agents::TodoState::Done => TodoState::Done,
        };
        Self { text: item.text, state }
    }
}

impl From<LimitState> for QuotaState {
    fn from(state: LimitState) -> Self {
        match state {
            LimitState::Allowed => Self::Allowed,
            LimitState::Warning => Self::Warning,
            LimitState::Rejected => Self::Rejected,
        }
    }
}

impl From<agents::Tokens> for TokenCount {
    fn from(tokens: agents::Tokens) -> Self {
        Self {
            input: tokens.input,
            output: tokens.output,
            cache_read: tokens.cache_read,
            cache_creation: tokens.cache_creation,
        }
    }
}
