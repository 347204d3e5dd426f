//! `docs/events.md` documents every event and field.

use crate::report::test_events;

const DOCS: &str = include_str!("../../../../../../docs/events.md");

fn all_events() -> Vec<serde_json::Value> {
    let runs = [
        test_events::a_run(),
        test_events::a_run_with_failures(),
        test_events::a_run_with_memory(),
        test_events::a_run_with_lanes_to_its_end(),
        vec![test_events::stamped(
            0,
            test_events::final_reviewed(events::FinalReviewOutcome::Stories),
        )],
        vec![test_events::stamped(0, test_events::reviewer_verdict())],
        test_events::a_run_with_a_proof(&test_events::a_proof()),
        test_events::question_and_answer().map(|event| test_events::stamped(0, event)).to_vec(),
    ]
    .concat();
    let lines = runs.iter().map(|stamped| stamped.to_line());
    lines.map(|line| serde_json::from_str(&line).unwrap()).collect()
}

#[test]
fn each_event_is_documented_with_its_fields() {
    let rows: Vec<&str> = DOCS.lines().filter(|line| line.starts_with("| `")).collect();
    for event in all_events() {
        let name = format!("`{}`", event["type"].as_str().unwrap());
        let row = rows.iter().find(|row| row.split(" | ").next().unwrap().contains(&name));
        let row = row.unwrap_or_else(|| panic!("{name} is not documented"));
        let fields = event.as_object().unwrap().keys();
        for field in fields.filter(|key| {
            !["v", "at", "run", "lane", "seq", "prev", "type"].contains(&key.as_str())
        }) {
            assert!(row.contains(&format!("`{field}`")), "{field}: {row}");
        }
    }
}

#[test]
fn every_word_that_a_field_of_these_events_may_have_is_documented() {
    use events::{CompactionOutcome, CompactionReason, HandoffClaim, HandoffSource, TimedTask};
    fn words<T: serde::Serialize>(values: &[T]) -> Vec<String> {
        values.iter().map(|value| serde_json::to_string(value).unwrap()).collect()
    }
    let timed = [
        TimedTask::Run,
        TimedTask::Implement,
        TimedTask::Review,
        TimedTask::Check,
        TimedTask::Quality,
        TimedTask::Memory,
    ];
    let handoff = [HandoffSource::Agent, HandoffSource::Repaired, HandoffSource::Runner];
    let reasons = [CompactionReason::Docs, CompactionReason::Bytes, CompactionReason::Interval];
    let outcomes =
        [CompactionOutcome::Compacted, CompactionOutcome::Failed, CompactionOutcome::Stopped];
    for (event, words) in [
        ("time-warning", words(&timed)),
        ("handoff-saved", words(&handoff)),
        ("handoff-saved", words(&[HandoffClaim::Complete, HandoffClaim::Partial])),
        ("compaction-started", words(&reasons)),
        ("compaction-ended", words(&outcomes)),
    ] {
        let row = DOCS.lines().find(|line| line.starts_with("| `") && line.contains(event));
        for word in words {
            let word = format!("`{}`", word.trim_matches('"'));
            assert!(row.is_some_and(|row| row.contains(&word)), "{event}: {word}");
        }
    }
}

#[test]
fn the_record_of_a_story_that_was_given_up_is_documented_and_no_field_that_is_not_in_it() {
    let (_, record) = DOCS.split_once("| field of `givenUp` | says |").unwrap();
    let (record, _) = record.split_once("\n\n").unwrap();
    let documented = record.lines().filter_map(|row| row.strip_prefix("| ")?.split_once(" | "));
    let mut documented: Vec<&str> = documented
        .flat_map(|(names, _)| names.split(' ').map(|name| name.trim_matches('`')))
        .collect();
    documented.sort_unstable();
    let events = all_events();
    let event = events.iter().find(|event| event["type"] == "story-given-up").unwrap();
    let mut fields: Vec<&String> = event["givenUp"].as_object().unwrap().keys().collect();
    fields.sort_unstable();
    assert_eq!(documented, fields);
}
