//! The keys of a task list and of a story, and detection of misspelled keys.

use std::collections::HashMap;

use crate::problem::{ObjectReader, Problem, ProblemPlace};
use crate::show;

type Keys = &'static [&'static str];

pub(crate) const OF_LIST: Keys =
    &["$schema", "project", "branchName", "description", "verifyCommands", "userStories"];

pub(crate) const OF_STORY: Keys = &[
    "id",
    "title",
    "description",
    "acceptanceCriteria",
    "priority",
    "passes",
    "reviewStatus",
    "reviewCount",
    "reviewFeedback",
    "notes",
    "dependsOn",
    "splitFrom",
    "model",
    "skills",
    "needsDocs",
    "libraries",
    "touches",
    "maxTurns",
    "proof",
    "source",
];

/// Shorter keys resemble too many other words.
const SHORTEST_MISSPELLED: usize = 5;
/// From this length on, two letters may differ.
const LONG: usize = 8;
/// A longer key is no misspelling of a known one.
const LONGEST: usize = 40;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownKey {
    pub place: ProblemPlace,
    /// Quoted for messages.
    pub key: String,
}

impl UnknownKey {
    /// Enough for a message.
    pub(crate) const MOST: usize = 100;
}

/// Caches the result, because a list repeats the same keys in every story.
#[derive(Debug, Default)]
pub(crate) struct KeyCheck {
    compared: HashMap<String, Option<&'static str>>,
}

impl KeyCheck {
    /// Limits the work on a document with many different keys: the Stop hook must finish.
    const MOST: usize = 1000;

    /// Reports misspelled keys as problems and notes the other unknown ones.
    pub(crate) fn check(
        &mut self,
        fields: &mut ObjectReader<'_, '_>,
        known: Keys,
        noted: &mut Vec<UnknownKey>,
    ) {
        let is_known = |key: &String| known.contains(&key.as_str());
        for (key, _) in fields.entries.iter().filter(|(key, _)| !is_known(key)) {
            let place = &fields.place;
            match self.meant(key, known) {
                Some(meant) => fields.problems.push(|| Problem::MisspelledKey {
                    place: place.clone(),
                    key: key.clone(),
                    meant,
                }),
                None if noted.len() < UnknownKey::MOST => {
                    noted.push(UnknownKey { place: place.clone(), key: show::name(key) });
                }
                None => {}
            }
        }
    }

    /// The known key that `key` probably means.
    fn meant(&mut self, key: &str, known: Keys) -> Option<&'static str> {
        if let Some(meant) = self.compared.get(key) {
            return *meant;
        }
        if self.compared.len() >= Self::MOST {
            return None;
        }
        let meant = meant(key, known);
        self.compared.insert(key.to_owned(), meant);
        meant
    }
}

/// Matches another notation (`depends_on`, `DependsOn`) or one or two wrong letters (`priorty`).
fn meant(key: &str, known: Keys) -> Option<&'static str> {
    let written = letters(key);
    if key.len() > LONGEST || written.is_empty() {
        return None;
    }
    let most_wrong = match written.chars().count() {
        ..SHORTEST_MISSPELLED => 0,
        SHORTEST_MISSPELLED..LONG => 1,
        LONG.. => 2,
    };
    let distances =
        known.iter().map(|known| (strsim::osa_distance(&written, &letters(known)), *known));
    let (distance, nearest) = distances.min_by_key(|(distance, _)| *distance)?;
    (distance <= most_wrong).then_some(nearest)
}

/// Removes case and separators.
fn letters(key: &str) -> String {
    key.chars()
        .filter(|it| !matches!(it, '_' | '-' | ' ' | '$'))
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelled_keys_are_distinguished_from_the_users_own_keys() {
        for (written, meant_by_it) in [
            ("verifyCommand", "verifyCommands"),
            ("verify_commands", "verifyCommands"),
            ("VerifyCommands", "verifyCommands"),
            ("branch-name", "branchName"),
            ("userStorys", "userStories"),
            ("schema", "$schema"),
        ] {
            assert_eq!(meant(written, OF_LIST), Some(meant_by_it), "{written}");
        }
        for (written, meant_by_it) in [
            ("depends_on", "dependsOn"),
            ("dependsON", "dependsOn"),
            ("dependOn", "dependsOn"),
            ("priorty", "priority"),
            ("prioirty", "priority"),
            ("needs_docs", "needsDocs"),
            ("ID", "id"),
            ("acceptance_critera", "acceptanceCriteria"),
        ] {
            assert_eq!(meant(written, OF_STORY), Some(meant_by_it), "{written}");
        }
        for own in ["estimate", "owner", "mode", "note", "status", "epic", "x", "", "_", "labels"] {
            assert_eq!(meant(own, OF_STORY), None, "{own}");
        }
        assert_eq!(meant(&"dependsOn".repeat(100_000), OF_STORY), None);
    }

    #[test]
    fn the_number_of_compared_keys_is_limited() {
        let mut check = KeyCheck::default();
        assert_eq!(check.meant("priorty", OF_STORY), Some("priority"));
        for number in 0..KeyCheck::MOST {
            check.meant(&format!("own{number}"), OF_STORY);
        }
        assert_eq!(check.compared.len(), KeyCheck::MOST);
        assert_eq!(check.meant("depends_on", OF_STORY), None);
        assert_eq!(check.meant("priorty", OF_STORY), Some("priority"), "it was compared before");
    }
}
