//! What there is to say about one thing, for the model and for the log.

use hook_io::{HookEvent, HookOutput, Verdict};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Remark {
    /// For the model.
    text: Option<String>,
    log: Option<String>,
}

impl Remark {
    pub(crate) fn said(text: String, log: String) -> Self {
        Self { text: Some(text), log: Some(log) }
    }

    pub(crate) fn silent(why: String) -> Self {
        Self { text: None, log: Some(why) }
    }

    /// A hook has one answer, whatever it has to say.
    pub(crate) fn together<const N: usize>(remarks: [Self; N]) -> Verdict {
        let (mut texts, mut log) = (Vec::new(), Vec::new());
        for remark in remarks {
            texts.extend(remark.text);
            log.extend(remark.log);
        }
        let event = HookEvent::PostToolUse;
        let output = if texts.is_empty() {
            HookOutput::Silent
        } else {
            HookOutput::AddContext { event, text: texts.join("\n\n") }
        };
        Verdict { output, log }
    }
}
