//! Lines that programs with small languages pass to a shell: editors, debuggers, databases.

use crate::code::{CodeFrom, OTHER_SHELLS, code_from};
use crate::contents::{Files, input, text_of};
use crate::invocation_view::InvocationView;

/// The prefix of a shell command in a line of these programs.
const MARKS: &[(&[&str], &[&str])] = &[
    (
        &["vim", "vi", "nvim", "ex", "ed", "view", "less", "more"],
        &["!", "r !", "w !", "e !", "read !", "write !"],
    ),
    (&["gdb", "lldb"], &["!", "shell ", "platform shell ", "pipe "]),
    (&["sqlite3"], &[".shell ", ".system ", ".output |", ".once |", ".import |"]),
    (&["psql"], &["\\! ", "\\o |", "\\g |", "\\copy |"]),
    (&["mysql", "mariadb"], &["\\! ", "system "]),
    (&["dc", "bc", "ftp", "sftp", "lftp"], &["!"]),
    (&["expect", "tclsh"], &["spawn ", "exec ", "system "]),
];

/// Commands in the arguments, the input or the script of such a program.
pub(super) fn commands(view: &InvocationView<'_>, file: Files<'_>) -> Vec<String> {
    if view.is(OTHER_SHELLS) {
        return single_commands(view);
    }
    let texts = || view.shown_words().into_iter().chain(input(view)).chain(script(view, file));
    if view.is(&["m4"]) {
        return texts().flat_map(|text| called(&text, "syscmd(")).collect();
    }
    if view.is(&["bats"]) {
        return view.words.iter().filter_map(|word| text_of(word, view, file)).map(tests).collect();
    }
    let Some((_, marks)) = MARKS.iter().find(|(programs, _)| view.is(programs)) else {
        return Vec::new();
    };
    let marked = |line: &str| {
        let line = line.trim_start_matches(['+', ':', ' ']);
        let line = line.strip_prefix("silent").map_or(line, |rest| {
            rest.strip_prefix("! ").unwrap_or(rest).trim_start_matches([':', ' '])
        });
        let deletes = line.strip_prefix("file delete ").filter(|_| view.is(&["tclsh", "expect"]));
        marks
            .iter()
            .find_map(|mark| line.strip_prefix(mark))
            .map(str::to_owned)
            .or_else(|| deletes.map(|rest| format!("rm -r {rest}")))
    };
    let lines = |text: String| {
        let whole = text.lines().filter_map(marked).collect::<Vec<_>>();
        let parts = text.split([';', '\n', '|', '{', '}']).filter_map(marked).collect::<Vec<_>>();
        let calls = called(&text, "system(");
        whole.into_iter().chain(parts).chain(calls).collect::<Vec<_>>()
    };
    let mut commands: Vec<String> = texts().flat_map(lines).collect();
    commands.dedup();
    commands
}

/// The command file that it reads.
fn script(view: &InvocationView<'_>, file: Files<'_>) -> Option<String> {
    match code_from(view)? {
        CodeFrom::File(word) => text_of(&word, view, file),
        CodeFrom::Word(_) | CodeFrom::Input => None,
    }
}

/// The argument of a call, without quotes.
fn called(text: &str, call: &str) -> Vec<String> {
    let inside = |(at, _): (usize, &str)| {
        let rest = &text[at + call.len()..];
        let end = rest.find(')').unwrap_or(rest.len());
        rest[..end].trim_matches(['\'', '"', '`', ' ']).to_owned()
    };
    text.match_indices(call).map(inside).collect()
}

/// A bats file is a shell script except for its test headers.
fn tests(text: String) -> String {
    let line = |line: &str| {
        if line.trim_start().starts_with("@test") {
            "test_case() {".to_owned()
        } else {
            line.to_owned()
        }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Commands of other shells that every shell would parse alike.
fn single_commands(view: &InvocationView<'_>) -> Vec<String> {
    let code = match code_from(view) {
        Some(CodeFrom::Word(word)) => word.shown(),
        Some(CodeFrom::Input) => input(view).unwrap_or_default(),
        _ => return Vec::new(),
    };
    let is_plain = |part: &&str| {
        part.trim_start().starts_with(char::is_alphabetic)
            && !part.contains(['(', ')', '@', '{', '<', '&'])
            && part.matches('"').count().is_multiple_of(2)
            && part.matches('\'').count().is_multiple_of(2)
    };
    code.split([';', '\n', '|', '{', '}']).filter(is_plain).map(str::to_owned).collect()
}
