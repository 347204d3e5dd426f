//! Compares one test before and after.

use std::collections::{HashMap, HashSet};

use crate::assertion::{Assertion, Strictness};
use crate::assertion_counts::AssertionCounts;
use crate::body::Content;
use crate::language::Language;
use crate::mark::Mark;
use crate::unit::{Role, Unit, shown};
use crate::weakening::Weakening;

/// The comparison is quadratic, and a hostile file could have a million.
const MOST_MARKS: usize = 100;

pub(crate) fn compare(
    language: Option<Language>,
    before: &Unit<'_>,
    after: &Unit<'_>,
    counts: &mut AssertionCounts,
) -> Vec<Weakening> {
    let mut found = marks(before, after);
    if before.body.content != Content::Empty && after.body.content == Content::Empty {
        if after.role == Role::Test {
            found.push(Weakening::Emptied { test: after.name.clone() });
        }
        return found;
    }
    let returns_early = after.marks.iter().any(|marked| marked.mark == Mark::ReturnsEarly);
    if returns_early {
        return found;
    }
    let difference = Difference::of(before, after);
    found.extend(always_true(after, &difference));
    found.extend(fewer(language, before, after, &difference, counts));
    found.extend(looser(after, &difference));
    found
}

/// Findings in a new test.
pub(crate) fn born(unit: &Unit<'_>) -> Vec<Weakening> {
    let mut found = Vec::new();
    for marked in unit.marks.iter().take(MOST_MARKS) {
        let (subject, words) = (unit.subject(), marked.words.clone());
        match marked.mark {
            // A `todo` is a reminder, not a skipped test.
            Mark::Skipped if words.ends_with("todo") => {}
            Mark::Skipped => found.push(Weakening::BornSkipped { subject, words }),
            Mark::Alone => found.push(Weakening::Marked { subject, mark: Mark::Alone, words }),
            Mark::MaybeSkipped | Mark::FailureExpected | Mark::ReturnsEarly => {}
        }
    }
    let assertions = &unit.body.assertions;
    if let Some(first) = assertions.first()
        && assertions.iter().all(|one| one.strictness == Some(Strictness::AlwaysTrue))
    {
        let (test, assertion) = (unit.name.clone(), shown(&one_line(first.text)));
        found.push(Weakening::AlwaysTrue { test, assertion });
    }
    found
}

fn marks(before: &Unit<'_>, after: &Unit<'_>) -> Vec<Weakening> {
    let mut reported: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    for marked in after.marks.iter().take(MOST_MARKS) {
        let known = before.marks.iter().take(MOST_MARKS).any(|old| {
            let same = match after.role {
                // Each entry of `collect_ignore` is a separate file.
                Role::File => old.words == marked.words,
                _ => old.mark == marked.mark,
            };
            same || old.mark == Mark::Skipped && marked.mark == Mark::MaybeSkipped
        });
        if !known && !reported.contains(&marked.words.as_str()) {
            reported.push(&marked.words);
            let (subject, words) = (after.subject(), marked.words.clone());
            found.push(Weakening::Marked { subject, mark: marked.mark, words });
        }
    }
    found
}

/// Assertions that only one of the two has.
struct Difference<'u> {
    lost: Vec<&'u Assertion<'u>>,
    gained: Vec<&'u Assertion<'u>>,
}

impl<'u> Difference<'u> {
    fn of(before: &'u Unit<'_>, after: &'u Unit<'_>) -> Self {
        let (before, after) = (&before.body.assertions, &after.body.assertions);
        Self { lost: without(before, after), gained: without(after, before) }
    }

    fn lost_and_gained(&self, test: impl Fn(Strictness) -> bool) -> (usize, usize) {
        let count = |list: &[&Assertion<'_>]| {
            list.iter().filter(|one| one.strictness.is_some_and(&test)).count()
        };
        (count(&self.lost), count(&self.gained))
    }
}

fn without<'u>(these: &'u [Assertion<'u>], others: &[Assertion<'_>]) -> Vec<&'u Assertion<'u>> {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for other in others {
        *counts.entry(other.fingerprint).or_default() += 1;
    }
    these
        .iter()
        .filter(|one| match counts.get_mut(&one.fingerprint) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        })
        .collect()
}

fn always_true(after: &Unit<'_>, difference: &Difference<'_>) -> Option<Weakening> {
    let new =
        difference.gained.iter().find(|one| one.strictness == Some(Strictness::AlwaysTrue))?;
    Some(Weakening::AlwaysTrue { test: after.name.clone(), assertion: shown(&one_line(new.text)) })
}

/// Fewer assertions without a replacement: not moved to another test, not in a helper, not in a
/// loop, not turned into an `unwrap`.
fn fewer(
    language: Option<Language>,
    before: &Unit<'_>,
    after: &Unit<'_>,
    difference: &Difference<'_>,
    counts: &mut AssertionCounts,
) -> Option<Weakening> {
    if after.role == Role::Helper && delegates(before, after) {
        return None;
    }
    let worth = |unit| counts.worth_of_calls(language, unit);
    let (worth_before, worth_after) = (worth(before), worth(after));
    let had = before.body.assertions.len() + worth_before.by_name;
    let has = after.body.assertions.len() + worth_after.by_name;
    let helped = worth_after.by_helper.saturating_sub(worth_before.by_helper);
    if has >= had || (has > 0 && after.body.repeats > before.body.repeats) {
        return None;
    }
    let moved = difference.lost.iter().filter(|one| !counts.is_lost(language, one)).count();
    let implied = after.body.implied.saturating_sub(before.body.implied);
    (had - has > moved + implied + helped).then(|| Weakening::FewerAssertions {
        subject: after.subject(),
        before: had,
        after: has,
    })
}

/// A helper with new calls may delegate its assertions.
fn delegates(before: &Unit<'_>, after: &Unit<'_>) -> bool {
    let called: HashSet<&str> = before.body.calls.iter().copied().collect();
    after.body.calls.iter().any(|name| !called.contains(name))
}

/// Strict assertions were removed, and weaker ones were added.
fn looser(after: &Unit<'_>, difference: &Difference<'_>) -> Option<Weakening> {
    for bar in [Strictness::Exact, Strictness::Partial] {
        let (strict_lost, strict_gained) = difference.lost_and_gained(|one| one >= bar);
        let below = |one: Strictness| one < bar && one != Strictness::AlwaysTrue;
        let (loose_lost, loose_gained) = difference.lost_and_gained(below);
        if strict_lost > strict_gained && loose_gained > loose_lost {
            let was = difference.lost.iter().find(|one| one.strictness.is_some_and(|s| s >= bar));
            let now = difference.gained.iter().find(|one| one.strictness.is_some_and(below));
            if let (Some(was), Some(now)) = (was, now) {
                let subject = after.subject();
                // If both have the same name, show their text.
                let (before, after) = if was.words == now.words {
                    (shown(&one_line(was.text)), shown(&one_line(now.text)))
                } else {
                    (shown(&was.words), shown(&now.words))
                };
                return Some(Weakening::Loosened { subject, before, after });
            }
        }
    }
    None
}

fn one_line(text: &str) -> String {
    text.split_whitespace().take(40).collect::<Vec<_>>().join(" ")
}
