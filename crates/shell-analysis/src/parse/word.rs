//! Words: quotes, escapes and expansions.

use std::rc::Rc;

use super::{Parse, Parser, in_name, is_meta, starts_name};
use crate::syntax::{RawWord, WordPart};

impl Parser<'_> {
    /// A word up to a blank or an operator; empty if one follows directly.
    pub(super) fn word(&mut self) -> Parse<RawWord> {
        self.count()?;
        let mut raw = RawWord::default();
        loop {
            if self.hole(&mut raw.parts) {
                continue;
            }
            let Some(c) = self.peek() else { return Ok(raw) };
            match c {
                '<' | '>' if self.at_process() => raw.parts.push(self.process()?),
                '(' if raw.plain().is_some_and(is_array_start) => raw.parts.push(self.array()?),
                '(' if raw.parts.last().is_some_and(opens_pattern) => self.bracketed(&mut raw)?,
                c if is_meta(c) => return Ok(raw),
                _ => self.unquoted(c, &mut raw)?,
            }
        }
    }

    /// One part outside quotes.
    pub(super) fn unquoted(&mut self, c: char, raw: &mut RawWord) -> Parse<()> {
        match c {
            '\\' => {
                self.at += 1;
                match self.peek() {
                    Some('\n') => self.at += 1,
                    Some(escaped) => {
                        self.at += 1;
                        raw.parts.push(WordPart::Quoted(escaped.into()));
                    }
                    None => raw.push_plain('\\'),
                }
            }
            '\'' => raw.parts.push(self.single()?),
            '"' => raw.parts.push(self.double()?),
            '`' => raw.parts.push(self.backticks()?),
            '$' => match self.dollar(Quotes::None)? {
                Some(part) => raw.parts.push(part),
                None => raw.push_plain('$'),
            },
            c => {
                self.at += 1;
                raw.push_plain(c);
            }
        }
        Ok(())
    }

    /// Consumes the hole here, if any.
    pub(super) fn hole(&mut self, parts: &mut Vec<WordPart>) -> bool {
        if self.at >= self.end {
            return false;
        }
        let Some(unknown) = self.text.hole(self.at) else { return false };
        parts.push(WordPart::Hole(unknown.clone()));
        self.at += 1;
        true
    }

    fn single(&mut self) -> Parse<WordPart> {
        let begin = self.at;
        self.at += 1;
        let mut parts = Vec::new();
        let mut run = String::new();
        loop {
            if self.text.hole(self.at).is_some() {
                parts.push(WordPart::Quoted(std::mem::take(&mut run)));
            }
            if self.hole(&mut parts) {
                continue;
            }
            let Some(c) = self.peek() else { return Err(self.broken(begin)) };
            self.at += 1;
            if c == '\'' {
                break;
            }
            run.push(c);
        }
        if parts.is_empty() {
            return Ok(WordPart::Quoted(run));
        }
        parts.push(WordPart::Quoted(run));
        Ok(WordPart::Double(parts))
    }

    pub(super) fn double(&mut self) -> Parse<WordPart> {
        let begin = self.at;
        self.at += 1;
        self.deeper(|parser| {
            let raw = parser.quoted(Some('"'), Quotes::Double)?;
            parser.expect("\"", begin)?;
            Ok(WordPart::Double(raw.parts))
        })
    }

    /// The rest of the text, as if in double quotes.
    pub(super) fn quoted_until_end(&mut self) -> Parse<RawWord> {
        self.quoted(None, Quotes::Double)
    }

    /// The rest of the text as the body of a here-document.
    pub(super) fn here_until_end(&mut self) -> Parse<RawWord> {
        let raw = self.quoted(None, Quotes::Here)?;
        Ok(RawWord { parts: vec![WordPart::Double(raw.parts)] })
    }

    fn quoted(&mut self, close: Option<char>, quotes: Quotes) -> Parse<RawWord> {
        let mut raw = RawWord::default();
        let mut run = String::new();
        loop {
            if self.text.hole(self.at).is_some() {
                flush(&mut run, &mut raw);
            }
            if self.hole(&mut raw.parts) {
                continue;
            }
            let Some(c) = self.peek().filter(|c| Some(*c) != close) else {
                flush(&mut run, &mut raw);
                return Ok(raw);
            };
            match c {
                '\\' => self.escape_in_quotes(quotes, &mut run),
                '`' => {
                    flush(&mut run, &mut raw);
                    raw.parts.push(self.backticks()?);
                }
                '$' => match self.dollar(quotes)? {
                    Some(part) => {
                        flush(&mut run, &mut raw);
                        raw.parts.push(part);
                    }
                    None => run.push('$'),
                },
                c => {
                    self.at += 1;
                    run.push(c);
                }
            }
        }
    }

    pub(super) fn escape_in_quotes(&mut self, quotes: Quotes, run: &mut String) {
        self.at += 1;
        match self.peek() {
            Some('\n') => self.at += 1,
            Some(c @ ('$' | '`' | '\\')) => {
                self.at += 1;
                run.push(c);
            }
            Some('"') if quotes == Quotes::Double => {
                self.at += 1;
                run.push('"');
            }
            _ => run.push('\\'),
        }
    }

    pub(super) fn at_process(&self) -> bool {
        matches!(self.peek(), Some('<' | '>')) && self.peek_at(1) == Some('(')
    }

    fn process(&mut self) -> Parse<WordPart> {
        let begin = self.at;
        let reads = self.peek() == Some('<');
        self.at += 2;
        let list = Rc::new(self.list()?);
        self.expect(")", begin)?;
        Ok(if reads { WordPart::ProcessIn(list) } else { WordPart::ProcessOut(list) })
    }

    /// The value after `NAME=`.
    pub(super) fn assigned(&mut self) -> Parse<RawWord> {
        if self.peek() == Some('(') {
            let array = self.array()?;
            return Ok(RawWord { parts: vec![array] });
        }
        self.word()
    }

    fn array(&mut self) -> Parse<WordPart> {
        let begin = self.at;
        self.at += 1;
        self.deeper(|parser| {
            let mut items = Vec::new();
            loop {
                parser.skip_blanks_and_lines()?;
                if parser.take(")") {
                    return Ok(WordPart::Array(items));
                }
                let key = parser.array_key()?;
                let word = parser.word()?;
                if word.parts.is_empty() && key.is_none() {
                    return Err(parser.broken(begin));
                }
                items.push((key, word));
            }
        })
    }

    /// `[key]=` before an array item.
    fn array_key(&mut self) -> Parse<Option<RawWord>> {
        if self.peek() != Some('[') {
            return Ok(None);
        }
        let rest = &self.text.chars[self.at..self.end];
        let line = rest.iter().take_while(|c| !matches!(c, '\n' | ' ')).count();
        let found = rest[..line].windows(2).position(|pair| pair == [']', '=']);
        let Some(close) = found.map(|ahead| self.at + ahead) else { return Ok(None) };
        self.at += 1;
        let key = self.within(close, Self::quoted_until_end)?;
        self.at = close + 2;
        Ok(Some(key))
    }

    /// A pattern such as `@(a|b)`, or a bracket after a name, as in other shells.
    fn bracketed(&mut self, raw: &mut RawWord) -> Parse<()> {
        let begin = self.at;
        self.at += 1;
        raw.push_plain('(');
        self.deeper(|parser| {
            loop {
                if parser.hole(&mut raw.parts) {
                    continue;
                }
                match parser.peek() {
                    None => return Err(parser.broken(begin)),
                    Some('(') => parser.bracketed(raw)?,
                    Some(')') => {
                        parser.at += 1;
                        raw.push_plain(')');
                        return Ok(());
                    }
                    Some(c) => parser.unquoted(c, raw)?,
                }
            }
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quotes {
    None,
    Double,
    /// The body of a here-document, in which `"` is literal.
    Here,
}

fn flush(run: &mut String, raw: &mut RawWord) {
    if !run.is_empty() {
        raw.parts.push(WordPart::Quoted(std::mem::take(run)));
    }
}

/// `NAME=` or `NAME+=`, after which a bracket starts an array.
fn is_array_start(text: &str) -> bool {
    let Some(name) = text.strip_suffix('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    name.starts_with(starts_name) && name.chars().all(in_name)
}

fn opens_pattern(part: &WordPart) -> bool {
    matches!(part, WordPart::Plain(text) if text.ends_with(['?', '*', '+', '@', '!']))
}
