//! Words that hide the subject or are metaphors: none in what a person or an agent reads.

use std::path::Path;

use crate::strings::literals;
use crate::{pages, read, root};

const BANNED: [&str; 24] = [
    "nobody",
    "somebody",
    "whoever",
    "anybody",
    "everybody",
    "mend",
    "mends",
    "mended",
    "mending",
    "told",
    "heed",
    "heeds",
    "heeded",
    "house",
    "room",
    "rooms",
    "wall",
    "walls",
    "mailbox",
    "set aside",
    "sets aside",
    "put aside",
    "put back",
    "what became of",
];

/// Where one of them has its own meaning: the end of the file's name, a part of the text, and the reason.
const EXCEPTIONS: [(&str, &str, &str); 6] = [
    ("agents/src/codex/failure.rs", "ran out of room", "the message of Codex"),
    ("simulator/src/agent/codex_lines.rs", "ran out of room", "the message of Codex"),
    ("events/src/event.rs", "wall", "a name in logs of earlier versions"),
    ("events/src/event/parts.rs", "wall", "a name in logs of earlier versions"),
    ("events/src/event/parts.rs", "told", "a name in logs of earlier versions"),
    ("events/src/event/memory.rs", "mended", "a name in logs of earlier versions"),
];

fn found(text: &str) -> Option<&'static str> {
    let lower = text.to_lowercase();
    let is_word = |at: usize, word: &str| {
        let letter =
            |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
        !letter(lower[..at].chars().next_back()) && !letter(lower[at + word.len()..].chars().next())
    };
    BANNED.into_iter().find(|word| lower.match_indices(word).any(|(at, _)| is_word(at, word)))
}

fn is_excepted(file: &str, text: &str) -> bool {
    EXCEPTIONS.iter().any(|(name, part, _)| file.ends_with(name) && text.contains(part))
}

/// Text files that people and agents read.
fn prose() -> Vec<(String, String)> {
    let mut files = pages();
    for name in ["README.md", "CONTRIBUTING.md"] {
        files.push((name.to_owned(), read(name)));
    }
    for folder in ["templates", "skills", "hooks"] {
        walk(&root().join(folder), &mut |path| {
            if let Ok(text) = std::fs::read_to_string(path) {
                files.push((name_of(path), text));
            }
        });
    }
    files
}

fn walk(folder: &Path, visit: &mut dyn FnMut(&Path)) {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            walk(&path, visit);
        } else {
            visit(&path);
        }
    }
}

fn name_of(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().display().to_string()
}

#[test]
fn pages_templates_and_skills_are_plain() {
    let mut wrong = Vec::new();
    for (name, text) in prose() {
        for (number, line) in text.lines().enumerate() {
            if let Some(word) = found(line).filter(|_| !is_excepted(&name, line)) {
                wrong.push(format!("{name}:{}: {word}: {}", number + 1, line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn messages_of_the_programs_are_plain() {
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        walk(&entry.unwrap().path().join("src"), &mut |path| {
            let name = name_of(path);
            let is_test =
                name.ends_with("tests.rs") || name.contains("/tests/") || name.contains("/samples");
            if !name.ends_with(".rs") || is_test {
                return;
            }
            for (number, text) in literals(&std::fs::read_to_string(path).unwrap()) {
                seen += 1;
                if let Some(word) = found(&text).filter(|_| !is_excepted(&name, &text)) {
                    wrong.push(format!("{name}:{number}: {word}: {text:?}"));
                }
            }
        });
    }
    assert!(seen > 5_000, "only {seen} texts were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn words_are_found_whole() {
    assert_eq!(found("Nobody knows"), Some("nobody"));
    assert_eq!(found("the story is set aside."), Some("set aside"));
    assert_eq!(found("recommend the classroom, wall_chosen and wall-chosen"), None);
}
