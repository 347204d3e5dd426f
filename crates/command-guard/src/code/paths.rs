//! Paths in the strings of code.

use std::path::Path;

use super::literals::Statement;
use crate::CommandContext;
use crate::effects::FileAction;
use crate::place::{Place, normal};

/// Calls that return the user's home.
const HOME: &[&str] =
    &["expanduser", "homedir", "Path.home", "Dir.home", "process.env.HOME", " of home"];

/// Modes that open a file for writing: `w`, `ab`, `>>`.
pub(super) fn is_mode(text: &str) -> bool {
    let plain = text.trim_end_matches(['b', '+', 't']);
    matches!(plain, "w" | "a" | "x") || text.starts_with('>') || text == "r+" || text == "r+b"
}

/// The strings of a statement that may be paths; if it has none, those of earlier statements.
pub(super) fn paths(statement: &Statement, all: &[Statement], action: FileAction) -> Vec<String> {
    let opened: Vec<String> = statement
        .lists
        .iter()
        .filter(|list| list.last().is_some_and(|mode| is_mode(mode)))
        .filter_map(|list| list.get(list.len().saturating_sub(2)))
        .cloned()
        .collect();
    if action == FileAction::Write && !opened.is_empty() {
        return opened;
    }
    let own: Vec<String> = statement.strings.iter().filter(|text| is_path(text)).cloned().collect();
    let copies = ["copy", "rename", "move", "cpSync", "symlink"]
        .iter()
        .any(|call| statement.bare.contains(call));
    if action == FileAction::Write && copies && own.len() > 1 {
        return own.into_iter().next_back().into_iter().collect();
    }
    if !own.is_empty() || action == FileAction::Read {
        return own;
    }
    let keeps = |one: &&Statement| {
        one.bare.contains('=')
            || one.bare.trim_start().starts_with("for")
            || one.bare.contains(" in ")
    };
    all.iter()
        .filter(keeps)
        .flat_map(|one| one.strings.iter())
        .filter(|text| is_path(text))
        .cloned()
        .collect()
}

fn is_path(text: &str) -> bool {
    let text = text.trim_start_matches(['>', '<', ' ']);
    !text.contains(['\n', '(', ')', '{', '"', '\''])
        && !text.contains("://")
        && !text.trim().is_empty()
        && text.len() < 400
        && (text.starts_with(['/', '~', '.'])
            || text.contains('/')
            || !text.contains(' ') && text.len() > 2)
}

/// Whether a statement builds its paths from the user's home.
pub(super) fn names_home(statement: &Statement) -> bool {
    let asks = ["environ", "getenv", "ENV"].iter().any(|call| statement.bare.contains(call));
    HOME.iter().any(|call| statement.bare.contains(call))
        || (asks && statement.strings.iter().any(|text| text == "HOME"))
}

/// The places that a string may name.
pub(super) fn places(
    text: &str,
    statement: &Statement,
    folder: Option<&Path>,
    context: &CommandContext,
) -> Vec<Place> {
    let text = text.trim_start_matches(['>', '<', ' ', '+']);
    let home = context.home.as_deref();
    if let (Some(rest), Some(home)) = (text.strip_prefix('~'), home) {
        return vec![Place::At(normal(&home.join(rest.trim_start_matches('/'))))];
    }
    let from_home = names_home(statement);
    if from_home && let Some(home) = home {
        let rest = if text == "HOME" { "" } else { text };
        return vec![Place::At(normal(&home.join(rest.trim_start_matches('/'))))];
    }
    folder.map(|folder| Place::At(normal(&folder.join(text)))).into_iter().collect()
}
