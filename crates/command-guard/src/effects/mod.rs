//! What an act does to files: which it reads, writes, deletes. Not here: whether it may.

mod archives;
mod copies;
mod downloads;
mod edits;
mod git;
mod outputs;

use std::path::Path;

pub(crate) use copies::is_remote;
pub(crate) use downloads::{CURL_VALUED, WGET_VALUED, after_at};
pub(crate) use edits::SPEAKERS;

use shell_analysis::{RedirectKind, Word};

use crate::listing::found;
use crate::place::{Place, place};
use crate::view::View;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Effect {
    pub(crate) deed: Deed,
    pub(crate) place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deed {
    Read,
    /// Everything below it is read.
    ReadTree,
    Write,
    Append,
    Delete,
    DeleteTree,
    /// It is taken away to another place.
    MoveAway,
    /// A link will lead there.
    LinkTo,
    Mode,
    ModeTree,
}

impl Deed {
    /// Whether it reaches what a link leads to.
    pub(crate) fn writes_through(self) -> bool {
        matches!(
            self,
            Self::Read | Self::ReadTree | Self::Write | Self::Append | Self::Mode | Self::ModeTree
        )
    }

    /// Whether something is no longer there, or another thing, afterwards.
    pub(crate) fn changes(self) -> bool {
        !matches!(self, Self::Read | Self::ReadTree | Self::LinkTo)
    }
}

/// Collects what one act does.
pub(crate) struct Effects<'v, 'a> {
    view: &'v View<'a>,
    folder: Option<std::path::PathBuf>,
    all: Vec<Effect>,
}

impl Effects<'_, '_> {
    pub(crate) fn add(&mut self, deed: Deed, word: &Word) {
        let place = place(word, self.folder.as_deref(), self.view.reading, self.view.context);
        self.all.push(Effect { deed, place });
    }

    pub(crate) fn add_all<'w>(&mut self, deed: Deed, words: impl IntoIterator<Item = &'w Word>) {
        for word in words {
            self.add(deed, word);
        }
    }

    /// A file of this name in the folder where it runs.
    pub(crate) fn add_here(&mut self, deed: Deed, name: &str) {
        self.add(deed, &Word::of(name));
    }
}

/// Everything that an act does to files, as far as its words tell.
pub(crate) fn of(view: &View<'_>) -> Vec<Effect> {
    let mut effects = Effects { view, folder: view.folder(), all: Vec::new() };
    for redirect in &view.act.redirects {
        let deed = match redirect.kind {
            RedirectKind::Read => Deed::Read,
            RedirectKind::Write | RedirectKind::ReadWrite => Deed::Write,
            RedirectKind::Append => Deed::Append,
        };
        effects.add(deed, &redirect.target);
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
    let deed = if whole { Deed::DeleteTree } else { Deed::Delete };
    effects.add_all(deed, &arguments.operands);
}

fn finds(effects: &mut Effects<'_, '_>) {
    let view = effects.view;
    let texts = view.shown_words();
    let deletes = texts.iter().any(|word| word == "-delete");
    let deed = if deletes { Deed::DeleteTree } else { Deed::Read };
    let places = found(view.act, view.reading, view.context);
    if deletes {
        effects.all.extend(places.into_iter().map(|place| Effect { deed, place }));
    }
    for (at, word) in view.words.iter().enumerate() {
        let writes = ["-fprintf", "-fprint", "-fprint0", "-fls"];
        if writes.contains(&word.shown().as_str()) {
            effects.add_all(Deed::Write, view.words.get(at + 1));
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
    let deed = if arguments.has(&["R", "recursive"]) { Deed::ModeTree } else { Deed::Mode };
    let has_mode_elsewhere = arguments.has(&["reference", "t", "type"])
        || view.is(&["setfacl", "restorecon", "setfattr"]);
    // A mode that takes rights away looks like an option: `chmod -x file`.
    let minus = |word: &&Word| {
        let text = word.shown();
        view.is(&["chmod"])
            && text.len() > 1
            && text.starts_with('-')
            && text[1..].chars().all(|c| "rwxXst".contains(c))
    };
    let skip = usize::from(!has_mode_elsewhere && !view.words.iter().any(|word| minus(&word)));
    effects.add_all(deed, arguments.operands.iter().skip(skip));
}

/// The last part of a path or of an address.
pub(crate) fn base_name(text: &str) -> Option<&str> {
    let text = text.split(['?', '#']).next().unwrap_or_default();
    Path::new(text.trim_end_matches('/')).file_name().and_then(|name| name.to_str())
}
