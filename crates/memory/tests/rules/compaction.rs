//! When to compact.

use memory::{CompactionLimits, Docs, SinceCompaction, Trigger, trigger};

const LIMITS: CompactionLimits = CompactionLimits { bytes: 32_000, interval: 5 };
const NO_DOCS: Docs<'static> = Docs { needed: false, libraries: &[], looked_up: false };

fn since(coding_iterations: u64, handoff_bytes: u64) -> SinceCompaction {
    SinceCompaction { coding_iterations, handoff_bytes, ..SinceCompaction::default() }
}

fn why(since: &SinceCompaction, docs: &Docs<'_>) -> Option<Trigger> {
    trigger(since, docs, &LIMITS)
}

#[test]
fn every_so_many_iterations() {
    assert_eq!(why(&since(4, 10), &NO_DOCS), None);
    assert_eq!(why(&since(5, 10), &NO_DOCS), Some(Trigger::Interval { iterations: 5 }));
    assert_eq!(why(&since(9, 10), &NO_DOCS), Some(Trigger::Interval { iterations: 9 }));
}

#[test]
fn more_bytes_than_the_limit() {
    assert_eq!(why(&since(1, 32_000), &NO_DOCS), None);
    let expected = Trigger::Bytes { bytes: 32_001, limit: 32_000 };
    assert_eq!(why(&since(1, 32_001), &NO_DOCS), Some(expected.clone()));
    assert_eq!(why(&since(5, 32_001), &NO_DOCS), Some(expected));
}

#[test]
fn nothing_to_compact_is_no_reason() {
    let limits = CompactionLimits { bytes: 0, interval: 0 };
    assert_eq!(trigger(&since(0, 99_999), &NO_DOCS, &limits), None);
}

#[test]
fn a_story_that_needs_documentation_comes_first() {
    let libraries = ["zod".to_owned()];
    let named = Docs { needed: false, libraries: &libraries, looked_up: false };
    let asked = Docs { needed: true, libraries: &[], looked_up: false };
    for since in [since(0, 0), since(9, 99_999)] {
        assert_eq!(why(&since, &named), Some(Trigger::Docs { libraries: libraries.to_vec() }));
        assert_eq!(why(&since, &asked), Some(Trigger::Docs { libraries: Vec::new() }));
    }
}

#[test]
fn documentation_is_looked_up_once() {
    let served = Docs { needed: true, libraries: &[], looked_up: true };
    assert_eq!(why(&since(1, 1), &served), None);
    assert_eq!(why(&since(5, 1), &served), Some(Trigger::Interval { iterations: 5 }));
}

#[test]
fn after_failed_tries_it_waits_as_many_iterations() {
    let asked = Docs { needed: true, libraries: &[], looked_up: false };
    for failed_tries in 1..5 {
        for waited in 0..failed_tries + 2 {
            let since = SinceCompaction {
                failed_tries,
                iterations_since_failed_try: waited,
                ..since(9, 99_999)
            };
            assert_eq!(why(&since, &asked).is_some(), waited >= failed_tries);
            assert_eq!(why(&since, &NO_DOCS).is_some(), waited >= failed_tries);
        }
    }
}

#[test]
fn the_text_of_a_trigger() {
    let docs = |libraries: &[&str]| Trigger::Docs {
        libraries: libraries.iter().map(ToString::to_string).collect(),
    };
    for (trigger, words) in [
        (docs(&[]), "the next story needs documentation"),
        (docs(&["zod", "a\nb"]), "the next story needs documentation of zod, a\u{fffd}b"),
        (
            Trigger::Bytes { bytes: 33_000, limit: 32_000 },
            "33000 bytes of handoffs, more than 32000",
        ),
        (Trigger::Interval { iterations: 1 }, "1 iteration since the last"),
        (Trigger::Interval { iterations: 5 }, "5 iterations since the last"),
    ] {
        assert_eq!(trigger.to_string(), words);
    }
}
