//! Expands `$NAME` and `${NAME…}`.

use super::{Collector, Quoting, SplitMode};
use crate::interpret::{Run, Shell};
use crate::scope::{Positional, Value};
use crate::syntax::{Index, Operation, Parameter, RawWord, Substitute};
use crate::word::{Unknown, Word};

/// The value of a name.
enum ParameterValue {
    One(Word),
    /// `$@` and `${NAME[@]}`.
    Many(Vec<Word>),
    /// Emptied or unset by the text itself.
    Nothing,
    /// The text does not define it.
    Unknown(Word),
}

impl Shell<'_> {
    pub(super) fn parameter(
        &mut self,
        parameter: &Parameter,
        quoting: Quoting,
        out: &mut Collector,
    ) -> Run<()> {
        let Parameter { name, index, operation, .. } = parameter;
        let found = self.find(parameter)?;
        if let Operation::Substitute { kind, empty_is_unset, word } = operation {
            return self.substitute(name, found, *kind, *empty_is_unset, word, quoting, out);
        }
        let found = match (found, operation) {
            (ParameterValue::Many(words), Operation::Slice { offset, length }) => {
                self.slice_list(name, words, offset, length.as_ref())?
            }
            (ParameterValue::Many(words), Operation::Length) => {
                ParameterValue::One(Word::of(words.len().to_string()))
            }
            (ParameterValue::Many(words), _) => {
                let mut changed = Vec::new();
                for word in words {
                    changed.push(self.operate(name, operation, word)?);
                }
                ParameterValue::Many(changed)
            }
            (ParameterValue::One(word), _) => {
                ParameterValue::One(self.operate(name, operation, word)?)
            }
            (ParameterValue::Nothing, Operation::Length) => ParameterValue::One(Word::of("0")),
            (ParameterValue::Unknown(word), _) => {
                ParameterValue::Unknown(self.operate(name, operation, word)?)
            }
            (found, _) => found,
        };
        let joined = matches!(index, Index::Joined) || name == "*";
        self.put(found, quoting, joined, out);
        Ok(())
    }

    fn put(&mut self, found: ParameterValue, quoting: Quoting, joined: bool, out: &mut Collector) {
        match found {
            ParameterValue::One(word) | ParameterValue::Unknown(word) => out.value(&word, quoting),
            ParameterValue::Nothing if quoting == Quoting::Quoted => out.quoted(""),
            ParameterValue::Nothing => {}
            ParameterValue::Many(words) => {
                let list_separator =
                    if joined && quoting == Quoting::Quoted { self.list_separator() } else { None };
                if words.is_empty() && list_separator.is_some() {
                    out.quoted("");
                }
                for (at, word) in words.iter().enumerate() {
                    match &list_separator {
                        Some(list_separator) if at > 0 => out.quoted(list_separator),
                        None if at > 0 => out.between(),
                        _ => {}
                    }
                    out.value(word, quoting);
                }
            }
        }
    }

    /// The separator that `"$*"` puts between values.
    fn list_separator(&mut self) -> Option<String> {
        Some(self.separators().chars().take(1).collect())
    }

    fn find(&mut self, parameter: &Parameter) -> Run<ParameterValue> {
        let Parameter { name, is_indirect, index, .. } = parameter;
        if name.is_empty() {
            return Ok(ParameterValue::Unknown(Word::of_unknown(Unknown::Value)));
        }
        if !is_indirect {
            return self.element(name, index);
        }
        if let (Index::Each | Index::Joined, Some(Value::List(items))) = (index, self.value(name)) {
            return Ok(ParameterValue::Many(
                items.into_iter().map(|(key, _)| Word::of(key)).collect(),
            ));
        }
        let ParameterValue::One(target) = self.element(name, index)? else {
            return Ok(ParameterValue::Unknown(Word::of_unknown(Unknown::Variable(name.clone()))));
        };
        let Some(target) = target.text() else {
            return Ok(ParameterValue::Unknown(target.unknown_parts()));
        };
        match target.split_once('[') {
            Some((name, "@]" | "*]")) => self.element(name, &Index::Each),
            Some((name, key)) => {
                let mut raw = RawWord::default();
                key.trim_end_matches(']').chars().for_each(|c| raw.push_plain(c));
                self.element(name, &Index::At(raw))
            }
            None => self.element(&target, &Index::None),
        }
    }

    fn element(&mut self, name: &str, index: &Index) -> Run<ParameterValue> {
        if let "@" | "*" = name {
            return Ok(match &self.scope.positional {
                Positional::Known(words) => ParameterValue::Many(words.to_vec()),
                Positional::Unknown => unknown(name),
            });
        }
        if let Some(found) = self.special(name) {
            return Ok(found);
        }
        let Some(value) = self.value(name) else { return Ok(unknown(name)) };
        Ok(match (value, index) {
            (Value::Unset, _) => ParameterValue::Nothing,
            (Value::Text(word), Index::None | Index::Each | Index::Joined) => {
                ParameterValue::One(word)
            }
            (Value::List(items), Index::Each | Index::Joined) => {
                ParameterValue::Many(items.into_iter().map(|(_, word)| word).collect())
            }
            (Value::List(items), Index::None) => items
                .into_iter()
                .next()
                .map_or(ParameterValue::Nothing, |(_, word)| ParameterValue::One(word)),
            (value, Index::At(raw)) => {
                let key = self.array_key(raw)?;
                match (value, key.as_deref()) {
                    (Value::Text(word), Some("0")) => ParameterValue::One(word),
                    (Value::List(items), Some(key)) => items
                        .iter()
                        .find(|(other, _)| *other == key)
                        .or_else(|| from_end(&items, key))
                        .map_or(ParameterValue::Nothing, |(_, word)| {
                            ParameterValue::One(word.clone())
                        }),
                    (Value::Text(_), Some(_)) | (Value::Unset, _) => ParameterValue::Nothing,
                    (_, None) => unknown(name),
                }
            }
        })
    }

    /// The key in `NAME[key]`: a number, else the text.
    pub(crate) fn array_key(&mut self, raw: &RawWord) -> Run<Option<String>> {
        let Some(text) = self.single(raw)?.text() else { return Ok(None) };
        let text = text.trim_matches(['"', '\'']).to_owned();
        if text.parse::<i64>().is_ok() {
            return Ok(Some(text));
        }
        let number = super::arithmetic::evaluate(&text, &mut |name| {
            self.known_variable(name).and_then(|word| word.text()).filter(|text| !text.is_empty())
        });
        Ok(Some(number.map_or(text, |number| number.to_string())))
    }

    fn special(&mut self, name: &str) -> Option<ParameterValue> {
        if let Ok(number) = name.parse::<usize>() {
            if number == 0 {
                return Some(ParameterValue::One(self.scope.zero.clone()));
            }
            return Some(match &self.scope.positional {
                Positional::Known(words) => words
                    .get(number - 1)
                    .map_or(ParameterValue::Nothing, |word| ParameterValue::One(word.clone())),
                Positional::Unknown => unknown(name),
            });
        }
        match name {
            "#" => Some(match &self.scope.positional {
                Positional::Known(words) => ParameterValue::One(Word::of(words.len().to_string())),
                Positional::Unknown => unknown(name),
            }),
            "?" | "$" | "!" | "-" => {
                Some(ParameterValue::Unknown(Word::of_unknown(Unknown::Value)))
            }
            _ => None,
        }
    }

    #[expect(clippy::too_many_arguments, reason = "they are the parts of one construct")]
    fn substitute(
        &mut self,
        name: &str,
        found: ParameterValue,
        kind: Substitute,
        empty_is_unset: bool,
        word: &RawWord,
        quoting: Quoting,
        out: &mut Collector,
    ) -> Run<()> {
        let missing = match &found {
            ParameterValue::One(value) => empty_is_unset && value.is_empty(),
            ParameterValue::Many(words) => words.is_empty(),
            ParameterValue::Nothing => true,
            // The text has a default for this case, so the default is used.
            ParameterValue::Unknown(_) => kind != Substitute::Alternative,
        };
        let wanted = if kind == Substitute::Alternative { !missing } else { missing };
        match (kind, wanted) {
            (Substitute::Alternative, false) => {}
            (Substitute::Error, true) => self.put(found, quoting, false, out),
            (Substitute::Assign, true) => {
                let value = self.single(word)?;
                self.scope.set(name, Value::Text(value.clone()));
                out.value(&value, quoting);
            }
            (_, true) => self.expand_operand(word, quoting, out)?,
            (_, false) => self.put(found, quoting, false, out),
        }
        Ok(())
    }

    fn expand_operand(&mut self, word: &RawWord, quoting: Quoting, out: &mut Collector) -> Run<()> {
        if quoting == Quoting::Quoted {
            let word = self.joined(word, SplitMode::Text)?;
            out.value(&word, quoting);
            return Ok(());
        }
        for (at, field) in self.operand_fields(word)?.iter().enumerate() {
            if at > 0 {
                out.between();
            }
            out.value(field, Quoting::Quoted);
        }
        Ok(())
    }

    /// Splits the unquoted parts of a default at blanks, as if they came from a variable.
    fn operand_fields(&mut self, raw: &RawWord) -> Run<Vec<Word>> {
        let ifs = self.separators();
        let mut collector = Collector::new(SplitMode::Fields, ifs);
        for part in &raw.parts {
            match part {
                crate::syntax::WordPart::Plain(text) if !text.starts_with('~') => {
                    collector.value(&Word::of(text), Quoting::Bare);
                }
                part => {
                    self.expand_into(std::slice::from_ref(part), Quoting::Bare, &mut collector)?
                }
            }
        }
        Ok(collector.finish())
    }
}

