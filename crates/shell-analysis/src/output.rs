//! Computes the output of small, pure programs without running them.

use crate::parse::ansi::{EscapeSet, unescape};
use crate::word::{Piece, Word};

/// How often the format of `printf` is reused for more arguments.
const ROUNDS: usize = 256;

/// What it prints, and whether it succeeds, if that is known; `None` if the output is unknown.
pub(crate) fn of(
    program: &str,
    arguments: &[Word],
    input: Option<&Word>,
) -> Option<(Word, Option<bool>)> {
    let succeeds = match program {
        "false" => Some(false),
        // `[ 1 ]`
        "[" | "test" => (arguments.len() < 3 && arguments.iter().all(|word| word.text().is_some()))
            .then_some(true),
        _ => Some(true),
    };
    let word = match program {
        "true" | ":" | "sleep" | "exit" | "return" | "break" | "continue" | "wait" | "false"
        | "[" | "test" => Word::default(),
        "echo" => echo(arguments),
        "printf" => printf(arguments)?,
        "cat" if arguments.iter().all(|word| word.is("-")) => input?.clone(),
        "which" | "type" => Word::of(arguments.last()?.text()? + "\n"),
        "sed" | "gsed" if arguments.len() == 1 => edited(&arguments[0], input?)?,
        _ => return None,
    };
    Some((word, succeeds))
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

/// Applies `s/a/b/` without a regular expression, or an added line, whose position does not matter to the analysis.
pub(crate) fn edited(script: &Word, input: &Word) -> Option<Word> {
    let (script, input) = (script.text()?, input.text()?);
    let added = script.trim_start_matches(|c: char| c.is_ascii_digit() || c == '$');
    let added = added.strip_prefix(['i', 'a']).filter(|rest| rest.starts_with([' ', '\\']));
    if let Some(line) = added {
        return Some(Word::of(format!("{}\n{input}", line.trim_start_matches([' ', '\\', '\n']))));
    }
    script
        .split(';')
        .try_fold(input, |text, script| {
            let parts = script.trim().strip_prefix('s')?;
            let parts: Vec<&str> = parts.split(parts.chars().next()?).collect();
            let [_, from, to, "" | "g"] = parts.as_slice() else { return None };
            let is_literal =
                !from.contains(|c| ".*[]^$\\+?(|".contains(c)) && !to.contains(['\\', '&']);
            is_literal.then(|| text.replace(from, to).into())
        })
        .map(Word::of)
}

fn printf(arguments: &[Word]) -> Option<Word> {
    let arguments = &arguments[usize::from(arguments.first()?.is("--"))..];
    let (format, mut values) = arguments.split_first()?;
    let Some(text) = format.text() else {
        // The format is unknown, so only its unknown parts are.
        return values.is_empty().then(|| format.clone());
    };
    let mut out = Word::default();
    for _ in 0..ROUNDS {
        let left = values.len();
        values = printed_once(&text, values, &mut out)?;
        if values.is_empty() || values.len() == left {
            break;
        }
    }
    Some(out)
}

/// Prints the format once, and returns the values that are left.
fn printed_once<'v>(format: &str, mut values: &'v [Word], out: &mut Word) -> Option<&'v [Word]> {
    let mut parts = format.split('%');
    out.push_text(&unescape(parts.next()?, EscapeSet::Quote));
    while let Some(part) = parts.next() {
        let rest = if let Some(kind) = part.chars().next() {
            let value = values.first().cloned().unwrap_or_default();
            values = values.get(1..).unwrap_or_default();
            match (kind, value.text()) {
                ('b', Some(text)) => out.push_text(&unescape(&text, EscapeSet::Echo)),
                ('s' | 'q' | 'b' | 'd' | 'i' | 'u', _) => out.append(value),
                _ => return None,
            }
            &part[1..]
        } else {
            out.push_text("%");
            parts.next()?
        };
        out.push_text(&unescape(rest, EscapeSet::Quote));
    }
    Some(values)
}
