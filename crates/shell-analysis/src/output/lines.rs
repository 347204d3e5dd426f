//! Programs that transform text by lines or characters.

use crate::expand::pattern::ranges;
use crate::parse::ansi::{EscapeSet, unescape};

/// The longest sequence of numbers or set of characters.
const LONGEST: usize = 4096;

/// Programs whose output only depends on their arguments.
pub(super) fn of_arguments(program: &str, arguments: &[&str]) -> Option<String> {
    let path = arguments.first()?.trim_end_matches('/');
    let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
    let shown = match (program, arguments) {
        ("basename", [_]) => name,
        ("basename", [_, suffix]) => name.strip_suffix(suffix).unwrap_or(name),
        ("dirname", [path]) if folder.is_empty() || path.chars().all(|c| c == '/') => "/",
        ("dirname", [_]) => folder,
        ("seq", [last]) => return sequence(1, last.parse().ok()?),
        ("seq", [first, last]) => return sequence(first.parse().ok()?, last.parse().ok()?),
        _ => return None,
    };
    Some(format!("{shown}\n"))
}

fn sequence(first: i64, last: i64) -> Option<String> {
    let is_short = last.checked_sub(first)? <= 256;
    is_short.then(|| (first..=last).map(|number| format!("{number}\n")).collect())
}

pub(super) fn changed(program: &str, arguments: &[&str], input: &str) -> Option<String> {
    let lines = input.split_inclusive('\n');
    // `-n 5` is the same as `-n5`.
    let flag = arguments.concat();
    match (program, arguments) {
        ("rev", [] | ["-"]) => Some(each_line(input, |line| line.chars().rev().collect())),
        ("tr", arguments) => translate(arguments, input),
        ("sed", [script] | ["-e" | "-E" | "-r", script]) => edited(script, input),
        ("head", _) => match flag.strip_prefix("-c") {
            Some(count) => Some(input.chars().take(count.parse().ok()?).collect()),
            None => Some(lines.take(flag.trim_start_matches(['-', 'n']).parse().ok()?).collect()),
        },
        ("tail", _) => {
            let count = flag.trim_start_matches(['-', 'n']);
            let skipped = match count.strip_prefix('+') {
                Some(from) => from.parse::<usize>().ok()?.saturating_sub(1),
                None => lines.clone().count().saturating_sub(count.parse().ok()?),
            };
            Some(lines.skip(skipped).collect())
        }
        ("cut", _) => cut(flag.strip_prefix("-c")?, input),
        _ => None,
    }
}

fn each_line(input: &str, change: impl Fn(&str) -> String) -> String {
    let changed: Vec<String> = input.split('\n').map(change).collect();
    changed.join("\n")
}

fn cut(range: &str, input: &str) -> Option<String> {
    let (from, to) = range.split_once('-').unwrap_or((range, range));
    let from: usize = if from.is_empty() { 1 } else { from.parse().ok()? };
    let to: usize = if to.is_empty() { usize::MAX } else { to.parse().ok()? };
    let skipped = from.checked_sub(1)?;
    let count = to.checked_sub(skipped)?;
    Some(each_line(input, |line| line.chars().skip(skipped).take(count).collect()))
}

/// Applies a sed script to a text.
pub(super) fn edited(script: &str, input: &str) -> Option<String> {
    let added = script.trim_start_matches(|c: char| c.is_ascii_digit() || c == '$');
    // The position of an added line does not matter to the analysis.
    if let Some(line) = added.strip_prefix(['i', 'a']).filter(|rest| rest.starts_with([' ', '\\']))
    {
        let line = line.trim_start_matches([' ', '\\', '\n']);
        return Some(format!("{line}\n{input}"));
    }
    script.split(';').try_fold(input.to_owned(), |text, script| replace(script.trim(), &text))
}

/// `s/a/b/g` without a regular expression.
fn replace(script: &str, input: &str) -> Option<String> {
    let mut rest = script.strip_prefix('s')?.chars();
    let mark = rest.next()?;
    let parts: Vec<&str> = rest.as_str().split(mark).collect();
    let [from, to, flags] = parts.as_slice() else { return None };
    let is_literal = !from.is_empty() && !from.contains(|c| ".*[]^$\\+?(|".contains(c));
    match *flags {
        _ if !is_literal || to.contains(['\\', '&']) => None,
        "g" => Some(input.replace(from, to)),
        "" => Some(each_line(input, |line| line.replacen(from, to, 1))),
        _ => None,
    }
}

fn translate(arguments: &[&str], input: &str) -> Option<String> {
    let (flags, sets) = match arguments {
        [flags, sets @ ..] if flags.starts_with('-') => (*flags, sets),
        sets => ("", sets),
    };
    let sets = sets.iter().map(|set| members(set)).collect::<Option<Vec<_>>>()?;
    match (flags, sets.as_slice()) {
        ("-d", [set]) => Some(input.chars().filter(|c| !set.contains(c)).collect()),
        ("-cd" | "-dc", [set]) => Some(input.chars().filter(|c| set.contains(c)).collect()),
        ("", [from, to]) => {
            let last = to.last()?;
            let change = |c| match from.iter().rposition(|other| *other == c) {
                Some(at) => *to.get(at).unwrap_or(last),
                None => c,
            };
            Some(input.chars().map(change).collect())
        }
        _ => None,
    }
}

/// The characters of a set such as `a-z`.
fn members(set: &str) -> Option<Vec<char>> {
    let set = set.replace("[:lower:]", "a-z").replace("[:upper:]", "A-Z");
    if set.contains("[:") {
        return None;
    }
    let ranges = ranges(&unescape(&set, EscapeSet::Quote));
    let members = ranges.into_iter().flat_map(|(from, to)| from..=to);
    let members: Vec<char> = members.take(LONGEST + 1).collect();
    (members.len() <= LONGEST).then_some(members)
}
