//! Commands in the arguments, the input and the variables of other programs, from a table.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use shell_analysis::Word;

use super::interpreter::{CodeFrom, code_from};
use super::table::rows;
use crate::arguments::Arguments;
use crate::contents::{Files, input, text_of};
use crate::git_call::GitCall;
use crate::git_settings::runs_something;
use crate::invocation_view::InvocationView;
use crate::pattern::glob;

type Rows = Vec<(&'static str, Vec<&'static str>)>;

/// Kinds and values of the rows for a program, a program with its subcommand, or a variable.
static TABLE: LazyLock<BTreeMap<&str, Rows>> = LazyLock::new(|| {
    let mut table: BTreeMap<&str, Rows> = BTreeMap::new();
    for row in rows(include_str!("runs.txt")) {
        for name in &row[1] {
            let values = row.get(2).cloned().unwrap_or_default();
            table.entry(name).or_default().push((row[0][0], values));
        }
    }
    table
});

fn rows_of(name: &str) -> impl Iterator<Item = &'static (&'static str, Vec<&'static str>)> {
    TABLE.get(name).into_iter().flatten()
}

pub(super) fn commands(view: &InvocationView<'_>, file: Files<'_>) -> Vec<String> {
    let mut found = in_variables(view);
    let git = GitCall::of(view);
    let verb = view.words.iter().position(|word| !word.known_start().starts_with('-'));
    let (verb, rest) = match (&git, verb) {
        (Some(call), _) => (call.command.clone(), call.words),
        (None, Some(at)) => (view.words[at].shown(), &view.words[at + 1..]),
        (None, None) => Default::default(),
    };
    let both = [(&view.program, view.words), (&format!("{}·{verb}", view.program), rest)];
    for (words, (kind, values)) in
        both.into_iter().flat_map(|(name, words)| rows_of(name).map(move |row| (words, row)))
    {
        let texts = words.iter().map(Word::shown);
        match *kind {
            "option" => {
                let arguments = Arguments::of(words, values);
                found.extend(arguments.values(values).map(Word::shown));
            }
            "setting" => {
                let is_meant = |name: &str| values.iter().any(|pattern| glob(pattern, name));
                found
                    .extend(settings(&texts.collect::<Vec<_>>(), is_meant).map(|(_, value)| value));
            }
            "mark" => {
                let texts = texts.chain(input(view)).chain(script(view, file));
                found.extend(texts.flat_map(|text| marked(&text, values)));
            }
            "sed" => {
                let files = Arguments::of(words, values);
                let files = files.values(values).filter_map(|word| text_of(word, view, file));
                found.extend(texts.chain(files).flat_map(|text| sed_commands(&text)));
            }
            _ => {}
        }
    }
    found.extend(git.iter().flat_map(|call| in_git_settings(view, call)));
    found
}

/// The variables that a command sets, for itself or for later commands.
pub(crate) fn assignments(view: &InvocationView<'_>) -> impl Iterator<Item = (String, String)> {
    let all = crate::invocation_view::assignments(view.invocation);
    all.into_iter().map(|(name, value)| (name, value.shown()))
}

fn in_variables(view: &InvocationView<'_>) -> Vec<String> {
    let is_run = |(name, value): &(String, String)| {
        rows_of(name)
            .any(|(kind, _)| *kind == "variable" || *kind == "prompt" && value.contains(['`', '(']))
    };
    let run = assignments(view).filter(is_run);
    run.map(|(_, value)| value.trim_start_matches('|').to_owned()).collect()
}

/// The settings of git in arguments and variables: `GIT_CONFIG_KEY_0` with `GIT_CONFIG_VALUE_0`, and the quoted ones in
/// `GIT_CONFIG_PARAMETERS`.
fn in_git_settings(view: &InvocationView<'_>, call: &GitCall<'_>) -> Vec<String> {
    let mut assigned: Vec<(String, String)> =
        assignments(view).filter(|(name, _)| name.starts_with("GIT_CONFIG_")).collect();
    // A key stands before its value.
    assigned.sort_by_key(|(name, _)| (name.rsplit('_').next().map(str::to_owned), name.clone()));
    let mut texts: Vec<String> = assigned
        .iter()
        .flat_map(|(_, value)| value.split("' '").map(|one| one.trim_matches('\'').to_owned()))
        .collect();
    texts.extend(call.settings.iter().map(Word::shown));
    let sets = matches!(call.command.as_str(), "config" | "clone");
    texts.extend(call.texts().into_iter().filter(|_| sets));
    let rest = if sets { String::new() } else { call.texts().join(" ") };
    // An alias without `!` is a git subcommand.
    let commands =
        settings(&texts, runs_something).map(|(name, value)| match value.strip_prefix('!') {
            Some(command) => command.to_owned(),
            None if name.starts_with("alias.") => format!("git {value} {rest}"),
            None => value,
        });
    commands.collect()
}

/// The code in a file that a program reads.
fn script(view: &InvocationView<'_>, file: Files<'_>) -> Option<String> {
    match code_from(view)? {
        CodeFrom::File(word) => text_of(&word, view, file),
        _ => None,
    }
}

/// The settings in these words with the names that are meant, and their values.
fn settings(
    texts: &[String],
    is_meant: impl Fn(&str) -> bool,
) -> impl Iterator<Item = (String, String)> {
    texts.iter().enumerate().filter_map(move |(at, text)| {
        // `--config name=value`, also with another sign between them.
        let text = match text.split_once('=') {
            Some((option, value)) if option.starts_with("--") && value.contains('=') => value,
            _ => text,
        };
        let next = || Some((text, texts.get(at + 1)?.as_str()));
        let (name, value) = text.split_once(['=', ' ']).or_else(next)?;
        let (name, value) = (name.to_ascii_lowercase(), value.trim_matches(['"', '\'', ' ']));
        (!value.is_empty() && is_meant(&name)).then(|| (name, value.to_owned()))
    })
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
