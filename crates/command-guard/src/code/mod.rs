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

use std::borrow::Cow;

use shell_analysis::{Invocation, Word};

use crate::contents::{Files, input, text_of};
use crate::effect::Effect;
pub(crate) use crate::invocation_view::CodeFrom;
use crate::invocation_view::InvocationView;
use crate::policy_table::Reason;

pub(crate) use harms::{is_endless, runs_text};
pub(crate) use interpreter::{SHELLS, code_from, is_shell, preloaded};
pub(crate) use runs::{assignments, sed_commands};

/// What a command would do by the further text in it.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Reasons that need no analysis of commands or paths.
    pub(crate) reasons: Vec<Reason>,
    pub(crate) effects: Vec<Effect>,
    /// Text for a shell.
    pub(crate) commands: Vec<String>,
    /// Strings in code that are passed to a shell or started as programs, or are only text.
    pub(crate) strings: Vec<String>,
}

pub(crate) fn found(view: &InvocationView<'_>, file: Files<'_>) -> Found {
    let mut found = Found { commands: runs::commands(view, file), ..Found::default() };
    found.commands.extend(build_files::commands(view, file));
    found.commands.extend(compose::command(view, file));
    if !sent_to(view.invocation).is_empty() {
        found.commands.extend(sent_text(view.invocation));
    }
    // The commands of other shells are part of the analysis.
    let is_analyzed = is_shell(&view.program) && !view.is(interpreter::OTHER_SHELLS);
    let own = code_from(view).filter(|_| !is_analyzed);
    let loaded = preloaded(view).into_iter().map(CodeFrom::File);
    for from in own.into_iter().chain(loaded) {
        code(view, &from, file).iter().for_each(|code| effects::add(code, view, &mut found));
    }
    found
}

/// The commands of `>(…)` that get the output of a command.
fn sent_to(invocation: &Invocation) -> Vec<usize> {
    let targets = invocation.redirects.iter().map(|redirect| &redirect.target);
    targets.filter(|target| target.known_start() == "/dev/fd/").flat_map(Word::sources).collect()
}

/// The text that a command prints, if its words show it.
fn sent_text(invocation: &Invocation) -> Option<String> {
    let words: Option<Vec<_>> = invocation.arguments().iter().map(Word::text).collect();
    let prints = matches!(invocation.program().as_deref(), Some("echo" | "printf"));
    words.filter(|_| prints).map(|words| words.join(" "))
}

/// Whether a command in `>(…)` gets only text that is known, and so is analyzed.
pub(crate) fn gets_known_text(view: &InvocationView<'_>) -> bool {
    let later = view.analysis.invocations.iter().skip(view.index);
    let mut senders = later.filter(|one| sent_to(one).contains(&view.index)).peekable();
    senders.peek().is_some() && senders.all(|one| sent_text(one).is_some())
}

fn code<'v>(
    view: &'v InvocationView<'_>,
    from: &'v CodeFrom,
    file: Files<'_>,
) -> Option<Cow<'v, str>> {
    match from {
        CodeFrom::Word(word) => Some(word.shown()),
        CodeFrom::Input => input(view),
        CodeFrom::File(word) => text_of(word, view, file),
    }
}
