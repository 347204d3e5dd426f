//! One text for the model with its log line.

use hook_io::{HookDecision, HookEvent, HookOutput};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct LoggedMessage {
    text: Option<String>,
    log: Option<String>,
}

impl LoggedMessage {
    pub(crate) fn new(text: String, log: String) -> Self {
        Self { text: Some(text), log: Some(log) }
    }

    pub(crate) fn silent(why: String) -> Self {
        Self { text: None, log: Some(why) }
    }

    /// Joins the texts, because a hook prints one JSON object.
    pub(crate) fn combine<const N: usize>(remarks: [Self; N]) -> HookDecision {
        let (mut texts, mut log) = (Vec::new(), Vec::new());
        for logged_message in remarks {
            texts.extend(logged_message.text);
            log.extend(logged_message.log);
        }
        let event = HookEvent::PostToolUse;
        let output = if texts.is_empty() {
            HookOutput::Silent
        } else {
            HookOutput::AddContext { event, text: texts.join("\n\n") }
        };
        HookDecision { output, log }
    }
}
