//! Programs that run code, and where each gets it from.

use shell_analysis::{Piece, Word};

use crate::contents::is_input;
use crate::invocation_view::InvocationView;
use crate::words::words;

pub(crate) const SHELLS: &[&str] =
    words!("sh bash zsh dash ksh ash fish mksh rbash tcsh csh pwsh powershell nu xonsh");

/// Shells with another language, of which only single commands can be analyzed.
pub(crate) const OTHER_SHELLS: &[&str] = &["pwsh", "powershell", "nu", "xonsh"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CodeFrom {
    /// A word of the command.
    Word(Word),
    /// Standard input.
    Input,
    File(Word),
}

/// How a program gets its code.
struct Interpreter {
    /// Without a version suffix.
    names: &'static [&'static str],
    /// Options whose values are code.
    inline: &'static [&'static str],
    /// Options whose values are files of code.
    files: &'static [&'static str],
    /// Other options that take a value.
    others: &'static [&'static str],
    operand: Operand,
}

/// The meaning of the first operand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operand {
    /// A script; without one, code comes from standard input.
    Script,
    /// A source file to compile; code only if it is standard input.
    Source,
    /// Not code.
    Other,
}

const fn interpreter(
    names: &'static [&'static str],
    inline: &'static [&'static str],
    files: &'static [&'static str],
    others: &'static [&'static str],
    operand: Operand,
) -> Interpreter {
    Interpreter { names, inline, files, others, operand }
}

const INTERPRETERS: &[Interpreter] = &[
    interpreter(&["python", "pypy"], &["c"], &[], &["m", "W", "X"], Operand::Script),
    interpreter(
        &["node", "nodejs", "bun", "tsx", "ts-node", "deno"],
        &["e", "eval", "p", "print", "pe"],
        &[],
        &["r", "require", "import", "loader"],
        Operand::Script,
    ),
    interpreter(&["perl"], &["e", "E"], &[], &["I", "M", "F"], Operand::Script),
    interpreter(&["ruby", "irb"], &["e"], &[], &["I", "r"], Operand::Script),
    interpreter(&["rake"], &["e"], &["f", "rakefile"], &[], Operand::Other),
    interpreter(&["php"], &["r"], &["f"], &["d"], Operand::Script),
    interpreter(&["lua", "luajit", "Rscript", "osascript"], &["e"], &[], &["l"], Operand::Script),
    interpreter(&["R"], &["e"], &["f", "file"], &[], Operand::Other),
    interpreter(
        &["julia", "elixir", "iex", "guile"],
        &["e", "E", "eval", "c"],
        &["l"],
        &[],
        Operand::Script,
    ),
    interpreter(&["sbcl", "clisp", "ecl"], &["eval"], &["load", "script"], &[], Operand::Script),
    interpreter(
        &["ghc", "erl", "gnuplot"],
        &["e", "eval"],
        &[],
        &["o", "s", "run"],
        Operand::Source,
    ),
    interpreter(
        &["groovy", "scala", "kotlin", "kotlinc"],
        &["e"],
        &["script"],
        &["d", "cp"],
        Operand::Source,
    ),
    interpreter(&["jshell", "swift", "tcc", "go run"], &[], &[], &[], Operand::Script),
    interpreter(&["dotnet fsi"], &[], &["exec", "use", "load"], &[], Operand::Script),
    interpreter(
        &["octave", "maxima"],
        &["eval", "batch-string"],
        &["batch", "b"],
        &[],
        Operand::Script,
    ),
    interpreter(
        &["rustc", "gcc", "cc", "clang", "g++", "clang++"],
        &[],
        &[],
        &["o", "x"],
        Operand::Source,
    ),
    interpreter(&["tclsh", "wish", "expect"], &["c"], &["f"], &[], Operand::Script),
    interpreter(
        &["emacs", "emacsclient"],
        &["eval", "e"],
        &["l", "load", "script"],
        &[],
        Operand::Other,
    ),
    interpreter(&["vim", "vi", "nvim", "ex"], &["c", "cmd"], &["S", "u", "s"], &[], Operand::Other),
    interpreter(
        &["gdb", "lldb"],
        &["ex", "eval-command", "o"],
        &["x", "command", "s"],
        &[],
        Operand::Other,
    ),
    interpreter(&["cmake"], &[], &["P"], &["B", "S", "G", "D"], Operand::Other),
    interpreter(&["m4"], &[], &[], &["D", "I"], Operand::Script),
];

