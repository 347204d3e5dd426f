//! Where the files lie whose names a program prints. No file is looked at.

use std::path::{Path, PathBuf};

use shell_analysis::{Act, Folder, Input, Piece, Reading, Through, Unknown, Word};

use crate::CommandContext;
use crate::place::{Place, Whose, place, whose};

const DEEPEST: usize = 16;

fn known(act: &Act) -> Option<&Path> {
    match &act.folder {
        Folder::Known(folder) => Some(folder),
        Folder::Unknown => None,
    }
}

/// The one path that an act prints.
pub(crate) fn printed(
    index: usize,
    reading: &Reading,
    context: &CommandContext,
    depth: usize,
) -> Place {
    let Some(act) = reading.acts.get(index).filter(|_| depth < DEEPEST) else {
        return Place::Unknown;
    };
    let program = act.program().unwrap_or_default();
    let first = act.arguments().iter().find(|word| !word.known_start().starts_with('-'));
    let of_first =
        || first.map_or(Place::Unknown, |word| place(word, known(act), reading, context));
    match program.as_str() {
        "mktemp" => Place::Temporary,
        "pwd" => folder_of(index, reading, context).map_or(Place::Unknown, Place::At),
        "git" if act.arguments().iter().any(|word| word.shown() == "--show-toplevel") => {
            Place::At(context.project.clone())
        }
        "git" => {
            git_folder(act, context).unwrap_or_else(|| listed(index, reading, context, depth + 1))
        }
        "python" | "python3" if tells_site(act) => {
            context.home.as_ref().map_or(Place::Unknown, |home| Place::At(home.join(".local/lib")))
        }
        "realpath" | "readlink" => of_first(),
        "dirname" if first.is_some_and(names_script) => {
            script_folder(act).map_or(Place::Unknown, Place::At)
        }
        "dirname" => match of_first() {
            Place::At(path) => Place::At(path.parent().map_or(path.clone(), Path::to_owned)),
            other => other,
        },
        _ => listed(index, reading, context, depth + 1),
    }
}

