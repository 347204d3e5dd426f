//! The priority that labels of an issue give.

use std::collections::BTreeSet;

/// Of an issue whose labels say nothing.
pub(super) const USUAL: u32 = 3;

/// Words with their priority: 1 is first.
const WORDS: [(&str, u32); 16] = [
    ("critical", 1),
    ("blocker", 1),
    ("urgent", 1),
    ("highest", 1),
    ("p0", 1),
    ("high", 2),
    ("p1", 2),
    ("medium", 3),
    ("normal", 3),
    ("p2", 3),
    ("low", 4),
    ("p3", 4),
    ("lowest", 5),
    ("trivial", 5),
    ("minor", 4),
    ("p4", 5),
];

/// Words that mean a priority also without the word "priority".
const ALONE: [&str; 8] = ["critical", "blocker", "urgent", "p0", "p1", "p2", "p3", "p4"];

/// The different priorities of the labels, the first one first.
pub(super) fn of_labels(labels: &[String]) -> BTreeSet<u32> {
    labels.iter().filter_map(|label| of_label(label)).collect()
}

/// `priority: high`, `Priority/P1`, `prio::2`, `P0`, `critical`. Other words beside it mean something else.
fn of_label(label: &str) -> Option<u32> {
    let label = label.to_lowercase();
    let words = label.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let (names, values): (Vec<&str>, Vec<&str>) =
        words.partition(|word| matches!(*word, "priority" | "prio" | "severity"));
    let [value] = values[..] else { return None };
    if names.is_empty() && !ALONE.contains(&value) {
        return None;
    }
    let found = WORDS.iter().find(|(word, _)| *word == value).map(|(_, priority)| *priority);
    found.or_else(|| value.parse().ok().map(|number: u32| number.clamp(1, 5)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_give_a_priority() {
        for (label, expected) in [
            ("priority: high", Some(2)),
            ("Priority/Critical", Some(1)),
            ("priority::4", Some(4)),
            ("prio 0", Some(1)),
            ("priority-99", Some(5)),
            ("severity: low", Some(4)),
            ("P0", Some(1)),
            ("p4", Some(5)),
            ("critical", Some(1)),
            ("🔥 urgent", Some(1)),
            ("high", None),
            ("high risk priority", None),
            ("priority", None),
            ("p5", None),
            ("critical path", None),
            ("3", None),
            ("", None),
        ] {
            assert_eq!(of_label(label), expected, "{label:?}");
        }
        let both = ["P3".to_owned(), "ralph".to_owned(), "P1".to_owned()];
        assert_eq!(of_labels(&both).into_iter().collect::<Vec<_>>(), [2, 4]);
    }
}
