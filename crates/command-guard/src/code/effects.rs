//! Derives the effects of code from the names of its calls and from the strings near them.

use std::path::PathBuf;

use super::interpreter::{OTHER_SHELLS, plain_name};
use super::literals::{MOST_STATEMENTS, Statement, squeezed, statements};
use super::names::{self, has};
use crate::Category;
use crate::effect::{Effect, FileAction};
use crate::invocation_view::InvocationView;
use crate::place::{Place, normal};
use crate::words::words;

/// The effects of a piece of code.
#[derive(Debug, Default)]
pub(crate) struct CodeEffects {
    /// Strings that it passes to a shell or starts as programs.
    pub(crate) commands: Vec<String>,
    pub(crate) effects: Vec<Effect>,
    /// Files that it writes, each with its possible content.
    pub(crate) written: Vec<(PathBuf, String)>,
    /// Harms that follow from its calls alone.
    pub(crate) harms: Vec<(Category, &'static str)>,
}

/// Limits the commands checked per piece of code.
const MOST_COMMANDS: usize = 64;

/// Code in strings of code, and code in that.
const DEEPEST: usize = 3;

/// Languages with paths outside quotes.
const BARE_PATHS: &[&str] =
    words!("tclsh wish expect cmake vim vi nvim ex pwsh powershell nu xonsh");

/// Languages that run text in backticks.
const BACKTICKS: &[&str] = words!("perl ruby php rake irb");

pub(crate) fn code_effects(code: &str, view: &InvocationView<'_>) -> CodeEffects {
    let mut all = CodeEffects::default();
    of_code(code, view, 0, &mut all);
    if all.commands.len() > MOST_COMMANDS {
        all.commands.truncate(MOST_COMMANDS);
        all.harms.push((Category::HiddenCode, "the code is too long to check"));
    }
    all
}

fn of_code(code: &str, view: &InvocationView<'_>, depth: usize, all: &mut CodeEffects) {
    // The braces of a hash would end the statement.
    let code = code.replace("ENV{HOME}", "ENV['HOME']");
    let mut statements = statements(&code, BARE_PATHS.contains(&plain_name(view)));
    for one in statements.iter_mut().filter(|one| has(&one.bare, names::BY_NAME)) {
        one.bare.extend(one.strings.iter().map(|name| format!(" {name}(")));
    }
    let squeezed = squeezed(&code);
    let walks = has(&squeezed, names::WALKS);
    if view.is(OTHER_SHELLS) {
        all.commands.extend(code.split([';', '\n', '|', '{', '}']).filter_map(plain_command));
    }
    let before = all.effects.len();
    for one in &statements {
        if starts(one, view) {
            commands(one, &statements, &mut all.commands);
        }
        if depth < DEEPEST && has(&one.bare, names::EVALUATES) {
            for text in one.strings.iter().filter(|text| text.contains('(')) {
                of_code(text, view, depth + 1, all);
            }
        }
        for action in actions(one, view) {
            let is_tree = walks && action == FileAction::Delete;
            let action = if is_tree { FileAction::DeleteTree } else { action };
            let near = if walks { statements.as_slice() } else { std::slice::from_ref(one) };
            let mut strings = paths(one, &statements, action);
            if strings.is_empty() && action.changes() && near.iter().any(names_home) {
                strings.push("~");
            }
            let places = strings.into_iter().filter_map(|text| place(text, one, view));
            all.effects.extend(places.map(|place| Effect { action, place }));
        }
    }
    let strings: Vec<String> = statements.iter().flat_map(|one| one.strings.clone()).collect();
    all.written.extend(all.effects[before..].iter().filter_map(|effect| match &effect.place {
        // Any string of the code may be the content.
        Place::At(path) if effect.action == FileAction::Write => {
            Some((path.clone(), strings.join("\n")))
        }
        _ => None,
    }));
    all.harms.extend(super::harms::harms(&code, &squeezed, &strings));
    if statements.len() >= MOST_STATEMENTS {
        all.harms.push((Category::HiddenCode, "the code is too long to check"));
    }
}

/// A command that every shell would parse alike.
fn plain_command(part: &str) -> Option<String> {
    let is_plain = part.trim_start().starts_with(char::is_alphabetic)
        && !part.contains(['(', ')', '@', '{', '<', '&'])
        && ['"', '\''].iter().all(|quote| part.matches(*quote).count() % 2 == 0);
    is_plain.then(|| part.to_owned())
}

fn starts(one: &Statement, view: &InvocationView<'_>) -> bool {
    let is_piped = |text: &String| text.trim().starts_with('|') || text.trim().ends_with('|');
    let opens_pipe = || one.bare.contains("open") && one.strings.iter().any(is_piped);
    has(&one.bare, names::STARTS)
        || has(&one.bare, names::MAY_START)
        || BACKTICKS.contains(&plain_name(view)) && (one.bare.contains("``") || opens_pipe())
}

/// The commands that a statement starts: its own strings, else those of earlier statements.
fn commands(one: &Statement, all: &[Statement], commands: &mut Vec<String>) {
    let quoted = |list: &Vec<String>| {
        let words = list.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''")));
        words.collect::<Vec<_>>().join(" ")
    };
    let of = |one: &Statement| {
        let is_listed = |text: &String| one.lists.iter().any(|list| list.contains(text));
        let strings = one.strings.iter().filter(|text| text.contains(' ') || !is_listed(text));
        let strings = strings.map(|text| text.trim().trim_matches('|').to_owned());
        one.lists.iter().map(quoted).chain(strings).collect::<Vec<_>>()
    };
    let mut found = of(one);
    if found.is_empty() {
        found = all.iter().filter(|one| one.bare.contains('=')).flat_map(of).collect();
    }
    found.retain(|command| !commands.contains(command));
    found.truncate(MOST_COMMANDS + 1);
    commands.extend(found);
}

fn actions(one: &Statement, view: &InvocationView<'_>) -> Vec<FileAction> {
    let groups = [
        (names::DELETES_TREES, FileAction::DeleteTree),
        (names::DELETES, FileAction::Delete),
        (names::WRITES, FileAction::Write),
        (names::CHANGES_MODES, FileAction::ModeTree),
    ];
    let named = groups.into_iter().filter(|(names, _)| has(&one.bare, names));
    let mut actions: Vec<FileAction> = named.map(|(_, action)| action).collect();
    let opens = one.bare.contains("open") && one.strings.iter().any(|text| is_mode(text));
    if opens || one.bare.contains(">\"\"") && plain_name(view).ends_with("awk") {
        actions.push(FileAction::Write);
    }
    if actions.is_empty() {
        actions.push(FileAction::Read);
    }
    actions
}

/// Modes that open a file for writing: `w`, `ab`, `>>`.
fn is_mode(text: &str) -> bool {
    let plain = text.trim_end_matches(['b', '+', 't']);
    matches!(plain, "w" | "a" | "x") || text.starts_with('>') || text.starts_with("r+")
}

/// The strings of a statement that may be paths; if it has none, those of earlier statements.
fn paths<'s>(one: &'s Statement, all: &'s [Statement], action: FileAction) -> Vec<&'s str> {
    let of = |one: &'s Statement| one.strings.iter().map(String::as_str).filter(|t| is_path(t));
    let mut own: Vec<&str> = of(one).collect();
    if action == FileAction::Write {
        let opened = one.lists.iter().filter_map(|list| match list.as_slice() {
            [.., path, mode] if is_mode(mode) => Some(path.as_str()),
            _ => None,
        });
        let opened: Vec<&str> = opened.collect();
        if !opened.is_empty() {
            return opened;
        }
        if has(&one.bare, names::COPIES) {
            own.drain(..own.len().saturating_sub(1));
        }
    }
    if own.is_empty() && action != FileAction::Read {
        let keeps =
            |one: &&Statement| ["=", "for", "·in", "each"].iter().any(|p| one.bare.contains(p));
        own = all.iter().filter(keeps).flat_map(of).collect();
    }
    own
}

fn is_path(text: &str) -> bool {
    const LONGEST: usize = 400;
    let text = text.trim_start_matches(['>', '<', ' ']);
    !text.contains(['\n', '(', ')', '{', '"', '\''])
        && !text.contains("://")
        && (1..LONGEST).contains(&text.len())
        && (text.starts_with(['/', '~', '.'])
            || text.contains('/')
            || !text.contains(' ') && text.len() > 2)
}

/// Whether a statement builds its paths from the user's home.
fn names_home(one: &Statement) -> bool {
    has(&one.bare, names::HOME)
        || has(&one.bare, names::ENVIRONMENT) && one.strings.iter().any(|text| text == "HOME")
}

/// The place that a string may name.
fn place(text: &str, one: &Statement, view: &InvocationView<'_>) -> Option<Place> {
    let text = text.trim_start_matches(['>', '<', ' ', '+']);
    let from_home = match text.strip_prefix('~') {
        Some(rest) => Some(rest),
        None => names_home(one).then_some(if text == "HOME" { "" } else { text }),
    };
    let path = match (from_home, view.home()) {
        (Some(rest), Some(home)) => home.join(rest.trim_start_matches('/')),
        _ => view.folder()?.join(text),
    };
    Some(Place::At(normal(&path)))
}

#[cfg(test)]
mod tests {
    use crate::{Category, CommandContext, judge_command};

