//! Programs that copy, move and link.

use shell_analysis::{Piece, Word};

use super::{Effects, FileAction, base_name};
use crate::place::Place;
use crate::words::words;

pub(super) fn add(effects: &mut Effects<'_, '_>) {
    let program = effects.view.program.clone();
    match program.trim_start_matches('g') {
        "mv" => {
            let (sources, target) = split(effects, &["t", "target-directory", "S", "suffix"]);
            effects.add_all(FileAction::MoveAway, &sources);
            put(effects, &sources, target.as_ref());
        }
        "ln" | "link" => links(effects),
        "rsync" | "scp" => remote(effects),
        _ => {
            let valued =
                ["t", "target-directory", "S", "suffix", "m", "mode", "o", "owner", "g", "group"];
            let arguments = effects.view.arguments(&valued);
            let makes_folders = program == "install" && arguments.has(&["d", "directory"]);
            let tree = arguments.has(&["r", "R", "a", "recursive", "archive"]);
            let (sources, target) = split(effects, &valued);
            if makes_folders {
                effects.add_all(FileAction::Write, sources.iter().chain(&target));
            } else {
                let action = if tree { FileAction::ReadTree } else { FileAction::Read };
                effects.add_all(action, &sources);
                put(effects, &sources, target.as_ref());
            }
        }
    }
}

fn split(effects: &Effects<'_, '_>, valued: &[&str]) -> (Vec<Word>, Option<Word>) {
    let arguments = effects.view.arguments(valued);
    let target = arguments.value(&["t", "target-directory"]).cloned();
    let mut sources = arguments.operands;
    let target = target.or_else(|| sources.pop());
    (sources, target)
}

fn links(effects: &mut Effects<'_, '_>) {
    let arguments = effects.view.arguments(&["t", "target-directory", "S", "suffix"]);
    let (sources, target) = match arguments.operands.as_slice() {
        [only] if !arguments.has(&["t"]) => (vec![only.clone()], None),
        _ => split(effects, &["t", "target-directory", "S", "suffix"]),
    };
    // A symbolic link's target is relative to the folder of the link.
    let is_symbolic = arguments.has(&["s", "symbolic"]) && !arguments.has(&["r", "relative"]);
    let folder = target.as_ref().filter(|_| is_symbolic).and_then(|target| {
        match effects.view.place(target) {
            Place::At(link) => link.parent().map(std::path::Path::to_owned),
            _ => None,
        }
    });
    match folder {
        Some(folder) => {
            let own = effects.folder.replace(folder);
            effects.add_all(FileAction::LinkTo, &sources);
            effects.folder = own;
        }
        None => effects.add_all(FileAction::LinkTo, &sources),
    }
    put(effects, &sources, target.as_ref());
}

/// The target, and the name of each source in it if the target is a folder.
fn put(effects: &mut Effects<'_, '_>, sources: &[Word], target: Option<&Word>) {
    let Some(target) = target else { return };
    effects.add(FileAction::Write, target);
    for source in sources {
        let shown = source.shown();
        let name = base_name(&shown).and_then(|name| name.rsplit(':').next());
        if let Some(name) = name {
            let mut inside = target.clone();
            inside.pieces.push(Piece::Text(format!("/{name}")));
            effects.add(FileAction::Write, &inside);
        }
    }
}

const RSYNC_VALUED: &[&str] = words!(
    "e rsh f filter exclude include exclude-from include-from files-from T temp-dir backup-dir
     log-file password-file bwlimit port i P F o l c S"
);

fn remote(effects: &mut Effects<'_, '_>) {
    let arguments = if effects.view.is(&["scp"]) {
        effects.view.arguments(&["i", "P", "F", "o", "l", "c", "S", "J"])
    } else {
        let valued = &RSYNC_VALUED[..RSYNC_VALUED.len() - 7];
        effects.view.arguments(valued)
    };
    let deletes = effects.view.shown_words().iter().any(|word| word.starts_with("--del"));
    let mut operands = arguments.operands.clone();
    let target = operands.pop();
    let tree = arguments.has(&["r", "a", "recursive", "archive"]);
    let action = if tree { FileAction::ReadTree } else { FileAction::Read };
    effects.add_all(action, operands.iter().filter(|word| !is_remote(word)));
    if arguments.has(&["remove-source-files"]) {
        effects.add_all(FileAction::MoveAway, operands.iter().filter(|word| !is_remote(word)));
    }
    if let Some(target) = target.filter(|word| !is_remote(word)) {
        put(effects, &operands, Some(&target));
        if deletes {
            effects.add(FileAction::DeleteTree, &target);
        }
    }
}

/// `host:path` or an address.
pub(crate) fn is_remote(word: &Word) -> bool {
    let text = word.shown();
    match text.find([':', '/']) {
        Some(at) if text[at..].starts_with(':') => at > 1,
        _ => text.contains("://"),
    }
}
