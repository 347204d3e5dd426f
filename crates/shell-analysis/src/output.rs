//! Computes the output of small, pure programs without running them.

mod bytes;
mod lines;
mod printf;

use crate::interpret::ExitStatus;
use crate::parse::ansi::{EscapeSet, unescape};
use crate::word::{Piece, Word};

pub(crate) struct Output {
    pub(crate) word: Word,
    pub(crate) status: ExitStatus,
}

/// `None` if the output is unknown.
pub(crate) fn of(program: &str, arguments: &[Word], input: Option<&Word>) -> Option<Output> {
    let status = match program {
        "false" => ExitStatus::Failure,
        "[" | "test" => test(arguments),
        _ => ExitStatus::Success,
    };
    let texts: Option<Vec<String>> = arguments.iter().map(Word::text).collect();
    let word = match program {
        "true" | ":" | "sleep" | "exit" | "return" | "break" | "continue" | "wait" | "false"
        | "[" | "test" => Word::default(),
        "echo" => echo(arguments),
        "printf" => printf::printf(arguments)?,
        "cat" if texts.as_ref()?.iter().all(|text| text == "-") => input?.clone(),
        "which" | "type" => Word::of(arguments.last()?.text()? + "\n"),
        _ => {
            let texts = texts?;
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let named = lines::of_arguments(program, &texts);
            let filtered = || {
                let input = input?.text()?;
                bytes::of_decoder(program, &texts, &input)
                    .or_else(|| lines::changed(program, &texts, &input))
            };
            Word::of(named.or_else(filtered)?)
        }
    };
    Some(Output { word, status })
}

/// Applies a simple sed script to a text.
pub(crate) fn edited(script: &Word, text: &Word) -> Option<Word> {
    lines::edited(&script.text()?, &text.text()?).map(Word::of)
}

/// Decodes `\n` and similar escapes.
pub(crate) fn unescaped(text: &str) -> String {
    unescape(text, EscapeSet::Quote)
}

fn echo(arguments: &[Word]) -> Word {
    let flags = |word: &Word| {
        let flags = word.text()?.strip_prefix('-')?.to_owned();
        (!flags.is_empty() && flags.chars().all(|c| "neE".contains(c))).then_some(flags)
    };
    let flags: Vec<String> = arguments.iter().map_while(flags).collect();
    let mut line = Word::joined(&arguments[flags.len()..]);
    let flags = flags.concat();
    if flags.rfind('e') > flags.rfind('E') {
        for piece in &mut line.pieces {
            if let Piece::Text(text) = piece {
                *text = unescape(text, EscapeSet::Echo);
            }
        }
    }
    line.push_text(if flags.contains('n') { "" } else { "\n" });
    line
}

fn test(arguments: &[Word]) -> ExitStatus {
    let texts: Option<Vec<String>> = arguments.iter().map(Word::text).collect();
    let Some(texts) = texts else { return ExitStatus::Unknown };
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let holds = match texts.strip_suffix(&["]"]).unwrap_or(&texts) {
        [] => false,
        ["-n", text] | [text] => !text.is_empty(),
        ["-z", text] => text.is_empty(),
        [left, "=" | "==" | "-eq", right] => left == right,
        [left, "!=" | "-ne", right] => left != right,
        _ => return ExitStatus::Unknown,
    };
    if holds { ExitStatus::Success } else { ExitStatus::Failure }
}
