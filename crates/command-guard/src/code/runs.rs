//! Commands in the arguments, the input and the variables of other programs, from a table.

use std::sync::LazyLock;

use shell_analysis::{Piece, Unknown, Word};

use super::interpreter::{CodeFrom, code_from};
use super::table::{Row, rows};
use crate::arguments::Arguments;
use crate::contents::{Files, input, text_of};
use crate::git_call::GitCall;
use crate::git_settings::runs_something;
use crate::invocation_view::InvocationView;
use crate::pattern::glob;

static TABLE: LazyLock<Vec<Row>> = LazyLock::new(|| rows(include_str!("runs.txt")));

pub(super) fn commands(view: &InvocationView<'_>, file: Files<'_>) -> Vec<String> {
    let mut found = in_variables(view);
    let git = GitCall::of(view);
    let verb = view.words.iter().position(|word| !word.known_start().starts_with('-'));
    let called = match (&git, verb) {
        (Some(call), _) => Some((call.command.clone(), call.words)),
        (None, at) => at.map(|at| (view.words[at].shown(), &view.words[at + 1..])),
    };
    let long = called.as_ref().map(|(verb, _)| format!("{}·{verb}", view.program));
    for row in TABLE.iter() {
        let [kind, programs, values] = row.as_slice() else { continue };
        let words = match (&called, &long) {
            _ if programs.contains(&view.program.as_str()) => view.words,
            (Some((_, words)), Some(long)) if programs.contains(&long.as_str()) => words,
            _ => continue,
        };
        match kind[0] {
            "option" => {
                let arguments = Arguments::of(words, values);
                found.extend(arguments.values(values).map(Word::shown));
            }
            "text" => found.extend(words.iter().map(Word::shown).filter(|word| word.contains(' '))),
            "after" => found.extend(after(words, values)),
            "setting" => {
                let is_meant = |name: &str| values.iter().any(|pattern| glob(pattern, name));
                found.extend(settings(words, is_meant).into_iter().map(|(_, value)| value));
            }
            "mark" => found.extend(texts(view, file).iter().flat_map(|text| marked(text, values))),
            _ => {}
        }
    }
    if let Some(call) = git {
        let set = git_environment(view).into_iter().map(Word::of).chain(call.settings.clone());
        let is_set = matches!(call.command.as_str(), "config" | "clone");
        let set: Vec<Word> = set.chain(call.words.iter().filter(|_| is_set).cloned()).collect();
        let rest = if is_set { String::new() } else { call.texts().join(" ") };
        // An alias without `!` is a git subcommand.
        found.extend(settings(&set, runs_something).into_iter().map(|(name, value)| {
            let is_alias = name.starts_with("alias.") && !value.starts_with('!');
            let value = value.trim_start_matches('!');
            if is_alias { format!("git {value} {rest}") } else { value.to_owned() }
        }));
    }
    if view.is(&["sed", "gsed"]) {
        let files = view.arguments(&["f", "file", "e", "expression"]);
        let files = files.values(&["f", "file"]).filter_map(|word| text_of(word, view, file));
        let scripts = view.shown_words().into_iter().filter(|word| !word.starts_with('-'));
        found.extend(scripts.chain(files).flat_map(|script| sed_commands(&script)));
    }
    found
}

fn in_variables(view: &InvocationView<'_>) -> Vec<String> {
    let is_run = |name: &str, value: &str| {
        TABLE.iter().any(|row| match row.as_slice() {
            [kind, names] if names.contains(&name) => {
                kind[0] == "variable" || value.contains(['`', '('])
            }
            _ => false,
        })
    };
    let values = view.invocation.assignments.iter().map(|(name, value)| (name, value.shown()));
    let run = values.filter(|(name, value)| is_run(name, value));
    run.map(|(_, value)| value.trim_start_matches('|').to_owned()).collect()
}

/// The command after a marker, or after a number of operands.
fn after(words: &[Word], values: &[&str]) -> Option<String> {
    let from = match values.first().and_then(|value| value.parse::<usize>().ok()) {
        Some(operands) => operands,
        None => 1 + words.iter().position(|word| values.contains(&word.shown().as_str()))?,
    };
    let rest = words.get(from..)?;
    let options = rest.iter().take_while(|word| word.known_start().starts_with('-')).count();
    match &rest[options..] {
        [] => None,
        // A single word with spaces is a command line for a shell.
        [only] if only.shown().contains(' ') => Some(only.shown()),
        command => Some(command.iter().map(quoted).collect::<Vec<_>>().join(" ")),
    }
}

