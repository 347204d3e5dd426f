//! The effects of a command on files: which it reads, writes and deletes. The rules decide what is allowed.

mod archives;
mod copies;
mod downloads;
mod edits;
mod git;
mod outputs;

use std::path::Path;

pub(crate) use copies::is_remote;
pub(crate) use downloads::{CURL_VALUED, WGET_VALUED, after_at};
pub(crate) use edits::TEXT_PRINTERS;

use shell_analysis::{RedirectKind, Word};

use crate::command_line_facts::CommandLineFacts;
use crate::invocation_view::InvocationView;
use crate::listing::found;
use crate::place::{Place, place};

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

/// Collects the effects of one command.
pub(crate) struct Effects<'v, 'a> {
    view: &'v InvocationView<'a>,
    folder: Option<std::path::PathBuf>,
    all: Vec<Effect>,
}

impl Effects<'_, '_> {
    pub(crate) fn add(&mut self, action: FileAction, word: &Word) {
        let place = place(word, self.folder.as_deref(), self.view.analysis, self.view.context);
        self.all.push(Effect { action, place });
    }

    pub(crate) fn add_all<'w>(
        &mut self,
        action: FileAction,
        words: impl IntoIterator<Item = &'w Word>,
    ) {
        for word in words {
            self.add(action, word);
        }
    }

    /// Adds a file of this name in the working directory.
    pub(crate) fn add_here(&mut self, action: FileAction, name: &str) {
        self.add(action, &Word::of(name));
    }
}

/// A command with its effects. Those behind a link that the command line made are at the link's target.
pub(crate) fn observed<'a>(
    index: usize,
    whole: &'a CommandLineFacts<'a>,
) -> Option<InvocationView<'a>> {
    let mut view = InvocationView::of(index, whole)?;
    view.effects = of(&view);
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

/// All effects of a command on files that its words show.
fn of(view: &InvocationView<'_>) -> Vec<Effect> {
    let mut effects = Effects { view, folder: view.folder(), all: Vec::new() };
    for redirect in &view.invocation.redirects {
        let action = match redirect.kind {
            RedirectKind::Read => FileAction::Read,
            RedirectKind::Write | RedirectKind::ReadWrite => FileAction::Write,
            RedirectKind::Append => FileAction::Append,
        };
        effects.add(action, &redirect.target);
    }
    if outputs::add(&mut effects) {
        return effects.all;
    }
    match view.program.as_str() {
        "rm" | "unlink" | "shred" | "rmdir" | "srm" | "grm" | "rimraf" | "del" | "rd" => {
            deletes(&mut effects);
        }
        "find" | "gfind" => finds(&mut effects),
        "chmod" | "chown" | "chgrp" | "setfacl" | "chattr" | "chflags" | "xattr" | "chcon"
        | "restorecon" | "setfattr" => modes(&mut effects),
        "git" => git::add(&mut effects),
        "cp" | "gcp" | "install" | "ginstall" | "mv" | "gmv" | "ln" | "gln" | "link" | "rsync"
        | "scp" => {
            copies::add(&mut effects);
        }
        "tar" | "gtar" | "bsdtar" | "unzip" | "zip" | "7z" | "7za" | "cpio" | "gzip" | "gunzip" => {
            archives::add(&mut effects);
        }
        "curl" | "wget" | "wget2" | "aria2c" => downloads::add(&mut effects),
        _ => edits::add(&mut effects),
    }
    effects.all
}

fn deletes(effects: &mut Effects<'_, '_>) {
    let arguments = effects.view.arguments(&["n", "iterations", "s", "size", "random-source"]);
    let whole = arguments.has(&["r", "R", "recursive"])
        || effects.view.is(&["rimraf", "rd"])
        || (effects.view.is(&["rmdir"]) && arguments.has(&["p", "parents"]));
    let action = if whole { FileAction::DeleteTree } else { FileAction::Delete };
    effects.add_all(action, &arguments.operands);
}

fn finds(effects: &mut Effects<'_, '_>) {
    let view = effects.view;
    let texts = view.shown_words();
    let deletes = texts.iter().any(|word| word == "-delete");
    let action = if deletes { FileAction::DeleteTree } else { FileAction::Read };
    let places = found(view.invocation, view.analysis, view.context);
    if deletes {
        effects.all.extend(places.into_iter().map(|place| Effect { action, place }));
    }
    for (at, word) in view.words.iter().enumerate() {
        let writes = ["-fprintf", "-fprint", "-fprint0", "-fls"];
        if writes.contains(&word.shown().as_str()) {
            effects.add_all(FileAction::Write, view.words.get(at + 1));
        }
    }
}

fn modes(effects: &mut Effects<'_, '_>) {
    let view = effects.view;
    let valued: &[&str] = if view.is(&["setfacl"]) {
        &["m", "M", "x", "modify", "remove"]
    } else if view.is(&["chcon", "setfattr"]) {
        &["t", "type", "u", "user", "r", "role", "l", "range", "n", "name", "v", "value", "x"]
    } else {
        &["reference", "from"]
    };
    let arguments = view.arguments(valued);
    let action =
        if arguments.has(&["R", "recursive"]) { FileAction::ModeTree } else { FileAction::Mode };
    let has_mode_elsewhere = arguments.has(&["reference", "t", "type"])
        || view.is(&["setfacl", "restorecon", "setfattr"]);
    // A mode that removes permissions looks like an option: `chmod -x file`.
    let minus = |word: &&Word| {
        let text = word.shown();
        view.is(&["chmod"])
            && text.len() > 1
            && text.starts_with('-')
            && text[1..].chars().all(|c| "rwxXst".contains(c))
    };
    let skip = usize::from(!has_mode_elsewhere && !view.words.iter().any(|word| minus(&word)));
    effects.add_all(action, arguments.operands.iter().skip(skip));
}

/// The last component of a path or URL.
pub(crate) fn base_name(text: &str) -> Option<&str> {
    let text = text.split(['?', '#']).next().unwrap_or_default();
    Path::new(text.trim_end_matches('/')).file_name().and_then(|name| name.to_str())
}