    fn of(code: &str) -> Vec<Category> {
        let context = CommandContext {
            home: Some("/home/user".into()),
            project: "/p".into(),
            folder: "/p".into(),
            ..CommandContext::default()
        };
        let command = format!("node - <<'END'\n{code}\nEND");
        let refusals = judge_command(&command, &context, &|_| None);
        refusals.iter().map(|refusal| refusal.category).collect()
    }

    #[test]
    fn commands_in_code_are_analyzed() {
        for code in [
            "import os; os.system('rm -rf /')",
            "subprocess.run(['rm','-rf','/'])",
            "exec(\"import os; os.system('rm -rf /')\")",
        ] {
            assert!(of(code).contains(&Category::RecursiveDelete), "{code}: {:?}", of(code));
        }
        assert_eq!(of("print('rm -rf /')"), [], "only printed");
    }

    #[test]
    fn calls_show_their_effects_on_files() {
        for code in [
            "shutil.rmtree('/x')",
            "require('fs').rmSync('../x',{recursive:true})",
            "require('fs')['rm'+'Sync']('/x',{recursive:true})",
            "shutil.rmtree(os.path.expanduser('~/x'))",
            "shutil.rmtree(Path.home())",
            "p='/x/y'\nshutil.rmtree(p)",
        ] {
            assert!(of(code).contains(&Category::RecursiveDelete), "{code}: {:?}", of(code));
        }
        assert_eq!(of("open('/etc/x','w').write('a')"), [Category::WriteOutside]);
        assert_eq!(of("print(open('/etc/os-release').read())"), []);
    }
}
