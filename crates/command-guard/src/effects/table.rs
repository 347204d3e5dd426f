//! The table of programs and what each does with the files in its arguments.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use memchr::memmem;
use shell_analysis::Word;

const TABLE: &str = include_str!("programs.txt");

thread_local! {
    /// A script uses the same programs again and again.
    static KNOWN: RefCell<HashMap<String, Option<Rc<[&'static str]>>>> = RefCell::default();
}

/// The steps of a name, as lines of text; `None` if no name is or begins with it.
fn steps_of(name: &str) -> Option<Rc<[&'static str]>> {
    let known = KNOWN.with_borrow(|known| known.get(name).cloned());
    known.unwrap_or_else(|| {
        let found = search(name);
        KNOWN.with_borrow_mut(|known| known.insert(name.to_owned(), found.clone()));
        found
    })
}

/// The table is searched, not parsed, because most commands need little of it.
fn search(name: &str) -> Option<Rc<[&'static str]>> {
    let (mut steps, mut is_known) = (Vec::new(), false);
    for at in memmem::find_iter(TABLE.as_bytes(), name).filter(|_| !name.is_empty()) {
        let start = TABLE[..at].rfind('\n').map_or(0, |end| end + 1);
        let (before, after) = (&TABLE[start..at], &TABLE[at + name.len()..]);
        let is_name = before.is_empty() || before.ends_with(' ') && !before.contains('|');
        if !is_name || TABLE[start..].starts_with(['#', ' ']) || !after.starts_with([' ', '/']) {
            continue;
        }
        is_known = true;
        let mut lines = TABLE[start..].lines().filter(|_| after.starts_with(' '));
        steps.extend(lines.next().and_then(|line| Some(line.split_once('|')?.1)));
        steps.extend(lines.take_while(|line| line.starts_with(' ')));
    }
    is_known.then(|| steps.into())
}

/// The steps of a program and of its subcommand, with its words except the subcommand.
pub(super) fn find(program: &str, words: &[Word]) -> (Vec<&'static str>, Vec<Word>) {
    let bare = program.split('@').next().unwrap_or_default();
    let unversioned = bare.trim_end_matches(|c: char| c.is_ascii_digit() || "-.".contains(c));
    let names = [program, unversioned, program.strip_prefix('g').unwrap_or(program)];
    let known = names.into_iter().find_map(|name| Some((name.to_owned(), steps_of(name)?)));
    let (mut name, own) = known.unwrap_or_default();
    let mut lines = own.to_vec();
    let (mut rest, mut searches, mut after_option) = (Vec::new(), true, false);
    for word in words {
        let shown = word.shown();
        let inner = (searches && !name.is_empty()).then(|| format!("{name}/{shown}"));
        if let Some((more, inner)) = inner.and_then(|inner| Some((steps_of(&inner)?, inner))) {
            name = inner;
            lines.extend(more.iter());
        } else {
            // A word after an option may be its value.
            searches &= after_option || shown.starts_with('-') || shown.contains('=');
            rest.push(word.clone());
        }
        after_option = shown.starts_with('-');
    }
    if lines.is_empty() {
        lines.extend(steps_of("*").iter().flat_map(|steps| steps.iter()));
    }
    (lines.iter().flat_map(|line| line.split(';')).collect(), rest)
}

/// What a step applies to.
pub(super) fn selectors(step: &'static str) -> impl Iterator<Item = &'static str> {
    step.split_whitespace().skip(1).take_while(|word| !matches!(*word, "if" | "unless"))
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
                let action = step.split_whitespace().next().unwrap_or_default();
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
                for word in selectors(step) {
                    let capital = word.len() > 2 && word.chars().all(|c| c.is_ascii_uppercase());
                    assert!(!capital || operands.contains(&word), "{step}");
                }
            }
        }
    }

    #[test]
    fn a_subcommand_is_found_after_options_and_their_values() {
        let words: Vec<Word> =
            ["-C", "x", "worktree", "add", "../y"].into_iter().map(Word::of).collect();
        let (steps, rest) = find("git", &words);
        assert_eq!(rest.len(), 3);
        assert!(steps.iter().any(|step| selectors(step).any(|word| word == "FIRST")));
        let (_, rest) = find("git", &words[..2]);
        assert_eq!(rest.len(), 2);
    }
}
