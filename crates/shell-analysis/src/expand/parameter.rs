//! The values of variables: expands `$NAME` and `${NAME…}`.

use std::path::PathBuf;

use super::operations::slice;
use super::{BLANKS, Collector, Quoting};
use crate::interpret::{Run, Shell};
use crate::invocation::Folder;
use crate::scope::{Positional, Value};
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
        self.put(found, quoting, is_joined, out);
        Ok(())
    }

    fn put(&mut self, found: Found, quoting: Quoting, is_joined: bool, out: &mut Collector) {
        let words = match found {
            Found::One(word) | Found::Missing(word) => return out.value(&word, quoting),
            Found::List(words) => words,
        };
        let separator = self.separators().chars().take(1).collect::<String>();
        let is_joined = is_joined && quoting == Quoting::Quoted;
        if is_joined {
            out.quoted("");
        }
        for (at, word) in words.iter().enumerate() {
            match at {
                0 => {}
                _ if is_joined => out.quoted(&separator),
                _ => out.between(),
            }
            out.value(word, quoting);
        }
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
        match (operator.trim_start_matches(':'), is_missing) {
            ("+", true) => {}
            ("=", true) => {
                for operand in operands {
                    let value = self.single(operand)?;
                    out.value(&value, quoting);
                    self.scope.set(name, Value::Text(value));
                }
            }
            ("-", true) | ("+", false) => {
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
            _ => self.put(found, quoting, false, out),
        }
        Ok(())
    }

    fn find(&mut self, parameter: &Parameter) -> Run<Found> {
        let Parameter { name, is_indirect, index, .. } = parameter;
        if !is_indirect {
            return self.element(name, index.as_ref());
        }
        if is_all(index.as_ref())
            && let Some(value) = self.value(name)
        {
            let keys = value.into_items().into_iter().map(|(key, _)| Word::of(key));
            return Ok(Found::List(keys.collect()));
        }
        let (Found::One(target) | Found::Missing(target)) = self.element(name, index.as_ref())?
        else {
            return Ok(unknown(name));
        };
        let Some(text) = target.text() else {
            return Ok(Found::Missing(target.unknown_parts()));
        };
        match text.split_once('[') {
            Some((name, key)) => {
                let key = WordPart::Plain(key.trim_end_matches(']').to_owned());
                self.element(name, Some(&RawWord { parts: vec![key] }))
            }
            None => self.element(&text, None),
        }
    }

    fn element(&mut self, name: &str, index: Option<&RawWord>) -> Run<Found> {
        if let Some(found) = self.special(name) {
            return Ok(found);
        }
        let Some(value) = self.value(name) else { return Ok(unknown(name)) };
        let items = value.into_items();
        let mut at = Some(0);
        if is_all(index) {
            return Ok(Found::List(items.into_iter().map(|(_, word)| word).collect()));
        } else if let Some(raw) = index {
            let Some(key) = self.array_key(raw)? else { return Ok(unknown(name)) };
            let back = key.strip_prefix('-').and_then(|back| back.parse().ok());
            let from_end = back.and_then(|back| items.len().checked_sub(back));
            at = items.iter().position(|(other, _)| *other == key).or(from_end);
        }
        let found = at.and_then(|at| items.into_iter().nth(at));
        Ok(found.map_or(Found::Missing(Word::default()), |(_, word)| Found::One(word)))
    }

    /// The value of a variable in the current branch; `None` if it is unknown.
    pub(crate) fn value(&mut self, name: &str) -> Option<Value> {
        if let Some(values) = self.scope.variables.get(name) {
            let value = values.get(self.choice.pick(values.len()));
            if let Some(Value::List(items)) = value {
                // Array items cost more than the names of variables.
                self.scope.copied.set(self.scope.copied.get() + items.len() * 8);
            }
            return value.cloned();
        }
        let known = match name {
            "PWD" => {
                let Folder::Known(path) = self.folder() else { return None };
                path.components().collect::<PathBuf>().to_string_lossy().into_owned()
            }
            "IFS" => BLANKS.to_owned(),
            "BASH" | "SHELL" => "/bin/bash".to_owned(),
            _ => return None,
        };
        Some(Value::Text(Word::of(known)))
    }

    /// The value of a plain variable, if it is known.
    pub(crate) fn known_variable(&mut self, name: &str) -> Option<Word> {
        self.value(name)?.into_items().into_iter().next().map(|(_, word)| word)
    }

    pub(crate) fn variable(&mut self, name: &str) -> Word {
        self.known_variable(name)
            .unwrap_or_else(|| Word::of_unknown(Unknown::Variable(name.to_owned())))
    }

    /// The key in `NAME[key]`: a number, else the text.
    pub(crate) fn array_key(&mut self, raw: &RawWord) -> Run<Option<String>> {
        let Some(text) = self.single(raw)?.text() else { return Ok(None) };
        let text = text.trim_matches(['"', '\'']);
        let number = self.evaluated(text).map(|number| number.to_string());
        Ok(Some(number.unwrap_or_else(|| text.to_owned())))
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

/// `[@]` or `[*]`
fn is_all(index: Option<&RawWord>) -> bool {
    matches!(index.and_then(RawWord::plain), Some("@" | "*"))
}

fn unknown(name: &str) -> Found {
    Found::Missing(Word::of_unknown(Unknown::Variable(name.to_owned())))
}
