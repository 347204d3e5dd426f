//! `${…}`.

use std::rc::Rc;

use super::word::Quotes;
use super::{Parse, Parser, starts_name};
use crate::syntax::{
    Extent, Greed, Index, Operation, Parameter, RawWord, ReplaceAt, Substitute, WordPart,
};

impl Parser<'_> {
    pub(super) fn braced(&mut self, quotes: Quotes, begin: usize) -> Parse<WordPart> {
        self.at += 1;
        self.deeper(|parser| {
            if matches!(parser.peek(), Some(' ' | '\t' | '\n' | '|')) {
                return parser.braced_command(begin);
            }
            let parameter = parser.parameter(quotes)?;
            parser.expect("}", begin)?;
            Ok(WordPart::Parameter(Box::new(parameter)))
        })
    }

    /// `${ command; }`, which some shells run like `$(…)`.
    fn braced_command(&mut self, begin: usize) -> Parse<WordPart> {
        self.take("|");
        let list = self.list()?;
        self.expect("}", begin)?;
        Ok(WordPart::Command(Rc::new(list)))
    }

    fn parameter(&mut self, quotes: Quotes) -> Parse<Parameter> {
        let length = self.peek() == Some('#')
            && self
                .peek_at(1)
                .is_some_and(|c| starts_name(c) || c.is_ascii_digit() || "@*".contains(c));
        let is_indirect = self.peek() == Some('!') && self.peek_at(1).is_some_and(|c| c != '}');
        if length || is_indirect {
            self.at += 1;
        }
        let Some(name) = self.parameter_name() else {
            self.operand(quotes, &[])?;
            return Ok(Parameter {
                name: String::new(),
                is_indirect,
                index: Index::None,
                operation: Operation::Other,
            });
        };
        let index = self.index()?;
        let operation = if length && self.peek() == Some('}') {
            Operation::Length
        } else {
            self.operation(quotes)?
        };
        Ok(Parameter { name, is_indirect, index, operation })
    }

    fn parameter_name(&mut self) -> Option<String> {
        let c = self.peek()?;
        if starts_name(c) {
            return Some(self.name());
        }
        if c.is_ascii_digit() {
            let begin = self.at;
            while self.peek().is_some_and(|c| c.is_ascii_digit()) {
                self.at += 1;
            }
            return Some(self.text.chars[begin..self.at].iter().collect());
        }
        if "@*#?-$!".contains(c) {
            self.at += 1;
            return Some(c.into());
        }
        None
    }

    fn index(&mut self) -> Parse<Index> {
        if !self.take("[") {
            return Ok(Index::None);
        }
        let begin = self.at;
        let mut raw = self.operand(Quotes::Double, &[']'])?;
        self.expect("]", begin)?;
        match raw.parts.as_mut_slice() {
            [WordPart::Plain(text)] if text == "@" => Ok(Index::Each),
            [WordPart::Plain(text)] if text == "*" => Ok(Index::Joined),
            _ => Ok(Index::At(raw)),
        }
    }

    fn operation(&mut self, quotes: Quotes) -> Parse<Operation> {
        let empty_is_unset =
            self.peek() == Some(':') && self.peek_at(1).is_some_and(|c| "-=+?".contains(c));
        if empty_is_unset {
            self.at += 1;
        }
        let kind = match self.peek() {
            Some('-') => Some(Substitute::Default),
            Some('=') => Some(Substitute::Assign),
            Some('+') => Some(Substitute::Alternative),
            Some('?') => Some(Substitute::Error),
            _ => None,
        };
        if let Some(kind) = kind {
            self.at += 1;
            let word = self.operand(quotes, &[])?;
            return Ok(Operation::Substitute { kind, empty_is_unset, word });
        }
        Ok(match self.peek() {
            Some('}') => Operation::Plain,
            Some('#') => Operation::CutStart {
                greed: self.greed("##"),
                pattern: self.operand(Quotes::None, &[])?,
            },
            Some('%') => Operation::CutEnd {
                greed: self.greed("%%"),
                pattern: self.operand(Quotes::None, &[])?,
            },
            Some('/') => self.replace()?,
            Some(':') => self.slice()?,
            Some('^') => Operation::Upper(self.extent("^^")?),
            Some(',') => Operation::Lower(self.extent(",,")?),
            Some('@') if self.take("@P") => Operation::Prompt,
            _ => {
                self.operand(Quotes::None, &[])?;
                Operation::Other
            }
        })
    }

    fn greed(&mut self, longest: &str) -> Greed {
        if self.take(longest) {
            return Greed::Longest;
        }
        self.at += 1;
        Greed::Shortest
    }

    fn extent(&mut self, all: &str) -> Parse<Extent> {
        let extent = match self.greed(all) {
            Greed::Longest => Extent::All,
            Greed::Shortest => Extent::First,
        };
        self.operand(Quotes::None, &[])?;
        Ok(extent)
    }

    fn replace(&mut self) -> Parse<Operation> {
        let at = if self.take("//") {
            ReplaceAt::All
        } else if self.take("/#") {
            ReplaceAt::Start
        } else if self.take("/%") {
            ReplaceAt::End
        } else {
            self.at += 1;
            ReplaceAt::First
        };
        let pattern = self.operand(Quotes::None, &['/'])?;
        let by = if self.take("/") { self.operand(Quotes::None, &[])? } else { RawWord::default() };
        Ok(Operation::Replace { at, pattern, by })
    }

    fn slice(&mut self) -> Parse<Operation> {
        self.at += 1;
        let offset = self.operand(Quotes::None, &[':'])?;
        let length = if self.take(":") { Some(self.operand(Quotes::None, &[])?) } else { None };
        Ok(Operation::Slice { offset, length })
    }

    /// A word inside the braces, up to the `}` or one of `stops`.
    fn operand(&mut self, quotes: Quotes, stops: &[char]) -> Parse<RawWord> {
        let mut raw = RawWord::default();
        loop {
            if self.hole(&mut raw.parts) {
                continue;
            }
            match self.peek() {
                None | Some('}') => return Ok(raw),
                Some(c) if stops.contains(&c) && !raw.parts.is_empty() => return Ok(raw),
                Some(c) if stops.contains(&c) && c != '/' => return Ok(raw),
                Some('\'') if quotes != Quotes::None => {
                    self.at += 1;
                    raw.push_plain('\'');
                }
                Some('\\') if quotes != Quotes::None && self.peek_at(1) != Some('}') => {
                    let mut run = String::new();
                    self.escape_in_quotes(quotes, &mut run);
                    raw.parts.push(WordPart::Quoted(run));
                }
                Some(c) => self.unquoted(c, &mut raw)?,
            }
        }
    }
}
