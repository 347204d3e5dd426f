//! Expansions that start with a dollar sign, and backticks.

use std::rc::Rc;

use super::ansi::{EscapeSet, unescape};
use super::word::Quotes;
use super::{Parse, Parser, starts_name};
use crate::syntax::{Index, Operation, Parameter, WordPart};
use crate::text::Text;

impl Parser<'_> {
    /// Parses the expansion after `$`; `None` if the `$` is literal. Consumes it in both cases.
    pub(super) fn dollar(&mut self, quotes: Quotes) -> Parse<Option<WordPart>> {
        let begin = self.at;
        self.at += 1;
        let Some(c) = self.peek() else { return Ok(None) };
        let part = match c {
            '(' => self.substitution(begin)?,
            '{' => self.braced(quotes, begin)?,
            '[' => {
                self.at += 1;
                let close = self.square_close().ok_or_else(|| self.broken(begin))?;
                let inner = self.deeper(|parser| parser.within(close, Self::quoted_until_end))?;
                self.at = close + 1;
                WordPart::Arithmetic(inner)
            }
            '\'' if quotes == Quotes::None => self.ansi_quoted(begin)?,
            '"' if quotes == Quotes::None => self.double()?,
            c if starts_name(c) => parameter(self.name()),
            '0'..='9' | '@' | '*' | '#' | '?' | '-' | '$' | '!' => {
                self.at += 1;
                parameter(c.to_string())
            }
            _ => return Ok(None),
        };
        Ok(Some(part))
    }

    fn substitution(&mut self, begin: usize) -> Parse<WordPart> {
        if self.looking_at("((")
            && let Some(close) = self.arithmetic_close(self.at + 2)
        {
            self.at += 2;
            let inner = self.deeper(|parser| parser.within(close, Self::quoted_until_end))?;
            self.at = close + 2;
            return Ok(WordPart::Arithmetic(inner));
        }
        self.at += 1;
        let list = self.list()?;
        self.expect(")", begin)?;
        Ok(WordPart::Command(Rc::new(list)))
    }

    /// The position of the `))` that closes arithmetic; `None` if the brackets are nested commands.
    pub(super) fn arithmetic_close(&self, from: usize) -> Option<usize> {
        let mut open = 0_usize;
        let mut at = from;
        while at < self.end {
            match self.text.chars[at] {
                '\\' => at += 1,
                '\'' => {
                    at += 1 + self.text.chars[at + 1..self.end].iter().position(|c| *c == '\'')?
                }
                '(' => open += 1,
                ')' if open > 0 => open -= 1,
                ')' => {
                    let closes = at + 1 < self.end && self.text.chars[at + 1] == ')';
                    return closes.then_some(at);
                }
                _ => {}
            }
            at += 1;
        }
        None
    }

    fn square_close(&self) -> Option<usize> {
        let mut open = 0_usize;
        for at in self.at..self.end {
            match self.text.chars[at] {
                '[' => open += 1,
                ']' if open == 0 => return Some(at),
                ']' => open -= 1,
                _ => {}
            }
        }
        None
    }

    fn ansi_quoted(&mut self, begin: usize) -> Parse<WordPart> {
        self.at += 1;
        let from = self.at;
        loop {
            match self.peek() {
                None => return Err(self.broken(begin)),
                Some('\'') => break,
                Some('\\') => self.at += 2,
                Some(_) => self.at += 1,
            }
        }
        let inner: String = self.text.chars[from..self.at].iter().collect();
        self.at += 1;
        let text = unescape(&inner, EscapeSet::Quote).text;
        // Shells store C strings: everything after a NUL is ignored.
        let text = text.split('\0').next().unwrap_or_default().to_owned();
        Ok(WordPart::Quoted(text))
    }

    pub(super) fn backticks(&mut self) -> Parse<WordPart> {
        let begin = self.at;
        self.at += 1;
        let mut inner = Text::default();
        loop {
            match self.peek() {
                None => return Err(self.broken(begin)),
                Some('`') => break,
                Some('\\') if matches!(self.peek_at(1), Some('`' | '\\' | '$')) => self.at += 1,
                Some(_) => {}
            }
            inner.push_from(self.text, self.at);
            self.at += 1;
        }
        self.at += 1;
        self.inner(&inner, |parser| {
            let mut list = Vec::new();
            parser.whole(&mut list)?;
            Ok(WordPart::Command(Rc::new(list)))
        })
    }
}

fn parameter(name: String) -> WordPart {
    let operation = Operation::Plain;
    WordPart::Parameter(Box::new(Parameter {
        name,
        is_indirect: false,
        index: Index::None,
        operation,
    }))
}
