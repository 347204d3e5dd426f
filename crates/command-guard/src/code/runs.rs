//! Commands in the arguments, the input and the variables of other programs, from a table.

use std::borrow::Cow;
use std::rc::Rc;

use shell_analysis::{Arguments, Word};

use super::interpreter::code_from;
use super::table::{Row, rows_of};
use crate::contents::{Files, input, text_of};
use crate::git_call::GitCall;
use crate::git_settings::runs_something;
use crate::invocation_view::InvocationView;
use crate::pattern::glob;
use crate::searched_table::{Known, known};
use crate::words::words;

const TABLE: &str = include_str!("runs.txt");

thread_local! {
    static KNOWN: Known<Rc<[Row]>> = Known::default();
}

/// Variables whose values are commands.
const VARIABLES: &[&str] = words!(
    "GIT_SSH_COMMAND GIT_EDITOR GIT_SEQUENCE_EDITOR EDITOR VISUAL PAGER GIT_PAGER GIT_EXTERNAL_DIFF MANPAGER
     PROMPT_COMMAND LESSOPEN BROWSER RSYNC_RSH GIT_SSH SSH_ASKPASS RUSTC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER CC CXX
     LD CARGO_TARGET_*_RUNNER CARGO_TARGET_*_LINKER npm_config_script_shell GIT_ASKPASS SUDO_ASKPASS GIT_PROXY_COMMAND"
);

/// Variables of which only the substitutions run.
const PROMPTS: &[&str] = &["PS0", "PS1", "PS4"];

pub(super) fn commands(view: &InvocationView<'_>, file: Files<'_>) -> Vec<String> {
    let is_run = |(name, value): &(String, String)| {
        VARIABLES.iter().any(|run| glob(run, name))
            || PROMPTS.contains(&name.as_str()) && value.contains(['`', '('])
    };
    let run = assignments(view).filter(is_run);
    let mut found: Vec<String> =
        run.map(|(_, value)| value.trim_start_matches('|').to_owned()).collect();
    let git = GitCall::of(view);
    let verb = view.words.iter().position(|word| !word.known_start().starts_with('-'));
    let (verb, rest) = match (&git, verb) {
        (Some(call), _) => (Cow::Borrowed(call.command.as_ref()), call.words),
        (None, Some(at)) => (view.words[at].shown(), &view.words[at + 1..]),
        (None, None) => Default::default(),
    };
    let rows = known(&KNOWN, &view.program, |name| rows_of(TABLE, name));
    for row in rows.iter().filter(|row| row.verb.is_none_or(|of| of == verb)) {
        let [kind, values] = row.columns.as_slice() else { continue };
        let words = if row.verb.is_some() { rest } else { view.words };
        let arguments = Arguments::of(words, values);
        let named = arguments.values(values);
        let texts = words.iter().map(Word::shown);
        match kind.first().copied() {
            Some("option") => found.extend(named.map(|word| word.shown().into_owned())),
            Some("setting") => {
                let is_meant = |name: &str| values.iter().any(|pattern| glob(pattern, name));
                let texts: Vec<_> = texts.collect();
                found.extend(settings(&texts, is_meant).map(|(_, value)| value));
            }
            Some("mark") => {
                let from = code_from(view);
                let script = from.as_ref().and_then(|from| super::code(view, from, file));
                let texts = texts.chain(input(view)).chain(script);
                found.extend(texts.flat_map(|text| marked(&text, values)));
            }
            _ => {
                let files = named.filter_map(|word| text_of(word, view, file));
                found.extend(texts.chain(files).flat_map(|text| sed_commands(&text)));
            }
        }
    }
    found.extend(git.iter().flat_map(|call| in_git_settings(view, call)));
    found
}

/// The variables that a command sets, for itself or for later commands.
pub(crate) fn assignments(view: &InvocationView<'_>) -> impl Iterator<Item = (String, String)> {
    let all = crate::invocation_view::assignments(view.invocation);
    all.into_iter().map(|(name, value)| (name, value.shown().into_owned()))
}

