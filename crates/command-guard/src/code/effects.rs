//! Derives the effects of code from the names of its calls and from the strings near them.

use std::path::{Path, PathBuf};

use super::interpreter::OTHER_SHELLS;
use super::literals::{MOST_STATEMENTS, Statement, squeezed, statements};
use super::names::{self, has};
use crate::effects::{Effect, FileAction};
use crate::invocation_view::InvocationView;
use crate::place::{Place, normal};
use crate::words::words;
use crate::{Category, CommandContext};

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

/// Where the code runs.
struct Surroundings<'c> {
    program: &'c str,
    folder: Option<&'c Path>,
    context: &'c CommandContext,
}

impl Surroundings<'_> {
    fn is(&self, programs: &[&str]) -> bool {
        let name = self.program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        programs.contains(&name) || programs.contains(&self.program)
    }
}

pub(crate) fn code_effects(code: &str, view: &InvocationView<'_>) -> CodeEffects {
    let folder = view.folder();
    let around =
        Surroundings { program: &view.program, folder: folder.as_deref(), context: view.context };
    let mut all = CodeEffects::default();
    of_code(code, &around, 0, &mut all);
    all
}

fn of_code(code: &str, around: &Surroundings<'_>, depth: usize, all: &mut CodeEffects) {
    const BARE_WORDS: &[&str] = words!("tclsh wish expect cmake vim vi nvim ex");
    // The braces of a hash would end the statement.
    let code = code.replace("ENV{HOME}", "ENV['HOME']");
    let is_other_shell = around.is(OTHER_SHELLS);
    let mut statements = statements(&code, is_other_shell || around.is(BARE_WORDS));
    for statement in &mut statements {
        if has(&statement.bare, names::BY_NAME) {
            let called: String = statement.strings.iter().map(|name| format!(" {name}(")).collect();
            statement.bare.push_str(&called);
        }
    }
    let squeezed = squeezed(&code);
    let walks = has(&squeezed, names::WALKS);
    if is_other_shell {
        all.commands.extend(code.split([';', '\n', '|', '{', '}']).filter_map(plain_command));
    }
    let effects_before = all.effects.len();
    for statement in &statements {
        if starts(statement, around) {
            commands(statement, &statements, &mut all.commands);
        }
        if depth < DEEPEST && has(&statement.bare, names::EVALUATES) {
            for text in statement.strings.iter().filter(|text| text.contains('(')) {
                of_code(text, around, depth + 1, all);
            }
        }
        for action in actions(statement, around) {
            let is_tree = walks && action == FileAction::Delete;
            let action = if is_tree { FileAction::DeleteTree } else { action };
            let strings = paths(statement, &statements, action);
            let places = strings.iter().filter_map(|text| place(text, statement, around));
            all.effects.extend(places.map(|place| Effect { action, place }));
            let near = if walks { statements.as_slice() } else { std::slice::from_ref(statement) };
            if strings.is_empty() && action.changes() && near.iter().any(names_home) {
                let home = around.context.home.iter().cloned();
                all.effects.extend(home.map(|home| Effect { action, place: Place::At(home) }));
            }
        }
    }
    let strings = statements.iter().flat_map(|one| &one.strings).cloned().collect::<Vec<_>>();
    // Any string of the code may be the content of any of the files.
    let written = all.effects[effects_before..].iter().filter_map(|effect| match &effect.place {
        Place::At(path) if effect.action == FileAction::Write => Some(path.clone()),
        _ => None,
    });
    all.written.extend(written.map(|path| (path, strings.join("\n"))));
    all.harms.extend(super::harms::harms(&code, &squeezed, &strings));
    if all.commands.len() > MOST_COMMANDS || statements.len() >= MOST_STATEMENTS {
        all.commands.truncate(MOST_COMMANDS);
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

fn starts(statement: &Statement, around: &Surroundings<'_>) -> bool {
    let is_piped = |text: &String| {
        let text = text.trim();
        text.starts_with('|') || text.ends_with('|')
    };
    has(&statement.bare, names::STARTS)
        || has(&statement.bare, names::MAY_START)
        || around.is(&["perl", "ruby", "php", "rake", "irb"])
            && (statement.bare.contains("``")
                || statement.bare.contains("open") && statement.strings.iter().any(is_piped))
}

/// The commands that a statement starts: its own strings, else those of earlier statements.
fn commands(statement: &Statement, all: &[Statement], commands: &mut Vec<String>) {
    let quoted = |list: &Vec<String>| {
        let words = list.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''")));
        words.collect::<Vec<_>>().join(" ")
    };
    let of = |one: &Statement| {
        let is_alone = |text: &&String| {
            text.contains(' ') || !one.lists.iter().any(|list| list.contains(text))
        };
        let strings = one.strings.iter().filter(is_alone);
        let strings = strings.map(|text| text.trim().trim_matches('|').to_owned());
        one.lists.iter().map(quoted).chain(strings).collect::<Vec<_>>()
    };
    let mut found = of(statement);
    if found.is_empty() {
        found = all.iter().filter(|one| one.bare.contains('=')).flat_map(of).collect();
    }
    for command in found {
        if commands.len() <= MOST_COMMANDS && !commands.contains(&command) {
            commands.push(command);
        }
    }
}

fn actions(statement: &Statement, around: &Surroundings<'_>) -> Vec<FileAction> {
    let bare = statement.bare.as_str();
    let opens = bare.contains("open") && statement.strings.iter().any(|text| is_mode(text));
    let prints = bare.contains(">\"\"") && around.is(&["awk", "gawk", "mawk", "nawk"]);
    let mut actions = Vec::new();
    if has(bare, names::DELETES_TREES) {
        actions.push(FileAction::DeleteTree);
    } else if has(bare, names::DELETES) {
        actions.push(FileAction::Delete);
    }
    if opens || prints || has(bare, names::WRITES) {
        actions.push(FileAction::Write);
    }
    if has(bare, names::CHANGES_MODES) {
        actions.push(FileAction::ModeTree);
    }
    if actions.is_empty() {
        actions.push(FileAction::Read);
    }
    actions
}

/// Modes that open a file for writing: `w`, `ab`, `>>`.
fn is_mode(text: &str) -> bool {
    let plain = text.trim_end_matches(['b', '+', 't']);
    matches!(plain, "w" | "a" | "x") || text.starts_with('>') || text == "r+" || text == "r+b"
}

/// The strings of a statement that may be paths; if it has none, those of earlier statements.
fn paths<'s>(statement: &'s Statement, all: &'s [Statement], action: FileAction) -> Vec<&'s str> {
    let of =
        |one: &'s Statement| one.strings.iter().map(String::as_str).filter(|text| is_path(text));
    let mut own: Vec<&str> = of(statement).collect();
    if action == FileAction::Write {
        let opened = statement.lists.iter().filter_map(|list| match list.as_slice() {
            [.., path, mode] if is_mode(mode) => Some(path.as_str()),
            _ => None,
        });
        let opened: Vec<&str> = opened.collect();
        if !opened.is_empty() {
            return opened;
        }
        if has(&statement.bare, names::COPIES) && own.len() > 1 {
            own.drain(..own.len() - 1);
        }
    }
    if !own.is_empty() || action == FileAction::Read {
        return own;
    }
    let keeps =
        |one: &&Statement| ["=", "for", "·in", "each"].iter().any(|part| one.bare.contains(part));
    all.iter().filter(keeps).flat_map(of).collect()
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
fn names_home(statement: &Statement) -> bool {
    has(&statement.bare, names::HOME)
        || has(&statement.bare, names::ENVIRONMENT)
            && statement.strings.iter().any(|text| text == "HOME")
}

/// The place that a string may name.
fn place(text: &str, statement: &Statement, around: &Surroundings<'_>) -> Option<Place> {
    let text = text.trim_start_matches(['>', '<', ' ', '+']);
    let from_home = match text.strip_prefix('~') {
        Some(rest) => Some(rest),
        None => names_home(statement).then_some(if text == "HOME" { "" } else { text }),
    };
    let path = match (from_home, &around.context.home) {
        (Some(rest), Some(home)) => home.join(rest.trim_start_matches('/')),
        _ => around.folder?.join(text),
    };
    Some(Place::At(normal(&path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(code: &str) -> CodeEffects {
        let context =
            CommandContext { home: Some("/home/user".into()), ..CommandContext::default() };
        let around =
            Surroundings { program: "x", folder: Some(Path::new("/p")), context: &context };
        let mut all = CodeEffects::default();
        of_code(code, &around, 0, &mut all);
        all
    }

    #[test]
    fn commands_in_code_are_analyzed() {
        assert_eq!(of("import os; os.system('rm -rf /')").commands, ["rm -rf /"]);
        assert_eq!(of("subprocess.run(['rm','-rf','/'])").commands, ["'rm' '-rf' '/'"]);
        assert!(of("print('rm -rf /')").commands.is_empty(), "only printed");
        let nested = of("exec(\"import os; os.system('rm -rf /')\")").commands;
        assert!(nested.contains(&"rm -rf /".to_owned()), "{nested:?}");
    }

    #[test]
    fn calls_show_their_effects_on_files() {
        let deletes = |code: &str, path: &str| {
            let effects = of(code).effects;
            let wanted = Effect { action: FileAction::DeleteTree, place: Place::At(path.into()) };
            assert!(effects.contains(&wanted), "{code}: {effects:?}");
        };
        deletes("shutil.rmtree('/x')", "/x");
        deletes("require('fs').rmSync('../x',{recursive:true})", "/x");
        deletes("require('fs')['rm'+'Sync']('/x',{recursive:true})", "/x");
        deletes("shutil.rmtree(os.path.expanduser('~/x'))", "/home/user/x");
        deletes("p='/x/y'\nshutil.rmtree(p)", "/x/y");
        let writes = of("open('/etc/x','w').write('a')").effects;
        assert!(
            writes
                .contains(&Effect { action: FileAction::Write, place: Place::At("/etc/x".into()) })
        );
        let reads = of("print(open('/etc/os-release').read())").effects;
        assert!(reads.iter().all(|effect| effect.action == FileAction::Read));
    }
}
