//! Derives the effects of code from the names of its calls and from the strings near them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use shell_analysis::{Piece, Word};

use super::Found;
use super::harms::{harms, reason};
use super::interpreter::{OTHER_SHELLS, plain_name};
use super::literals::{MOST_STATEMENTS, Statement, statements};
use super::names::{group, has, present};
use crate::Category;
use crate::effect::{Effect, FileAction};
use crate::invocation_view::InvocationView;
use crate::place::{Place, normal};
use crate::words::words;

/// Limits the commands checked per command with code.
const MOST_COMMANDS: usize = 64;

/// Code in strings of code, and code in that.
const DEEPEST: usize = 3;

/// Languages with paths outside quotes.
const BARE_PATHS: &[&str] =
    words!("tclsh wish expect cmake vim vi nvim ex pwsh powershell nu xonsh");

/// Languages that run text in backticks.
const BACKTICKS: &[&str] = words!("perl ruby php rake irb");

/// What the calls in a statement do with its strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    Start,
    Evaluate,
    File(FileAction),
}

const ACTS: [(&str, Act); 7] = [
    ("STARTS", Act::Start),
    ("MAY_START", Act::Start),
    ("EVALUATES", Act::Evaluate),
    ("DELETES_TREES", Act::File(FileAction::DeleteTree)),
    ("DELETES", Act::File(FileAction::Delete)),
    ("WRITES", Act::File(FileAction::Write)),
    ("CHANGES_MODES", Act::File(FileAction::ModeTree)),
];

/// Adds what a piece of code would do.
pub(super) fn add(code: &str, view: &InvocationView<'_>, found: &mut Found) {
    let is_long = Reader { view, folder: view.folder(), depth: 0 }.add(code, found);
    found.effects.dedup();
    if is_long || found.strings.len() > MOST_COMMANDS {
        found.strings.truncate(MOST_COMMANDS);
        found.reasons.push(reason(Category::HiddenCode, "the code is too long to check"));
    }
}

struct Reader<'v, 'a> {
    view: &'v InvocationView<'a>,
    folder: Option<Cow<'a, Path>>,
    depth: usize,
}

impl Reader<'_, '_> {
    /// Returns whether the code has too many statements.
    fn add(&self, code: &str, found: &mut Found) -> bool {
        // The braces of a hash would end the statement.
        let code = code.replace("$ENV{HOME}", "$HOME").replace("ENV{HOME}", "ENV['HOME']");
        let mut statements = statements(&code, BARE_PATHS.contains(&plain_name(self.view)));
        for one in statements.iter_mut().filter(|one| has(&one.bare, "BY_NAME")) {
            one.bare.extend(one.strings.iter().map(|name| format!(" {name}(")));
        }
        let strings: Vec<String> = statements.iter().flat_map(|one| one.strings.clone()).collect();
        found.reasons.extend(harms(&code, &strings));
        if self.view.is(OTHER_SHELLS) {
            found.strings.extend(code.lines().map(str::to_owned));
        }
        let text: Vec<&str> = statements.iter().map(|one| one.bare.as_str()).collect();
        let text = text.join("\n");
        let groups = ACTS.map(|(name, act)| (present(&text, group(name)).collect(), act));
        let mut assigned = assignments(&statements);
        let mut without_strings: Vec<Act> = Vec::new();
        for one in &statements {
            for act in acts(one, &groups, self.view) {
                if let Act::File(action) = act {
                    for name in names_for(one, action) {
                        // Once for each variable, because many statements may name the same one.
                        if let Some((value, done)) = assigned.get_mut(name)
                            && !done.contains(&action)
                        {
                            done.push(action);
                            self.apply(act, value, found);
                        }
                    }
                }
                if !self.apply(act, one, found) && !without_strings.contains(&act) {
                    without_strings.push(act);
                }
            }
        }
        let parts = ["=", "for", "·in", "each"];
        let is_above = |text: &String| text.starts_with("../") || text == "..";
        let keeps = |one: &&Statement| {
            parts.iter().any(|part| one.bare.contains(part)) || one.strings.iter().any(is_above)
        };
        for act in without_strings {
            // The strings may be those of other statements.
            let done = statements.iter().filter(keeps).filter(|one| self.apply(act, one, found));
            let is_done = done.count() > 0;
            if let (Act::File(action), false) = (act, is_done)
                && statements.iter().any(names_home)
            {
                found.effects.extend(self.place("~").map(|place| Effect { action, place }));
            }
            if let Act::File(action) = act {
                found.effects.extend(self.given(action, &text));
            }
        }
        statements.len() >= MOST_STATEMENTS
    }

