//! Logs that were written before events and fields got their present names are read.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its own files has failed")]

use events::RunView;

use events::Stamped;

const LOG: &str = include_str!("data/former-names.jsonl");

const FORMER: [&str; 22] = [
    "wall-chosen",
    "\"wall\"",
    "\"type\":\"found\"",
    "guard-missing",
    "\"type\":\"undone\"",
    "work-kept",
    "gate-started",
    "gate-ended",
    "gates-judged",
    "gates-failed",
    "gateSeconds",
    "story-moved",
    "story-set-aside",
    "setAside",
    "putBack",
    "handoff-kept",
    "resting",
    "order-taken",
    "went-on",
    "\"told\"",
    "\"mended\"",
    "\"claim\":\"false\"",
];

fn read(log: &str) -> Vec<Stamped> {
    log.lines().map(|line| Stamped::from_line(line.as_bytes()).unwrap()).collect()
}

#[test]
fn every_former_name_is_read_and_none_is_written() {
    for name in FORMER {
        assert!(LOG.contains(name), "the recorded log has no {name}");
    }
    let events = read(LOG);
    let written: Vec<String> = events.iter().map(Stamped::to_line).collect();
    let written = written.join("\n");
    for name in FORMER {
        assert!(!written.contains(name), "{name} is still written");
    }
    assert_eq!(read(&written), events);
}

#[test]
fn a_run_is_folded_from_them() {
    let history = format!("{:?}", RunView::of(&read(LOG)));
    for part in ["source: Repaired", "Reverted", "reverted, 1s (agent 1s, checks 1s)"] {
        assert!(history.contains(part), "{part}: {history}");
    }
}
