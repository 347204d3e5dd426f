//! The paths that a program prints, derived without looking at the disk.

use std::path::{Path, PathBuf};

use shell_analysis::{Analysis, Folder, Input, Invocation, Launcher, Piece, Unknown, Word};

use crate::CommandContext;
use crate::place::{PathOwner, Place, owner_of, place};

const DEEPEST: usize = 16;

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

/// Changes the path of a place.
fn map(place: Place, change: impl Fn(&Path) -> PathBuf) -> Place {
    match place {
        Place::At(path) => Place::At(change(&path)),
        other => other,
    }
}

/// The single path that a command prints.
pub(crate) fn printed(
    index: usize,
    analysis: &Analysis,
    context: &CommandContext,
    depth: usize,
) -> Place {
    let Some(invocation) = analysis.invocations.get(index) else {
        return Place::Unknown;
    };
    let has = |name: &str| invocation.arguments().iter().any(|word| word.shown() == name);
    let git = context.project.join(".git");
    let at = |path: Option<PathBuf>| path.map_or(Place::Unknown, Place::At);
    let (first, last) = (operands(invocation).next(), operands(invocation).last());
    let of_first =
        || first.map_or(Place::Unknown, |word| place(word, known(invocation), analysis, context));
    match invocation.program().unwrap_or_default().as_str() {
        "mktemp" => Place::Temporary,
        "pwd" => at(folder_of(index, analysis, context)),
        "git" if has("--show-toplevel") => Place::At(context.project.clone()),
        "git" if has("--git-path") => at(last.map(|word| git.join(word.shown()))),
        "git" if ["--git-dir", "--git-common-dir", "--absolute-git-dir"].into_iter().any(has) => {
            Place::At(git)
        }
        "realpath" | "readlink" => of_first(),
        "dirname" if first.is_some_and(names_script) => at(script_folder(invocation)),
        "dirname" => map(of_first(), |path| path.parent().unwrap_or(path).to_owned()),
        _ => listed(index, analysis, context, depth + 1),
    }
}

/// The working directory of a command. If the analysis lost it, the last change of folder may show it.
pub(crate) fn folder_of(
    index: usize,
    analysis: &Analysis,
    context: &CommandContext,
) -> Option<PathBuf> {
    if let Some(folder) = known(analysis.invocations.get(index)?) {
        return Some(folder.to_owned());
    }
    let moves =
        |invocation: &&Invocation| matches!(invocation.program().as_deref(), Some("cd" | "pushd"));
    let change = analysis.invocations.get(..index)?.iter().rev().take(FARTHEST).find(moves)?;
    match place(operands(change).next()?, Some(known(change)?), analysis, context) {
        Place::At(path) => Some(path),
        _ => None,
    }
}

/// `$BASH_SOURCE`, the path of the script itself.
fn names_script(word: &Word) -> bool {
    let variable = |piece: &Piece| matches!(piece, Piece::Unknown(Unknown::Variable(name)) if name.starts_with("BASH_SOURCE") || name == "0");
    word.pieces.iter().any(variable)
}

fn script_folder(invocation: &Invocation) -> Option<PathBuf> {
    invocation.launchers.iter().rev().find_map(|launcher| match launcher {
        Launcher::Script(path) => path.parent().map(Path::to_owned),
        _ => None,
    })
}

/// The places of the files that a command lists.
pub(crate) fn listed(
    index: usize,
    analysis: &Analysis,
    context: &CommandContext,
    depth: usize,
) -> Place {
    let Some(invocation) = analysis.invocations.get(index).filter(|_| depth < DEEPEST) else {
        return Place::Unknown;
    };
    let from = match &invocation.input {
        Input::Pipe { from } | Input::Text { from, .. } => from.as_slice(),
        Input::Inherited => &[],
    };
    let all = |words: &mut dyn Iterator<Item = &Word>| {
        let places = words.map(|word| place(word, known(invocation), analysis, context));
        worst_first(places.collect(), invocation, context).swap_remove(0)
    };
    match (invocation.program().unwrap_or_default().as_str(), from) {
        ("find" | "gfind", _) => found(invocation, analysis, context).swap_remove(0),
        ("ls", _) => match operands(invocation).next() {
            None => map(all(&mut std::iter::empty()), |folder| folder.join("*")),
            Some(word) if word.has_glob() => all(&mut [word].into_iter()),
            Some(word) => map(all(&mut [word].into_iter()), |folder| folder.join("{}")),
        },
        // Some of the lines that another command prints.
        ("sort" | "uniq" | "tac" | "xargs" | "tr", [from]) => {
            listed(*from, analysis, context, depth + 1)
        }
        ("head" | "tail" | "sed" | "awk" | "cut" | "grep" | "rg" | "egrep", [from])
            if operands(invocation).count() < 2 =>
        {
            map(listed(*from, analysis, context, depth + 1), |path| match path.ends_with("*") {
                true => path.with_file_name("{}"),
                false => path.to_owned(),
            })
        }
        // The first operand is the search pattern.
        ("fd" | "fdfind" | "grep" | "rg" | "egrep" | "ag", _) => {
            map(all(&mut operands(invocation).skip(1)), |root| root.join("{}"))
        }
        ("git" | "npm" | "cargo" | "go" | "pnpm", _) => {
            map(all(&mut std::iter::empty()), |folder| folder.join("{}"))
        }
        _ => Place::Unknown,
    }
}

/// Places outside first; without any, the working directory.
fn worst_first(
    mut places: Vec<Place>,
    invocation: &Invocation,
    context: &CommandContext,
) -> Vec<Place> {
    if places.is_empty() {
        places.push(known(invocation).map_or(Place::Unknown, |folder| Place::At(folder.into())));
    }
    places.sort_by_key(|place| match place {
        Place::At(path) => usize::from(owner_of(path, context) != PathOwner::Outside),
        Place::Unknown => 2,
        Place::Temporary => 3,
    });
    places
}

/// The places that `find` visits, one per start folder: the worst first, at least one.
pub(crate) fn found(
    invocation: &Invocation,
    analysis: &Analysis,
    context: &CommandContext,
) -> Vec<Place> {
    let words = invocation.arguments();
    let options =
        |word: &&Word| matches!(word.known_start().as_str(), "-L" | "-H" | "-P" | "-E" | "-O3");
    let words = &words[words.iter().take_while(options).count()..];
    let is_root = |word: &&Word| {
        let start = word.known_start();
        !start.starts_with('-') && !matches!(start.as_str(), "!" | "(" | ")")
    };
    let roots = words.iter().take_while(is_root);
    let roots = roots.map(|root| place(root, known(invocation), analysis, context)).collect();
    let name = picked(words);
    let places = worst_first(roots, invocation, context).into_iter();
    places.map(|place| map(place, |root| root.join(&name))).collect()
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
