//! Which path a word names, and who owns it, without looking at the disk.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use memchr::memchr2_iter;
use shell_analysis::{Analysis, Piece, Unknown, Word};

use crate::CommandContext;
use crate::listing;
use crate::pattern::{self, UNKNOWN};
use crate::words::words;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// An absolute path without `..`; its components may be patterns.
    At(PathBuf),
    /// In a new temporary folder.
    Temporary,
    Unknown,
}

impl Place {
    pub(crate) fn path(&self) -> Option<&Path> {
        if let Self::At(path) = self { Some(path) } else { None }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathOwner {
    Project,
    Temporary,
    /// Writable by the user's settings.
    Writable,
    /// `/dev/null` and other devices that store nothing.
    Stream,
    Outside,
}

/// The relation of a path to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    Above,
    Same,
    Below,
    Apart,
}

const TEMPORARY: &[&str] =
    words!("/tmp /var/tmp /private/tmp /private/var/tmp /var/folders /dev/shm");

const STREAMS: &[&str] = words!(
    "/dev/null /dev/stdout /dev/stderr /dev/stdin /dev/tty /dev/full /dev/zero /dev/random /dev/urandom /dev/fd
     /dev/pts /proc/self/fd"
);

/// A placeholder for a temporary folder that the command creates.
const FRESH: &str = "/tmp/\u{E020}";

const TEMPORARY_VARIABLES: &[&str] =
    words!("TMPDIR TMP TEMP RUNNER_TEMP BATS_TMPDIR BATS_TEST_TMPDIR");

/// Variables with a default in the home.
const HOME_VARIABLES: &[&str] = words!(
    "CARGO_HOME=.cargo XDG_CONFIG_HOME=.config XDG_DATA_HOME=.local/share GNUPGHOME=.gnupg DOCKER_CONFIG=.docker
     KUBECONFIG=.kube/config CODEX_HOME=.codex CLAUDE_CONFIG_DIR=.claude ZDOTDIR=
     AWS_SHARED_CREDENTIALS_FILE=.aws/credentials NPM_CONFIG_USERCONFIG=.npmrc"
);

pub(crate) fn place(
    word: &Word,
    folder: Option<&Path>,
    analysis: &Analysis,
    context: &CommandContext,
) -> Place {
    let is_empty = |piece: &&Piece| matches!(piece, Piece::Text(text) if text.is_empty());
    let mut pieces = word.pieces.iter().skip_while(is_empty).peekable();
    let mut path = Cow::Borrowed("");
    if let Some(Piece::Unknown(first)) = pieces.peek() {
        match beginning(first, analysis, context) {
            Place::At(start) => *path.to_mut() += &found_start(&start, word).to_string_lossy(),
            Place::Temporary => path += FRESH,
            Place::Unknown => return Place::Unknown,
        }
        pieces.next();
    }
    for piece in pieces {
        match piece {
            Piece::Text(text) if pattern::is_pattern(text) => {
                *path.to_mut() += &pattern::quoted(text)
            }
            Piece::Text(text) | Piece::Glob(text) => path += text.as_str(),
            Piece::Unknown(_) => path.to_mut().push(UNKNOWN),
        }
    }
    if path.starts_with('/') || is_windows_root(&path) {
        let path = normal(path.into_owned());
        return if path.starts_with(FRESH) { Place::Temporary } else { Place::At(path) };
    }
    if let Some(home) = named_home(&path, context) {
        return Place::At(normal(home));
    }
    match folder {
        Some(folder) => Place::At(normal(folder.join(&*path))),
        None => Place::Unknown,
    }
}

/// The found path may be the start folder itself, and `..` leads out of it.
fn found_start<'p>(start: &'p Path, word: &Word) -> &'p Path {
    let climbs = matches!(word.pieces.as_slice(), [Piece::Unknown(Unknown::Item(_)), Piece::Text(rest), ..] if rest.starts_with("/.."));
    let is_item = start.file_name().is_some_and(|name| name == "{}" || name == "*");
    start.parent().filter(|_| climbs && is_item).unwrap_or(start)
}

