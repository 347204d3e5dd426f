//! `NAME=value`, alone, before a program, or as an argument of `export` and similar builtins.

use super::{Run, Shell};
use crate::scope::{Candidates, Value};
use crate::syntax::{Assign, Assignment, WordPart};
use crate::word::{Unknown, Word};

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
            let value = match value.parts.as_slice() {
                [WordPart::Array(items)] => {
                    let mut all: Vec<(String, Word)> = Vec::new();
                    for (key, raw) in items {
                        match key {
                            Some(key) => {
                                let key = self.array_key(key)?.unwrap_or_default();
                                all.push((key, self.single(raw)?));
                            }
                            None => {
                                for word in self.fields(raw)? {
                                    all.push((all.len().to_string(), word));
                                }
                            }
                        }
                    }
                    Value::List(all)
                }
                _ => Value::Text(self.single(value)?),
            };
            let assigned = Assigned { name: name.clone(), key, how: *how, value };
            values.push(assigned);
        }
        Ok(values)
    }

    pub(super) fn shown_assignments(&self, values: &[Assigned]) -> Vec<(String, Word)> {
        let shown = values.iter().map(|assigned| {
            let word = match &assigned.value {
                Value::Text(word) => word.clone(),
                Value::List(items) => {
                    let mut word = Word::default();
                    for (at, (_, item)) in items.iter().enumerate() {
                        word.push_text(if at > 0 { " " } else { "" });
                        word.append(item.clone());
                    }
                    word
                }
                Value::Unset => Word::default(),
            };
            (assigned.name.clone(), word)
        });
        shown.collect()
    }

    pub(super) fn assign(&mut self, assigned: Assigned) -> Run<()> {
        let Assigned { name, key, how, value } = assigned;
        if let ("BASH_ALIASES", Some(key), Value::Text(word)) = (name.as_str(), &key, &value) {
            self.scope.set_alias(key, word.clone());
        }
        let value = match (key, value, how) {
            (Some(key), Value::Text(word), how) => {
                let mut items = match self.value(&name) {
                    Some(Value::List(items)) => items,
                    Some(Value::Text(word)) => vec![("0".to_owned(), word)],
                    _ => Vec::new(),
                };
                self.spend(items.len())?;
                match items.iter_mut().find(|(other, _)| *other == key) {
                    Some((_, old)) if how == Assign::Extend => old.append(word),
                    Some((_, old)) => *old = word,
                    None => items.push((key, word)),
                }
                Value::List(items)
            }
            (_, Value::List(more), Assign::Extend) => {
                let mut items = match self.value(&name) {
                    Some(Value::List(items)) => items,
                    Some(Value::Text(word)) => vec![("0".to_owned(), word)],
                    _ => Vec::new(),
                };
                self.spend(items.iter().map(|(_, word)| word.weight()).sum())?;
                for (_, word) in more {
                    items.push((items.len().to_string(), word));
                }
                Value::List(items)
            }
            (_, Value::Text(more), Assign::Extend) => {
                let mut word = match self.value(&name) {
                    Some(Value::Unset) => Word::default(),
                    Some(Value::Text(word)) => word,
                    Some(Value::List(items)) => {
                        items.into_iter().next().map(|(_, word)| word).unwrap_or_default()
                    }
                    None => Word::of_unknown(Unknown::Variable(name.clone())),
                };
                self.spend(word.weight())?;
                word.append(more);
                Value::Text(word)
            }
            (_, value, _) => value,
        };
        self.scope.set(&name, value);
        Ok(())
    }

    /// Sets values for one command only.
    pub(super) fn assign_for_command(&mut self, values: Vec<Assigned>) -> Run<SavedVariables> {
        let mut kept = SavedVariables::new();
        for assigned in values {
            kept.push((
                assigned.name.clone(),
                self.scope.variables.get(assigned.name.as_str()).cloned(),
            ));
            self.assign(assigned)?;
        }
        Ok(kept)
    }

    pub(super) fn restore(&mut self, kept: SavedVariables) {
        for (name, values) in kept.into_iter().rev() {
            self.scope.restore(name, values);
        }
    }
}
