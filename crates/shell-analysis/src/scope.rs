//! The state of a shell at one point of its text: variables, functions, the working directory.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

use crate::word::{Piece, Unknown, Word};

/// A map shared by scopes until one changes it; its entries are cheap to copy.
pub(crate) type Names<V> = Rc<BTreeMap<Rc<str>, V>>;

#[derive(Clone)]
pub(crate) struct Scope {
    pub(crate) variables: Names<Rc<Value>>,
    /// The index of each function's active definition.
    pub(crate) functions: Names<usize>,
    /// `$0` and the arguments; `None` in a function that the text does not call.
    pub(crate) positional: Option<Rc<Vec<Word>>>,
    pub(crate) folder: Option<PathBuf>,
    /// Copied entries that were not yet charged.
    pub(crate) copied: Rc<Cell<usize>>,
}

/// The items of an array by key; a plain variable has one with the key 0. Empty if the text itself unsets it.
pub(crate) type Value = Vec<(String, Word)>;

impl Scope {
    pub(crate) fn set(&mut self, name: &str, word: Word) {
        self.set_items(name, vec![("0".to_owned(), word)]);
    }

    pub(crate) fn set_items(&mut self, name: &str, value: Value) {
        own(&mut self.variables, &self.copied).insert(name.into(), Rc::new(value));
    }

    pub(crate) fn define(&mut self, name: &str, definition: usize) {
        own(&mut self.functions, &self.copied).insert(name.into(), definition);
    }

    pub(crate) fn undefine(&mut self, name: &str) {
        own(&mut self.functions, &self.copied).remove(name);
    }

    /// Restores the earlier values of a variable, or unsets it.
    pub(crate) fn restore(&mut self, name: String, value: Option<Rc<Value>>) {
        let variables = own(&mut self.variables, &self.copied);
        match value {
            Some(value) => variables.insert(name.into(), value),
            None => variables.remove(name.as_str()),
        };
    }

    /// Changes the working directory.
    pub(crate) fn enter(&mut self, folder: Option<PathBuf>) {
        let path = match &folder {
            Some(path) => Word::of(path.components().collect::<PathBuf>().to_string_lossy()),
            None => Word::of_unknown(Unknown::Variable("PWD".to_owned())),
        };
        if let Some(before) = self.variables.get("PWD").cloned() {
            self.restore("OLDPWD".to_owned(), Some(before));
        }
        self.set("PWD", path);
        self.folder = folder;
    }

    /// Either this or the other branch has run: of what differs, only the common start is known.
    pub(crate) fn merge(&mut self, other: &Self) {
        if !Rc::ptr_eq(&self.functions, &other.functions) {
            own(&mut self.functions, &self.copied)
                .extend(other.functions.iter().map(|(name, at)| (Rc::clone(name), *at)));
        }
        if Rc::ptr_eq(&self.variables, &other.variables) {
            return;
        }
        self.copied.set(self.copied.get() + other.variables.len());
        let (mine, theirs) = (&self.variables, &other.variables);
        let changed = mine.iter().filter(|(name, value)| theirs.get(*name) != Some(value));
        let added = theirs.keys().filter(|name| !mine.contains_key(*name));
        let names = changed.map(|(name, _)| name).chain(added);
        for name in names.cloned().collect::<Vec<_>>() {
            let (mine, their) = (self.variables.get(&name), other.variables.get(&name));
            let mut word = Word::of(common_start(mine, their));
            word.push(Piece::Unknown(Unknown::Variable(name.to_string())));
            self.set(&name, word);
        }
    }
}

fn common_start(mine: Option<&Rc<Value>>, their: Option<&Rc<Value>>) -> String {
    let [mine, their] = [mine, their].map(|value| match value.map(|value| value.as_slice()) {
        Some([(_, word)]) => word.known_start(),
        _ => Cow::default(),
    });
    let same = mine.chars().zip(their.chars()).take_while(|(mine, their)| mine == their);
    same.map(|(c, _)| c).collect()
}

/// The map for changes; copies it if it is shared.
fn own<'m, V: Clone>(map: &'m mut Names<V>, copied: &Cell<usize>) -> &'m mut BTreeMap<Rc<str>, V> {
    if Rc::strong_count(map) > 1 {
        copied.set(copied.get() + map.len());
    }
    Rc::make_mut(map)
}
