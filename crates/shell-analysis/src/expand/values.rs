//! The values of variables, from the text or the start environment.

use std::path::PathBuf;

use super::BLANKS;
use crate::interpret::Shell;
use crate::invocation::Folder;
use crate::scope::Value;
use crate::word::{Unknown, Word};

impl Shell<'_> {
    /// The value of a variable in the current branch; `None` if it is unknown.
    pub(crate) fn value(&mut self, name: &str) -> Option<Value> {
        if let Some(values) = self.scope.variables.get(name) {
            let value = values.get(self.choice.pick(values.len()));
            if let Some(Value::List(items)) = value {
                // Array items cost more than the names of variables.
                self.scope.copied.set(self.scope.copied.get() + items.len() * 8);
            }
            return value.cloned();
        }
        let known = match name {
            "PWD" => {
                let Folder::Known(path) = self.folder() else { return None };
                path.components().collect::<PathBuf>().to_string_lossy().into_owned()
            }
            "IFS" => BLANKS.to_owned(),
            "BASH" | "SHELL" => "/bin/bash".to_owned(),
            _ => return None,
        };
        Some(Value::Text(Word::of(known)))
    }

    /// The value of a plain variable, if it is known.
    pub(crate) fn known_variable(&mut self, name: &str) -> Option<Word> {
        self.value(name)?.into_items().into_iter().next().map(|(_, word)| word)
    }

    pub(crate) fn variable(&mut self, name: &str) -> Word {
        self.known_variable(name)
            .unwrap_or_else(|| Word::of_unknown(Unknown::Variable(name.to_owned())))
    }
}
