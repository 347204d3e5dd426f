//! The content that a word refers to: a file, a stream or standard input.

use std::borrow::Cow;
use std::path::Path;

use shell_analysis::{Input, Word};

use crate::invocation_view::InvocationView;

/// Returns the content of a file, if it is known.
pub(crate) type Files<'f> = &'f dyn Fn(&Path) -> Option<String>;

/// Whether a word means standard input.
pub(crate) fn is_input(word: &Word) -> bool {
    matches!(word.text().as_deref(), Some("-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0"))
}

/// The content of standard input, if it is known.
pub(crate) fn input<'v>(view: &'v InvocationView<'_>) -> Option<Cow<'v, str>> {
    match &view.invocation.input {
        Input::Text { text, .. } => Some(text.shown()),
        Input::Inherited | Input::Pipe { .. } => None,
    }
}

/// The content of the file or the stream that a word names, if it is known.
pub(crate) fn text_of<'v>(
    word: &Word,
    view: &'v InvocationView<'_>,
    file: Files<'_>,
) -> Option<Cow<'v, str>> {
    if is_input(word) {
        return input(view);
    }
    let mut streams = view.analysis.streams.iter().filter(|_| word.text().is_none());
    let stream = streams.find(|(name, _)| name == word).map(|(_, text)| text.shown());
    stream.or_else(|| file(view.place(word).path()?).map(Cow::Owned))
}
