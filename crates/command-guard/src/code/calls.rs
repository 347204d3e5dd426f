//! Derives the effects of code from the names of its calls.

use std::path::{Path, PathBuf};

use super::literals::{MOST_STATEMENTS, Statement, statements};
use super::names::{DELETES, DELETES_BY_NAME, DELETES_ONE, STARTS, WALKS, WRITES, WRITES_BY_NAME};
use super::paths::{is_mode, names_home, paths, places};
use crate::effects::{Effect, FileAction};
use crate::invocation_view::InvocationView;
use crate::place::Place;
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

/// How a language treats text in backticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    /// Runs it as a command.
    Runs,
    /// Treats it as a string.
    Text,
    Awk,
}

impl Language {
    fn of(program: &str) -> Self {
        match program.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.') {
            "perl" | "ruby" | "php" => Self::Runs,
            "awk" | "gawk" | "mawk" | "nawk" => Self::Awk,
            _ => Self::Text,
        }
    }
}

pub(crate) fn code_effects(code: &str, view: &InvocationView<'_>) -> CodeEffects {
    of_code(code, Language::of(&view.program), view.folder().as_deref(), view.context)
}

fn of_code(
    code: &str,
    language: Language,
    folder: Option<&Path>,
    context: &CommandContext,
) -> CodeEffects {
    // The braces of a hash would end the statement.
    let code = &code.replace("ENV{HOME}", "ENV['HOME']");
    let statements = statements(code);
    let walks = WALKS.iter().any(|call| code.contains(call));
    let mut code_effects = CodeEffects::default();
    for statement in &statements {
        if starts(statement, language) {
            commands(statement, &statements, &mut code_effects.commands);
        }
        for mut action in actions(statement, language) {
            if walks && action == FileAction::Delete {
                action = FileAction::DeleteTree;
            }
            let strings = paths(statement, &statements, action);
            let places = strings.iter().flat_map(|text| places(text, statement, folder, context));
            code_effects.effects.extend(places.map(|place| Effect { action, place }));
            let around =
                if walks { statements.as_slice() } else { std::slice::from_ref(statement) };
            let is_home = strings.is_empty() && around.iter().any(names_home);
            let home = context.home.iter().filter(|_| is_home && action.changes());
            code_effects
                .effects
                .extend(home.map(|home| Effect { action, place: Place::At(home.clone()) }));
        }
    }
    code_effects.written = written(&code_effects.effects, &statements);
    super::harms::harms(code, &statements, &mut code_effects.harms);
    if code_effects.commands.len() > MOST_COMMANDS || statements.len() >= MOST_STATEMENTS {
        code_effects.commands.truncate(MOST_COMMANDS);
        code_effects.harms.push((Category::HiddenCode, "the code is too long to check"));
    }
    code_effects
}

/// Any string of the code may be the content of any of the files.
fn written(effects: &[Effect], statements: &[Statement]) -> Vec<(PathBuf, String)> {
    let strings: Vec<&str> =
        statements.iter().flat_map(|one| &one.strings).map(String::as_str).collect();
    let files = effects.iter().filter(|effect| effect.action == FileAction::Write);
    let paths = files.filter_map(|effect| match &effect.place {
        Place::At(path) => Some(path.clone()),
        Place::Temporary | Place::Unknown => None,
    });
    paths.map(|path| (path, strings.join("\n"))).collect()
}

fn starts(statement: &Statement, language: Language) -> bool {
    let piped =
        |text: &String| text.trim_end().ends_with('|') || text.trim_start().starts_with('|');
    STARTS.iter().any(|call| statement.bare.contains(call))
        || (language == Language::Runs && statement.bare.contains("``"))
        || (language == Language::Runs
            && statement.bare.contains("open")
            && statement.strings.iter().any(piped))
}

/// The commands that a statement starts: its own strings, else those of earlier statements.
fn commands(statement: &Statement, all: &[Statement], commands: &mut Vec<String>) {
    let quoted = |list: &Vec<String>| {
        let words = list.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''")));
        words.collect::<Vec<_>>().join(" ")
    };
    let of = |one: &Statement| {
        let lists = one.lists.iter().map(quoted);
        let listed = |text: &&String| one.lists.iter().any(|list| list.contains(text));
        let alone = one.strings.iter().filter(|text| !listed(text) || text.contains(' '));
        let strings = alone.map(|text| text.trim().trim_matches('|').to_owned());
        lists.chain(strings).collect::<Vec<_>>()
    };
    let mut found = of(statement);
    if found.is_empty() {
        found = all.iter().filter(|one| one.bare.contains('=')).flat_map(of).collect();
    }
    for command in found {
        if !commands.contains(&command) {
            commands.push(command);
        }
    }
}

fn actions(statement: &Statement, language: Language) -> Vec<FileAction> {
    let has = |calls: &[&str]| calls.iter().any(|call| statement.bare.contains(call));
    let opens =
        statement.bare.contains("open") && statement.strings.iter().any(|text| is_mode(text));
    let prints = language == Language::Awk && has(&["> \"\"", ">\"\""]);
    // The name of the function is itself a string.
    let by_string = has(&["getattr", "array_map", "call_user_func"]);
    let named = |names: &[&str]| {
        names.iter().any(|name| calls_by_name(&statement.bare, name))
            || by_string && statement.strings.iter().any(|text| names.contains(&text.as_str()))
    };
    let mut actions = Vec::new();
    if has(DELETES) {
        actions.push(FileAction::DeleteTree);
    } else if has(DELETES_ONE) {
        actions.push(FileAction::Delete);
    } else if named(DELETES_BY_NAME) {
        actions.push(FileAction::DeleteTree);
    }
    if has(WRITES) || opens || prints || named(WRITES_BY_NAME) {
        actions.push(FileAction::Write);
    }
    if has(&["chmod", "chown"]) {
        actions.push(FileAction::ModeTree);
    }
    if actions.is_empty() {
        actions.push(FileAction::Read);
    }
    actions
}

/// Matches `rm(…)`, but not a longer name that ends with it.
fn calls_by_name(bare: &str, name: &str) -> bool {
    bare.match_indices(name).any(|(at, _)| {
        let before = bare[..at].chars().next_back();
        let is_start = before.is_none_or(|c| !(c.is_alphanumeric() || "_.->:$@".contains(c)));
        is_start && bare[at + name.len()..].starts_with('(')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(code: &str) -> CodeEffects {
        let context =
            CommandContext { home: Some("/home/user".into()), ..CommandContext::default() };
        of_code(code, Language::Text, Some(Path::new("/p")), &context)
    }

    #[test]
    fn commands_in_code_are_analyzed() {
        assert_eq!(of("import os; os.system('rm -rf /')").commands, ["rm -rf /"]);
        assert_eq!(of("subprocess.run(['rm','-rf','/'])").commands, ["'rm' '-rf' '/'"]);
        assert!(of("print('rm -rf /')").commands.is_empty(), "only printed");
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
