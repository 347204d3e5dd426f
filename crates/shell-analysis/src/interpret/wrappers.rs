//! Finds the commands in the arguments of programs that run another, by a table of such programs.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use crate::arguments::Arguments;
use crate::limits::ROUNDS;
use crate::word::{Piece, Word};

/// Describes the format of its lines.
const TABLE: &str = include_str!("wrappers.txt");

/// A command in the arguments of another.
#[derive(Debug)]
pub(super) struct Inner<'w> {
    pub(super) command: Command<'w>,
    /// Its working directory, if it has its own.
    pub(super) folder: Option<Word>,
}

#[derive(Debug)]
pub(super) enum Command<'w> {
    Words(Cow<'w, [Word]>),
    /// For a shell.
    Text(Word),
}

/// The commands that this program runs; none if it is no such program.
pub(super) fn inner_commands<'w>(name: &str, arguments: &'w [Word]) -> Vec<Inner<'w>> {
    let mut found = lines(name).iter().map(|line| found_by(line, arguments));
    found.find(|found| !found.is_empty()).unwrap_or_default()
}

/// The options of a program that take a value.
pub(super) fn valued_options(name: &str) -> Vec<&'static str> {
    let options = lines(name).first().and_then(|line| line.split('|').next());
    options.unwrap_or_default().split_whitespace().collect()
}

/// The lines of a program, without their names.
fn lines(name: &str) -> &'static [&'static str] {
    static LINES: OnceLock<HashMap<&str, Vec<&str>>> = OnceLock::new();
    LINES.get_or_init(lines_by_name).get(name).map_or(&[], Vec::as_slice)
}

fn lines_by_name() -> HashMap<&'static str, Vec<&'static str>> {
    let mut lines: HashMap<_, Vec<_>> = HashMap::new();
    let mut start = 0;
    for (end, _) in TABLE.match_indices('\n') {
        if TABLE[end + 1..].starts_with(' ') {
            continue;
        }
        let line = &TABLE[start..end];
        start = end + 1;
        if let Some((names, usage)) = line.split_once('|').filter(|_| !line.starts_with('#')) {
            names.split_whitespace().for_each(|name| lines.entry(name).or_default().push(usage));
        }
    }
    lines
}

/// Follows the steps of a line through the arguments.
fn found_by<'w>(line: &str, arguments: &'w [Word]) -> Vec<Inner<'w>> {
    let mut steps = line.split('|').map(|step| step.split_whitespace().collect::<Vec<_>>());
    let mut valued = steps.next().unwrap_or_default();
    let (mut rest, mut given) = (arguments, Arguments::default());
    let (mut found, mut folder) = (Vec::new(), None);
    for step in steps {
        let Some((&kind, names)) = step.split_first() else { break };
        if kind == "options" {
            valued = names.to_vec();
            continue;
        }
        let (options, operands) = Arguments::leading(rest, &valued);
        match kind {
            "verb" => match operands.split_first() {
                Some((verb, after)) if is_one_of(verb, names) => rest = after,
                _ => break,
            },
            "skip" => {
                let count = names.first().and_then(|count| count.parse().ok()).unwrap_or(0);
                rest = operands.get(count..).unwrap_or_default();
                given = options;
            }
            "folder" => folder = options.value(names).cloned(),
            _ => {
                // Options after a skipped operand belong to the command.
                let (value, words) = match options.value(names) {
                    Some(value) => (Some(value), operands),
                    None => (given.value(names), if kind == "program" { rest } else { operands }),
                };
                let mut all = commands(kind, names, value, rest, words, &valued);
                let ends = matches!(kind, "line" | "after") && !all.is_empty();
                found.append(&mut all);
                if ends {
                    break;
                }
            }
        }
    }
    found.into_iter().map(|command| Inner { command, folder: folder.clone() }).collect()
}

/// The commands that a step finds in the rest of the arguments; the operands follow the options.
fn commands<'w>(
    kind: &str,
    names: &[&str],
    value: Option<&Word>,
    rest: &'w [Word],
    operands: &'w [Word],
    valued: &[&str],
) -> Vec<Command<'w>> {
    let texts = |words: Vec<Word>| words.into_iter().map(Command::Text).collect();
    match kind {
        "text" => texts(Arguments::of(rest, valued).values(names).cloned().collect()),
        "texts" => texts(Arguments::of(rest, valued).operands),
        "prefix" => texts(rest.iter().filter_map(|word| after_prefix(word, names)).collect()),
        "joined" => {
            texts(Some(joined(operands)).filter(|text| !text.is_empty()).into_iter().collect())
        }
        "line" => texts(value.map(|text| with_arguments(text, operands)).into_iter().collect()),
        "program" => {
            let words = value.map(|program| [std::slice::from_ref(program), operands].concat());
            words.map(|words| Command::Words(words.into())).into_iter().collect()
        }
        "after" => {
            let mark = rest.iter().position(|word| is_one_of(word, names));
            mark.map_or(Vec::new(), |at| command_of(&rest[at + 1..]))
        }
        "anywhere" => {
            let at = (0..operands.len()).filter(|at| may_be_program(&operands[*at]));
            at.take(ROUNDS).flat_map(|at| command_of(&operands[at..])).collect()
        }
        _ => command_of(operands),
    }
}

/// The rest of a word after one of these, each with at most one star.
fn after_prefix(word: &Word, prefixes: &[&str]) -> Option<Word> {
    let start = word.known_start();
    let end = prefixes.iter().find_map(|prefix| {
        let (head, tail) = prefix.split_once('*').unwrap_or((prefix, ""));
        let at = start.strip_prefix(head)?.find(tail)?;
        Some(head.len() + at + tail.len())
    });
    end.map(|end| word.without_start(end))
}

fn command_of(words: &[Word]) -> Vec<Command<'_>> {
    match words {
        [] => Vec::new(),
        [only] if only.text().is_some_and(|text| text.trim().contains(' ')) => {
            vec![Command::Text(only.clone())]
        }
        _ => vec![Command::Words(words.into())],
    }
}

fn is_one_of(word: &Word, names: &[&str]) -> bool {
    let text = word.text().unwrap_or_default();
    names.iter().any(|name| text == *name || text.rsplit('@').next() == Some(name))
}

fn may_be_program(word: &Word) -> bool {
    let start = word.known_start();
    start.contains("bin/") || start.starts_with(char::is_alphabetic) && !start.contains('/')
}

pub(super) fn joined<'w>(words: impl IntoIterator<Item = &'w Word>) -> Word {
    let mut text = Word::default();
    for (at, word) in words.into_iter().enumerate() {
        text.push_text(if at > 0 { " " } else { "" });
        text.append(word.clone());
    }
    text
}

/// A text for a shell, followed by these words in quotes.
fn with_arguments(text: &Word, words: &[Word]) -> Word {
    let mut text = text.clone();
    for word in words {
        text.push_text(" ");
        for piece in &word.pieces {
            match piece {
                Piece::Text(part) => text.push_text(&format!("'{}'", part.replace('\'', r"'\''"))),
                piece => text.push(piece.clone()),
            }
        }
    }
    text
}
