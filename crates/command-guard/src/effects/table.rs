//! The table of programs and what each does with the files in its arguments.

use std::collections::HashMap;
use std::sync::OnceLock;

use shell_analysis::Word;

/// The steps of each program, as lines of text.
type Table = HashMap<&'static str, Vec<&'static str>>;

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let (mut table, mut names) = (Table::new(), "");
        for line in include_str!("programs.txt").lines().filter(|line| !line.starts_with('#')) {
            let (own, steps) = line.split_once('|').unwrap_or((names, line));
            names = own;
            for name in names.split_whitespace() {
                for (at, _) in name.match_indices('/') {
                    table.entry(&name[..at]).or_default();
                }
                table.entry(name).or_default().push(steps);
            }
        }
        table
    })
}

/// The steps of a program and of its subcommand, with its words except the subcommand.
pub(super) fn find(program: &str, words: &[Word]) -> (Vec<&'static str>, Vec<Word>) {
    let table = table();
    let bare = program.split('@').next().unwrap_or_default();
    let unversioned = bare.trim_end_matches(|c: char| c.is_ascii_digit() || "-.".contains(c));
    let names = [program, unversioned, program.strip_prefix('g').unwrap_or(program)];
    let mut name = names.into_iter().find(|name| table.contains_key(name)).unwrap_or("*");
    let mut lines = table.get(name).cloned().unwrap_or_default();
    let (mut rest, mut searches, mut after_option) = (Vec::new(), true, false);
    for word in words {
        let shown = word.shown();
        let inner = searches.then(|| format!("{name}/{shown}"));
        if let Some((inner, more)) = inner.and_then(|inner| table.get_key_value(inner.as_str())) {
            name = inner;
            lines.extend(more);
        } else {
            // A word after an option may be its value.
            searches &= after_option || shown.starts_with('-') || shown.contains('=');
            rest.push(word.clone());
        }
        after_option = shown.starts_with('-');
    }
    let lines = table.get("*").filter(|_| lines.is_empty()).unwrap_or(&lines);
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
        for steps in table().values().flatten() {
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
