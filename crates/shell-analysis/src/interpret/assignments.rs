//! `NAME=value`, alone, before a program, or as an argument of `export` and similar builtins.

use super::wrappers::joined;
use super::{Run, Shell};
use crate::scope::{Candidates, Value};
use crate::syntax::{Assign, Assignment, WordPart};
use crate::word::Word;

#[derive(Debug)]
pub(super) struct Assigned {
    name: String,
    key: Option<String>,
    how: Assign,
    value: Value,
}

/// The values of variables before a command that overrides them.
pub(super) type SavedVariables = Vec<(String, Option<Candidates>)>;

impl Shell<'_> {
    pub(super) fn assigned_values(&mut self, assignments: &[Assignment]) -> Run<Vec<Assigned>> {
        let mut values = Vec::new();
        for Assignment { name, index, how, value } in assignments {
            let key = match index {
                Some(raw) => self.array_key(raw)?,
                None => None,
            };
            let mut items = Vec::new();
            let value = if let [WordPart::Array(raws)] = value.parts.as_slice() {
                for (key, raw) in raws {
                    if let Some(key) = key {
                        let key = self.array_key(key)?.unwrap_or_default();
                        items.push((key, self.single(raw)?));
                        continue;
                    }
                    for word in self.fields(raw)? {
                        items.push((items.len().to_string(), word));
                    }
                }
                Value::List(items)
            } else {
                Value::Text(self.single(value)?)
            };
            values.push(Assigned { name: name.clone(), key, how: *how, value });
        }
        Ok(values)
    }

    pub(super) fn assign(&mut self, assigned: Assigned) -> Run<()> {
        let Assigned { name, key, how, value } = assigned;
        if let ("BASH_ALIASES", Some(key), Value::Text(word)) = (name.as_str(), &key, &value) {
            self.scope.set_alias(key, word.clone());
        }
        let extends = how == Assign::Extend;
        let value = match (key, value) {
            (Some(key), Value::Text(word)) => {
                let mut items = self.array(&name)?;
                match items.iter_mut().find(|(other, _)| *other == key) {
                    Some((_, old)) if extends => old.append(word),
                    Some((_, old)) => *old = word,
                    None => items.push((key, word)),
                }
                Value::List(items)
            }
            (_, Value::List(more)) if extends => {
                let mut items = self.array(&name)?;
                for (_, word) in more {
                    items.push((items.len().to_string(), word));
                }
                Value::List(items)
            }
            (_, Value::Text(more)) if extends => {
                let is_unset = self.value(&name) == Some(Value::Unset);
                let mut word = if is_unset { Word::default() } else { self.variable(&name) };
                self.spend(word.weight())?;
                word.append(more);
                Value::Text(word)
            }
            (_, value) => value,
        };
        self.scope.set(&name, value);
        Ok(())
    }

    /// The items of an array; a plain variable is its own first item.
    fn array(&mut self, name: &str) -> Run<Vec<(String, Word)>> {
        let items = match self.value(name) {
            Some(Value::List(items)) => items,
            Some(Value::Text(word)) => vec![("0".to_owned(), word)],
            _ => Vec::new(),
        };
        self.spend(items.iter().map(|(_, word)| word.weight()).sum())?;
        Ok(items)
    }

    /// Sets values for one command only.
    pub(super) fn assign_for_command(&mut self, values: Vec<Assigned>) -> Run<SavedVariables> {
        let mut saved = SavedVariables::new();
        for assigned in values {
            let before = self.scope.variables.get(assigned.name.as_str()).cloned();
            saved.push((assigned.name.clone(), before));
            self.assign(assigned)?;
        }
        Ok(saved)
    }

    pub(super) fn restore(&mut self, saved: SavedVariables) {
        for (name, values) in saved.into_iter().rev() {
            self.scope.restore(name, values);
        }
    }
}

/// The assignments as they are reported: the items of an array as one text.
pub(super) fn reported(values: &[Assigned]) -> Vec<(String, Word)> {
    let shown = values.iter().map(|assigned| match &assigned.value {
        Value::Text(word) => (assigned.name.clone(), word.clone()),
        Value::List(items) => (assigned.name.clone(), joined(items.iter().map(|(_, word)| word))),
        Value::Unset => (assigned.name.clone(), Word::default()),
    });
    shown.collect()
}
