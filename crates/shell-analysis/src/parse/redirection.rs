//! Redirections: `>`, `<` and similar.

use super::{Parse, Parser, in_name};
use crate::syntax::{RawWord, Redirection, Target};

impl Parser<'_> {
    /// The redirection here, if any.
    pub(super) fn redirection(&mut self) -> Parse<Option<Redirection>> {
        let begin = self.at;
        let descriptor = self.descriptor();
        let Some(operator) = self.redirect_operator(descriptor.is_some()) else {
            self.at = begin;
            return Ok(None);
        };
        if let "<<" | "<<-" = operator {
            let target = self.here_document(operator == "<<-")?;
            return Ok(Some(Redirection { descriptor, target }));
        }
        self.skip_blanks();
        let word = self.redirect_word()?;
        let target = match operator {
            "<" => Target::Read(word),
            ">>" => Target::Append(word),
            "<>" => Target::ReadWrite(word),
            "&>" => Target::WriteBoth(word),
            "&>>" => Target::AppendBoth(word),
            "<&" => Target::CopyIn(word),
            ">&" => Target::CopyOut(word),
            "<<<" => Target::HereString(word),
            _ => Target::Write(word),
        };
        Ok(Some(Redirection { descriptor, target }))
    }

    fn redirect_word(&mut self) -> Parse<RawWord> {
        let word = self.word()?;
        if word.parts.is_empty() { Err(self.broken(self.at)) } else { Ok(word) }
    }

    fn redirect_operator(&mut self, numbered: bool) -> Option<&'static str> {
        const OPERATORS: [&str; 13] =
            ["<<<", "<<-", "<<", "<>", "<&", "<", "&>>", "&>", ">>", ">&", ">|", ">!", ">"];
        if !numbered && self.at_process() {
            return None;
        }
        let operator = OPERATORS.into_iter().find(|operator| self.looking_at(operator))?;
        if operator == ">!" && !matches!(self.peek_at(2), Some(' ' | '\t')) {
            self.at += 1;
            return Some(">");
        }
        self.at += operator.len();
        Some(operator)
    }

    /// `2` in `2>`, or `{name}`, for which the shell chooses a number.
    fn descriptor(&mut self) -> Option<u32> {
        let begin = self.at;
        let braced = self.take("{");
        while self.peek().is_some_and(|c| if braced { in_name(c) } else { c.is_ascii_digit() }) {
            self.at += 1;
        }
        let inner: String = self.text.chars[begin..self.at].iter().collect();
        let closed = !braced || self.take("}");
        if closed && self.at > begin && matches!(self.peek(), Some('<' | '>')) {
            return Some(inner.parse().unwrap_or(10));
        }
        self.at = begin;
        None
    }
}
