//! Computes the output of small, pure programs without running them.

mod bytes;
mod lines;
mod printf;

use crate::interpret::ExitStatus;
use crate::parse::ansi::{EscapeSet, unescape};
use crate::word::Word;

pub(crate) struct Output {
    pub(crate) word: Word,
    pub(crate) status: ExitStatus,
}

/// `None` if the output is unknown.
pub(crate) fn of(program: &str, arguments: &[Word], input: Option<&Word>) -> Option<Output> {
    match program {
        "true" | ":" | "sleep" | "exit" | "return" | "break" | "continue" | "wait" => {
            return Some(quiet(ExitStatus::Success));
        }
        "false" => return Some(quiet(ExitStatus::Failure)),
        "[" | "test" => return Some(quiet(test(arguments))),
        "echo" => return Some(printed(echo(arguments))),
        "printf" => return printf::printf(arguments).map(printed),
        "cat" if arguments.iter().all(|word| word.text().as_deref() == Some("-")) => {
            return input.cloned().map(printed);
        }
        "which" | "type" => {
            let name = arguments.last()?.text()?;
            return Some(printed(Word::of(name + "\n")));
        }
        _ => {}
    }
    let arguments: Option<Vec<String>> = arguments.iter().map(Word::text).collect();
    let arguments = arguments?;
    let text = match program {
        "basename" | "dirname" | "seq" => lines::of_arguments(program, &arguments)?,
        _ => {
            let input = input?.text();
            let (input, arguments) = lines::or_here(program, input, &arguments);
            let input = input?;
            bytes::decoded(program, &arguments, &input)
                .or_else(|| lines::changed(program, &arguments, &input))?
        }
    };
    Some(printed(Word::of(text)))
}

/// Applies a simple sed script to a text.
pub(crate) fn edited(script: &Word, text: &Word) -> Option<Word> {
    lines::edited(&script.text()?, &text.text()?).map(Word::of)
}

/// Decodes `\n` and similar escapes.
pub(crate) fn unescaped(text: &str) -> String {
    unescape(text, EscapeSet::Quote).text
}

fn printed(word: Word) -> Output {
    Output { word, status: ExitStatus::Success }
}

fn quiet(status: ExitStatus) -> Output {
    Output { word: Word::default(), status }
}

fn echo(arguments: &[Word]) -> Word {
    let mut escapes = false;
    let mut newline = true;
    let mut rest = arguments;
    while let Some((first, after)) = rest.split_first() {
        let Some(flags) = first.text().and_then(|text| text.strip_prefix('-').map(str::to_owned))
        else {
            break;
        };
        if flags.is_empty() || !flags.chars().all(|c| matches!(c, 'n' | 'e' | 'E')) {
            break;
        }
        escapes = flags.chars().fold(escapes, |escapes, c| match c {
            'e' => true,
            'E' => false,
            _ => escapes,
        });
        newline &= !flags.contains('n');
        rest = after;
    }
    let mut line = Word::default();
    for (at, word) in rest.iter().enumerate() {
        line.push_text(if at > 0 { " " } else { "" });
        line.append(word.clone());
    }
    if escapes {
        for piece in &mut line.pieces {
            if let crate::word::Piece::Text(text) = piece {
                let unescaped = unescape(text, EscapeSet::Echo);
                newline &= !unescaped.cut;
                *text = unescaped.text;
            }
        }
    }
    if newline {
        line.push_text("\n");
    }
    line
}

fn test(arguments: &[Word]) -> ExitStatus {
    let texts: Option<Vec<String>> = arguments.iter().map(Word::text).collect();
    let Some(mut texts) = texts else { return ExitStatus::Unknown };
    if texts.last().is_some_and(|last| last == "]") {
        texts.pop();
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let holds = match texts.as_slice() {
        [] => false,
        [only] => !only.is_empty(),
        ["-n", text] => !text.is_empty(),
        ["-z", text] => text.is_empty(),
        [left, "=" | "==" | "-eq", right] => left == right,
        [left, "!=" | "-ne", right] => left != right,
        _ => return ExitStatus::Unknown,
    };
    if holds { ExitStatus::Success } else { ExitStatus::Failure }
}