/// The settings of git in arguments and variables: `GIT_CONFIG_KEY_0` with `GIT_CONFIG_VALUE_0`, and the quoted ones in
/// `GIT_CONFIG_PARAMETERS`.
fn in_git_settings(view: &InvocationView<'_>, call: &GitCall<'_>) -> Vec<String> {
    let mut assigned: Vec<(String, String)> =
        assignments(view).filter(|(name, _)| name.starts_with("GIT_CONFIG_")).collect();
    // A key stands before its value.
    assigned.sort_by_key(|(name, _)| (name.rsplit('_').next().map(str::to_owned), name.clone()));
    let parts = assigned.iter().flat_map(|(_, value)| value.split("' '"));
    let mut texts: Vec<_> = parts.map(|part| part.trim_matches('\'').into()).collect();
    texts.extend(call.settings.iter().map(Word::shown));
    let sets = matches!(call.command.as_ref(), "config" | "clone");
    let rest = if sets { String::new() } else { call.texts().join(" ") };
    texts.extend(call.texts().into_iter().filter(|_| sets));
    // An alias without `!` is a git subcommand.
    let command = |(name, value): (String, String)| match value.strip_prefix('!') {
        Some(command) => command.to_owned(),
        None if name.starts_with("alias.") => format!("git {value} {rest}"),
        None => value,
    };
    settings(&texts, runs_something).map(command).collect()
}

/// The settings in these words with the names that are meant, and their values.
fn settings(
    texts: &[Cow<'_, str>],
    is_meant: impl Fn(&str) -> bool,
) -> impl Iterator<Item = (String, String)> {
    texts.iter().enumerate().filter_map(move |(at, text)| {
        // `--config name=value`, also with another sign between them.
        let text = match text.split_once('=') {
            Some((option, value)) if option.starts_with("--") && value.contains('=') => value,
            _ => text,
        };
        let next = || Some((text, texts.get(at + 1)?.as_ref()));
        let (name, value) = text.split_once(['=', ' ']).or_else(next)?;
        let (name, value) = (name.to_ascii_lowercase(), value.trim_matches(['"', '\'', ' ']));
        (!value.is_empty() && is_meant(&name)).then(|| (name, value.to_owned()))
    })
}

/// The commands after a mark, at the start of a line or of a part of one.
fn marked(text: &str, marks: &[&str]) -> Vec<String> {
    let command = |line: &str| {
        let line = line.trim_start_matches(['+', ':', ' ', '%', '$', ',']);
        marks.iter().find_map(|mark| line.strip_prefix(&mark.replace('·', " "))).map(str::to_owned)
    };
    let parts = text.split([';', '\n', '|', '{', '}', '(', ')']);
    let mut commands: Vec<String> = text.lines().chain(parts).filter_map(command).collect();
    commands.dedup();
    commands
}

/// What a sed script runs: the text after `e`, or the replacement of `s/…/…/e`; an empty text is a line of the input.
pub(crate) fn sed_commands(script: &str) -> Vec<String> {
    let replacement = |part: &str| {
        let mark = part.strip_prefix('s')?.chars().next().filter(|c| !c.is_alphanumeric())?;
        let (start, flags) = part.rsplit_once(mark)?;
        let is_run = flags.contains('e') && flags.chars().all(|c| "gpeiImM0123456789".contains(c));
        start.splitn(3, mark).nth(2).filter(|_| is_run).map(str::to_owned)
    };
    let command = |part: &str| {
        let part = part.trim_start_matches(|c: char| c.is_ascii_digit() || "$,!~ ".contains(c));
        let run = part.strip_prefix('e').filter(|rest| rest.is_empty() || rest.starts_with(' '));
        run.map(str::to_owned).or_else(|| replacement(part))
    };
    script.split(['\n', ';']).filter_map(command).collect()
}
