//! What a program would read where a word names it: a file, a stream, its input.

use std::path::Path;

use shell_analysis::{Input, Word};

use crate::place::{Place, Whose, whose};
use crate::view::View;

/// What a file holds, if somebody can say.
pub(crate) type Files<'f> = &'f dyn Fn(&Path) -> Option<String>;

/// Whether a word stands for standard input.
pub(crate) fn is_input(word: &Word) -> bool {
    matches!(word.text().as_deref(), Some("-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0"))
}

/// What the act gets on standard input, where it is known.
pub(crate) fn input(view: &View<'_>) -> Option<String> {
    match &view.act.input {
        Input::Text { text, .. } => Some(text.shown()),
        Input::Inherited | Input::Pipe { .. } => None,
    }
}

/// Files of others are not looked into.
pub(crate) fn text_of(word: &Word, view: &View<'_>, file: Files<'_>) -> Option<String> {
    if is_input(word) {
        return input(view);
    }
    if word.text().is_none() {
        let stream = view.reading.streams.iter().find(|(name, _)| name == word);
        return stream.map(|(_, text)| text.shown());
    }
    match view.place(word) {
        Place::At(path) => {
            let is_own = matches!(whose(&path, view.context), Whose::Project | Whose::Temporary);
            file(&path).filter(|_| is_own)
        }
        Place::Temporary | Place::Unknown => None,
    }
}

/// What the text itself has put where a word leads.
pub(crate) fn written(word: &Word, view: &View<'_>) -> Option<String> {
    let stream = view.reading.streams.iter().find(|(name, _)| name == word);
    let file = || match view.place(word) {
        Place::At(path) => view.reading.files.get(&path).cloned(),
        Place::Temporary | Place::Unknown => None,
    };
    stream.map(|(_, text)| text.shown()).or_else(file)
}
