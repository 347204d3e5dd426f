//! What variables hold, from the text and from the start.

use std::path::PathBuf;

use crate::act::Folder;
use crate::interpret::Shell;
use crate::scope::Value;
use crate::word::{Unknown, Word};

impl Shell<'_> {
    /// What a variable holds in the branch that is being looked at; `None` if the text does not say.
    pub(crate) fn value(&mut self, name: &str) -> Option<Value> {
        if let Some(values) = self.scope.variables.get(name) {
            let at = self.choice.pick(values.len());
            if let Some(Value::List(items)) = values.get(at) {
                // Items cost more than the names of variables.
                self.scope.copied.set(self.scope.copied.get() + items.len() * 8);
            }
            return values.get(at).cloned();
        }
        let known = match name {
            "PWD" => match self.folder() {
                Folder::Known(path) => {
                    path.components().collect::<PathBuf>().to_string_lossy().into_owned()
                }
                Folder::Unknown => return None,
            },
            "IFS" => " \t\n".to_owned(),
            "BASH" | "SHELL" => "/bin/bash".to_owned(),
            _ => return None,
        };
        Some(Value::Text(Word::of(known)))
    }

    /// The value of a plain variable that the text or its start knows.
    pub(crate) fn known_variable(&mut self, name: &str) -> Option<Word> {
        match self.value(name)? {
            Value::Text(word) => Some(word),
            Value::List(items) => items.into_iter().next().map(|(_, word)| word),
            Value::Unset => None,
        }
    }

    pub(crate) fn variable(&mut self, name: &str) -> Word {
        self.known_variable(name)
            .unwrap_or_else(|| Word::of_unknown(Unknown::Variable(name.to_owned())))
    }
}
