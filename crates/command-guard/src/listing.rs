//! The paths that a program prints, derived without looking at the disk.

use std::path::{Path, PathBuf};

use shell_analysis::{Analysis, Folder, Input, Invocation, Launcher, Piece, Unknown, Word};

use crate::CommandContext;
use crate::place::{PathOwner, Place, owner_of, place};

const DEEPEST: usize = 16;

fn known(invocation: &Invocation) -> Option<&Path> {
    match &invocation.folder {
        Folder::Known(folder) => Some(folder),
        Folder::Unknown => None,
    }
}

/// The command with its program; `None` if the recursion is too deep.
fn invocation_at(index: usize, analysis: &Analysis, depth: usize) -> Option<(&Invocation, String)> {
    let invocation = analysis.invocations.get(index).filter(|_| depth < DEEPEST)?;
    Some((invocation, invocation.program().unwrap_or_default()))
}

/// The single path that a command prints.
pub(crate) fn printed(
    index: usize,
    analysis: &Analysis,
    context: &CommandContext,
    depth: usize,
) -> Place {
    let Some((invocation, program)) = invocation_at(index, analysis, depth) else {
        return Place::Unknown;
    };
    let first = invocation.arguments().iter().find(|word| !word.known_start().starts_with('-'));
    let of_first =
        || first.map_or(Place::Unknown, |word| place(word, known(invocation), analysis, context));
    match program.as_str() {
        "mktemp" => Place::Temporary,
        "pwd" => folder_of(index, analysis, context).map_or(Place::Unknown, Place::At),
        "git" if invocation.arguments().iter().any(|word| word.shown() == "--show-toplevel") => {
            Place::At(context.project.clone())
        }
        "git" => git_folder(invocation, context)
            .unwrap_or_else(|| listed(index, analysis, context, depth + 1)),
        "python" | "python3" if prints_user_site(invocation) => {
            context.home.as_ref().map_or(Place::Unknown, |home| Place::At(home.join(".local/lib")))
        }
        "realpath" | "readlink" => of_first(),
        "dirname" if first.is_some_and(names_script) => {
            script_folder(invocation).map_or(Place::Unknown, Place::At)
        }
        "dirname" => match of_first() {
            Place::At(path) => Place::At(path.parent().map_or(path.clone(), Path::to_owned)),
            other => other,
        },
        _ => listed(index, analysis, context, depth + 1),
    }
}

/// The folder that `git rev-parse` prints.
fn git_folder(invocation: &Invocation, context: &CommandContext) -> Option<Place> {
    let words: Vec<String> = invocation.arguments().iter().map(Word::shown).collect();
    let git = context.project.join(".git");
    let inner = words.iter().position(|word| word == "--git-path").and_then(|at| words.get(at + 1));
    let is_folder = |word: &String| {
        matches!(word.as_str(), "--git-dir" | "--git-common-dir" | "--absolute-git-dir")
    };
    match inner {
        Some(path) => Some(Place::At(git.join(path))),
        None => words.iter().any(is_folder).then_some(Place::At(git)),
    }
}

/// Whether Python is asked for the user's package folder.
fn prints_user_site(invocation: &Invocation) -> bool {
    let asks = ["getusersitepackages", "USER_SITE", "--user-site"];
    invocation.arguments().iter().any(|word| asks.iter().any(|name| word.shown().contains(name)))
}

/// How many commands back a change of folder is searched.
const FARTHEST: usize = 200;

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
    let Some((invocation, program)) = invocation_at(index, analysis, depth) else {
        return Place::Unknown;
    };
    let folder = known(invocation);
    let roots: Vec<&Word> = match program.as_str() {
        "find" | "gfind" => {
            return found(invocation, analysis, context)
                .into_iter()
                .next()
                .unwrap_or(Place::Unknown);
        }
        "ls" => return ls(invocation, analysis, context),
        "grep" | "rg" | "egrep"
            if operands(invocation).count() < 2
                && !matches!(invocation.input, Input::Inherited) =>
        {
            return picks(invocation, analysis, context, depth);
        }
        // The first operand is the search pattern.
        "fd" | "fdfind" | "grep" | "rg" | "egrep" | "ag" => operands(invocation).skip(1).collect(),
        "git" | "npm" | "cargo" | "go" | "pnpm" => Vec::new(),
        "sort" | "uniq" | "head" | "tail" | "sed" | "awk" | "cut" | "tr" | "xargs" | "tac" => {
            return picks(invocation, analysis, context, depth);
        }
        _ => return Place::Unknown,
    };
    let below = |root: Place| match root {
        Place::At(root) => Place::At(root.join("{}")),
        other => other,
    };
    let own = || folder.map_or(Place::Unknown, |folder| Place::At(folder.to_owned()));
    let mut places = roots.into_iter().map(|root| place(root, folder, analysis, context));
    let first = places.next().unwrap_or_else(own);
    let outside = |place: &Place| !matches!(place, Place::At(path) if owner_of(path, context) != PathOwner::Outside);
    if outside(&first) {
        return below(first);
    }
    below(places.find(outside).unwrap_or(first))
}

