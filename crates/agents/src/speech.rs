//! What an agent says, joined from the pieces it comes in: one text for each message.

use std::mem;

use crate::AgentEvent;

#[derive(Debug, Default)]
pub(crate) struct Speech {
    open: String,
    last: String,
}

impl Speech {
    pub(crate) fn piece(&mut self, piece: &str) {
        self.open.push_str(piece);
    }

    /// A message in one; the pieces of it that came before are told with it.
    pub(crate) fn whole(&mut self, text: &str, emit: &mut dyn FnMut(AgentEvent)) {
        text.clone_into(&mut self.open);
        self.end(emit);
    }

    /// The message is over.
    pub(crate) fn end(&mut self, emit: &mut dyn FnMut(AgentEvent)) {
        let said = mem::take(&mut self.open);
        let text = said.trim();
        if !text.is_empty() {
            text.clone_into(&mut self.last);
            emit(AgentEvent::Text { text: text.to_owned() });
        }
    }

    /// The agent works on: nothing it has said so far is its final message.
    pub(crate) fn work_follows(&mut self, emit: &mut dyn FnMut(AgentEvent)) {
        self.end(emit);
        self.last.clear();
    }

    /// The final message, if nothing comes any more; empty if there is none.
    pub(crate) fn final_message(&self) -> &str {
        &self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(say: impl FnOnce(&mut Speech, &mut dyn FnMut(AgentEvent))) -> (Vec<String>, String) {
        let mut speech = Speech::default();
        let mut texts = Vec::new();
        say(&mut speech, &mut |event| {
            let AgentEvent::Text { text } = event else { panic!("{event:?}") };
            texts.push(text);
        });
        (texts, speech.final_message().to_owned())
    }

    #[test]
    fn pieces_are_joined() {
        let (texts, last) = told(|speech, emit| {
            speech.piece("All ");
            speech.piece("done. ");
            speech.end(emit);
            speech.end(emit);
        });
        assert_eq!(texts, ["All done."]);
        assert_eq!(last, "All done.");
    }

    #[test]
    fn a_whole_message_takes_the_place_of_its_pieces() {
        let (texts, _) = told(|speech, emit| {
            speech.piece("All ");
            speech.whole("All done.", emit);
        });
        assert_eq!(texts, ["All done."]);
    }

    #[test]
    fn what_work_follows_is_not_final() {
        let (texts, last) = told(|speech, emit| {
            speech.piece("Looking.");
            speech.work_follows(emit);
            speech.piece(" \n");
            speech.end(emit);
        });
        assert_eq!(texts, ["Looking."]);
        assert_eq!(last, "");
    }
}
