//! The table of programs and what each does with the files in its arguments.

use std::borrow::Cow;
use std::rc::Rc;

use shell_analysis::Word;

use crate::searched_table::{Known, known, places_of};

const TABLE: &str = include_str!("programs.txt");

thread_local! {
    static KNOWN: Known<Option<Rc<Program>>> = Known::default();
}

/// A program or a subcommand.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) steps: Vec<Step>,
    has_subcommands: bool,
}

/// What a program does with some of its arguments.
#[derive(Debug, Default, Clone)]
pub(super) struct Step {
    pub(super) action: &'static str,
    /// The operands, settings and files that it applies to.
    pub(super) selectors: Vec<&'static str>,
    /// The options to whose values it applies.
    pub(super) options: Vec<&'static str>,
    /// For each `if` and `unless`, whether it is an `if`, and its names.
    pub(super) conditions: Vec<(bool, Vec<&'static str>)>,
}

impl Step {
    fn of(text: &'static str) -> Self {
        let is_option = |name: &str| {
            !name.starts_with(['.', '/', '~'])
                && !name.ends_with('=')
                && (name.len() < 3 || name.contains(|c: char| !c.is_ascii_uppercase()))
        };
        let mut words = text.split_ascii_whitespace();
        let mut step = Self { action: words.next().unwrap_or_default(), ..Self::default() };
        for word in words {
            match (word, step.conditions.last_mut()) {
                ("if" | "unless", _) => step.conditions.push((word == "if", Vec::new())),
                (name, Some((_, names))) => names.push(name),
                (name, None) if is_option(name) => step.options.push(name),
                (name, None) => step.selectors.push(name),
            }
        }
        step
    }
}

/// `None` if no name in the table is or begins with this one.
fn program(name: &str) -> Option<Rc<Program>> {
    known(&KNOWN, name, |name| {
        let found = places_of(TABLE, name, [' ', '|']).filter(|(start, _, after)| {
            after.starts_with([' ', '/']) && !TABLE[*start..].starts_with(['#', ' '])
        });
        let found: Vec<&'static str> = found.map(|(_, _, after)| after).collect();
        let lines = found.iter().filter(|after| after.starts_with(' ')).flat_map(|after| {
            let (_, lines) = after.split_once('|').unwrap_or_default();
            let mut rest = lines.lines();
            rest.next().into_iter().chain(rest.take_while(|line| line.starts_with(' ')))
        });
        let steps = lines.flat_map(|line| line.split(';')).map(Step::of).collect();
        let has_subcommands = found.iter().any(|after| after.starts_with('/'));
        (!found.is_empty()).then(|| Rc::new(Program { steps, has_subcommands }))
    })
}

/// The program and its subcommands, and its words except these.
pub(super) fn find<'w>(name: &str, words: &'w [Word]) -> (Vec<Rc<Program>>, Cow<'w, [Word]>) {
    let bare = name.split('@').next().unwrap_or_default();
    let unversioned = bare.trim_end_matches(|c: char| c.is_ascii_digit() || "-.".contains(c));
    let names = [name, unversioned, name.strip_prefix('g').unwrap_or(name)];
    let known = names.into_iter().find_map(|name| Some((name.to_owned(), vec![program(name)?])));
    let (mut name, mut found) = known.unwrap_or_default();
    let (mut rest, mut after_option) = (Cow::Borrowed(words), false);
    for (at, word) in words.iter().enumerate() {
        let shown = word.shown();
        let has_subcommands = found.last().is_some_and(|program| program.has_subcommands);
        let inner = has_subcommands.then(|| format!("{name}/{shown}"));
        if let Some((subcommand, inner)) = inner.and_then(|inner| Some((program(&inner)?, inner))) {
            rest.to_mut().remove(at + 1 - found.len());
            found.push(subcommand);
            name = inner;
        } else if !after_option && !shown.starts_with('-') && !shown.contains('=') {
            // A word after an option may be its value.
            break;
        }
        after_option = shown.starts_with('-');
    }
    if found.iter().all(|program| program.steps.is_empty()) {
        found = program("*").into_iter().collect();
    }
    (found, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_names_programs_known_actions_and_known_operands() {
        let operands = crate::words::words!(
            "ALL FIRST SECOND REST LAST SOURCES TARGET HERE SCRIPT PATCH FOUND"
        );
        let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
        for steps in lines.map(|line| line.split_once('|').map_or(line, |(_, steps)| steps)) {
            for step in steps.split(';') {
                let Step { action, selectors, .. } = Step::of(step);
                let others = [
                    "none",
                    "read-at",
                    "put",
                    "write-path",
                    "write-beside",
                    "in",
                    "near",
                    "letters",
                ];
                let known = crate::effect::FileAction::named(action).is_some();
                assert!(known || step.trim().is_empty() || others.contains(&action), "{step}");
                for word in selectors {
                    let is_operand = !word.ends_with('=') && !word.starts_with(['.', '/', '~']);
                    assert!(!is_operand || operands.contains(&word), "{step}");
                }
            }
        }
    }

    #[test]
    fn a_subcommand_is_found_after_options_and_their_values() {
        let words: Vec<Word> =
            ["-C", "x", "worktree", "add", "../y"].into_iter().map(Word::of).collect();
        let (programs, rest) = find("git", &words);
        assert_eq!(rest.len(), 3);
        let mut steps = programs.iter().flat_map(|program| &program.steps);
        assert!(steps.any(|step| step.selectors.contains(&"FIRST")));
        let (_, rest) = find("git", &words[..2]);
        assert_eq!(rest.len(), 2);
    }
}
