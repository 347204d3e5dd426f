//! Commands that are harmful by their words: compares a command with the table `commands.txt`.

use std::rc::Rc;
use std::str::SplitAsciiWhitespace;

use shell_analysis::Word;

use super::command::Command;
use super::facts::{self, is_address};
use crate::Refusal;
use crate::effects::is_remote;
use crate::invocation_view::InvocationView;
use crate::network::{Host, host};
use crate::pattern::glob;
use crate::policy_table::{Row, rows_of};
use crate::searched_table::{Known, known, places_of};
use crate::words::words;

const TABLE: &str = include_str!("commands.txt");

thread_local! {
    static KNOWN: Known<Rc<[Row]>> = Known::default();
}

/// The patterns for a program: those of its name, of the name without an ending, and of its groups.
fn patterns(program: &str) -> Rc<[Row]> {
    let stem = program.split_once('.').map(|(stem, _)| stem);
    let groups = places_of(TABLE, program, [' ', '|'])
        .filter(|(_, _, after)| after.starts_with([' ', '\n']));
    let groups = groups.filter_map(|(_, before, _)| before.strip_suffix(' ')?.split_once(" ="));
    let names = [Some(program), stem].into_iter().flatten().chain(groups.map(|(name, _)| name));
    let rows = names.flat_map(|name| rows_of(TABLE, name));
    rows.map(|row| Row { text: row.text.split_once(' ').map_or("", |(_, pattern)| pattern), ..row })
        .collect()
}

/// One refusal per category.
pub(crate) fn judge(view: &InvocationView<'_>) -> Vec<Refusal> {
    let mut found: Vec<Refusal> = Vec::new();
    let asks = words!("--help --version -V");
    if view.texts.iter().all(|word| asks.contains(&word.as_ref())) && !view.words.is_empty() {
        return found;
    }
    for command in Command::all_of(view) {
        let [own, any] = ([command.program, "any"]).map(|name| known(&KNOWN, name, patterns));
        for &Row { reason, unless, text } in own.iter().chain(&*any) {
            let is_new = found.iter().all(|refusal| refusal.category != reason.category);
            if is_new
                && fits(&command, text.split_ascii_whitespace(), 0, false)
                && !is_exempt(&command, unless)
            {
                found.push(view.refusal(reason));
            }
        }
    }
    found
}

fn is_exempt(command: &Command<'_>, unless: &str) -> bool {
    unless.split('|').filter(|one| !one.is_empty()).any(|one| match one.contains('=') {
        true => one.split_once('=').is_some_and(|(name, wanted)| {
            let mut values = command.values(name).peekable();
            values.peek().is_some() && values.all(|value| is_one_of(wanted, value))
        }),
        false => command.words.iter().any(|word| glob(one, word)),
    })
}

/// Whether a word is one of these: a glob, `!` for any other, `:here`, `:away` and `:plain` for the host of an address,
/// `:remote` for a path on another machine.
fn is_one_of(words: &str, word: &str) -> bool {
    let at = |name: Host| host(&Word::of(word)) == name;
    words.split('|').any(|one| match one {
        ":here" => at(Host::Loopback),
        ":away" => is_address(word) && at(Host::Elsewhere),
        ":plain" => word.starts_with("http://") && at(Host::Elsewhere),
        ":remote" => is_remote(&Word::of(word)) && !at(Host::Loopback),
        _ => match one.strip_prefix('!') {
            Some(other) => !is_one_of(other, word),
            None => glob(one, word),
        },
    })
}

/// Whether the rest of the pattern fits from this operand on.
fn fits(
    command: &Command<'_>,
    mut pattern: SplitAsciiWhitespace<'_>,
    from: usize,
    skips: bool,
) -> bool {
    let Some(token) = pattern.next() else { return true };
    if token == ".." {
        return fits(command, pattern, from, true);
    }
    let (is_wanted, words) = match token.strip_prefix('!') {
        Some(words) => (false, words),
        None => (true, token),
    };
    if words.starts_with(['-', '~', '@', '$']) || words.starts_with("..") {
        return has(command, words) == is_wanted && fits(command, pattern, from, skips);
    }
    if words == ";" {
        return from == command.operands.len();
    }
    let mut at = from;
    while let Some((position, word)) = command.operands.get(at) {
        let may_be_value = skips || command.is_after_option(*position);
        match is_wanted {
            true if is_one_of(words, word) && fits(command, pattern.clone(), at + 1, false) => {
                return true;
            }
            false if is_one_of(words, word) => return false,
            false if !may_be_value => return fits(command, pattern, at + 1, false),
            _ if !may_be_value => return false,
            _ => at += 1,
        }
    }
    // Only values of options are left, and none is an exempt word.
    !is_wanted && at > from && fits(command, pattern, at, false)
}

/// A condition that holds for the command as a whole.
fn has(command: &Command<'_>, condition: &str) -> bool {
    if let Some(fact) = condition.strip_prefix('@') {
        return facts::holds(fact, command);
    }
    if let Some(texts) = condition.strip_prefix('~') {
        let whole = command.text();
        return texts.split('|').any(|text| whole.contains(&text.replace('+', " ")));
    }
    if let Some(words) = condition.strip_prefix("..") {
        return command.operands.iter().any(|(_, word)| is_one_of(words, word));
    }
    if let Some((names, values)) = condition.strip_prefix('$').and_then(|rest| rest.split_once('='))
    {
        return command
            .view
            .assigned()
            .any(|(name, value)| is_one_of(names, &name) && is_one_of(values, &value.shown()));
    }
    match condition.split_once('=') {
        Some((names, values)) => {
            names.split('|').any(|name| command.values(name).any(|value| is_one_of(values, value)))
        }
        None => {
            condition.split('|').any(|name| command.words.iter().any(|word| is_option(word, name)))
        }
    }
}

/// A single letter may be among others, and a long name may be abbreviated.
fn is_option(word: &str, name: &str) -> bool {
    /// The shortest abbreviation.
    const SHORTEST: usize = 3;
    if name.contains('*') || word == name {
        return glob(name, word);
    }
    match (name.strip_prefix("--"), word.strip_prefix("--")) {
        (Some(name), Some(word)) => {
            let given = word.split('=').next().unwrap_or_default();
            given.len() >= SHORTEST && name.starts_with(given)
        }
        (None, None) if name.len() == 2 => {
            let letters = word.strip_prefix('-').unwrap_or_default();
            letters.chars().all(|c| c.is_ascii_alphabetic())
                && letters.len() < 6
                && letters.contains(&name[1..])
        }
        _ => false,
    }
}
