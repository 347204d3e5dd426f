//! The paths that a program prints, derived without looking at the disk.

use std::path::{Path, PathBuf};

use shell_analysis::{Analysis, Folder, Input, Invocation, Launcher, Piece, Unknown, Word};

use crate::CommandContext;
use crate::place::{PathOwner, Place, owner_of, place};

/// How many commands back a change of folder is searched.
const FARTHEST: usize = 200;

fn known(invocation: &Invocation) -> Option<&Path> {
    match &invocation.folder {
        Folder::Known(folder) => Some(folder),
        Folder::Unknown => None,
    }
}

fn operands(invocation: &Invocation) -> impl Iterator<Item = &Word> {
    invocation.arguments().iter().filter(|word| !word.known_start().starts_with('-'))
}

/// The single path that a command prints.
pub(crate) fn printed(index: usize, analysis: &Analysis, context: &CommandContext) -> Place {
    let Some(invocation) = analysis.invocations.get(index) else {
        return Place::Unknown;
    };
    let has = |name: &str| invocation.arguments().iter().any(|word| word.shown() == name);
    let git = context.project.join(".git");
    let at = |path: Option<PathBuf>| path.map_or(Place::Unknown, Place::At);
    let (first, last) = (operands(invocation).next(), operands(invocation).last());
    let of_first = first.map(|word| place(word, known(invocation), analysis, context));
    match (invocation.program().unwrap_or_default().as_str(), of_first) {
        ("mktemp", _) => Place::Temporary,
        ("pwd", _) => at(folder(index, analysis, context)),
        ("git", _) if has("--show-toplevel") => Place::At(context.project.clone()),
        ("git", _) if has("--git-path") => at(last.map(|word| git.join(word.shown()))),
        ("git", _) if has("--git-dir") || has("--git-common-dir") || has("--absolute-git-dir") => {
            Place::At(git)
        }
        ("realpath" | "readlink", Some(place)) => place,
        ("dirname", _) if first.is_some_and(names_script) => {
            at(invocation.launchers.iter().rev().find_map(|launcher| match launcher {
                Launcher::Script(path) => path.parent().map(Path::to_owned),
                _ => None,
            }))
        }
        ("dirname", Some(Place::At(path))) => Place::At(path.parent().unwrap_or(&path).to_owned()),
        ("dirname", Some(place)) => place,
        _ => listed(index, analysis, context),
    }
}

/// The working directory of a command. If the analysis lost it, the last change of folder may show it.
pub(crate) fn folder(at: usize, analysis: &Analysis, context: &CommandContext) -> Option<PathBuf> {
    if let Some(folder) = known(analysis.invocations.get(at)?) {
        return Some(folder.to_owned());
    }
    let moves =
        |invocation: &&Invocation| matches!(invocation.program().as_deref(), Some("cd" | "pushd"));
    let change = analysis.invocations.get(..at)?.iter().rev().take(FARTHEST).find(moves)?;
    match place(operands(change).next()?, Some(known(change)?), analysis, context) {
        Place::At(path) => Some(path),
        _ => None,
    }
}

/// Whether it is the path of the script itself.
fn names_script(word: &Word) -> bool {
    word.pieces.iter().any(|piece| match piece {
        Piece::Unknown(Unknown::Variable(name)) => name == "0" || name.starts_with("BASH_SOURCE"),
        _ => false,
    })
}

/// A pattern in a folder.
fn inside(folder: &Word, pattern: &str) -> Word {
    let mut word = folder.clone();
    word.pieces.push(Piece::Glob(format!("/{pattern}")));
    word
}

/// The place of the files that a command lists; of several, one outside the project.
pub(crate) fn listed(index: usize, analysis: &Analysis, context: &CommandContext) -> Place {
    let Some(invocation) = analysis.invocations.get(index) else {
        return Place::Unknown;
    };
    let (program, here) = (invocation.program().unwrap_or_default(), Word::of("."));
    let source = match &invocation.input {
        Input::Pipe { from } | Input::Text { from, .. } if from.len() == 1 => from.first(),
        _ => None,
    };
    // A command gets its input from an earlier one.
    let source = source.filter(|source| **source < index);
    let words = match (program.as_str(), source) {
        ("find" | "gfind", _) => found(invocation),
        ("ls", _) => match operands(invocation).next() {
            None => vec![inside(&here, "*")],
            Some(word) if word.has_glob() => vec![word.clone()],
            Some(word) => vec![inside(word, "{}")],
        },
        // These print some or all lines of their input.
        ("sort" | "uniq" | "tac" | "xargs" | "tr", Some(source)) => {
            return listed(*source, analysis, context);
        }
        ("head" | "tail" | "sed" | "awk" | "cut" | "grep" | "rg" | "egrep", Some(source))
            if operands(invocation).count() < 2 =>
        {
            return match listed(*source, analysis, context) {
                Place::At(path) if path.ends_with("*") => Place::At(path.with_file_name("{}")),
                other => other,
            };
        }
        // The first operand is the search pattern.
        ("fd" | "fdfind" | "grep" | "rg" | "egrep" | "ag", _)
            if operands(invocation).count() > 1 =>
        {
            operands(invocation).skip(1).map(|root| inside(root, "{}")).collect()
        }
        ("fd" | "fdfind" | "grep" | "rg" | "egrep" | "ag", _)
        | ("git" | "npm" | "cargo" | "go" | "pnpm", _) => vec![inside(&here, "{}")],
        _ => Vec::new(),
    };
    let places = words.iter().map(|word| place(word, known(invocation), analysis, context));
    let rank = |place: &Place| match place {
        Place::At(path) => usize::from(owner_of(path, context) != PathOwner::Outside),
        Place::Unknown => 2,
        Place::Temporary => 3,
    };
    places.min_by_key(rank).unwrap_or(Place::Unknown)
}

/// The files that `find` selects, as one pattern per start folder.
pub(crate) fn found(invocation: &Invocation) -> Vec<Word> {
    let words = invocation.arguments();
    let is_option =
        |word: &&Word| matches!(word.known_start().as_str(), "-L" | "-H" | "-P" | "-E" | "-O3");
    let words = &words[words.iter().take_while(is_option).count()..];
    let is_root = |word: &&Word| {
        let start = word.known_start();
        !start.starts_with('-') && !matches!(start.as_str(), "!" | "(" | ")")
    };
    let name = picked(words);
    match words.iter().take_while(is_root).count() {
        0 => vec![inside(&Word::of("."), &name)],
        roots => words[..roots].iter().map(|root| inside(root, &name)).collect(),
    }
}

/// The last name pattern in the tests of `find`; `{}` for other tests, `*` without tests.
fn picked(words: &[Word]) -> String {
    let texts: Vec<String> = words.iter().map(Word::shown).collect();
    let (mut name, mut before) = ("*", "");
    for (at, text) in texts.iter().enumerate() {
        let value = texts.get(at + 1).map(String::as_str).unwrap_or_default();
        match text.as_str() {
            _ if matches!(before, "!" | "-not") => {}
            "-name" | "-iname" => name = value,
            "-path" | "-ipath" | "-wholename" | "-regex" | "-iregex" => {
                name = value.trim_start_matches("./").trim_start_matches("*/");
                name = name.trim_start_matches('/');
            }
            "-empty" | "-mtime" | "-mmin" | "-newer" | "-size" | "-perm" | "-user" | "-ctime"
            | "-atime" | "-amin" | "-cmin" | "-links" | "-inum" | "-samefile" | "-xtype"
                if name == "*" =>
            {
                name = "{}";
            }
            _ => {}
        }
        before = text;
    }
    name.to_owned()
}
