//! `${…}`.

use std::rc::Rc;

use super::word::Quotes;
use super::{Parse, Parser, in_name};
use crate::syntax::{Parameter, RawWord, WordPart};

/// Each before those that it starts with.
const OPERATORS: [&str; 22] = [
    ":-", ":=", ":+", ":?", "-", "=", "+", "?", "##", "#", "%%", "%", "//", "/#", "/%", "/", ":",
    "^^", "^", ",,", ",", "@P",
];

impl Parser<'_> {
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
        let separator = match operator {
            ":" => ":",
            "/" | "//" | "/#" | "/%" => "/",
            _ => "}",
        };
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
        // A pattern may start with its separator.
        while !(self.peek().is_none()
            || self.looking_at("}")
            || self.looking_at(separator) && (separator != "/" || !raw.parts.is_empty()))
        {
            self.part(quotes, &mut raw)?;
        }
        Ok(raw)
    }
}
