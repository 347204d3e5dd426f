//! Compares one test before and after.

use std::collections::{HashMap, HashSet};

use crate::assertion_counts::AssertionCounts;
use crate::body::{Assertion, Strictness};
use crate::language::Language;
use crate::mark::Mark;
use crate::unit::{Role, Unit, counted, shown};

/// The comparison is quadratic, and a hostile file could have a million.
const MOST_MARKS: usize = 100;

pub(crate) fn compare(
    language: Option<Language>,
    before: &Unit<'_>,
    after: &Unit<'_>,
    counts: &mut AssertionCounts,
) -> Vec<String> {
    let mut found = marks(before, after);
    if before.body.code.is_some() && after.body.code.is_none() {
        if after.role == Role::Test {
            found.push(format!("`{}` is empty now", after.name));
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
pub(crate) fn born(unit: &Unit<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for marked in unit.marks.iter().take(MOST_MARKS) {
        let (subject, words) = (unit.subject(), &marked.words);
        match marked.mark {
            // A `todo` is a reminder, not a skipped test.
            Mark::Skipped if words.ends_with("todo") => {}
            // Not weaker than before, but unusual for a new test.
            Mark::Skipped => found.push(format!("{subject} is new and skipped (`{words}`)")),
            Mark::Alone => found.push(marked.finding(&subject)),
            Mark::MaybeSkipped | Mark::FailureExpected | Mark::ReturnsEarly => {}
        }
    }
    let assertions = &unit.body.assertions;
    if let Some(first) = assertions.first()
        && assertions.iter().all(|one| one.strictness == Some(Strictness::AlwaysTrue))
    {
        found.push(asserts_nothing(unit, first));
    }
    found
}

fn marks(before: &Unit<'_>, after: &Unit<'_>) -> Vec<String> {
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
            found.push(marked.finding(&after.subject()));
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

fn always_true(after: &Unit<'_>, difference: &Difference<'_>) -> Option<String> {
    let new =
        difference.gained.iter().find(|one| one.strictness == Some(Strictness::AlwaysTrue))?;
    Some(asserts_nothing(after, new))
}

fn asserts_nothing(unit: &Unit<'_>, assertion: &Assertion<'_>) -> String {
    let text = shown(&one_line(assertion.text));
    format!("`{}` asserts what is always true: `{text}`", unit.name)
}

/// Fewer assertions without a replacement: not moved to another test, not in a helper, not in a
/// loop, not turned into an `unwrap`.
fn fewer(
    language: Option<Language>,
    before: &Unit<'_>,
    after: &Unit<'_>,
    difference: &Difference<'_>,
    counts: &mut AssertionCounts,
) -> Option<String> {
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
    (had - has > moved + implied + helped)
        .then(|| format!("{} has {}, had {had}", after.subject(), counted(has, "assertion")))
}

/// A helper with new calls may delegate its assertions.
fn delegates(before: &Unit<'_>, after: &Unit<'_>) -> bool {
    let called: HashSet<&str> = before.body.calls.iter().copied().collect();
    after.body.calls.iter().any(|name| !called.contains(name))
}

/// Strict assertions were removed, and weaker ones were added.
fn looser(after: &Unit<'_>, difference: &Difference<'_>) -> Option<String> {
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
                let how = format!("`{before}` became `{after}`");
                return Some(format!("{subject} asserts less strictly: {how}"));
            }
        }
    }
    None
}

fn one_line(text: &str) -> String {
    text.split_whitespace().take(40).collect::<Vec<_>>().join(" ")
}