/// The listed folder, or the given names.
fn ls(invocation: &Invocation, analysis: &Analysis, context: &CommandContext) -> Place {
    let own = || known(invocation).map_or(Place::Unknown, |folder| Place::At(folder.join("*")));
    match operands(invocation).next() {
        None => own(),
        Some(word) => match place(word, known(invocation), analysis, context) {
            Place::At(path) if word.has_glob() => Place::At(path),
            Place::At(path) => Place::At(path.join("{}")),
            other => other,
        },
    }
}

/// Filters that print some lines of another command's output.
fn picks(
    invocation: &Invocation,
    analysis: &Analysis,
    context: &CommandContext,
    depth: usize,
) -> Place {
    let (Input::Pipe { from } | Input::Text { from, .. }) = &invocation.input else {
        return Place::Unknown;
    };
    let [from] = from.as_slice() else {
        return Place::Unknown;
    };
    let is_whole =
        matches!(invocation.program().as_deref(), Some("sort" | "uniq" | "tac" | "xargs" | "tr"));
    match listed(*from, analysis, context, depth + 1) {
        Place::At(path) if !is_whole && path.ends_with("*") => Place::At(path.with_file_name("{}")),
        other => other,
    }
}

fn operands(invocation: &Invocation) -> impl Iterator<Item = &Word> {
    invocation.arguments().iter().filter(|word| !word.known_start().starts_with('-'))
}

/// The places that `find` visits, one per start folder: the worst first.
pub(crate) fn found(
    invocation: &Invocation,
    analysis: &Analysis,
    context: &CommandContext,
) -> Vec<Place> {
    let words = invocation.arguments();
    let options =
        |word: &&Word| matches!(word.known_start().as_str(), "-L" | "-H" | "-P" | "-E" | "-O3");
    let words = &words[words.iter().take_while(options).count()..];
    let is_test = |word: &Word| {
        let start = word.known_start();
        start.starts_with('-') || matches!(start.as_str(), "!" | "(" | ")")
    };
    let roots = words.iter().take_while(|word| !is_test(word));
    let mut places: Vec<Place> =
        roots.map(|root| place(root, known(invocation), analysis, context)).collect();
    if places.is_empty() {
        places.extend(known(invocation).map(|folder| Place::At(folder.to_owned())));
    }
    let name = picked(words);
    let mut places: Vec<Place> = places
        .into_iter()
        .map(|place| match place {
            Place::At(root) => Place::At(root.join(&name)),
            other => other,
        })
        .collect();
    places.sort_by_key(|place| match place {
        Place::At(path) => usize::from(owner_of(path, context) != PathOwner::Outside),
        Place::Unknown => 2,
        Place::Temporary => 3,
    });
    places
}

/// The last name pattern in the tests of `find`; `{}` for other tests, `*` without tests.
fn picked(words: &[Word]) -> String {
    let mut name = "*".to_owned();
    let mut before = "";
    let texts: Vec<String> = words.iter().map(Word::shown).collect();
    for (at, text) in texts.iter().enumerate() {
        let value = texts.get(at + 1).map(String::as_str).unwrap_or_default();
        let negated = matches!(before, "!" | "-not");
        match text.as_str() {
            _ if negated => {}
            "-name" | "-iname" => name = value.to_owned(),
            "-path" | "-ipath" | "-wholename" | "-regex" | "-iregex" => {
                name = value
                    .trim_start_matches("./")
                    .trim_start_matches("*/")
                    .trim_start_matches('/')
                    .to_owned();
            }
            "-empty" | "-mtime" | "-mmin" | "-newer" | "-size" | "-perm" | "-user" | "-ctime"
            | "-atime" | "-amin" | "-cmin" | "-links" | "-inum" | "-samefile" | "-xtype"
                if name == "*" =>
            {
                name = "{}".to_owned();
            }
            _ => {}
        }
        before = text;
    }
    name
}
