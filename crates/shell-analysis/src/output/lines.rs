//! Programs that transform text by lines or characters.

use crate::parse::ansi::{EscapeSet, unescape};

/// Programs whose output only depends on their arguments.
pub(super) fn of_arguments(program: &str, arguments: &[String]) -> Option<String> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match (program, arguments.as_slice()) {
        ("basename", [path]) => {
            Some(format!("{}\n", path.trim_end_matches('/').rsplit('/').next()?))
        }
        ("basename", [path, suffix]) => {
            let name = path.trim_end_matches('/').rsplit('/').next()?;
            Some(format!("{}\n", name.strip_suffix(suffix).unwrap_or(name)))
        }
        ("dirname", [path]) => Some(match path.trim_end_matches('/').rsplit_once('/') {
            Some(("", _)) => "/\n".to_owned(),
            Some((folder, _)) => format!("{folder}\n"),
            None if path.starts_with('/') => "/\n".to_owned(),
            None => ".\n".to_owned(),
        }),
        ("seq", [last]) => sequence(1, last.parse().ok()?),
        ("seq", [first, last]) => sequence(first.parse().ok()?, last.parse().ok()?),
        _ => None,
    }
}

fn sequence(first: i64, last: i64) -> Option<String> {
    if last.checked_sub(first)? > 256 {
        return None;
    }
    Some((first..=last).map(|number| format!("{number}\n")).collect())
}

/// The input, and the arguments without a here-string.
pub(super) fn or_here(
    program: &str,
    input: Option<String>,
    arguments: &[String],
) -> (Option<String>, Vec<String>) {
    let reads = matches!(program, "base64" | "xxd" | "rev" | "tac");
    let kept = arguments.iter().filter(|word| !(reads && *word == "-")).cloned().collect();
    (input, kept)
}

pub(super) fn changed(program: &str, arguments: &[String], input: &str) -> Option<String> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match (program, arguments.as_slice()) {
        ("rev", []) => Some(each_line(input, |line| line.chars().rev().collect())),
        ("tac", []) => Some(input.lines().rev().map(|line| format!("{line}\n")).collect()),
        ("sort" | "uniq", []) if input.lines().count() <= 1 => Some(input.to_owned()),
        ("tr", arguments) => translate(arguments, input),
        ("sed", [script] | ["-e" | "-E" | "-r", script]) => edited(script, input),
        ("head", flags) => head(flags, input),
        ("tail", ["-1" | "-n1"] | ["-n", "1"]) => Some(format!("{}\n", input.lines().last()?)),
        ("tail", ["-n", from]) => {
            let from: usize = from.strip_prefix('+')?.parse().ok()?;
            Some(
                input
                    .lines()
                    .skip(from.saturating_sub(1))
                    .map(|line| format!("{line}\n"))
                    .collect(),
            )
        }
        ("cut", ["-c", range]) => cut(range, input),
        ("cut", [flag]) => cut(flag.strip_prefix("-c")?, input),
        _ => None,
    }
}

fn each_line(input: &str, change: impl Fn(&str) -> String) -> String {
    let changed: Vec<String> = input.split('\n').map(change).collect();
    changed.join("\n")
}

fn head(flags: &[&str], input: &str) -> Option<String> {
    let count = match flags {
        ["-c", count] => return Some(input.chars().take(count.parse().ok()?).collect()),
        [] => 10,
        ["-n", count] => count.parse().ok()?,
        [flag] => match flag.strip_prefix("-c") {
            Some(count) => return Some(input.chars().take(count.parse().ok()?).collect()),
            None => flag.trim_start_matches('-').trim_start_matches('n').parse().ok()?,
        },
        _ => return None,
    };
    Some(input.split_inclusive('\n').take(count).collect())
}

fn cut(range: &str, input: &str) -> Option<String> {
    let (from, to) = match range.split_once('-') {
        Some((from, to)) => (
            if from.is_empty() { 1 } else { from.parse().ok()? },
            if to.is_empty() { usize::MAX } else { to.parse().ok()? },
        ),
        None => (range.parse().ok()?, range.parse().ok()?),
    };
    let skip = usize::checked_sub(from, 1)?;
    let count = to.checked_sub(skip)?;
    Some(each_line(input, |line| line.chars().skip(skip).take(count).collect()))
}

/// Applies a sed script to a text.
pub(super) fn edited(script: &str, input: &str) -> Option<String> {
    let address = |c: char| c.is_ascii_digit() || c == '$';
    let added = script.trim_start_matches(address);
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
    if from.is_empty() || from.contains(['.', '*', '[', ']', '^', '$', '\\', '+', '?', '(', '|']) {
        return None;
    }
    if to.contains(['\\', '&']) {
        return None;
    }
    match *flags {
        "g" => Some(input.replace(from, to)),
        "" => Some(each_line(input, |line| line.replacen(from, to, 1))),
        _ => None,
    }
}

fn translate(arguments: &[&str], input: &str) -> Option<String> {
    match arguments {
        ["-d", set] => {
            let set = members(set)?;
            Some(input.chars().filter(|c| !set.contains(c)).collect())
        }
        ["-cd" | "-dc", set] => {
            let set = members(set)?;
            Some(input.chars().filter(|c| set.contains(c)).collect())
        }
        ["-s", set] => {
            let set = members(set)?;
            let mut out = String::new();
            for c in input.chars() {
                if !(set.contains(&c) && out.ends_with(c)) {
                    out.push(c);
                }
            }
            Some(out)
        }
        [from, to] if !from.starts_with('-') => {
            let (from, to) = (members(from)?, members(to)?);
            let last = to.last().copied()?;
            let change = |c| match from.iter().rposition(|other| *other == c) {
                Some(at) => to.get(at).copied().unwrap_or(last),
                None => c,
            };
            Some(input.chars().map(change).collect())
        }
        _ => None,
    }
}

fn members(set: &str) -> Option<Vec<char>> {
    let set = set
        .replace("[:lower:]", "a-z")
        .replace("[:upper:]", "A-Z")
        .replace("[:digit:]", "0-9")
        .replace("[:alpha:]", "A-Za-z")
        .replace("[:space:]", " \t\n\r");
    let chars: Vec<char> = unescape(&set, EscapeSet::Quote).text.chars().collect();
    let mut members = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let range = chars.get(at + 1) == Some(&'-') && at + 2 < chars.len();
        if range {
            let (from, to) = (chars[at], chars[at + 2]);
            if from > to || members.len() > 4096 {
                return None;
            }
            members.extend((from..=to).take(4096));
            at += 3;
        } else {
            members.push(chars[at]);
            at += 1;
        }
    }
    (members.len() <= 4096).then_some(members)
}
