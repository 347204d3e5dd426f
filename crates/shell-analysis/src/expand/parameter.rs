//! The values of variables: expands `$NAME` and `${NAME…}`.

use super::operations::slice;
use super::{BLANKS, Collector};
use crate::shell::{Run, Shell};
use crate::syntax::{Parameter, RawWord, WordPart};
use crate::word::{Unknown, Word};

/// The value of a name.
struct Found {
    words: Vec<Word>,
    /// `$@` and `${NAME[@]}`.
    is_list: bool,
    /// Otherwise the word is unknown, or empty if the text itself unsets it.
    is_set: bool,
}

impl Shell<'_> {
    pub(super) fn parameter(&mut self, parameter: &Parameter, out: &mut Collector) -> Run<()> {
        let Parameter { name, index, operator, operands, .. } = parameter;
        let found = self.find(parameter)?;
        if operator.ends_with(['-', '=', '+', '?']) {
            return self.or_default(found, parameter, out);
        }
        let mut words = found.words;
        match *operator {
            "length" if found.is_list => words = vec![Word::of(words.len().to_string())],
            ":" if found.is_list => {
                if let "@" | "*" = name.as_str() {
                    words.insert(0, self.zero());
                }
                let range = self.range(operands)?;
                let part = range.and_then(|range| slice(&words, range));
                words = part.map_or_else(|| unknown(name).words, <[_]>::to_vec);
            }
            _ => {
                let changed = words.into_iter().map(|word| self.operate(parameter, word));
                words = changed.collect::<Run<_>>()?;
            }
        }
        let is_joined = name == "*" || index.as_ref().and_then(RawWord::plain) == Some("*");
        if is_joined && out.is_quoted {
            words = vec![Word::joined(&words)];
        }
        put(words, out);
        Ok(())
    }

    /// `${NAME:-word}` and similar.
    fn or_default(&mut self, found: Found, parameter: &Parameter, out: &mut Collector) -> Run<()> {
        let Parameter { name, operator, operands, .. } = parameter;
        let is_empty = found.words.iter().all(Word::is_empty);
        let is_missing = match found.is_set {
            true => is_empty && (operator.starts_with(':') || found.words.is_empty()),
            // The text has a default for an unknown value, so the default is used.
            false => is_empty || !operator.ends_with('+'),
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
                if out.is_quoted {
                    out.quoted("");
                }
                for part in operands.iter().flat_map(|operand| &operand.parts) {
                    match part {
                        // Split at blanks, as if it came from a variable.
                        WordPart::Plain(text) if !text.starts_with('~') => {
                            out.value(Word::of(text));
                        }
                        part => self.expand(std::slice::from_ref(part), out)?,
                    }
                }
            }
            _ => put(found.words, out),
        }
        Ok(())
    }

    fn find(&mut self, parameter: &Parameter) -> Run<Found> {
        let Parameter { name, is_indirect, index, .. } = parameter;
        let found = self.element(name, index.as_ref())?;
        if !is_indirect {
            return Ok(found);
        }
        let target = Word::joined(&found.words);
        target.text().map_or_else(|| Ok(unknown(name)), |text| self.element(&text, None))
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
            return Ok(list(items.iter().map(|(_, word)| word)));
        }
        let item = match (key, index) {
            (Some(key), _) => items.iter().find(|(other, _)| *other == key),
            _ => items.first(),
        };
        Ok(match item {
            Some((_, word)) => one(word.clone()),
            None if index.is_some() => unknown(name),
            None => missing(Word::default()),
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
        let words = self.scope.positional.as_ref();
        let name = if name == "BASH_SOURCE" { "0" } else { name };
        let found = match (name, name.parse::<usize>()) {
            ("@" | "*", _) => words.map(|words| list(words.iter().skip(1))),
            ("#", _) => words.map(|words| one(Word::of(words.len().saturating_sub(1).to_string()))),
            ("" | "?" | "$" | "!" | "-", _) => Some(missing(Word::of_unknown(Unknown::Value))),
            ("IFS", _) if !self.scope.variables.contains_key("IFS") => Some(one(Word::of(BLANKS))),
            (_, Ok(number)) => words.map(|words| match words.get(number) {
                Some(word) => one(word.clone()),
                None => missing(Word::default()),
            }),
            _ => return None,
        };
        Some(found.unwrap_or_else(|| unknown(name)))
    }
}

fn put(words: Vec<Word>, out: &mut Collector) {
    for (at, word) in words.into_iter().enumerate() {
        if at > 0 {
            out.between();
        }
        out.value(word);
    }
}

fn one(word: Word) -> Found {
    Found { words: vec![word], is_list: false, is_set: true }
}

fn list<'w>(words: impl Iterator<Item = &'w Word>) -> Found {
    Found { words: words.cloned().collect(), is_list: true, is_set: true }
}

fn missing(word: Word) -> Found {
    Found { words: vec![word], is_list: false, is_set: false }
}

fn unknown(name: &str) -> Found {
    missing(Word::of_unknown(Unknown::Variable(name.to_owned())))
}
