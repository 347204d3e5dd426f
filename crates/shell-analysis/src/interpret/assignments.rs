//! `NAME=value`, alone, before a program, or as an argument of `export` and similar builtins.

use std::rc::Rc;

use crate::scope::Value;
use crate::shell::{Run, Shell};
use crate::syntax::{Assignment, RawWord, WordPart};
use crate::word::{Unknown, Word};

/// `NAME=value` pairs; the items of an array are one text.
pub(super) type Values = Vec<(String, Word)>;

/// The values before a command, to restore.
pub(super) type Before = Vec<(String, Option<Rc<Value>>)>;

impl Shell<'_> {
    pub(super) fn assign_all(&mut self, assignments: &[Assignment]) -> Run<(Values, Before)> {
        let (mut values, mut before) = (Vec::new(), Vec::new());
        for assignment in assignments {
            let name = &assignment.name;
            let value = self.assigned_value(&assignment.value)?;
            values.push((name.clone(), Word::joined(value.iter().map(|(_, word)| word))));
            before.push((name.clone(), self.scope.variables.get(name.as_str()).cloned()));
            self.assign(assignment, value)?;
        }
        Ok((values, before))
    }

    fn assigned_value(&mut self, value: &RawWord) -> Run<Value> {
        let [WordPart::Array(raws)] = value.parts.as_slice() else {
            return Ok(vec![("0".to_owned(), self.single(value)?)]);
        };
        let mut items = Vec::new();
        for (key, raw) in raws {
            if let Some(key) = key {
                items.push((self.array_key(key)?, self.single(raw)?));
                continue;
            }
            for word in self.fields(raw)? {
                items.push((items.len().to_string(), word));
            }
        }
        Ok(items)
    }

    fn assign(&mut self, assignment: &Assignment, value: Value) -> Run<()> {
        let Assignment { name, index, extends, .. } = assignment;
        let key = index.as_ref().map_or(Ok(None), |raw| self.array_key(raw).map(Some))?;
        let is_array = matches!(assignment.value.parts.as_slice(), [WordPart::Array(_)]);
        let key = key.or_else(|| (*extends && !is_array).then(|| "0".to_owned()));
        if key.is_none() && !extends {
            self.scope.set_items(name, value);
            return Ok(());
        }
        let unknown = || vec![("0".to_owned(), Word::of_unknown(Unknown::Variable(name.clone())))];
        let items = self.items_of(name).map(<[_]>::to_vec);
        let mut items =
            items.unwrap_or_else(|| if index.is_none() { unknown() } else { Vec::new() });
        self.spend(items.iter().map(|(_, word)| word.weight()).sum())?;
        for (_, word) in value {
            let key = key.clone().unwrap_or_else(|| items.len().to_string());
            if let ("BASH_ALIASES", true) = (name.as_str(), index.is_some()) {
                self.set_alias(&key, &word)?;
            }
            match items.iter_mut().find(|(other, _)| *other == key) {
                Some((_, old)) if *extends => old.append(word),
                Some((_, old)) => *old = word,
                None => items.push((key, word)),
            }
        }
        self.scope.set_items(name, items);
        Ok(())
    }
}