pub(crate) fn is_shell(program: &str) -> bool {
    SHELLS.contains(&program) || matches!(program, "eval" | "source" | ".")
}

/// The code that a command runs; `None` if it is not an interpreter or only prints its version.
pub(crate) fn code_from(view: &InvocationView<'_>) -> Option<CodeFrom> {
    let program = view.program.as_str();
    // After a script or another option these words belong to the script.
    let asks = |word: &Word| matches!(word.shown().as_str(), "--version" | "--help" | "-V" | "-h");
    if view.words.first().is_some_and(asks) && program != "eval" {
        return None;
    }
    match program {
        "eval" => Some(CodeFrom::Word(joined(view.words, " "))),
        "source" | "." => view.words.first().cloned().map(file_or_input),
        _ if SHELLS.contains(&program) => shell(view),
        "awk" | "gawk" | "mawk" | "nawk" => {
            let arguments = view.arguments(&["F", "v", "f", "assign", "file"]);
            match arguments.value(&["f", "file"]) {
                Some(file) => Some(CodeFrom::File(file.clone())),
                None => arguments.operands.into_iter().next().map(CodeFrom::Word),
            }
        }
        "deno" | "bun" if view.subcommand().as_deref() == Some("eval") => {
            view.words.get(1).cloned().map(CodeFrom::Word)
        }
        "deno" | "bun" if view.subcommand().as_deref() == Some("run") => {
            after_subcommand(view).map(CodeFrom::File)
        }
        "deno" | "bun" if !view.subcommand().is_none_or(|word| word.contains('.')) => None,
        _ => other(view),
    }
}

fn after_subcommand(view: &InvocationView<'_>) -> Option<Word> {
    view.words.iter().skip(1).find(|word| !word.shown().starts_with('-')).cloned()
}

fn other(view: &InvocationView<'_>) -> Option<CodeFrom> {
    let name =
        view.program.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    let named = |name: &str| INTERPRETERS.iter().find(|one| one.names.contains(&name));
    let two = view.subcommand().map(|word| format!("{name} {word}"));
    let (found, words) = match two.and_then(|two| named(&two)) {
        Some(found) => (found, view.words.get(1..).unwrap_or_default()),
        None => (named(&view.program).or_else(|| named(name))?, view.words),
    };
    let valued: Vec<&str> =
        found.inline.iter().chain(found.files).chain(found.others).copied().collect();
    let arguments = crate::arguments::Arguments::of(words, &valued);
    let mut code: Vec<Word> = arguments.values(found.inline).cloned().collect();
    if found.names.contains(&"vim") {
        let is_command = |word: &&Word| word.known_start().starts_with('+');
        code.extend(arguments.operands.iter().filter(is_command).cloned());
    }
    if !code.is_empty() {
        return Some(CodeFrom::Word(joined(&code, "\n")));
    }
    if let Some(file) = arguments.value(found.files) {
        return Some(file_or_input(file.clone()));
    }
    if name == "python" && arguments.has(&["m"]) {
        return None;
    }
    if name == "rake" {
        return Some(CodeFrom::File(Word::of("Rakefile")));
    }
    let first = arguments.operands.into_iter().next();
    match found.operand {
        Operand::Script => Some(first.map_or(CodeFrom::Input, file_or_input)),
        Operand::Source => first.filter(is_input).map(|_| CodeFrom::Input),
        Operand::Other => None,
    }
}

fn shell(view: &InvocationView<'_>) -> Option<CodeFrom> {
    let arguments = view.arguments(&["o", "O", "rcfile", "init-file"]);
    let first = arguments.operands.first().cloned();
    if arguments.has(&["c", "command", "Command", "EncodedCommand", "enc"]) {
        return first.map(
            |word| {
                if is_input(&word) { CodeFrom::Input } else { CodeFrom::Word(word) }
            },
        );
    }
    match first {
        Some(_) if arguments.has(&["s"]) => Some(CodeFrom::Input),
        Some(script) => Some(file_or_input(script)),
        None => Some(CodeFrom::Input),
    }
}

fn file_or_input(word: Word) -> CodeFrom {
    if is_input(&word) { CodeFrom::Input } else { CodeFrom::File(word) }
}

fn joined(words: &[Word], between: &str) -> Word {
    let mut pieces = Vec::new();
    for word in words {
        if !pieces.is_empty() {
            pieces.push(Piece::Text(between.into()));
        }
        pieces.extend(word.pieces.iter().cloned());
    }
    Word { pieces }
}
