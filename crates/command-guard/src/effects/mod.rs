//! The effects of a command on files: which it reads, writes and deletes. The rules decide what is allowed.

mod scripts;
mod steps;
mod table;

use std::path::Path;


use shell_analysis::Word;

use crate::arguments::without_start;
use crate::command_line_facts::CommandLineFacts;
use crate::invocation_view::InvocationView;
use crate::place::Place;
use crate::words::words;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Effect {
    pub(crate) action: FileAction,
    pub(crate) place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileAction {
    Read,
    /// Reads everything below it.
    ReadTree,
    Write,
    Append,
    Delete,
    DeleteTree,
    /// Moves it to another place.
    MoveAway,
    /// Creates a link to it.
    LinkTo,
    Mode,
    ModeTree,
}

impl FileAction {
    /// Its name in the table of programs.
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "read" => Self::Read,
            "read-tree" => Self::ReadTree,
            "write" => Self::Write,
            "append" => Self::Append,
            "delete" => Self::Delete,
            "delete-tree" => Self::DeleteTree,
            "move" => Self::MoveAway,
            "link" => Self::LinkTo,
            "mode" => Self::Mode,
            "mode-tree" => Self::ModeTree,
            _ => return None,
        })
    }

    /// Whether the effect follows a link.
    pub(crate) fn writes_through(self) -> bool {
        matches!(
            self,
            Self::Read | Self::ReadTree | Self::Write | Self::Append | Self::Mode | Self::ModeTree
        )
    }

    /// Whether the path is changed or missing afterwards.
    pub(crate) fn changes(self) -> bool {
        !matches!(self, Self::Read | Self::ReadTree | Self::LinkTo)
    }
}

/// The arguments of these programs are text, not files that they read.
pub(crate) const TEXT_PRINTERS: &[&str] = words!(
    "echo printf test [ [[ ls stat file du true false : cd pushd which type command basename
     dirname export local declare read alias set logger say"
);

/// A command with its effects. Those behind a link that the command line made are at the link's target.
pub(crate) fn observed<'a>(
    index: usize,
    whole: &'a CommandLineFacts<'a>,
) -> Option<InvocationView<'a>> {
    let mut view = InvocationView::of(index, whole)?;
    view.effects = steps::of(&view);
    let makes_links = view.is(&["ln"]);
    for effect in view.effects.iter_mut().filter(|_| !makes_links) {
        if let Place::At(path) = &mut effect.place
            && let Some(target) = whole.linked(index, path, effect.action.writes_through())
        {
            *path = target;
        }
    }
    Some(view)
}

/// The options of a program that take a value.
pub(crate) fn valued(program: &str) -> Vec<&'static str> {
    table::find(program, &[]).0.into_iter().flat_map(table::selectors).collect()
}

/// `host:path` or an address.
pub(crate) fn is_remote(word: &Word) -> bool {
    let text = word.shown();
    match text.find([':', '/']) {
        Some(at) if text[at..].starts_with(':') => at > 1,
        _ => text.contains("://"),
    }
}

/// The file after `@` or `name=@`.
pub(crate) fn after_at(word: &Word) -> Option<Word> {
    let start = word.known_start();
    let at = start.find(['@', '<'])?;
    let before = &start[..at];
    let is_file =
        before.is_empty() || before.ends_with('=') || !before.contains(['{', '"', ' ', '=']);
    is_file.then(|| {
        let file = without_start(word, at + 1);
        match file.text().and_then(|text| text.split_once(';').map(|(file, _)| file.to_owned())) {
            Some(file) => Word::of(file),
            None => file,
        }
    })
}

/// The last component of a path or URL, without its host.
fn base_name(text: &str) -> Option<&str> {
    let text = text.split(['?', '#']).next().unwrap_or_default();
    let name = Path::new(text.trim_end_matches('/')).file_name()?.to_str()?;
    name.rsplit(':').next()
}