/// A word, quoted for a shell.
fn quoted(word: &Word) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) => format!("'{}'", text.replace('\'', r"'\''")),
        Piece::Glob(text) => text.clone(),
        Piece::Unknown(Unknown::Variable(name)) => format!("\"${{{name}}}\""),
        Piece::Unknown(_) => "\"${SOMETHING}\"".to_owned(),
    };
    word.pieces.iter().map(piece).collect()
}

/// The settings in these words with the names that are meant, and their values.
fn settings(words: &[Word], is_meant: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let texts: Vec<String> = words.iter().map(Word::shown).collect();
    let setting = |(at, text): (usize, &String)| {
        // `--config name=value`, also with another sign between them.
        let text = match text.split_once('=') {
            Some((option, value)) if option.starts_with("--") && value.contains('=') => value,
            _ => text,
        };
        let (name, value) = match text.split_once(['=', ' ']) {
            Some((name, value)) => (name, value),
            None => (text, texts.get(at + 1)?.as_str()),
        };
        let (name, value) = (name.to_ascii_lowercase(), value.trim_matches(['"', '\'', ' ']));
        (!value.is_empty() && is_meant(&name)).then(|| (name, value.to_owned()))
    };
    texts.iter().enumerate().filter_map(setting).collect()
}

fn texts(view: &InvocationView<'_>, file: Files<'_>) -> Vec<String> {
    let script = match code_from(view) {
        Some(CodeFrom::File(word)) => text_of(&word, view, file),
        _ => None,
    };
    view.shown_words().into_iter().chain(input(view)).chain(script).collect()
}

/// The commands after a mark, at the start of a line or of a part of one.
fn marked(text: &str, marks: &[&str]) -> Vec<String> {
    let command = |line: &str| {
        let line = line.trim_start_matches(['+', ':', ' ']);
        marks.iter().find_map(|mark| line.strip_prefix(&mark.replace('·', " "))).map(str::to_owned)
    };
    let parts = text.split([';', '\n', '|', '{', '}', '(', ')']).filter_map(command);
    let mut commands: Vec<String> = text.lines().filter_map(command).chain(parts).collect();
    commands.dedup();
    commands
}

/// What a sed script runs: the text after `e`, or the replacement of `s/…/…/e`; an empty text is a line of the input.
pub(crate) fn sed_commands(script: &str) -> Vec<String> {
    let command = |part: &str| {
        let part = part.trim_start_matches(|c: char| c.is_ascii_digit() || "$,!~ ".contains(c));
        let is_run = part.strip_prefix('e').filter(|rest| rest.is_empty() || rest.starts_with(' '));
        is_run.map(str::to_owned).or_else(|| {
            let mark = part.strip_prefix('s')?.chars().next().filter(|c| !c.is_alphanumeric())?;
            let (start, flags) = part.rsplit_once(mark)?;
            let is_flags = flags.chars().all(|c| "gpeiImM0123456789".contains(c));
            let run = start.splitn(3, mark).nth(2)?;
            (is_flags && flags.contains('e')).then(|| run.to_owned())
        })
    };
    script.split(['\n', ';']).filter_map(command).collect()
}

/// Git settings in the environment: `GIT_CONFIG_KEY_0` with `GIT_CONFIG_VALUE_0`, and the quoted ones in
/// `GIT_CONFIG_PARAMETERS`.
fn git_environment(view: &InvocationView<'_>) -> Vec<String> {
    let assignments = &view.invocation.assignments;
    let value = |name: String| {
        assignments.iter().find(|(key, _)| *key == name).map(|(_, value)| value.shown())
    };
    let keys = assignments.iter().filter_map(|(name, key)| {
        let number = name.strip_prefix("GIT_CONFIG_KEY_")?;
        let value = value(format!("GIT_CONFIG_VALUE_{number}"))?;
        Some(format!("{}={value}", key.shown()))
    });
    let listed = value("GIT_CONFIG_PARAMETERS".into()).unwrap_or_default();
    let listed = listed.split("' '").map(|setting| setting.replace('\'', ""));
    keys.chain(listed.filter(|setting| setting.contains('='))).collect()
}