/// `~name`, the home of another user.
fn named_home(path: &str, context: &CommandContext) -> Option<PathBuf> {
    let name = path
        .strip_prefix('~')
        .filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))?;
    let homes = context.home.as_deref()?.parent()?;
    Some(if name == "root" { PathBuf::from("/root") } else { homes.join(name) })
}

/// The path that a tool names; some tools expand a tilde.
pub(crate) fn absolute(path: &Path, context: &CommandContext) -> PathBuf {
    let own = context.home.as_deref().zip(path.strip_prefix("~").ok());
    let own = own.map(|(home, rest)| home.join(rest));
    let other = || named_home(path.to_str()?, context);
    own.or_else(other).unwrap_or_else(|| context.folder.join(path))
}

fn is_windows_root(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic())
}

/// The known part of a word that starts with an unknown part.
fn beginning(unknown: &Unknown, analysis: &Analysis, context: &CommandContext) -> Place {
    let at = |path: Option<PathBuf>| path.map_or(Place::Unknown, Place::At);
    match unknown {
        Unknown::Variable(name) if TEMPORARY_VARIABLES.contains(&name.as_str()) => Place::Temporary,
        Unknown::Variable(name) => {
            let mut usual = HOME_VARIABLES.iter();
            let usual = usual.find_map(|one| one.strip_prefix(name.as_str())?.strip_prefix('='));
            at(context.home.as_ref().zip(usual).map(|(home, inside)| home.join(inside)))
        }
        Unknown::Output(from) if from.len() == 1 => listing::printed(from[0], analysis, context),
        Unknown::Item(from) if from.len() == 1 => listing::listed(from[0], analysis, context),
        _ => Place::Unknown,
    }
}

/// Removes `.` and `..`; `..` at the root stays at the root.
pub(crate) fn normal(path: impl Into<PathBuf>) -> PathBuf {
    let path = path.into();
    let bytes = path.as_os_str().as_encoded_bytes();
    let mut slashes = memchr2_iter(b'/', b'\\', bytes);
    if slashes.all(|at| bytes[at] == b'/' && !matches!(bytes.get(at + 1), Some(b'/' | b'.'))) {
        return path;
    }
    shell_analysis::normal(&path)
}

/// With `/` between the components on every system.
pub(crate) fn as_text(path: &Path) -> Cow<'_, str> {
    let text = path.to_string_lossy();
    if cfg!(windows) { text.replace('\\', "/").into() } else { text }
}

/// As `Path::starts_with`, which compares components.
pub(crate) fn is_below(path: &Path, folder: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    let inside = bytes.strip_prefix(folder.as_os_str().as_encoded_bytes());
    inside.is_some_and(|inside| inside.starts_with(b"/")) || path.starts_with(folder)
}

pub(crate) fn owner_of(path: &Path, context: &CommandContext) -> PathOwner {
    let below = |folder: &Path| is_below(path, folder);
    // A home counts as one everywhere, even inside a temporary folder.
    let in_home = |folder: &Path| {
        context.home.as_deref().is_some_and(|home| home.starts_with(folder) && below(home))
    };
    let is_temporary = |folder: &Path| below(folder) && path != folder && !in_home(folder);
    if below(&context.project) {
        PathOwner::Project
    } else if STREAMS.iter().any(|stream| below(Path::new(stream))) {
        PathOwner::Stream
    } else if temporary(context).any(is_temporary) {
        PathOwner::Temporary
    } else if context.rules.writable.iter().any(|folder| below(folder)) {
        PathOwner::Writable
    } else {
        PathOwner::Outside
    }
}

fn temporary(context: &CommandContext) -> impl Iterator<Item = &Path> {
    TEMPORARY.iter().map(Path::new).chain(context.temporary.as_deref())
}

/// A shared temporary folder as a whole.
pub(crate) fn is_temporary_folder(path: &Path, context: &CommandContext) -> bool {
    temporary(context).any(|folder| path == folder) && context.home.as_deref() != Some(path)
}

/// A network connection that bash opens as if it were a file.
pub(crate) fn is_socket(path: &str) -> bool {
    path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/")
}

/// The relation of `path`, whose components may be patterns, to `other`. An unknown component matches no name.
pub(crate) fn relation(path: &Path, other: &Path) -> Relation {
    relation_of(&as_text(path), &as_text(other))
}

