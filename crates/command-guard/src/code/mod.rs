//! The further text in a command that would run: commands in options, variables, scripts and build files, and code of
//! other languages. Code is judged by the strings and calls in it, without parsing the language.

mod build_files;
mod compose;
mod effects;
mod harms;
mod interpreter;
mod literals;
mod names;
mod runs;
mod table;

use crate::Category;
use crate::contents::{Files, input, text_of};
use crate::invocation_view::InvocationView;

pub(crate) use effects::code_effects;
pub(crate) use harms::{is_endless, runs_text};
pub(crate) use interpreter::{CodeFrom, SHELLS, code_from, is_shell, preloaded};
pub(crate) use runs::{assignments, sed_commands};

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
    let mut commands = runs::commands(view, file);
    commands.extend(build_files::commands(view, file));
    let service = compose::harm(view, file).map(|why| (Category::ContainerEscape, why));
    let loaded = preloaded(view);
    let loaded = loaded.iter().filter_map(|word| text_of(word, view, file));
    CodeToRead {
        code: code(view, file).into_iter().chain(loaded).collect(),
        commands,
        harms: service.into_iter().collect(),
    }
}

fn code(view: &InvocationView<'_>, file: Files<'_>) -> Option<String> {
    // The commands of other shells are part of the analysis.
    if is_shell(&view.program) && !view.is(interpreter::OTHER_SHELLS) {
        return None;
    }
    match code_from(view)? {
        CodeFrom::Word(word) => Some(word.shown()),
        CodeFrom::Input => input(view),
        CodeFrom::File(word) => text_of(&word, view, file),
    }
}
