//! Joins the text deltas of a stream to whole messages.

use std::mem;

use crate::AgentEvent;
use crate::decode::Emit;

#[derive(Debug, Default)]
pub(crate) struct MessageBuffer {
    open: String,
    last: String,
}

impl MessageBuffer {
    pub(crate) fn piece(&mut self, piece: &str) {
        self.open.push_str(piece);
    }

    /// A whole message; ends the one that came in deltas before.
    pub(crate) fn whole(&mut self, text: &str, emit: Emit<'_>) {
        text.clone_into(&mut self.open);
        self.end(emit);
    }

    /// Ends the current message.
    pub(crate) fn end(&mut self, emit: Emit<'_>) {
        let message = mem::take(&mut self.open);
        let text = message.trim();
        if !text.is_empty() {
            text.clone_into(&mut self.last);
            emit(AgentEvent::Text { text: text.to_owned() });
        }
    }

    /// A tool call follows: no earlier message is the final one.
    pub(crate) fn tool_call_follows(&mut self, emit: Emit<'_>) {
        self.end(emit);
        self.last.clear();
    }

    /// The final message; empty if there is none.
    pub(crate) fn final_message(&self) -> &str {
        &self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collected(
        fill: impl FnOnce(&mut MessageBuffer, &mut dyn FnMut(AgentEvent)),
    ) -> (Vec<String>, String) {
        let mut messages = MessageBuffer::default();
        let mut texts = Vec::new();
        fill(&mut messages, &mut |event| {
            let AgentEvent::Text { text } = event else { panic!("{event:?}") };
            texts.push(text);
        });
        (texts, messages.final_message().to_owned())
    }

    #[test]
    fn pieces_are_joined() {
        let (texts, last) = collected(|messages, emit| {
            messages.piece("All ");
            messages.piece("done. ");
            messages.end(emit);
            messages.end(emit);
        });
        assert_eq!(texts, ["All done."]);
        assert_eq!(last, "All done.");
    }

    #[test]
    fn a_whole_message_takes_the_place_of_its_pieces() {
        let (texts, _) = collected(|messages, emit| {
            messages.piece("All ");
            messages.whole("All done.", emit);
        });
        assert_eq!(texts, ["All done."]);
    }

    #[test]
    fn text_before_a_tool_call_is_not_final() {
        let (texts, last) = collected(|messages, emit| {
            messages.piece("Looking.");
            messages.tool_call_follows(emit);
            messages.piece(" \n");
            messages.end(emit);
        });
        assert_eq!(texts, ["Looking."]);
        assert_eq!(last, "");
    }
}
