//! Parses a text to its syntax.

pub(crate) mod ansi;
mod command;
mod compound;
mod dollar;
mod here;
mod parameter;
mod redirection;
mod word;

use crate::analysis::Unanalyzed;
use crate::limits::{NODES, SYNTAX_DEPTH};
use crate::syntax::{List, RawWord};
use crate::text::Text;

/// The syntax up to the first error, if any.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) list: List,
    pub(crate) trouble: Option<Unanalyzed>,
}

pub(crate) fn parse(text: &Text) -> Parsed {
    let mut parser = Parser::new(text, 0, NODES);
    let mut list = List::new();
    let outcome = parser.whole(&mut list);
    Parsed { list, trouble: outcome.err() }
}

/// Parses a text as if in double quotes.
pub(crate) fn parse_quoted(text: &Text) -> Option<RawWord> {
    Parser::new(text, 0, NODES).here_until_end().ok()
}

type Parse<T> = Result<T, Unanalyzed>;

struct Parser<'t> {
    text: &'t Text,
    at: usize,
    /// The end of the part under analysis.
    end: usize,
    depth: usize,
    /// The remaining number of commands and words.
    left: usize,
    /// Here-documents whose text begins after this line.
    waiting: Vec<here::PendingHereDocument>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t Text, depth: usize, left: usize) -> Self {
        Self { text, at: 0, end: text.chars.len(), depth, left, waiting: Vec::new() }
    }

    fn whole(&mut self, list: &mut List) -> Parse<()> {
        self.list_into(list)?;
        if self.at < self.end {
            return Err(self.broken(self.at));
        }
        self.here_documents()
    }

    fn peek(&self) -> Option<char> {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Option<char> {
        let at = self.at + ahead;
        if at < self.end { self.text.chars.get(at).copied() } else { None }
    }

    fn looking_at(&self, expected: &str) -> bool {
        expected.chars().enumerate().all(|(ahead, c)| self.peek_at(ahead) == Some(c))
    }

    /// Consumes `expected` if it comes next.
    fn take(&mut self, expected: &str) -> bool {
        let there = self.looking_at(expected);
        if there {
            self.at += expected.chars().count();
        }
        there
    }

    fn expect(&mut self, expected: &str, opened: usize) -> Parse<()> {
        if self.take(expected) { Ok(()) } else { Err(self.broken(opened)) }
    }

    fn broken(&self, at: usize) -> Unanalyzed {
        let from = at.min(self.end.saturating_sub(1));
        Unanalyzed::Broken { near: self.text.chars.iter().skip(from).take(24).collect() }
    }

    /// Counts one command or word.
    fn count(&mut self) -> Parse<()> {
        self.left = self.left.checked_sub(1).ok_or(Unanalyzed::TooMuch)?;
        Ok(())
    }

    /// Parses another text with the remaining count.
    fn inner<T>(
        &mut self,
        text: &Text,
        read: impl FnOnce(&mut Parser<'_>) -> Parse<T>,
    ) -> Parse<T> {
        self.deeper(|outer| {
            let mut parser = Parser::new(text, outer.depth, outer.left);
            let result = read(&mut parser);
            outer.left = parser.left;
            result
        })
    }

    /// Parses one level deeper.
    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= SYNTAX_DEPTH {
            return Err(Unanalyzed::TooDeep);
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Parses as if the text ended at `end`.
    fn within<T>(&mut self, end: usize, inner: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        let outer = std::mem::replace(&mut self.end, end);
        let result = inner(self);
        self.end = outer;
        result
    }

    /// Skips spaces, tabs, continued lines and comments.
    fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t') => self.at += 1,
                Some('\\') if self.peek_at(1) == Some('\n') => self.at += 2,
                Some('#') => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    fn skip_blanks_and_lines(&mut self) -> Parse<()> {
        loop {
            self.skip_blanks();
            if !self.take("\n") {
                return Ok(());
            }
            self.here_documents()?;
        }
    }
}

/// Characters that end an unquoted word.
fn is_meta(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')')
}

fn starts_name(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

fn in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
