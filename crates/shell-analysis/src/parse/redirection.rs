//! Redirections: `>`, `<` and similar. The text of a here-document follows the line with its operator.

use std::cell::OnceCell;
use std::rc::Rc;

use super::parser::{Parse, Parser, PendingHereDocument, Quotes, in_name};
use crate::syntax::{RawWord, Redirection, WordPart};
use crate::text::Text;

/// Each before those that it starts with.
const OPERATORS: [&str; 12] =
    ["<<<", "<<-", "<<", "<>", "<&", "<", "&>>", "&>", ">>", ">&", ">|", ">"];

impl Parser<'_> {
    /// The redirection here, if any.
    pub(super) fn redirection(&mut self) -> Parse<Option<Redirection>> {
        if !self.peek().is_some_and(|c| c.is_ascii_digit() || "{<>&".contains(c)) {
            return Ok(None);
        }
        let descriptor = self.descriptor();
        if self.at_process() {
            return Ok(None);
        }
        let Some(operator) = self.take_any(&OPERATORS) else { return Ok(None) };
        self.skip_blanks();
        let word = self.word()?;
        if word.parts.is_empty() {
            return self.broken();
        }
        let target = Rc::new(OnceCell::new());
        if operator.starts_with("<<") && operator != "<<<" {
            self.here_document(&word, operator, &target)?;
        } else {
            _ = target.set(word);
        }
        Ok(Some(Redirection { descriptor, operator, word: target }))
    }

    /// `2` in `2>`, or `{name}`, for which the shell chooses a number.
    fn descriptor(&mut self) -> Option<u32> {
        let begin = self.at;
        let is_named = self.take("{");
        let text = self.take_while(|c| if is_named { in_name(c) } else { c.is_ascii_digit() });
        let is_closed = !is_named || self.take("}");
        if is_closed && !text.is_empty() && matches!(self.peek(), Some('<' | '>')) {
            return Some(text.parse().unwrap_or(10));
        }
        self.at = begin;
        None
    }

    fn here_document(
        &mut self,
        delimiter: &RawWord,
        operator: &str,
        body: &Rc<OnceCell<RawWord>>,
    ) -> Parse<()> {
        let quotes = if delimiter.plain().is_some() { Quotes::Here } else { Quotes::Single };
        let text = |part: &WordPart| match part {
            WordPart::Plain(text) | WordPart::Quoted(text) => Some(text.clone()),
            _ => None,
        };
        let Some(delimiter) = delimiter.parts.iter().map(text).collect() else {
            return self.broken();
        };
        let (strips_tabs, body) = (operator == "<<-", Rc::clone(body));
        self.waiting.push(PendingHereDocument { delimiter, quotes, strips_tabs, body });
        Ok(())
    }

    /// Parses the pending texts; called at the start of a line.
    pub(super) fn here_documents(&mut self) -> Parse<()> {
        for waiting in std::mem::take(&mut self.waiting) {
            let text = self.here_text(&waiting);
            let body = self.inner(&text, |parser| parser.here_body(waiting.quotes))?;
            // Each document is pending only once.
            _ = waiting.body.set(body);
        }
        Ok(())
    }

    pub(super) fn here_body(&mut self, quotes: Quotes) -> Parse<RawWord> {
        let raw = self.quoted(None, quotes)?;
        Ok(RawWord { parts: vec![WordPart::Double(raw.parts)] })
    }

    /// The lines up to the delimiter, or to the end of the text if it is missing.
    fn here_text(&mut self, waiting: &PendingHereDocument) -> Text {
        let mut text = Text::default();
        while self.at < self.end {
            while waiting.strips_tabs && self.take("\t") {}
            let begin = self.at;
            // Inside `$(…)` a bracket may end the last line.
            let is_inner = self.depth > 0;
            let ends = |c| c == '\n' || c == ')' && is_inner;
            if self.take(&waiting.delimiter) && self.peek().is_none_or(ends) {
                self.take("\n");
                break;
            }
            self.skip_while(|c| c != '\n');
            self.take("\n");
            text.extend_from(self.text, begin..self.at);
        }
        text
    }
}
