//! Reads what pytest settings exclude from collection.

use crate::unit::shown;
use crate::weakening::Weakening;

const OPTIONS: [&str; 4] = ["--ignore", "--ignore-glob", "--deselect", "--collect-only"];

pub(super) fn read(text: &str) -> Vec<Weakening> {
    let mut found = Vec::new();
    let mut concerns_pytest = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') && line.ends_with(']') {
            concerns_pytest = line.contains("pytest");
        } else if concerns_pytest && !line.starts_with(['#', ';']) {
            found.extend(left_out(line).map(|setting| Weakening::LeftOut { setting }));
        }
    }
    found
}

fn left_out(line: &str) -> impl Iterator<Item = String> {
    let words = line.split([' ', '\t', '"', '\'', ',', '[', ']']).filter(|word| !word.is_empty());
    let mut next_of = None;
    let mut settings = Vec::new();
    for word in words {
        if let Some(option) = next_of.take() {
            settings.push(shown(&format!("{option} {word}")));
        } else if OPTIONS.contains(&word) {
            next_of = Some(word);
        } else if OPTIONS
            .iter()
            .any(|option| word.strip_prefix(option).is_some_and(|rest| rest.starts_with('=')))
        {
            settings.push(shown(word));
        }
    }
    if line.starts_with("norecursedirs") {
        settings.push(shown(line));
    }
    settings.into_iter()
}