pub(crate) fn relation_of(path: &str, other: &str) -> Relation {
    let alike = path.bytes().zip(other.bytes()).take_while(|(a, b)| a.eq_ignore_ascii_case(b));
    let alike = alike.count();
    let begin = path.as_bytes().get(..=alike).unwrap_or_default();
    // Most pairs of paths differ early.
    if alike < other.len() && !begin.is_empty() && !begin.iter().any(|byte| b"*?[".contains(byte)) {
        return Relation::Apart;
    }
    let components = |path| str::split(path, '/').filter(|part| !part.is_empty());
    let (mut ours, mut theirs) = (components(path), components(other));
    loop {
        match (ours.next(), theirs.next()) {
            (None, None) => return Relation::Same,
            (None, Some(_)) => return Relation::Above,
            (Some(_), None) => return Relation::Below,
            (Some(one), Some(two)) if !pattern::names(one, two) => return Relation::Apart,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context() -> CommandContext {
        CommandContext {
            project: "/home/user/project".into(),
            rules: project::CommandRules {
                writable: vec!["/opt/cache".into()],
                ..Default::default()
            },
            ..CommandContext::default()
        }
    }

    #[test]
    fn a_home_among_temporary_files_is_a_home_and_one_of_them_in_a_home_is_temporary() {
        let owner = |path: &str, context: &CommandContext| owner_of(Path::new(path), context);
        let in_tmp = CommandContext { home: Some("/tmp/h".into()), ..context() };
        assert_eq!(owner("/tmp/h/x", &in_tmp), PathOwner::Outside);
        assert_eq!(owner("/tmp/x", &in_tmp), PathOwner::Temporary);
        let own = CommandContext {
            home: Some("/home/user".into()),
            temporary: Some("/home/user/tmp".into()),
            ..context()
        };
        assert_eq!(owner("/home/user/tmp/x", &own), PathOwner::Temporary);
        assert_eq!(owner("/home/user/x", &own), PathOwner::Outside);
    }

    #[test]
    fn a_place_is_the_projects_a_temporary_one_or_outside() {
        let owner = |path: &str| owner_of(&normal(Path::new(path)), &context());
        for inside in ["/home/user/project", "/home/user/project/a/../b"] {
            assert_eq!(owner(inside), PathOwner::Project, "{inside}");
        }
        for outside in [
            "/home/user/project/../other",
            "/tmp",
            "/tmp/../etc",
            "/home/user/project2",
            "/dev/sda",
        ] {
            assert_eq!(owner(outside), PathOwner::Outside, "{outside}");
        }
        assert_eq!(owner("/tmp/x"), PathOwner::Temporary);
        assert_eq!(owner("/opt/cache/x"), PathOwner::Writable);
        assert_eq!(owner("/dev/null"), PathOwner::Stream);
    }

    #[test]
    fn patterns_relate_to_a_path_as_their_matches_do() {
        let relation = |path: &str, other: &str| relation(Path::new(path), Path::new(other));
        assert_eq!(relation("/p/.r*", "/p/.ralph"), Relation::Same);
        assert_eq!(relation("/p/.ralph/x", "/p/.ralph"), Relation::Below);
        assert_eq!(relation("/p", "/p/.ralph"), Relation::Above);
        assert_eq!(relation("/p/*", "/p/.ralph"), Relation::Apart);
    }

    #[test]
    fn a_word_that_begins_with_something_unknown_is_nowhere() {
        let variable = |name: &str| Piece::Unknown(Unknown::Variable(name.into()));
        let at = |pieces: Vec<Piece>| {
            place(
                &Word { pieces },
                Some(Path::new("/home/user/project")),
                &Analysis::default(),
                &context(),
            )
        };
        assert_eq!(at(vec![variable("X"), Piece::Text("/y".into())]), Place::Unknown);
        assert_eq!(at(vec![variable("TMPDIR"), Piece::Text("/y".into())]), Place::Temporary);
        let known = at(vec![Piece::Text("build/".into()), variable("X")]);
        assert_eq!(known, Place::At(format!("/home/user/project/build/{UNKNOWN}").into()));
    }
}