/// Where git says that its own files are.
fn git_folder(act: &Act, context: &CommandContext) -> Option<Place> {
    let words: Vec<String> = act.arguments().iter().map(Word::shown).collect();
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

/// Whether Python is asked where it looks for the user's packages.
fn tells_site(act: &Act) -> bool {
    let asks = ["getusersitepackages", "USER_SITE", "--user-site"];
    act.arguments().iter().any(|word| asks.iter().any(|name| word.shown().contains(name)))
}

/// How far back a change of folder is looked for.
const FARTHEST: usize = 200;

/// Where an act runs. What the reader gave up on may still be told from the last change of folder.
pub(crate) fn folder_of(
    index: usize,
    reading: &Reading,
    context: &CommandContext,
) -> Option<PathBuf> {
    if let Some(folder) = known(reading.acts.get(index)?) {
        return Some(folder.to_owned());
    }
    let moves = |act: &&Act| matches!(act.program().as_deref(), Some("cd" | "pushd"));
    let change = reading.acts.get(..index)?.iter().rev().take(FARTHEST).find(moves)?;
    match place(operands(change).next()?, Some(known(change)?), reading, context) {
        Place::At(path) => Some(path),
        _ => None,
    }
}

/// `$BASH_SOURCE`, by which a script finds itself.
fn names_script(word: &Word) -> bool {
    let variable = |piece: &Piece| matches!(piece, Piece::Unknown(Unknown::Variable(name)) if name.starts_with("BASH_SOURCE") || name == "0");
    word.pieces.iter().any(variable)
}

fn script_folder(act: &Act) -> Option<PathBuf> {
    act.through.iter().rev().find_map(|through| match through {
        Through::Script(path) => path.parent().map(Path::to_owned),
        _ => None,
    })
}

/// Where the files lie whose names an act lists.
pub(crate) fn listed(
    index: usize,
    reading: &Reading,
    context: &CommandContext,
    depth: usize,
) -> Place {
    let Some(act) = reading.acts.get(index).filter(|_| depth < DEEPEST) else {
        return Place::Unknown;
    };
    let program = act.program().unwrap_or_default();
    let folder = known(act);
    let roots: Vec<&Word> = match program.as_str() {
        "find" | "gfind" => {
            return found(act, reading, context).into_iter().next().unwrap_or(Place::Unknown);
        }
        "ls" => return ls(act, reading, context),
        "grep" | "rg" | "egrep"
            if operands(act).count() < 2 && !matches!(act.input, Input::Inherited) =>
        {
            return picks(act, reading, context, depth);
        }
        // The first operand is what is looked for.
        "fd" | "fdfind" | "grep" | "rg" | "egrep" | "ag" => operands(act).skip(1).collect(),
        "git" | "npm" | "cargo" | "go" | "pnpm" => Vec::new(),
        "sort" | "uniq" | "head" | "tail" | "sed" | "awk" | "cut" | "tr" | "xargs" | "tac" => {
            return picks(act, reading, context, depth);
        }
        _ => return Place::Unknown,
    };
    let below = |root: Place| match root {
        Place::At(root) => Place::At(root.join("{}")),
        other => other,
    };
    let own = || folder.map_or(Place::Unknown, |folder| Place::At(folder.to_owned()));
    let mut places = roots.into_iter().map(|root| place(root, folder, reading, context));
    let first = places.next().unwrap_or_else(own);
    let outside =
        |place: &Place| !matches!(place, Place::At(path) if whose(path, context) != Whose::Outside);
    if outside(&first) {
        return below(first);
    }
    below(places.find(outside).unwrap_or(first))
}

/// A folder that is listed as a whole, or the names that are given.
fn ls(act: &Act, reading: &Reading, context: &CommandContext) -> Place {
    let own = || known(act).map_or(Place::Unknown, |folder| Place::At(folder.join("*")));
    match operands(act).next() {
        None => own(),
        Some(word) => match place(word, known(act), reading, context) {
            Place::At(path) if word.has_glob() => Place::At(path),
            Place::At(path) => Place::At(path.join("{}")),
            other => other,
        },
    }
}

/// Some of the lines that another act prints.
fn picks(act: &Act, reading: &Reading, context: &CommandContext, depth: usize) -> Place {
    let (Input::Pipe { from } | Input::Text { from, .. }) = &act.input else {
        return Place::Unknown;
    };
    let [from] = from.as_slice() else { return Place::Unknown };
    let is_whole =
        matches!(act.program().as_deref(), Some("sort" | "uniq" | "tac" | "xargs" | "tr"));
    match listed(*from, reading, context, depth + 1) {
        Place::At(path) if !is_whole && path.ends_with("*") => Place::At(path.with_file_name("{}")),
        other => other,
    }
}

fn operands(act: &Act) -> impl Iterator<Item = &Word> {
    act.arguments().iter().filter(|word| !word.known_start().starts_with('-'))
}

/// What `find` comes upon, one place for each folder that it is given: the worst first.
pub(crate) fn found(act: &Act, reading: &Reading, context: &CommandContext) -> Vec<Place> {
    let words = act.arguments();
    let options =
        |word: &&Word| matches!(word.known_start().as_str(), "-L" | "-H" | "-P" | "-E" | "-O3");
    let words = &words[words.iter().take_while(options).count()..];
    let is_test = |word: &Word| {
        let start = word.known_start();
        start.starts_with('-') || matches!(start.as_str(), "!" | "(" | ")")
    };
    let roots = words.iter().take_while(|word| !is_test(word));
    let mut places: Vec<Place> =
        roots.map(|root| place(root, known(act), reading, context)).collect();
    if places.is_empty() {
        places.extend(known(act).map(|folder| Place::At(folder.to_owned())));
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
        Place::At(path) => usize::from(whose(path, context) != Whose::Outside),
        Place::Unknown => 2,
        Place::Temporary => 3,
    });
    places
}

/// The last name that the tests of `find` ask for; `{}` if they pick by something else, and
/// everything if they do not pick.
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
