//! Redirections: `>`, `<` and similar.

use super::{Parse, Parser, in_name};
use crate::syntax::{RawWord, Redirection, Target};

/// Each before those that it starts with.
const OPERATORS: [&str; 12] =
    ["<<<", "<<-", "<<", "<>", "<&", "<", "&>>", "&>", ">>", ">&", ">|", ">"];

impl Parser<'_> {
    /// The redirection here, if any.
    pub(super) fn redirection(&mut self) -> Parse<Option<Redirection>> {
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
        let target: fn(RawWord) -> Target = match operator {
            "<<" | "<<-" => {
                let target = self.here_document(&word, operator)?;
                return Ok(Some(Redirection { descriptor, target }));
            }
            "<" => Target::Read,
            ">>" => Target::Append,
            "<>" => Target::ReadWrite,
            "&>" => Target::WriteBoth,
            "&>>" => Target::AppendBoth,
            "<&" => Target::CopyIn,
            ">&" => Target::CopyOut,
            "<<<" => Target::HereString,
            _ => Target::Write,
        };
        Ok(Some(Redirection { descriptor, target: target(word) }))
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
}
