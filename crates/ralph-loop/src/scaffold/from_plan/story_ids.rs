//! Maps the ids of a plan's tasks to valid story ids.

use std::collections::{BTreeMap, BTreeSet};

use tasks::StoryId;

pub(super) struct StoryIds<'p> {
    ids: BTreeMap<&'p str, String>,
    /// In the order of the plan.
    renamed: Vec<&'p str>,
}

impl<'p> StoryIds<'p> {
    /// Keeps valid ids; the others become the most similar free id.
    pub(super) fn of(ids: impl Iterator<Item = &'p str> + Clone) -> Self {
        let legal = ids.clone().filter(|id| StoryId::new(*id).is_ok());
        let mut mapped: BTreeMap<&str, String> = legal.map(|id| (id, id.to_owned())).collect();
        let mut taken: BTreeSet<String> = mapped.values().cloned().collect();
        // The last number per base, so that many similar ids stay fast.
        let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
        let mut renamed = Vec::new();
        for id in ids {
            if mapped.contains_key(id) {
                continue;
            }
            let base = nearest(id);
            let number = numbers.entry(base.clone()).or_default();
            let new = loop {
                *number += 1;
                let new = if *number == 1 { base.clone() } else { format!("{base}-{number}") };
                if taken.insert(new.clone()) {
                    break new;
                }
            };
            mapped.insert(id, new);
            renamed.push(id);
        }
        Self { ids: mapped, renamed }
    }

    /// `None` for an unknown id.
    pub(super) fn get(&self, id: &str) -> Option<&String> {
        self.ids.get(id)
    }

    pub(super) fn renamed(&self) -> impl Iterator<Item = (&'p str, String)> {
        self.renamed.iter().filter_map(|id| Some((*id, self.ids.get(id)?.clone())))
    }
}

/// Replaces invalid characters with dashes.
fn nearest(id: &str) -> String {
    // Leaves space for a number.
    const LONGEST: usize = StoryId::MAX_LENGTH - 14;
    let kept = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
    let base: String = id.trim().chars().map(kept).take(LONGEST).collect();
    match base.trim_matches('-') {
        "" => "TASK".to_owned(),
        base => base.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapped(ids: &[&str]) -> Vec<String> {
        let mapped = StoryIds::of(ids.iter().copied());
        ids.iter().map(|id| mapped.get(id).unwrap().clone()).collect()
    }

    #[test]
    fn valid_ids_are_kept_and_others_become_similar() {
        let ids = ["a b", "a-b", "a/b", "日本", "é", "TASK-001", " x ", &"y".repeat(99)];
        let long = "y".repeat(50);
        let expected = ["a-b-2", "a-b", "a-b-3", "TASK", "TASK-2", "TASK-001", "x", &long];
        assert_eq!(mapped(&ids), expected);
    }

    #[test]
    fn only_renamed_ids_are_reported() {
        let ids = StoryIds::of(["A", "b c", "B"].into_iter());
        assert_eq!(ids.renamed().collect::<Vec<_>>(), [("b c", "b-c".to_owned())]);
    }
}
