//! What code does, told by the names of its calls.

use std::path::{Path, PathBuf};

use super::literals::{MOST_STATEMENTS, Statement, statements};
use super::names::{DELETES, DELETES_BY_NAME, DELETES_ONE, STARTS, WALKS, WRITES, WRITES_BY_NAME};
use super::paths::{is_mode, names_home, paths, places};
use crate::effects::{Deed, Effect};
use crate::place::Place;
use crate::view::View;
use crate::{Category, CommandContext};

/// What a piece of code would do.
#[derive(Debug, Default)]
pub(crate) struct Conduct {
    /// Texts that it hands to a shell or starts as programs.
    pub(crate) commands: Vec<String>,
    pub(crate) effects: Vec<Effect>,
    /// Files that it writes, each with all that it may write there.
    pub(crate) written: Vec<(PathBuf, String)>,
    /// What is told by its calls alone.
    pub(crate) harms: Vec<(Category, &'static str)>,
}

/// Commands of one piece of code that are looked at.
const MOST_COMMANDS: usize = 64;

/// What is particular to a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    /// Text in backticks is run.
    Runs,
    /// Text in backticks is text.
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

pub(crate) fn conduct(code: &str, view: &View<'_>) -> Conduct {
    of_code(code, Language::of(&view.program), view.folder().as_deref(), view.context)
}

fn of_code(
    code: &str,
    language: Language,
    folder: Option<&Path>,
    context: &CommandContext,
) -> Conduct {
    // The braces of a hash would end the statement.
    let code = &code.replace("ENV{HOME}", "ENV['HOME']");
    let statements = statements(code);
    let walks = WALKS.iter().any(|call| code.contains(call));
    let mut conduct = Conduct::default();
    for statement in &statements {
        if starts(statement, language) {
            commands(statement, &statements, &mut conduct.commands);
        }
        for mut deed in deeds(statement, language) {
            if walks && deed == Deed::Delete {
                deed = Deed::DeleteTree;
            }
            let strings = paths(statement, &statements, deed);
            let places = strings.iter().flat_map(|text| places(text, statement, folder, context));
            conduct.effects.extend(places.map(|place| Effect { deed, place }));
            let around =
                if walks { statements.as_slice() } else { std::slice::from_ref(statement) };
            let is_home = strings.is_empty() && around.iter().any(names_home);
            let home = context.home.iter().filter(|_| is_home && deed.changes());
            conduct
                .effects
                .extend(home.map(|home| Effect { deed, place: Place::At(home.clone()) }));
        }
    }
    conduct.written = written(&conduct.effects, &statements);
    super::harms::harms(code, &statements, &mut conduct.harms);
    if conduct.commands.len() > MOST_COMMANDS || statements.len() >= MOST_STATEMENTS {
        conduct.commands.truncate(MOST_COMMANDS);
        conduct.harms.push((Category::HiddenCode, "the code does more than is looked at"));
    }
    conduct
}

/// Any string of the code may be what is written to any of the files.
fn written(effects: &[Effect], statements: &[Statement]) -> Vec<(PathBuf, String)> {
    let strings: Vec<&str> =
        statements.iter().flat_map(|one| &one.strings).map(String::as_str).collect();
    let files = effects.iter().filter(|effect| effect.deed == Deed::Write);
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

/// What a statement starts: its own strings, or those that were kept before if it has none.
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

fn deeds(statement: &Statement, language: Language) -> Vec<Deed> {
    let has = |calls: &[&str]| calls.iter().any(|call| statement.bare.contains(call));
    let opens =
        statement.bare.contains("open") && statement.strings.iter().any(|text| is_mode(text));
    let prints = language == Language::Awk && has(&["> \"\"", ">\"\""]);
    // A call by a name that is itself a string.
    let by_string = has(&["getattr", "array_map", "call_user_func"]);
    let named = |names: &[&str]| {
        names.iter().any(|name| calls_by_name(&statement.bare, name))
            || by_string && statement.strings.iter().any(|text| names.contains(&text.as_str()))
    };
    let mut deeds = Vec::new();
    if has(DELETES) {
        deeds.push(Deed::DeleteTree);
    } else if has(DELETES_ONE) {
        deeds.push(Deed::Delete);
    } else if named(DELETES_BY_NAME) {
        deeds.push(Deed::DeleteTree);
    }
    if has(WRITES) || opens || prints || named(WRITES_BY_NAME) {
        deeds.push(Deed::Write);
    }
    if has(&["chmod", "chown"]) {
        deeds.push(Deed::ModeTree);
    }
    if deeds.is_empty() {
        deeds.push(Deed::Read);
    }
    deeds
}

/// `rm(…)`, where nothing that belongs to a name stands before it.
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

    fn of(code: &str) -> Conduct {
        let context =
            CommandContext { home: Some("/home/user".into()), ..CommandContext::default() };
        of_code(code, Language::Text, Some(Path::new("/p")), &context)
    }

    #[test]
    fn what_code_starts_is_read_as_commands() {
        assert_eq!(of("import os; os.system('rm -rf /')").commands, ["rm -rf /"]);
        assert_eq!(of("subprocess.run(['rm','-rf','/'])").commands, ["'rm' '-rf' '/'"]);
        assert!(of("print('rm -rf /')").commands.is_empty(), "only printed");
    }

    #[test]
    fn calls_tell_what_happens_to_which_file() {
        let deletes = |code: &str, path: &str| {
            let effects = of(code).effects;
            let wanted = Effect { deed: Deed::DeleteTree, place: Place::At(path.into()) };
            assert!(effects.contains(&wanted), "{code}: {effects:?}");
        };
        deletes("shutil.rmtree('/x')", "/x");
        deletes("require('fs').rmSync('../x',{recursive:true})", "/x");
        deletes("shutil.rmtree(os.path.expanduser('~/x'))", "/home/user/x");
        deletes("p='/x/y'\nshutil.rmtree(p)", "/x/y");
        let writes = of("open('/etc/x','w').write('a')").effects;
        assert!(writes.contains(&Effect { deed: Deed::Write, place: Place::At("/etc/x".into()) }));
        let reads = of("print(open('/etc/os-release').read())").effects;
        assert!(reads.iter().all(|effect| effect.deed == Deed::Read));
    }
}