    /// What an act without a path in the code may mean: the arguments of the code, or a folder that a variable names.
    fn given(&self, action: FileAction, text: &str) -> Vec<Effect> {
        if !matches!(action, FileAction::DeleteTree | FileAction::Delete | FileAction::ModeTree) {
            return Vec::new();
        }
        let words = self.view.words.iter().filter(|word| is_path(&word.shown()));
        let mut places: Vec<Place> = words.map(|word| self.view.place(word)).collect();
        places.retain(|place| *place != Place::Unknown);
        let is_unknown =
            |word: &Word| word.pieces.iter().all(|piece| matches!(piece, Piece::Unknown(_)));
        if has(text, "ENVIRONMENT") || self.view.words.iter().any(is_unknown) {
            places.push(Place::Unknown);
        }
        places.into_iter().map(|place| Effect { action, place }).collect()
    }

    /// Applies an act to the strings of a statement. Returns whether it has those that the act needs.
    fn apply(&self, act: Act, one: &Statement, found: &mut Found) -> bool {
        match act {
            Act::Start => {
                let commands = commands(one);
                let has_any = !commands.is_empty();
                for command in commands {
                    if found.strings.len() <= MOST_COMMANDS && !found.strings.contains(&command) {
                        found.strings.push(command);
                    }
                }
                has_any
            }
            Act::Evaluate => {
                let (view, folder, depth) = (self.view, self.folder.clone(), self.depth + 1);
                let texts = one.strings.iter().filter(|text| text.contains('(')).cloned();
                let text = texts.collect::<Vec<_>>().join("\n");
                if depth <= DEEPEST && !text.is_empty() {
                    Reader { view, folder, depth }.add(&text, found);
                }
                true
            }
            Act::File(action) => {
                let paths = paths(one, action);
                let places = paths.iter().filter_map(|path| self.place(path));
                found.effects.extend(places.map(|place| Effect { action, place }));
                !paths.is_empty() || !action.changes()
            }
        }
    }

    /// The place that a string names; `~` is the home.
    fn place(&self, text: &str) -> Option<Place> {
        const HOMES: [&str; 5] = ["~", "$HOME", "${HOME}", "$ENV['HOME']", "#{Dir.home}"];
        let rest = HOMES.iter().find_map(|home| text.strip_prefix(home));
        let path = match (rest, self.view.home()) {
            (Some(rest), Some(home)) => home.join(rest.trim_start_matches('/')),
            _ => self.folder.as_ref()?.join(text),
        };
        Some(Place::At(normal(path)))
    }
}

