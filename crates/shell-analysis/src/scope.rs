//! The state of a shell at one point of its text: variables, functions, the working directory.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::invocation::Folder;
use crate::limits::CANDIDATES;
use crate::word::{Unknown, Word};

/// A map shared by scopes until one changes it; its entries are cheap to copy.
pub(crate) type Names<V> = Rc<BTreeMap<Rc<str>, V>>;

/// The possible values of a variable.
pub(crate) type Candidates = Rc<Vec<Value>>;

#[derive(Debug, Clone)]
pub(crate) struct Scope {
    /// Each with its possible values, one per branch.
    pub(crate) variables: Names<Candidates>,
    /// The index of each function's active definition.
    pub(crate) functions: Names<usize>,
    pub(crate) aliases: Names<Rc<Word>>,
    pub(crate) positional: Positional,
    /// `$0`
    pub(crate) zero: Word,
    pub(crate) folders: Vec<Folder>,
    /// Whether any variable may have several values.
    pub(crate) has_branches: bool,
    /// Copied entries that were not yet charged.
    pub(crate) copied: Rc<Cell<usize>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Unset,
    Text(Word),
    /// An array, by key.
    List(Vec<(String, Word)>),
}

impl Value {
    /// The values by key; a text has the key 0.
    pub(crate) fn into_items(self) -> Vec<(String, Word)> {
        match self {
            Self::Unset => Vec::new(),
            Self::Text(word) => vec![("0".to_owned(), word)],
            Self::List(items) => items,
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) enum Positional {
    Known(Rc<Vec<Word>>),
    /// The arguments of a function that the text does not call.
    Unknown,
}

impl Scope {
    pub(crate) fn set(&mut self, name: &str, value: Value) {
        own(&mut self.variables, &self.copied).insert(name.into(), Rc::new(vec![value]));
    }

    pub(crate) fn define(&mut self, name: &str, definition: usize) {
        own(&mut self.functions, &self.copied).insert(name.into(), definition);
    }

    pub(crate) fn undefine(&mut self, name: &str) {
        own(&mut self.functions, &self.copied).remove(name);
    }

    pub(crate) fn set_alias(&mut self, name: &str, value: Word) {
        own(&mut self.aliases, &self.copied).insert(name.into(), Rc::new(value));
    }

    /// Restores the earlier values of a variable, or unsets it.
    pub(crate) fn restore(&mut self, name: String, values: Option<Candidates>) {
        let variables = own(&mut self.variables, &self.copied);
        match values {
            Some(values) => variables.insert(name.into(), values),
            None => variables.remove(name.as_str()),
        };
    }

    /// Adds the possible values of another branch.
    pub(crate) fn merge(&mut self, other: &Self) {
        for folder in &other.folders {
            if !self.folders.contains(folder) && self.folders.len() < CANDIDATES {
                self.folders.push(folder.clone());
                self.has_branches = true;
            }
        }
        if !Rc::ptr_eq(&self.functions, &other.functions) {
            own(&mut self.functions, &self.copied)
                .extend(other.functions.iter().map(|(name, at)| (Rc::clone(name), *at)));
        }
        if Rc::ptr_eq(&self.variables, &other.variables) {
            return;
        }
        self.copied.set(self.copied.get() + other.variables.len());
        let mine = own(&mut self.variables, &self.copied);
        for (name, values) in other.variables.iter() {
            let candidates = mine.entry(Rc::clone(name)).or_default();
            let more = values.iter().filter(|value| !candidates.contains(value));
            let more: Vec<Value> = more.cloned().collect();
            if more.is_empty() {
                continue;
            }
            self.has_branches = true;
            let candidates = Rc::make_mut(candidates);
            candidates.extend(more);
            if candidates.len() > CANDIDATES {
                candidates.truncate(CANDIDATES - 1);
                candidates.push(Value::Text(Word::of_unknown(Unknown::Value)));
            }
        }
    }
}

/// The map for changes; copies it if it is shared.
fn own<'m, V: Clone>(map: &'m mut Names<V>, copied: &Cell<usize>) -> &'m mut BTreeMap<Rc<str>, V> {
    if Rc::strong_count(map) > 1 {
        copied.set(copied.get() + map.len());
    }
    Rc::make_mut(map)
}
