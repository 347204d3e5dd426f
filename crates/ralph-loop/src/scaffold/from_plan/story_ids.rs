//! Maps the ids of a plan's tasks to valid story ids.

use std::collections::{BTreeMap, BTreeSet};

use tasks::StoryId;

/// Keeps valid ids; the others become the most similar free id.
pub(super) fn of(ids: &[String]) -> BTreeMap<&str, StoryId> {
    let valid = ids.iter().filter_map(|id| Some((id.as_str(), StoryId::new(id.as_str()).ok()?)));
    let mut mapped: BTreeMap<&str, StoryId> = valid.collect();
    let mut taken: BTreeSet<StoryId> = mapped.values().cloned().collect();
    // The last number per base, so that many similar ids stay fast.
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    for id in ids {
        mapped.entry(id).or_insert_with(|| {
            let base = nearest(id);
            let number = numbers.entry(base.clone()).or_default();
            loop {
                *number += 1;
                let new = if *number == 1 { base.clone() } else { format!("{base}-{number}") };
                if let Ok(new) = StoryId::new(new)
                    && taken.insert(new.clone())
                {
                    return new;
                }
            }
        });
    }
    mapped
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

    #[test]
    fn valid_ids_are_kept_and_others_become_similar() {
        let ids = ["a b", "a-b", "a/b", "日本", "é", "TASK-001", " x ", &"y".repeat(99)];
        let ids = ids.map(str::to_owned);
        let long = "y".repeat(50);
        let expected = ["a-b-2", "a-b", "a-b-3", "TASK", "TASK-2", "TASK-001", "x", &long];
        let mapped = of(&ids);
        assert_eq!(ids.each_ref().map(|id| mapped[id.as_str()].as_str()), expected);
    }
}