fn acts(
    one: &Statement,
    groups: &[(Vec<&'static str>, Act)],
    view: &InvocationView<'_>,
) -> Vec<Act> {
    let named = groups.iter().filter(|(names, _)| present(&one.bare, names).next().is_some());
    let mut acts: Vec<Act> = named.map(|(_, act)| *act).collect();
    let opens = |is: fn(&str) -> bool| {
        one.bare.contains("open") && one.strings.iter().any(|text| is(text.trim()))
    };
    if BACKTICKS.contains(&plain_name(view))
        && (one.bare.contains("``") || opens(|text| text.starts_with('|') || text.ends_with('|')))
    {
        acts.push(Act::Start);
    }
    if opens(is_mode) || one.bare.contains(">\"\"") || one.bare.contains(">(\"\"") {
        acts.push(Act::File(FileAction::Write));
    }
    if !acts.iter().any(|act| matches!(act, Act::File(_))) {
        acts.push(Act::File(FileAction::Read));
    }
    acts
}

/// The statements that set a variable, by its name, and the actions that it was used for.
fn assignments(statements: &[Statement]) -> BTreeMap<&str, (&Statement, Vec<FileAction>)> {
    let named = statements.iter().filter_map(|one| {
        let (name, _) = one.bare.split_once('=')?;
        let name = name.rsplit(['·', '$']).next().unwrap_or_default().trim_end_matches(':');
        (!name.is_empty() && name.chars().all(is_name)).then_some((name, (one, Vec::new())))
    });
    named.collect()
}

fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The names in a statement where an action expects a path.
fn names_for(one: &Statement, action: FileAction) -> impl Iterator<Item = &str> {
    let last = one.bare.rsplit_once(',').map(|(_, last)| last);
    let copies = action == FileAction::Write && has(&one.bare, "COPIES");
    let part = last.filter(|_| copies).unwrap_or(&one.bare);
    part.split(|letter| !is_name(letter)).filter(move |_| action.changes())
}

/// The commands that a statement may start: its lists, and its strings that are in no list.
fn commands(one: &Statement) -> Vec<String> {
    let quoted = |list: &Vec<String>| {
        let words = list.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''")));
        words.collect::<Vec<_>>().join(" ")
    };
    let is_listed = |text: &String| one.lists.iter().any(|list| list.contains(text));
    let strings = one.strings.iter().filter(|text| text.contains(' ') || !is_listed(text));
    let strings = strings.map(|text| text.trim().trim_matches('|').to_owned());
    // A command in several parts: `system("rm -rf " ENVIRON["HOME"] "/documents")`.
    let is_part = one.strings.len() > 1 && one.strings[0].ends_with(' ');
    let home = |text: &String| if text == "HOME" { "~".to_owned() } else { text.clone() };
    let whole = is_part.then(|| one.strings.iter().map(home).collect());
    one.lists.iter().map(quoted).chain(strings).chain(whole).collect()
}

/// Modes that open a file for writing: `w`, `ab`, `>>`.
fn is_mode(text: &str) -> bool {
    let plain = text.trim_end_matches(['b', '+', 't']);
    matches!(plain, "w" | "a" | "x") || text.starts_with('>') || text.starts_with("r+")
}

/// The strings of a statement that may be the paths of an action; `~` for the home.
fn paths(one: &Statement, action: FileAction) -> Vec<String> {
    // `Path(".").rglob("__pycache__")` means only the names that it finds.
    let is_start = |text: &str| text == "." && one.bare.contains("glob(") && one.strings.len() > 1;
    let from_home = names_home(one);
    let texts = one.strings.iter().map(|text| text.trim_start_matches(['>', '<', ' ', '+']));
    let compared: Vec<bool> = one
        .bare
        .split("\"\"")
        .map(|before| ["==", "!="].iter().any(|sign| before.ends_with(sign)))
        .collect();
    let is_compared = |at: usize| compared.get(at).copied().unwrap_or_default();
    let texts = texts.enumerate().filter(|(at, _)| !is_compared(*at)).map(|(_, text)| text);
    let texts = texts.filter(|text| is_path(text) && !is_start(text));
    let mut above = false;
    let mut paths: Vec<String> = texts
        .map(|text| match text {
            ".." => {
                above = true;
                text.to_owned()
            }
            _ if above && !text.starts_with(['/', '.', '~']) => format!("../{text}"),
            "HOME" if from_home => "~".to_owned(),
            _ if from_home && !text.starts_with('~') => {
                format!("~/{}", text.trim_start_matches('/'))
            }
            _ => text.to_owned(),
        })
        .collect();
    if from_home && paths.len() > 1 {
        paths.push(format!("~/{}", one.strings.join("/")));
    }
    if above && paths.len() > 1 {
        paths.retain(|path| path != "..");
    }
    if action == FileAction::Write && has(&one.bare, "COPIES") {
        paths.drain(..paths.len().saturating_sub(1));
    }
    paths
}

fn is_path(text: &str) -> bool {
    const LONGEST: usize = 400;
    !text.contains(['\n', '(', ')', '{', '"', '\''])
        && !text.contains("://")
        && (1..LONGEST).contains(&text.len())
        && (text.starts_with(['/', '~', '.'])
            || text.contains('/')
            || !text.contains(' ') && text.len() > 2)
}

/// Whether a statement builds its paths from the user's home.
fn names_home(one: &Statement) -> bool {
    has(&one.bare, "HOME")
        || has(&one.bare, "ENVIRONMENT") && one.strings.iter().any(|text| text == "HOME")
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
