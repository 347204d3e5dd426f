//! The values of variables: expands `$NAME` and `${NAME…}`.

use super::operations::slice;
use super::{BLANKS, Collector, Quoting};
use crate::scope::Positional;
use crate::shell::{Run, Shell};
use crate::syntax::{Parameter, RawWord, WordPart};
use crate::word::{Unknown, Word};

/// The value of a name.
enum Found {
    One(Word),
    /// `$@` and `${NAME[@]}`.
    List(Vec<Word>),
    /// Empty if the text itself unsets it, else unknown.
    Missing(Word),
}

impl Shell<'_> {
    pub(super) fn parameter(
        &mut self,
        parameter: &Parameter,
        quoting: Quoting,
        out: &mut Collector,
    ) -> Run<()> {
        let Parameter { name, index, operator, operands, .. } = parameter;
        let found = match (self.find(parameter)?, *operator) {
            (found, "-" | "=" | "+" | "?" | ":-" | ":=" | ":+" | ":?") => {
                return self.or_default(found, parameter, quoting, out);
            }
            (Found::List(words), "length") => Found::One(Word::of(words.len().to_string())),
            (Found::List(mut words), ":") => {
                if let "@" | "*" = name.as_str() {
                    words.insert(0, self.scope.zero.clone());
                }
                let range = self.range(operands)?;
                let part = range.and_then(|range| slice(&words, range));
                part.map_or_else(|| unknown(name), |words| Found::List(words.to_vec()))
            }
            (Found::List(words), _) => {
                let changed = words.into_iter().map(|word| self.operate(parameter, word));
                Found::List(changed.collect::<Run<_>>()?)
            }
            (Found::One(word) | Found::Missing(word), _) => {
                Found::One(self.operate(parameter, word)?)
            }
        };
        let is_joined = name == "*" || index.as_ref().and_then(RawWord::plain) == Some("*");
        match found {
            Found::List(words) if is_joined && quoting == Quoting::Quoted => {
                out.value(&Word::joined(&words), quoting);
            }
            found => found.put(quoting, out),
        }
        Ok(())
    }

    /// `${NAME:-word}` and similar.
    fn or_default(
        &mut self,
        found: Found,
        parameter: &Parameter,
        quoting: Quoting,
        out: &mut Collector,
    ) -> Run<()> {
        let Parameter { name, operator, operands, .. } = parameter;
        let is_missing = match &found {
            Found::One(value) => operator.starts_with(':') && value.is_empty(),
            Found::List(words) => words.is_empty(),
            // The text has a default for an unknown value, so the default is used.
            Found::Missing(value) => value.is_empty() || !operator.ends_with('+'),
        };
        if is_missing && operator.ends_with('=') {
            for operand in operands {
                let value = self.single(operand)?;
                self.scope.set(name, value);
            }
        }
        match (operator.trim_start_matches(':'), is_missing) {
            ("+", true) => {}
            ("-" | "=", true) | ("+", false) => {
                if quoting == Quoting::Quoted {
                    out.quoted("");
                }
                for part in operands.iter().flat_map(|operand| &operand.parts) {
                    match part {
                        // Split at blanks, as if it came from a variable.
                        WordPart::Plain(text) if !text.starts_with('~') => {
                            out.value(&Word::of(text), quoting);
                        }
                        part => self.expand(std::slice::from_ref(part), quoting, out)?,
                    }
                }
            }
            _ => found.put(quoting, out),
        }
        Ok(())
    }

    fn find(&mut self, parameter: &Parameter) -> Run<Found> {
        let Parameter { name, is_indirect, index, .. } = parameter;
        let found = self.element(name, index.as_ref())?;
        Ok(match found {
            found if !is_indirect => found,
            Found::List(_) => unknown(name),
            Found::One(target) | Found::Missing(target) => match target.text() {
                Some(text) => self.element(&text, None)?,
                None => Found::Missing(target.unknown_parts()),
            },
        })
    }

    fn element(&mut self, name: &str, index: Option<&RawWord>) -> Run<Found> {
        if let Some(found) = self.special(name) {
            return Ok(found);
        }
        let is_all = matches!(index.and_then(RawWord::plain), Some("@" | "*"));
        let key =
            index.filter(|_| !is_all).map_or(Ok(None), |raw| self.array_key(raw).map(Some))?;
        let Some(items) = self.items_of(name) else { return Ok(unknown(name)) };
        if is_all {
            return Ok(Found::List(items.iter().map(|(_, word)| word.clone()).collect()));
        }
        let item = match (key, index) {
            (Some(key), _) => items.iter().find(|(other, _)| *other == key),
            _ => items.first(),
        };
        Ok(match item {
            Some((_, word)) => Found::One(word.clone()),
            None if index.is_some() => unknown(name),
            None => Found::Missing(Word::default()),
        })
    }

    /// The items of a variable; `None` if it is unknown.
    pub(crate) fn items_of(&self, name: &str) -> Option<&[(String, Word)]> {
        let value = self.scope.variables.get(name)?;
        // Array items cost more than the names of variables.
        self.scope.copied.set(self.scope.copied.get() + value.len().saturating_sub(1) * 8);
        Some(value)
    }

    /// The key in `NAME[key]`.
    pub(crate) fn array_key(&mut self, raw: &RawWord) -> Run<String> {
        Ok(self.single(raw)?.shown().trim_matches(['"', '\'']).to_owned())
    }

    fn special(&self, name: &str) -> Option<Found> {
        let words = match &self.scope.positional {
            Positional::Known(words) => Some(words),
            Positional::Unknown => None,
        };
        let found = match (name, name.parse::<usize>()) {
            ("@" | "*", _) => words.map(|words| Found::List(words.to_vec())),
            ("#", _) => words.map(|words| Found::One(Word::of(words.len().to_string()))),
            ("" | "?" | "$" | "!" | "-", _) => {
                Some(Found::Missing(Word::of_unknown(Unknown::Value)))
            }
            ("IFS", _) if !self.scope.variables.contains_key("IFS") => {
                Some(Found::One(Word::of(BLANKS)))
            }
            (_, Ok(0)) => Some(Found::One(self.scope.zero.clone())),
            (_, Ok(number)) => words.map(|words| match words.get(number - 1) {
                Some(word) => Found::One(word.clone()),
                None => Found::Missing(Word::default()),
            }),
            _ => return None,
        };
        Some(found.unwrap_or_else(|| unknown(name)))
    }
}

impl Found {
    fn put(self, quoting: Quoting, out: &mut Collector) {
        let words = match self {
            Self::One(word) | Self::Missing(word) => return out.value(&word, quoting),
            Self::List(words) => words,
        };
        for (at, word) in words.iter().enumerate() {
            if at > 0 {
                out.between();
            }
            out.value(word, quoting);
        }
    }
}

fn unknown(name: &str) -> Found {
    Found::Missing(Word::of_unknown(Unknown::Variable(name.to_owned())))
}
