//! What `$NAME` and `${NAME…}` become.

use super::{Collector, Quoting, Want};
use crate::interpret::{Run, Shell};
use crate::scope::{Positional, Value};
use crate::syntax::{Empty, Index, Operation, Parameter, Raw, Reach, Substitute};
use crate::word::{Unknown, Word};

/// What a name stands for.
enum Found {
    One(Word),
    /// `$@` and `${NAME[@]}`.
    Many(Vec<Word>),
    /// Emptied or unset by the text itself.
    Nothing,
    /// The text does not say.
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
        if let Operation::Substitute { kind, empty, word } = operation {
            return self.substitute(name, found, *kind, *empty, word, quoting, out);
        }
        let found = match (found, operation) {
            (Found::Many(words), Operation::Slice { offset, length }) => {
                self.slice_list(name, words, offset, length.as_ref())?
            }
            (Found::Many(words), Operation::Length) => {
                Found::One(Word::of(words.len().to_string()))
            }
            (Found::Many(words), _) => {
                let mut changed = Vec::new();
                for word in words {
                    changed.push(self.operate(name, operation, word)?);
                }
                Found::Many(changed)
            }
            (Found::One(word), _) => Found::One(self.operate(name, operation, word)?),
            (Found::Nothing, Operation::Length) => Found::One(Word::of("0")),
            (Found::Unknown(word), _) => Found::Unknown(self.operate(name, operation, word)?),
            (found, _) => found,
        };
        let joined = matches!(index, Index::Joined) || name == "*";
        self.put(found, quoting, joined, out);
        Ok(())
    }

    fn put(&mut self, found: Found, quoting: Quoting, joined: bool, out: &mut Collector) {
        match found {
            Found::One(word) | Found::Unknown(word) => out.value(&word, quoting),
            Found::Nothing if quoting == Quoting::Quoted => out.quoted(""),
            Found::Nothing => {}
            Found::Many(words) => {
                let joint = if joined && quoting == Quoting::Quoted { self.joint() } else { None };
                if words.is_empty() && joint.is_some() {
                    out.quoted("");
                }
                for (at, word) in words.iter().enumerate() {
                    match &joint {
                        Some(joint) if at > 0 => out.quoted(joint),
                        None if at > 0 => out.between(),
                        _ => {}
                    }
                    out.value(word, quoting);
                }
            }
        }
    }

    /// What `"$*"` puts between the values.
    fn joint(&mut self) -> Option<String> {
        Some(self.separators().chars().take(1).collect())
    }

    fn find(&mut self, parameter: &Parameter) -> Run<Found> {
        let Parameter { name, reach, index, .. } = parameter;
        if name.is_empty() {
            return Ok(Found::Unknown(Word::of_unknown(Unknown::Value)));
        }
        if *reach == Reach::Direct {
            return self.element(name, index);
        }
        if let (Index::Each | Index::Joined, Some(Value::List(items))) = (index, self.value(name)) {
            return Ok(Found::Many(items.into_iter().map(|(key, _)| Word::of(key)).collect()));
        }
        let Found::One(target) = self.element(name, index)? else {
            return Ok(Found::Unknown(Word::of_unknown(Unknown::Variable(name.clone()))));
        };
        let Some(target) = target.text() else { return Ok(Found::Unknown(target.unknown_parts())) };
        match target.split_once('[') {
            Some((name, "@]" | "*]")) => self.element(name, &Index::Each),
            Some((name, key)) => {
                let mut raw = Raw::default();
                key.trim_end_matches(']').chars().for_each(|c| raw.push_plain(c));
                self.element(name, &Index::At(raw))
            }
            None => self.element(&target, &Index::None),
        }
    }

    fn element(&mut self, name: &str, index: &Index) -> Run<Found> {
        if let "@" | "*" = name {
            return Ok(match &self.scope.positional {
                Positional::Known(words) => Found::Many(words.to_vec()),
                Positional::Unknown => unknown(name),
            });
        }
        if let Some(found) = self.special(name) {
            return Ok(found);
        }
        let Some(value) = self.value(name) else { return Ok(unknown(name)) };
        Ok(match (value, index) {
            (Value::Unset, _) => Found::Nothing,
            (Value::Text(word), Index::None | Index::Each | Index::Joined) => Found::One(word),
            (Value::List(items), Index::Each | Index::Joined) => {
                Found::Many(items.into_iter().map(|(_, word)| word).collect())
            }
            (Value::List(items), Index::None) => {
                items.into_iter().next().map_or(Found::Nothing, |(_, word)| Found::One(word))
            }
            (value, Index::At(raw)) => {
                let key = self.array_key(raw)?;
                match (value, key.as_deref()) {
                    (Value::Text(word), Some("0")) => Found::One(word),
                    (Value::List(items), Some(key)) => items
                        .iter()
                        .find(|(other, _)| *other == key)
                        .or_else(|| from_end(&items, key))
                        .map_or(Found::Nothing, |(_, word)| Found::One(word.clone())),
                    (Value::Text(_), Some(_)) | (Value::Unset, _) => Found::Nothing,
                    (_, None) => unknown(name),
                }
            }
        })
    }

    /// The key in `NAME[key]`: a number where it is one, else the text.
    pub(crate) fn array_key(&mut self, raw: &Raw) -> Run<Option<String>> {
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

    fn special(&mut self, name: &str) -> Option<Found> {
        if let Ok(number) = name.parse::<usize>() {
            if number == 0 {
                return Some(Found::One(self.scope.zero.clone()));
            }
            return Some(match &self.scope.positional {
                Positional::Known(words) => {
                    words.get(number - 1).map_or(Found::Nothing, |word| Found::One(word.clone()))
                }
                Positional::Unknown => unknown(name),
            });
        }
        match name {
            "#" => Some(match &self.scope.positional {
                Positional::Known(words) => Found::One(Word::of(words.len().to_string())),
                Positional::Unknown => unknown(name),
            }),
            "?" | "$" | "!" | "-" => Some(Found::Unknown(Word::of_unknown(Unknown::Value))),
            _ => None,
        }
    }

    #[expect(clippy::too_many_arguments, reason = "they are the parts of one construct")]
    fn substitute(
        &mut self,
        name: &str,
        found: Found,
        kind: Substitute,
        empty: Empty,
        word: &Raw,
        quoting: Quoting,
        out: &mut Collector,
    ) -> Run<()> {
        let missing = match &found {
            Found::One(value) => empty == Empty::IsNone && value.is_empty(),
            Found::Many(words) => words.is_empty(),
            Found::Nothing => true,
            // The text gives a value for this very case, so that is what it reckons with.
            Found::Unknown(_) => kind != Substitute::Alternative,
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

    fn expand_operand(&mut self, word: &Raw, quoting: Quoting, out: &mut Collector) -> Run<()> {
        if quoting == Quoting::Quoted {
            let word = self.joined(word, Want::Text)?;
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

    /// Splits the unquoted parts of a default at its blanks, as if they came from a variable.
    fn operand_fields(&mut self, raw: &Raw) -> Run<Vec<Word>> {
        let ifs = self.separators();
        let mut collector = Collector::new(Want::Fields, ifs);
        for part in &raw.parts {
            match part {
                crate::syntax::Part::Plain(text) if !text.starts_with('~') => {
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

fn unknown(name: &str) -> Found {
    Found::Unknown(Word::of_unknown(Unknown::Variable(name.to_owned())))
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
        offset: &Raw,
        length: Option<&Raw>,
    ) -> Run<Found> {
        let from = self.number(offset)?;
        let count = match length {
            Some(raw) => self.number(raw)?,
            None => Some(i64::MAX),
        };
        let (Some(from), Some(count)) = (from, count) else {
            return Ok(Found::Unknown(Word::of_unknown(Unknown::Value)));
        };
        // Positional parameters are counted from one, arrays from nought.
        let first = if let "@" | "*" = name { 1 } else { 0 };
        let from = if from < 0 { words.len() } else { usize::try_from(from - first).unwrap_or(0) };
        let count = usize::try_from(count).unwrap_or(0);
        Ok(Found::Many(words.into_iter().skip(from).take(count).collect()))
    }
}
