//! `NAME=value`, alone, before a program, or as an argument of `export` and similar builtins.

use super::wrappers::joined;
use super::{Run, Shell};
use crate::scope::{Candidates, Value};
use crate::syntax::{Assign, Assignment, RawWord, WordPart};
use crate::word::Word;

/// `NAME=value` pairs; the items of an array are one text.
pub(super) type Values = Vec<(String, Word)>;

/// What a command assigns, and the values before it.
#[derive(Debug, Default)]
pub(super) struct Assigned {
    pub(super) values: Values,
    before: Vec<(String, Option<Candidates>)>,
}

impl Shell<'_> {
    pub(super) fn assign_all(&mut self, assignments: &[Assignment]) -> Run<Assigned> {
        let mut assigned = Assigned::default();
        for assignment in assignments {
            let name = assignment.name.clone();
            let before = self.scope.variables.get(name.as_str()).cloned();
            let value = match self.assigned_value(&assignment.value)? {
                Value::Text(word) => (word.clone(), Value::Text(word)),
                Value::List(items) => {
                    (joined(items.iter().map(|(_, word)| word)), Value::List(items))
                }
                Value::Unset => continue,
            };
            assigned.values.push((name.clone(), value.0));
            assigned.before.push((name, before));
            self.assign(assignment, value.1)?;
        }
        Ok(assigned)
    }

    fn assigned_value(&mut self, value: &RawWord) -> Run<Value> {
        let [WordPart::Array(raws)] = value.parts.as_slice() else {
            return Ok(Value::Text(self.single(value)?));
        };
        let mut items = Vec::new();
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
        Ok(Value::List(items))
    }

    fn assign(&mut self, assignment: &Assignment, value: Value) -> Run<()> {
        let name = assignment.name.as_str();
        let key = assignment.index.as_ref().map_or(Ok(None), |raw| self.array_key(raw))?;
        if let ("BASH_ALIASES", Some(key), Value::Text(word)) = (name, &key, &value) {
            self.scope.set_alias(key, word.clone());
        }
        let extends = assignment.how == Assign::Extend;
        let value = match (key, value) {
            (Some(key), Value::Text(word)) => {
                let mut items = self.array(name)?;
                match items.iter_mut().find(|(other, _)| *other == key) {
                    Some((_, old)) if extends => old.append(word),
                    Some((_, old)) => *old = word,
                    None => items.push((key, word)),
                }
                Value::List(items)
            }
            (_, Value::List(more)) if extends => {
                let mut items = self.array(name)?;
                for (_, word) in more {
                    items.push((items.len().to_string(), word));
                }
                Value::List(items)
            }
            (_, Value::Text(more)) if extends => {
                let is_unset = self.value(name) == Some(Value::Unset);
                let mut word = if is_unset { Word::default() } else { self.variable(name) };
                self.spend(word.weight())?;
                word.append(more);
                Value::Text(word)
            }
            (_, value) => value,
        };
        self.scope.set(name, value);
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

    /// After the command that the values were for.
    pub(super) fn restore(&mut self, assigned: Assigned) {
        for (name, values) in assigned.before.into_iter().rev() {
            self.scope.restore(name, values);
        }
    }
}
