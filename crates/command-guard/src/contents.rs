//! The content that a word refers to: a file, a stream or standard input.

use std::path::Path;

use shell_analysis::{Input, Word};

use crate::invocation_view::InvocationView;
use crate::place::{PathOwner, Place, owner_of};

/// Returns the content of a file, if it is known.
pub(crate) type Files<'f> = &'f dyn Fn(&Path) -> Option<String>;

/// Whether a word means standard input.
pub(crate) fn is_input(word: &Word) -> bool {
    matches!(word.text().as_deref(), Some("-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0"))
}

/// The content of standard input, if it is known.
pub(crate) fn input(view: &InvocationView<'_>) -> Option<String> {
    match &view.invocation.input {
        Input::Text { text, .. } => Some(text.shown()),
        Input::Inherited | Input::Pipe { .. } => None,
    }
}

/// Does not read files outside the project and temporary folders.
pub(crate) fn text_of(word: &Word, view: &InvocationView<'_>, file: Files<'_>) -> Option<String> {
    if is_input(word) {
        return input(view);
    }
    if word.text().is_none() {
        let stream = view.analysis.streams.iter().find(|(name, _)| name == word);
        return stream.map(|(_, text)| text.shown());
    }
    match view.place(word) {
        Place::At(path) => {
            let is_own =
                matches!(owner_of(&path, view.context), PathOwner::Project | PathOwner::Temporary);
            file(&path).filter(|_| is_own)
        }
        Place::Temporary | Place::Unknown => None,
    }
}
