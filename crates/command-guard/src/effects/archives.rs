//! Programs that pack and unpack archives.

use super::{Effects, FileAction};
use crate::place::Place;
use crate::words::words;

pub(super) fn add(effects: &mut Effects<'_, '_>) {
    match effects.view.program.as_str() {
        "unzip" => {
            let arguments = effects.view.arguments(&["d", "x", "P"]);
            effects.add_all(FileAction::Read, arguments.operands.first());
            effects.add_all(FileAction::Write, arguments.value(&["d"]));
        }
        "zip" => {
            let arguments = effects.view.arguments(&["x", "i", "P", "t", "n", "b"]);
            effects.add_all(FileAction::Write, arguments.operands.first());
            let action =
                if arguments.has(&["r"]) { FileAction::ReadTree } else { FileAction::Read };
            effects.add_all(action, arguments.operands.iter().skip(1));
            if arguments.has(&["m", "move"]) {
                effects.add_all(FileAction::DeleteTree, arguments.operands.iter().skip(1));
            }
        }
        "7z" | "7za" => {
            let arguments = effects.view.arguments(&["o", "sdel"]);
            effects.add_all(FileAction::Write, arguments.value(&["o"]));
            effects.add_all(FileAction::ReadTree, arguments.operands.iter().skip(1));
            if effects.view.shown_words().iter().any(|word| word == "-sdel") {
                effects.add_all(FileAction::DeleteTree, effects.view.words.iter().skip(3));
            }
        }
        "gzip" | "gunzip" => {
            let arguments = effects.view.arguments(&["S"]);
            let keeps = arguments.has(&["c", "stdout", "t", "test", "l", "list"]);
            let action = if keeps { FileAction::Read } else { FileAction::Write };
            effects.add_all(action, &arguments.operands);
        }
        "cpio" => {
            let arguments = effects.view.arguments(&["D", "directory", "F", "I", "O"]);
            effects.add_all(FileAction::Write, arguments.values(&["D", "directory", "O"]));
            if arguments.has(&["p", "pass-through"]) {
                effects.add_all(FileAction::Write, arguments.operands.last());
            }
        }
        _ => tar(effects),
    }
}

const TAR_VALUED: &[&str] = words!(
    "f file C directory T files-from X exclude-from exclude I use-compress-program g
     listed-incremental transform strip-components checkpoint-action"
);

fn tar(effects: &mut Effects<'_, '_>) {
    let view = effects.view;
    // The traditional form has no dash: `tar xzf file`.
    let mut words = view.words.to_vec();
    if let Some(first) = words.first_mut() {
        let text = first.shown();
        if !text.starts_with('-') && !text.contains(['/', '.']) {
            *first = shell_analysis::Word::of(format!("-{text}"));
        }
    }
    let arguments = crate::arguments::Arguments::of(&words, TAR_VALUED);
    let archive = arguments.value(&["f", "file"]).cloned();
    let folder = arguments.value(&["C", "directory"]).cloned();
    if arguments.has(&["x", "extract", "get"]) {
        effects.add_all(FileAction::Read, &archive);
        effects.add_all(FileAction::Write, &folder);
        // Named members are extracted under their names.
        let inside = folder.as_ref().map(|folder| view.place(folder));
        let own = match inside {
            Some(Place::At(path)) => effects.folder.replace(path),
            _ => effects.folder.clone(),
        };
        effects.add_all(FileAction::Write, &arguments.operands);
        effects.folder = own;
    } else if arguments.has(&["c", "create", "r", "append", "u", "update"]) {
        effects.add_all(FileAction::Write, archive.as_ref().filter(|word| word.shown() != "-"));
        effects.add_all(FileAction::ReadTree, &arguments.operands);
        effects.add_all(FileAction::ReadTree, &folder);
        if arguments.has(&["remove-files"]) {
            if let Some(folder) = &folder {
                effects.folder = match effects.view.place(folder) {
                    Place::At(path) => Some(path),
                    Place::Temporary | Place::Unknown => None,
                };
            }
            effects.add_all(FileAction::DeleteTree, &arguments.operands);
        }
    }
}
