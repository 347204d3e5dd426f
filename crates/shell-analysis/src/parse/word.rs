//! Words: quotes, escapes and expansions.

use std::rc::Rc;

use super::parser::{Parse, Parser, Quotes, is_meta};
use crate::syntax::{RawWord, WordPart};

impl Parser<'_> {
    /// A word up to a blank or an operator; empty if one follows directly.
    pub(super) fn word(&mut self) -> Parse<RawWord> {
        self.count(1)?;
        let mut raw = RawWord::default();
        while let Some(c) = self.peek() {
            match c {
                '<' | '>' if self.at_process() => raw.parts.push(self.process()?),
                '(' if raw.parts.last().is_some_and(opens_pattern) => self.bracketed(&mut raw)?,
                c if is_meta(c) => break,
                _ => self.part(Quotes::Bare, &mut raw)?,
            }
        }
        Ok(raw)
    }

    /// Appends one character or expansion, as the quotes around it require, and the ordinary characters that follow.
    pub(super) fn part(&mut self, quotes: Quotes, raw: &mut RawWord) -> Parse<()> {
        let Some(c) = self.peek() else { return self.broken() };
        let part = match (self.text.holes.get(&self.at), c) {
            (Some(unknown), _) => {
                self.at += 1;
                Some(WordPart::Hole(unknown.clone()))
            }
            _ if quotes == Quotes::Single => None,
            (_, '\\') => {
                self.escape(quotes, raw);
                return Ok(());
            }
            (_, '\'') if quotes == Quotes::Bare => Some(self.quotation(Quotes::Single)?),
            (_, '"') if quotes.is_bare() => Some(self.quotation(Quotes::Double)?),
            (_, '`') => Some(self.backticks()?),
            (_, '$') => self.dollar(quotes)?,
            _ => None,
        };
        match part {
            Some(part) => raw.parts.push(part),
            None => {
                let begin = self.at;
                self.at += 1;
                self.skip_while(|c| quotes.is_ordinary(c));
                raw.extend(&self.text.chars[begin..self.at], !quotes.is_bare());
            }
        }
        Ok(())
    }

    fn escape(&mut self, quotes: Quotes, raw: &mut RawWord) {
        self.at += 1;
        match self.peek().filter(|c| quotes.escapes(*c)) {
            None => raw.push('\\', !quotes.is_bare()),
            Some(c) => {
                self.at += 1;
                if c != '\n' {
                    raw.push(c, true);
                }
            }
        }
    }

    /// The quoted text that begins here.
    pub(super) fn quotation(&mut self, quotes: Quotes) -> Parse<WordPart> {
        self.deeper(|parser| {
            let close = parser.peek();
            parser.at += 1;
            let mut parts = parser.quoted(close, quotes)?.parts;
            parser.at += 1;
            Ok(match parts.as_mut_slice() {
                [] => WordPart::Quoted(String::new()),
                [WordPart::Quoted(text)] => WordPart::Quoted(std::mem::take(text)),
                _ => WordPart::Double(parts),
            })
        })
    }

    /// What is in quotes, up to the closing one or the end of the text.
    pub(super) fn quoted(&mut self, close: Option<char>, quotes: Quotes) -> Parse<RawWord> {
        let mut raw = RawWord::default();
        while self.peek() != close {
            self.part(quotes, &mut raw)?;
        }
        Ok(raw)
    }

    pub(super) fn at_process(&self) -> bool {
        self.looking_at("<(") || self.looking_at(">(")
    }

    fn process(&mut self) -> Parse<WordPart> {
        let part = if self.looking_at("<") { WordPart::ProcessIn } else { WordPart::ProcessOut };
        self.at += 2;
        Ok(part(Rc::new(self.list_until(")")?)))
    }

    /// `(…)` after `NAME=`.
    pub(super) fn array(&mut self) -> Parse<WordPart> {
        self.at += 1;
        self.deeper(|parser| {
            let mut items = Vec::new();
            loop {
                parser.skip_blanks_and_lines()?;
                if parser.take(")") {
                    return Ok(WordPart::Array(items));
                }
                let key = parser.index(&['\n', ' '])?;
                if key.is_some() {
                    parser.take_any(&["+=", "="]);
                }
                let word = parser.word()?;
                if word.parts.is_empty() && key.is_none() {
                    return parser.broken();
                }
                items.push((key, word));
            }
        })
    }

    /// A pattern such as `@(a|b)`, or a bracket after a name, as in other shells.
    fn bracketed(&mut self, raw: &mut RawWord) -> Parse<()> {
        self.at += 1;
        raw.push('(', false);
        self.deeper(|parser| {
            while !parser.take(")") {
                match parser.peek() {
                    Some('(') => parser.bracketed(raw)?,
                    _ => parser.part(Quotes::Bare, raw)?,
                }
            }
            raw.push(')', false);
            Ok(())
        })
    }
}

fn opens_pattern(part: &WordPart) -> bool {
    matches!(part, WordPart::Plain(text) if text.ends_with(['?', '*', '+', '@', '!']))
}
