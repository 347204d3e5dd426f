//! The paths that a program prints, derived without looking at the disk.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use shell_analysis::{Analysis, Input, Invocation, Piece, Word};

use crate::CommandContext;
use crate::place::{PathOwner, Place, owner_of, place};
use crate::words::words;

/// How many commands back a change of folder is searched.
const FARTHEST: usize = 200;

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
    let of_first = first.map(|word| place(word, invocation.folder.as_deref(), analysis, context));
    match (invocation.program().unwrap_or_default().as_ref(), of_first) {
        ("mktemp", _) => Place::Temporary,
        ("pwd", _) => at(folder(index, analysis, context).map(Cow::into_owned)),
        ("git", _) if has("--show-toplevel") => Place::At(context.project.clone()),
        ("git", _) if has("--git-path") => at(last.map(|word| git.join(&*word.shown()))),
        ("git", _)
            if ["--git-dir", "--git-common-dir", "--absolute-git-dir"].map(has).contains(&true) =>
        {
            Place::At(git)
        }
        ("realpath" | "readlink", Some(place)) => place,
        ("python" | "python3", _) if has("--user-site") => {
            at(context.home.as_ref().map(|home| home.join(".local/lib")))
        }
        ("dirname", Some(Place::At(path))) => Place::At(path.parent().unwrap_or(&path).to_owned()),
        ("dirname", Some(place)) => place,
        _ => listed(index, analysis, context),
    }
}

/// The working directory of a command. If the analysis lost it, the last change of folder may show it.
pub(crate) fn folder<'a>(
    at: usize,
    analysis: &'a Analysis,
    context: &CommandContext,
) -> Option<Cow<'a, Path>> {
    if let Some(folder) = &analysis.invocations.get(at)?.folder {
        return Some(folder.into());
    }
    let moves =
        |invocation: &&Invocation| matches!(invocation.program().as_deref(), Some("cd" | "pushd"));
    let change = analysis.invocations.get(..at)?.iter().rev().take(FARTHEST).find(moves)?;
    let place = place(operands(change).next()?, Some(change.folder.as_deref()?), analysis, context);
    place.path().map(|path| path.to_owned().into())
}

/// A pattern in a folder.
fn inside(folder: &Word, pattern: &str) -> Word {
    let mut word = folder.clone();
    word.pieces.push(Piece::Glob(format!("/{pattern}")));
    word
}

/// Programs that print all lines of their input, perhaps changed or in another order.
const PASSING: &[&str] = words!("sort uniq tac xargs tr");

/// Programs that print some lines of their input or of files.
const SELECTING: &[&str] = words!("head tail sed awk cut grep rg egrep");

/// The place of the files that a command lists; of several, one outside the project.
pub(crate) fn listed(index: usize, analysis: &Analysis, context: &CommandContext) -> Place {
    let Some(invocation) = analysis.invocations.get(index) else {
        return Place::Unknown;
    };
    let source = match &invocation.input {
        Input::Pipe { from } | Input::Text { from, .. } if from.len() == 1 => from.first(),
        _ => None,
    };
    let program = invocation.program().unwrap_or_default();
    let program = program.as_ref();
    let passes = PASSING.contains(&program)
        || SELECTING.contains(&program) && operands(invocation).count() < 2;
    // A command gets its input from an earlier one.
    if let Some(source) = source.filter(|source| passes && **source < index) {
        return match listed(*source, analysis, context) {
            Place::At(path) if path.ends_with("*") && !PASSING.contains(&program) => {
                Place::At(path.with_file_name("{}"))
            }
            other => other,
        };
    }
    let roots = || operands(invocation).cloned();
    let says = |names: &[&str]| {
        invocation.arguments().iter().map(Word::shown).any(|word| names.contains(&word.as_ref()))
    };
    let words: Vec<Word> = match program {
        "find" | "gfind" => found(invocation),
        "ls" if roots().next().is_none() => vec![inside(&Word::of("."), "*")],
        "ls" if roots().any(|root| root.has_glob()) => roots().collect(),
        "ls" => roots().map(|root| inside(&root, "{}")).collect(),
        // The first operand is the search pattern.
        "fd" | "fdfind" | "grep" | "rg" | "egrep" | "ag" if roots().count() > 1 => {
            roots().skip(1).map(|root| inside(&root, "{}")).collect()
        }
        // The user's own folders.
        "npm" | "pnpm" if says(&["-g", "global", "get", "prefix", "cache", "store"]) => Vec::new(),
        "fd" | "fdfind" | "grep" | "rg" | "egrep" | "ag" | "git" | "npm" | "cargo" | "go"
        | "pnpm" => {
            vec![inside(&Word::of("."), "{}")]
        }
        _ => Vec::new(),
    };
    let places =
        words.iter().map(|word| place(word, invocation.folder.as_deref(), analysis, context));
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
    let is_option = |word: &&Word| words!("-L -H -P -E -O3").contains(&word.known_start().as_ref());
    let words = &words[words.iter().take_while(is_option).count()..];
    let is_root = |word: &&Word| !word.known_start().starts_with(['-', '!', '(', ')']);
    let roots: Vec<&Word> = words.iter().take_while(is_root).collect();
    let name = picked(words);
    match roots.as_slice() {
        [] => vec![inside(&Word::of("."), &name)],
        roots => roots.iter().map(|root| inside(root, &name)).collect(),
    }
}

/// The last name pattern in the tests of `find`; `{}` for other tests, `*` without tests.
fn picked(words: &[Word]) -> String {
    const OTHERS: &[&str] = words!(
        "-empty -mtime -mmin -newer -size -perm -user -ctime -atime -amin -cmin -links -inum -samefile -xtype"
    );
    let texts: Vec<_> = words.iter().map(Word::shown).collect();
    let (mut name, mut before) = ("*", "");
    for (at, text) in texts.iter().enumerate() {
        let value = texts.get(at + 1).map(AsRef::as_ref).unwrap_or_default();
        match text.as_ref() {
            _ if matches!(before, "!" | "-not") => {}
            "-name" | "-iname" => name = value,
            "-path" | "-ipath" | "-wholename" | "-regex" | "-iregex" => {
                name =
                    value.trim_start_matches("./").trim_start_matches("*/").trim_start_matches('/');
            }
            other if name == "*" && OTHERS.contains(&other) => name = "{}",
            _ => {}
        }
        before = text;
    }
    name.to_owned()
}
