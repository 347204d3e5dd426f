//! Handoffs and compactions.

use super::*;
use crate::report::test_events::a_run_with_memory;

#[test]
fn handoffs_and_compactions_are_shown() {
    let text = shown(&status(2000, task_list(), run(&a_run_with_memory())), None);
    let lines = "\
  handoff of iteration 5: [US-002] Sums have their tax, rounded half to even. Complete. 3 files.
  1 compaction · 1 failed · last prompt 5980 of 8000 tokens
  files: ";
    assert!(text.contains(lines), "{text}");
    assert!(text.contains(" · $2.34 · 48 turns\n"), "{text}");
    let without = shown(&status(6000, task_list(), run(&a_run())), None);
    assert!(!without.contains("handoff") && !without.contains("compaction"), "{without}");
}

#[test]
fn a_compaction_is_shown_in_place_of_the_iteration() {
    let mut events = a_run_with_memory();
    let last = |s: &Stamped| matches!(s.event, LoopEvent::CompactionStarted { .. });
    events.truncate(events.iter().position(last).unwrap() + 1);
    let status = running_status(500, task_list(), run(&events));
    let text = shown(&status, None);
    let lines = "● running · for 8m 20s · pid 4711\n  compacting 5 handoffs · 20s\n  last activity 20s ago: ";
    assert!(text.contains(lines), "{text}");
    let json = serde_json::to_value(status).unwrap();
    assert_eq!(json["totals"]["turns"], 12);
    assert_eq!(
        json["run"]["memory"],
        json!({
            "lastHandoff": {
                "iteration": 3, "story": "US-002", "source": "agent",
                "text": "[US-002] Sums have their tax, rounded half to even\u{1b}[2J. Complete. 3 files.",
            },
            "compactions": 0, "failedCompactions": 0,
            "prompt": { "tokens": 1050, "budget": 8000 },
            "compaction": { "handoffs": 5, "startedAt": "2026-11-15T01:08:00Z" },
        })
    );
}
