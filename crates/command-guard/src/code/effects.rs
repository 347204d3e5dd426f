//! Derives the effects of code from the names of its calls and from the strings near them.

use std::path::{Path, PathBuf};

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
    all.effects.dedup();
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
    if view.is(OTHER_SHELLS) {
        all.commands.extend(code.split([';', '\n', '|', '{', '}']).filter_map(plain_command));
    }
    let before = all.effects.len();
    let mut program = Program::of(&statements, view);
    for one in &statements {
        let acts = has(&one.bare, &program.names);
        if acts && starts(one, view) {
            program.commands(one, &mut all.commands);
        }
        if acts && depth < DEEPEST && has(&one.bare, names::EVALUATES) {
            for text in one.strings.iter().filter(|text| text.contains('(')) {
                of_code(text, view, depth + 1, all);
            }
        }
        let actions = if acts { actions(one, view) } else { vec![FileAction::Read] };
        for action in actions {
            program.effects(one, action, &mut all.effects);
        }
    }
    let strings: Vec<String> = statements.iter().flat_map(|one| one.strings.clone()).collect();
    let written = all.effects[before..].iter().filter_map(|effect| match &effect.place {
        // Any string of the code may be the content.
        Place::At(path) if effect.action == FileAction::Write => {
            Some((path.clone(), strings.join("\n")))
        }
        _ => None,
    });
    all.written.extend(written.take(MOST_COMMANDS));
    all.harms.extend(super::harms::harms(&code, &squeezed, &strings));
    if statements.len() >= MOST_STATEMENTS {
        all.harms.push((Category::HiddenCode, "the code is too long to check"));
    }
}

/// What holds for all statements of a piece of code.
struct Program<'s> {
    statements: &'s [Statement],
    /// The names of calls that it has.
    names: Vec<&'static str>,
    names_home: bool,
    folder: Option<PathBuf>,
    home: Option<&'s Path>,
    /// The actions whose paths are those of earlier statements.
    done: Vec<(FileAction, bool)>,
    has_all_commands: bool,
}

impl<'s> Program<'s> {
    fn of(statements: &'s [Statement], view: &InvocationView<'s>) -> Self {
        let text: Vec<&str> = statements.iter().map(|one| one.bare.as_str()).collect();
        let text = text.join("\n");
        let names = [
            names::STARTS,
            names::MAY_START,
            names::EVALUATES,
            names::DELETES_TREES,
            names::DELETES,
            names::WRITES,
            names::CHANGES_MODES,
            &["open", ">\"\"", "``"],
        ];
        let names = names.concat().into_iter().filter(|name| has(&text, &[name])).collect();
        Self {
            statements,
            names,
            names_home: statements.iter().any(names_home),
            folder: view.folder(),
            home: view.home(),
            done: Vec::new(),
            has_all_commands: false,
        }
    }

    /// The commands that a statement starts: its own strings, else those of all assignments.
    fn commands(&mut self, one: &Statement, commands: &mut Vec<String>) {
        let mut found = strings_as_commands(one);
        if found.is_empty() && !std::mem::replace(&mut self.has_all_commands, true) {
            let assignments = self.statements.iter().filter(|one| one.bare.contains('='));
            found = assignments.flat_map(strings_as_commands).take(MOST_COMMANDS + 1).collect();
        }
        found.retain(|command| commands.len() <= MOST_COMMANDS && !commands.contains(command));
        commands.extend(found);
    }

    /// The effects on the paths in a statement; if it has none, on those of all assignments and loops.
    fn effects(&mut self, one: &'s Statement, action: FileAction, effects: &mut Vec<Effect>) {
        let from_home = names_home(one);
        let mut texts = paths(one, action);
        if texts.is_empty() && action.changes() {
            if self.done.contains(&(action, from_home)) {
                return;
            }
            self.done.push((action, from_home));
            let keeps = |one: &&Statement| {
                ["=", "for", "·in", "each"].iter().any(|part| one.bare.contains(part))
            };
            texts = self.statements.iter().filter(keeps).flat_map(path_strings).collect();
            if texts.is_empty() && self.names_home {
                texts.push("~");
            }
        }
        let places = texts.into_iter().filter_map(|text| self.place(text, from_home));
        effects.extend(places.map(|place| Effect { action, place }));
    }

    /// The place that a string may name.
    fn place(&self, text: &str, from_home: bool) -> Option<Place> {
        let text = text.trim_start_matches(['>', '<', ' ', '+']);
        let from_home = match text.strip_prefix('~') {
            Some(rest) => Some(rest),
            None => from_home.then_some(if text == "HOME" { "" } else { text }),
        };
        let path = match (from_home, self.home) {
            (Some(rest), Some(home)) => home.join(rest.trim_start_matches('/')),
            _ => self.folder.as_ref()?.join(text),
        };
        Some(Place::At(normal(&path)))
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

fn strings_as_commands(one: &Statement) -> Vec<String> {
    let quoted = |list: &Vec<String>| {
        let words = list.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''")));
        words.collect::<Vec<_>>().join(" ")
    };
    let is_listed = |text: &String| one.lists.iter().any(|list| list.contains(text));
    let strings = one.strings.iter().filter(|text| text.contains(' ') || !is_listed(text));
    let strings = strings.map(|text| text.trim().trim_matches('|').to_owned());
    one.lists.iter().map(quoted).chain(strings).collect()
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

fn path_strings(one: &Statement) -> impl Iterator<Item = &str> {
    // `Path(".").rglob("__pycache__")` means only the names that it finds.
    let is_start = |text: &str| text == "." && one.bare.contains("glob(") && one.strings.len() > 1;
    one.strings.iter().map(String::as_str).filter(move |text| is_path(text) && !is_start(text))
}

/// The strings of a statement that may be the paths of an action.
fn paths(one: &Statement, action: FileAction) -> Vec<&str> {
    let mut paths: Vec<&str> = path_strings(one).collect();
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
            paths.drain(..paths.len().saturating_sub(1));
        }
    }
    paths
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
