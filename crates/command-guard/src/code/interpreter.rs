//! Programs that run code, and where each gets it from.

use std::rc::Rc;

use shell_analysis::{Arguments, Word};

use super::table::{Row, rows_of};
use crate::contents::is_input;
use crate::invocation_view::{CodeFrom, InvocationView};
use crate::searched_table::{Known, known};
use crate::words::words;

pub(crate) const SHELLS: &[&str] =
    words!("sh bash zsh dash ksh ash fish mksh rbash tcsh csh pwsh powershell nu xonsh");

/// Shells with another language.
pub(super) const OTHER_SHELLS: &[&str] = &["pwsh", "powershell", "nu", "xonsh"];

const TABLE: &str = include_str!("interpreters.txt");

thread_local! {
    static KNOWN: Known<Rc<[Row]>> = Known::default();
}

pub(crate) fn is_shell(program: &str) -> bool {
    SHELLS.contains(&program) || matches!(program, "eval" | "source" | ".")
}

/// The code that a command runs; `None` if it is not an interpreter.
pub(crate) fn code_from(view: &InvocationView<'_>) -> Option<CodeFrom> {
    view.code.get_or_init(|| find(view)).clone()
}

fn find(view: &InvocationView<'_>) -> Option<CodeFrom> {
    let program = view.program.as_ref();
    match program {
        "eval" => Some(CodeFrom::Word(Word::joined(view.words))),
        "source" | "." => view.words.first().cloned().map(file_or_input),
        _ if SHELLS.contains(&program) => shell(view),
        _ => other(view),
    }
}

/// The program without its version.
pub(super) fn plain_name<'v>(view: &'v InvocationView<'_>) -> &'v str {
    view.program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
}

fn other(view: &InvocationView<'_>) -> Option<CodeFrom> {
    let rows = known(&KNOWN, plain_name(view), |name| rows_of(TABLE, name));
    let at = view.words.iter().position(|word| !word.known_start().starts_with('-'));
    let verb = at.map(|at| view.words[at].shown());
    let called = rows.iter().find(|row| row.verb.is_some() && row.verb == verb.as_deref());
    let row = called.or_else(|| rows.iter().find(|row| row.verb.is_none()))?;
    let words = &view.words[at.filter(|_| row.verb.is_some()).map_or(0, |at| at + 1)..];
    let [inline, files, others, operand] = row.columns.as_slice() else { return None };
    let arguments = Arguments::of(words, &[inline.as_slice(), files, others].concat());
    let operand = operand.first().copied().unwrap_or_default();
    let mut code: Vec<Word> = arguments.values(inline).cloned().collect();
    let is_code = |word: &&Word| operand == "plus" && word.known_start().starts_with('+');
    code.extend(arguments.operands.iter().filter(is_code).cloned());
    if !code.is_empty() {
        return Some(CodeFrom::Word(Word::joined_by("\n", &code)));
    }
    if let Some(file) = arguments.value(files) {
        return Some(file_or_input(file.clone()));
    }
    let first = arguments.operands.first().cloned();
    match operand {
        "script" if others.contains(&"m") && arguments.has(&["m"]) => None,
        "script" => Some(first.map_or(CodeFrom::Input, file_or_input)),
        "source" => first.filter(is_input).map(|_| CodeFrom::Input),
        "code" => first.map(CodeFrom::Word),
        "plus" | "" => None,
        file => Some(CodeFrom::File(Word::of(file))),
    }
}

fn shell(view: &InvocationView<'_>) -> Option<CodeFrom> {
    let arguments = view.arguments(&["o", "O", "rcfile", "init-file"]);
    let first = arguments.operands.first().cloned();
    let is_text = arguments.has(&["c", "command", "Command", "EncodedCommand", "enc"]);
    match first {
        Some(text) if is_text && !is_input(&text) => Some(CodeFrom::Word(text)),
        None if is_text => None,
        Some(script) if !is_text && !arguments.has(&["s"]) => Some(file_or_input(script)),
        _ => Some(CodeFrom::Input),
    }
}

fn file_or_input(word: Word) -> CodeFrom {
    if is_input(&word) { CodeFrom::Input } else { CodeFrom::File(word) }
}

/// Code files that are loaded before the code itself, by options or by the environment.
pub(crate) fn preloaded(view: &InvocationView<'_>) -> Vec<Word> {
    const NAMES: &[&str] = &["r", "require", "import", "loader"];
    let has_options = view.is(&["node", "nodejs", "ruby", "tsx", "bun"]);
    let mut options: Vec<Word> = view.words.iter().filter(|_| has_options).cloned().collect();
    let mut files = Vec::new();
    for (name, value) in &view.invocation.assignments {
        let value = value.shown();
        match name.as_str() {
            "NODE_OPTIONS" | "RUBYOPT" => {
                options.extend(value.split_whitespace().map(Word::of));
            }
            "PYTHONPATH" => {
                let file = |folder| Word::of(format!("{folder}/sitecustomize.py"));
                files.extend(value.split(':').map(file));
            }
            _ => {}
        }
    }
    files.extend(Arguments::of(&options, NAMES).values(NAMES).cloned());
    files
}
