//! Reads what pytest settings exclude from collection.

use super::left_out;

const OPTIONS: [&str; 4] = ["--ignore", "--ignore-glob", "--deselect", "--collect-only"];

pub(super) fn read(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut concerns_pytest = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') && line.ends_with(']') {
            concerns_pytest = line.contains("pytest");
        } else if concerns_pytest && !line.starts_with(['#', ';']) {
            read_line(line, &mut found);
        }
    }
    found
}

fn read_line(line: &str, found: &mut Vec<String>) {
    let words = line.split([' ', '\t', '"', '\'', ',', '[', ']']).filter(|word| !word.is_empty());
    let mut next_of = None;
    for word in words {
        let option = word.split_once('=').map_or(word, |(option, _)| option);
        if let Some(option) = next_of.take() {
            found.push(left_out(&format!("{option} {word}")));
        } else if OPTIONS.contains(&word) {
            next_of = Some(word);
        } else if OPTIONS.contains(&option) {
            found.push(left_out(word));
        }
    }
    if line.starts_with("norecursedirs") {
        found.push(left_out(line));
    }
}
