//! Finds the commands in the arguments of programs that run another, by a table of such programs.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use memchr::memmem;

use crate::arguments::Arguments;
use crate::limits::ROUNDS;
use crate::word::Word;

/// Describes the format of its lines.
const TABLE: &str = include_str!("wrappers.txt");

/// What a wrapper runs.
pub(super) enum Inner<'w> {
    Words(&'w [Word]),
    /// For a shell.
    Text(Word),
    /// Not a command, but the working directory of the next ones.
    Folder(Word),
}

/// The commands that this program runs; none if it is no such program.
pub(super) fn inner_commands<'w>(name: &str, arguments: &'w [Word]) -> Vec<Inner<'w>> {
    let lines = lines(name);
    let mut found = lines.iter().map(|line| found_by(line, arguments));
    found.find(|found| !found.is_empty()).unwrap_or_default()
}

/// The options of a program that take a value.
pub(super) fn valued_options(name: &str) -> Vec<&'static str> {
    let options = lines(name).first().and_then(|line| line.split('|').next());
    options.unwrap_or_default().split_whitespace().collect()
}

thread_local! {
    /// A script uses the same programs again and again.
    static KNOWN: RefCell<HashMap<String, Rc<[&'static str]>>> = RefCell::default();
}

/// The lines of a program, without their names.
fn lines(name: &str) -> Rc<[&'static str]> {
    let known = KNOWN.with_borrow(|known| known.get(name).cloned());
    known.unwrap_or_else(|| {
        let found: Rc<[_]> = search(name).into();
        KNOWN.with_borrow_mut(|known| known.insert(name.to_owned(), Rc::clone(&found)));
        found
    })
}

/// The table is searched, not parsed, because most commands need little of it.
fn search(name: &str) -> Vec<&'static str> {
    let places = memmem::find_iter(TABLE.as_bytes(), name).filter(|_| !name.is_empty());
    let lines = places.filter_map(|at| {
        let start = TABLE[..at].rfind('\n').map_or(0, |end| end + 1);
        let (names, usage) = TABLE[start..].split_once('|')?;
        let mut ends = usage.match_indices('\n').map(|(end, _)| end);
        let end = ends.find(|end| !usage[end + 1..].starts_with(' ')).unwrap_or(usage.len());
        let is_named = names.split(' ').any(|one| one == name) && !names.starts_with([' ', '#']);
        is_named.then_some(&usage[..end])
    });
    lines.collect()
}

/// Follows the steps of a line through the arguments.
fn found_by<'w>(line: &str, arguments: &'w [Word]) -> Vec<Inner<'w>> {
    let mut steps = line.split('|').map(|step| step.split_whitespace().collect::<Vec<_>>());
    let mut valued = steps.next().unwrap_or_default();
    let (mut rest, mut found) = (arguments, Vec::new());
    for step in steps {
        let Some((&kind, names)) = step.split_first() else { break };
        let (options, operands) = Arguments::leading(rest, &valued);
        let value = options.value(names);
        let everywhere = || Arguments::of(rest, &valued);
        let count = found.len();
        match kind {
            "options" => valued = names.to_vec(),
            "skip" => rest = operands.get(1..).unwrap_or_default(),
            "verb" if operands.first().is_some_and(|verb| is_one_of(verb, names)) => {
                rest = &operands[1..];
            }
            "verb" => break,
            "folder" => found.extend(value.cloned().map(Inner::Folder)),
            "joined" => found.push(Inner::Text(Word::joined(operands))),
            "texts" => found.extend(everywhere().operands.into_iter().map(Inner::Text)),
            "text" => found.extend(everywhere().values(names).cloned().map(Inner::Text)),
            "prefix" => {
                let texts = rest.iter().filter_map(|word| after_prefix(word, names));
                found.extend(texts.map(Inner::Text));
            }
            "line" => found.extend(value.map(|text| Inner::Text(with_arguments(text, operands)))),
            "after" => {
                let mark = rest.iter().position(|word| is_one_of(word, names));
                found.extend(mark.and_then(|at| command(&rest[at + 1..])));
            }
            "anywhere" => {
                let starts = (0..operands.len()).filter(|at| may_be_program(&operands[*at]));
                found.extend(starts.take(ROUNDS).filter_map(|at| command(&operands[at..])));
            }
            _ => found.extend(command(operands)),
        }
        if matches!(kind, "line" | "after") && found.len() > count {
            break;
        }
    }
    found
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

/// A single word with blanks is a text for a shell.
fn command(words: &[Word]) -> Option<Inner<'_>> {
    let text = words.first()?.text().filter(|text| words.len() == 1 && text.trim().contains(' '));
    Some(text.map_or(Inner::Words(words), |text| Inner::Text(Word::of(text))))
}

fn is_one_of(word: &Word, names: &[&str]) -> bool {
    let text = word.text().unwrap_or_default();
    names.iter().any(|name| text == *name || text.rsplit('@').next() == Some(name))
}

fn may_be_program(word: &Word) -> bool {
    let start = word.known_start();
    start.contains("bin/") || start.starts_with(char::is_alphabetic) && !start.contains('/')
}

/// A text for a shell, followed by these words in quotes.
fn with_arguments(text: &Word, words: &[Word]) -> Word {
    let quote = Word::of("'");
    let quoted = words.iter().map(|word| [&quote, word, &quote]);
    quoted.fold(text.clone(), |mut text, parts| {
        text.push_text(" ");
        parts.into_iter().for_each(|part| text.append(part.clone()));
        text
    })
}
