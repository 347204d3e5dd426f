//! Expansions that start with a dollar sign, and backticks.

use std::rc::Rc;

use super::ansi::{EscapeSet, unescape};
use super::parser::{Parse, Parser, Quotes, in_name, starts_name};
use crate::syntax::{List, Parameter, RawWord, WordPart};
use crate::text::Text;

/// The operators of `${…}`, each before those that it starts with.
const OPERATORS: [&str; 14] =
    [":-", ":=", ":+", ":?", "-", "=", "+", "?", "##", "#", "%%", "%", ":", "@P"];

impl Parser<'_> {
    /// Parses the expansion at `$`; `None` if the `$` is literal.
    pub(super) fn dollar(&mut self, quotes: Quotes) -> Parse<Option<WordPart>> {
        self.at += 1;
        let part = match self.peek() {
            Some('(') => match self.arithmetic()? {
                Some(raw) => WordPart::Arithmetic(raw),
                None => {
                    self.at += 1;
                    WordPart::Command(Rc::new(self.list_until(")")?))
                }
            },
            Some('{') => self.braced(quotes)?,
            Some('\'') if quotes.is_bare() => self.ansi_quoted()?,
            Some('"') if quotes.is_bare() => self.quotation(Quotes::Double)?,
            _ => {
                let name = self.short_name();
                self.at -= usize::from(name.is_none());
                let parameter = name.map(|name| Parameter { name, ..Parameter::default() });
                return Ok(parameter.map(|parameter| WordPart::Parameter(Box::new(parameter))));
            }
        };
        Ok(Some(part))
    }

    /// The name of a variable or a special parameter.
    pub(super) fn short_name(&mut self) -> Option<String> {
        let c = self.peek()?;
        if starts_name(c) {
            return Some(self.take_while(in_name));
        }
        let is_special = c.is_ascii_digit() || "@*#?-$!".contains(c);
        self.at += usize::from(is_special);
        is_special.then(|| c.into())
    }

    /// `((…))`; `None` if the brackets are nested commands.
    pub(super) fn arithmetic(&mut self) -> Parse<Option<RawWord>> {
        if self.looking_at("((")
            && let Some(close) = self.closing(self.at + 2, ['(', ')'], &[])
            && self.text.chars[..self.end].get(close + 1) == Some(&')')
        {
            self.at += 2;
            return self.quoted_up_to(close, 2).map(Some);
        }
        Ok(None)
    }

    fn ansi_quoted(&mut self) -> Parse<WordPart> {
        self.at += 1;
        let mut inner = String::new();
        while let Some(c) = self.peek().filter(|c| *c != '\'') {
            inner.push(c);
            self.at += 1;
            if c == '\\' {
                inner.extend(self.peek());
                self.at += 1;
            }
        }
        self.expect("'")?;
        let text = unescape(&inner, EscapeSet::Quote);
        // Shells store C strings: everything after a NUL is ignored.
        Ok(WordPart::Quoted(text.split('\0').next().unwrap_or_default().to_owned()))
    }

    pub(super) fn backticks(&mut self) -> Parse<WordPart> {
        self.at += 1;
        let mut inner = Text::default();
        while !self.take("`") {
            match self.peek() {
                None => return self.broken(),
                Some('\\') if matches!(self.peek_at(1), Some('`' | '\\' | '$')) => self.at += 1,
                Some(_) => {}
            }
            inner.push_from(self.text, self.at);
            self.at += 1;
        }
        let mut list = List::new();
        self.inner(&inner, |parser| parser.whole(&mut list))?;
        Ok(WordPart::Command(Rc::new(list)))
    }

    pub(super) fn braced(&mut self, quotes: Quotes) -> Parse<WordPart> {
        self.at += 1;
        self.deeper(|parser| {
            // `${ command; }`, which some shells run like `$(…)`.
            if parser.take_any(&[" ", "\t", "\n", "|"]).is_some() {
                return Ok(WordPart::Command(Rc::new(parser.list_until("}")?)));
            }
            let parameter = parser.parameter(quotes)?;
            parser.expect("}")?;
            Ok(WordPart::Parameter(Box::new(parameter)))
        })
    }

    fn parameter(&mut self, quotes: Quotes) -> Parse<Parameter> {
        let names = |c: char| in_name(c) || "@*".contains(c);
        let is_length = self.looking_at("#") && self.peek_at(1).is_some_and(names);
        let is_indirect = self.looking_at("!") && !self.looking_at("!}");
        self.at += usize::from(is_length || is_indirect);
        let number = self.take_while(|c| c.is_ascii_digit());
        let name = if number.is_empty() { self.short_name() } else { Some(number) };
        let mut index = None;
        if self.take("[") {
            index = Some(self.operand(Quotes::Brace, "]")?);
            self.expect("]")?;
        }
        let mut operator = self.take_any(&OPERATORS).unwrap_or_default();
        let has_default = operator.ends_with(['-', '=', '+', '?']);
        let quotes = if has_default && !quotes.is_bare() { Quotes::Brace } else { Quotes::Bare };
        let separator = if operator == ":" { ":" } else { "}" };
        let mut operands = vec![self.operand(quotes, separator)?];
        if separator != "}" && self.take(separator) {
            operands.push(self.operand(quotes, "}")?);
        }
        if is_length && operator.is_empty() {
            operator = "length";
        }
        Ok(Parameter { name: name.unwrap_or_default(), is_indirect, index, operator, operands })
    }

    /// A word inside the braces, up to the `}` or the separator.
    fn operand(&mut self, quotes: Quotes, separator: &str) -> Parse<RawWord> {
        let mut raw = RawWord::default();
        while !(self.peek().is_none() || self.looking_at("}") || self.looking_at(separator)) {
            self.part(quotes, &mut raw)?;
        }
        Ok(raw)
    }
}