fn unknown(name: &str) -> ParameterValue {
    ParameterValue::Unknown(Word::of_unknown(Unknown::Variable(name.to_owned())))
}

/// `${NAME[-1]}`
fn from_end<'i>(items: &'i [(String, Word)], key: &str) -> Option<&'i (String, Word)> {
    let back = key.strip_prefix('-')?.parse::<usize>().ok()?;
    items.get(items.len().checked_sub(back)?)
}

impl Shell<'_> {
    fn slice_list(
        &mut self,
        name: &str,
        words: Vec<Word>,
        offset: &RawWord,
        length: Option<&RawWord>,
    ) -> Run<ParameterValue> {
        let from = self.number(offset)?;
        let count = match length {
            Some(raw) => self.number(raw)?,
            None => Some(i64::MAX),
        };
        let (Some(from), Some(count)) = (from, count) else {
            return Ok(ParameterValue::Unknown(Word::of_unknown(Unknown::Value)));
        };
        // Positional parameters start at one, arrays at zero.
        let first = if let "@" | "*" = name { 1 } else { 0 };
        let from = if from < 0 { words.len() } else { usize::try_from(from - first).unwrap_or(0) };
        let count = usize::try_from(count).unwrap_or(0);
        Ok(ParameterValue::Many(words.into_iter().skip(from).take(count).collect()))
    }
}
