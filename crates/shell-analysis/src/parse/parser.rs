//! The reader that all parts of the syntax share.

use std::cell::OnceCell;
use std::rc::Rc;

use crate::analysis::Unanalyzed;
use crate::limits::SYNTAX_DEPTH;
use crate::syntax::{List, RawWord};
use crate::text::Text;

pub(super) type Parse<T> = Result<T, Unanalyzed>;

pub(super) struct Parser<'t> {
    pub(super) text: &'t Text,
    pub(super) at: usize,
    /// The end of the part under analysis.
    pub(super) end: usize,
    /// The start of the latest command, for messages.
    pub(super) command: usize,
    pub(super) depth: usize,
    /// The remaining number of commands and words.
    pub(super) left: usize,
    /// Here-documents whose text begins after this line.
    pub(super) waiting: Vec<PendingHereDocument>,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t Text, depth: usize, left: usize) -> Self {
        Self { text, at: 0, end: text.chars.len(), command: 0, depth, left, waiting: Vec::new() }
    }

    pub(super) fn whole(&mut self, list: &mut List) -> Parse<()> {
        self.list_into(list)?;
        if self.at < self.end { self.broken() } else { self.here_documents() }
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<char> {
        self.text.chars[..self.end].get(self.at + ahead).copied()
    }

    pub(super) fn looking_at(&self, expected: &str) -> bool {
        expected.chars().enumerate().all(|(ahead, c)| self.peek_at(ahead) == Some(c))
    }

    /// Consumes `expected` if it comes next.
    pub(super) fn take(&mut self, expected: &str) -> bool {
        let there = self.looking_at(expected);
        if there {
            self.at += expected.chars().count();
        }
        there
    }

    /// Consumes the first of the texts that comes next, if any.
    pub(super) fn take_any(&mut self, texts: &[&'static str]) -> Option<&'static str> {
        texts.iter().copied().find(|text| self.take(text))
    }

    pub(super) fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> String {
        let begin = self.at;
        self.skip_while(wanted);
        self.text.chars[begin..self.at].iter().collect()
    }

    pub(super) fn skip_while(&mut self, wanted: impl Fn(char) -> bool) {
        let rest = self.text.chars[..self.end].iter().skip(self.at);
        self.at += rest.take_while(|c| wanted(**c)).count();
    }

    pub(super) fn expect(&mut self, expected: &str) -> Parse<()> {
        if self.take(expected) { Ok(()) } else { self.broken() }
    }

    pub(super) fn broken<T>(&self) -> Parse<T> {
        let near = self.text.chars.iter().skip(self.command).take(60).collect();
        Err(Unanalyzed::Broken { near })
    }

    /// Counts a command or a word.
    pub(super) fn count(&mut self, cost: usize) -> Parse<()> {
        self.left = self.left.checked_sub(cost).ok_or(Unanalyzed::TooMuch)?;
        Ok(())
    }

    /// Parses another text with the remaining count.
    pub(super) fn inner<T>(
        &mut self,
        text: &Text,
        run: impl FnOnce(&mut Parser<'_>) -> Parse<T>,
    ) -> Parse<T> {
        self.deeper(|outer| {
            let mut parser = Parser::new(text, outer.depth, outer.left);
            let result = run(&mut parser);
            outer.left = parser.left;
            result
        })
    }

    /// Parses one level deeper.
    pub(super) fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= SYNTAX_DEPTH {
            return Err(Unanalyzed::TooDeep);
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Skips spaces, tabs, continued lines and comments.
    pub(super) fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t') => self.at += 1,
                Some('#') => self.skip_while(|c| c != '\n'),
                _ if self.take("\\\n") => {}
                _ => return,
            }
        }
    }

    pub(super) fn skip_blanks_and_lines(&mut self) -> Parse<()> {
        loop {
            self.skip_blanks();
            if !self.take("\n") {
                return Ok(());
            }
            self.here_documents()?;
        }
    }

    /// At the end of the text or at a character that ends an unquoted word.
    pub(super) fn at_operator(&self) -> bool {
        self.peek().is_none_or(is_meta) && !self.at_process()
    }

    /// The position of the bracket that closes one opened before `from`, unless one of `stops` comes first.
    pub(super) fn closing(
        &self,
        from: usize,
        brackets: [char; 2],
        stops: &[char],
    ) -> Option<usize> {
        let mut open = 0_usize;
        let mut at = from;
        while at < self.end {
            match self.text.chars[at] {
                '\\' => at += 1,
                '\'' => {
                    at += 1 + self.text.chars[at + 1..self.end].iter().position(|c| *c == '\'')?
                }
                c if stops.contains(&c) => return None,
                c if c == brackets[0] => open += 1,
                c if c == brackets[1] && open == 0 => return Some(at),
                c if c == brackets[1] => open -= 1,
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Parses up to `close` as if in double quotes, and skips the `length` characters there.
    pub(super) fn quoted_up_to(&mut self, close: usize, length: usize) -> Parse<RawWord> {
        self.deeper(|parser| {
            let outer = std::mem::replace(&mut parser.end, close);
            let result = parser.quoted(None, Quotes::Double);
            parser.end = outer;
            parser.at = close + length;
            result
        })
    }
}

/// Characters that end an unquoted word.
pub(super) fn is_meta(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')')
}

pub(super) fn starts_name(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

pub(crate) fn in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

pub(super) struct PendingHereDocument {
    pub(super) delimiter: String,
    /// With a quoted delimiter, the text is literal.
    pub(super) quotes: Quotes,
    /// `<<-`
    pub(super) strips_tabs: bool,
    pub(super) body: Rc<OnceCell<RawWord>>,
}

/// The quotes around a part.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quotes {
    Bare,
    /// A default in `"${NAME:-…}"`.
    Brace,
    Single,
    Double,
    /// The body of a here-document, in which `"` is literal.
    Here,
}

impl Quotes {
    pub(super) fn is_bare(self) -> bool {
        matches!(self, Self::Bare | Self::Brace)
    }

    /// Whether a character means only itself, wherever it stands.
    pub(super) fn is_ordinary(self, c: char) -> bool {
        match self {
            Self::Bare | Self::Brace => c.is_ascii_alphanumeric() || "_-.".contains(c),
            Self::Single => !matches!(c, '\'' | char::REPLACEMENT_CHARACTER),
            Self::Double | Self::Here => c.is_ascii_alphanumeric() || "_-. \n".contains(c),
        }
    }

    /// Whether a backslash makes the character literal.
    pub(super) fn escapes(self, c: char) -> bool {
        match self {
            Self::Bare => true,
            Self::Brace => "$`\\\n\"}".contains(c),
            Self::Double => "$`\\\n\"".contains(c),
            Self::Here => "$`\\\n".contains(c),
            Self::Single => false,
        }
    }
}
