//! Code inside a command or in files that a program will run.

use super::build_files;
use super::inner::commands;
use super::inner_options::preloaded;
use crate::Category;
use crate::code::{CodeFrom, code_from, is_shell};
use crate::contents::{Files, input, text_of};
use crate::invocation_view::InvocationView;

/// Further text to analyze for a command.
#[derive(Debug, Default)]
pub(crate) struct CodeToRead {
    /// In another language.
    pub(crate) code: Vec<String>,
    /// For a shell.
    pub(crate) commands: Vec<String>,
    /// Harms found in the files that were read.
    pub(crate) harms: Vec<(Category, &'static str)>,
}

pub(crate) fn code_of(view: &InvocationView<'_>, file: Files<'_>) -> CodeToRead {
    let mut commands = commands(view, file);
    commands.extend(build_files::commands(view, file));
    let service = build_files::compose(view, file).map(|why| (Category::ContainerEscape, why));
    let loaded = preloaded(view);
    let loaded = loaded.iter().filter_map(|word| text_of(word, view, file));
    CodeToRead {
        code: code(view, file).into_iter().chain(loaded).collect(),
        commands,
        harms: service.into_iter().collect(),
    }
}

fn code(view: &InvocationView<'_>, file: Files<'_>) -> Option<String> {
    if is_shell(&view.program) {
        return None;
    }
    match code_from(view)? {
        CodeFrom::Word(word) => Some(word.shown()),
        CodeFrom::Input => input(view),
        CodeFrom::File(word) => text_of(&word, view, file),
    }
}
