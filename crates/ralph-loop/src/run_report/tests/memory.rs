//! Handoffs, compactions, plan changes and rollbacks in a report.

use events::HandoffSource;
use serde_json::json;
use test_repo::{commit_all, git};

use super::*;

fn sections(text: &str) -> &str {
    let from = text.find("## Memory").unwrap();
    &text[from..text.find("## What to do next").unwrap()]
}

#[test]
fn memory_sections_follow_the_stories() {
    let text = shown(&a_run_with_memory());
    assert!(text.contains("\n- 4 of 15 iterations used, 48 turns, cost $2.34\n"), "{text}");
    assert_eq!(
        sections(&text),
        "\
## Memory

- 3 handoffs; the runner wrote that of iteration 4
- 1 compaction, 1 failed, cost $0.10
  - its answer does not have the required format

## Changes to the plan

- iteration 3: story US-004 added after US-002: refunds need sums of their own
- iteration 3: **not applied**, refused: remove US-001: US-001 is done and may not change

## Rolled back

- iteration 4 (US-002): restored `0123456789`; its changes: \
`git diff 0123456789abcdef refs/ralph/20261115-010000-ab12/rolled-back-4-1`
  - not restored: target/ (not tracked by git and changed)

"
    );
    assert!(text.contains("- the compaction was ended at its hard limit (20m 00s)\n"), "{text}");
}

#[test]
fn a_run_without_memory_has_no_such_sections() {
    let text = shown(&a_run_with_failures());
    for word in ["Memory", "handoff", "compaction", "Changes to the plan", "Rolled back", "turn"] {
        assert!(!text.contains(word), "{word}");
    }
}

#[test]
fn the_json_form_keeps_its_names() {
    let json: serde_json::Value =
        serde_json::from_str(&report(&a_run_with_memory()).to_json()).unwrap();
    assert_eq!(json["turns"], 48);
    assert_eq!(json["handoffs"], json!({ "kept": 3, "byRunner": [4] }));
    let why = "its answer does not have the required format";
    assert_eq!(json["compactions"], json!({ "done": 1, "failures": [why], "costUsd": 0.1 }));
    let outcomes = [&json["planChanges"][0]["outcome"], &json["planChanges"][1]["outcome"]];
    assert_eq!(outcomes, [&json!("applied"), &json!("refused")]);
    let rollback = &json["rollbacks"][0];
    assert_eq!((&rollback["iteration"], &rollback["removed"]), (&json!(4), &json!(2)));
    assert_eq!(rollback["left"], json!(["target/ (not tracked by git and changed)"]));
}

#[test]
fn many_plan_changes_are_counted() {
    let refused: Vec<String> = (0..60).map(|number| format!("refused: {number}")).collect();
    let refused: Vec<&str> = refused.iter().map(String::as_str).collect();
    let text = shown(&[a_run().swap_remove(0), stamped(1, plan_amended(&[], &refused))]);
    assert_eq!(text.matches("**not applied**").count(), 50);
    assert!(text.contains("\n- and 10 more\n"), "{text}");
}

#[test]
fn several_handoffs_of_the_runner_are_listed() {
    let kept = [4, 5, 9].map(|n| stamped(n as i64, handoff_saved(n, HandoffSource::Runner, &[])));
    let text = shown(&[vec![a_run().swap_remove(0)], kept.to_vec()].concat());
    let line = "- 3 handoffs; the runner wrote those of iterations 4, 5 and 9\n";
    assert!(text.contains(line), "{text}");
}

#[test]
fn a_repeated_rollback_counts_once_and_one_without_changes_has_no_command() {
    let mut again = rolled_back(&[]);
    if let LoopEvent::RolledBack(events::RolledBack { backup, .. }) = &mut again {
        backup.clear();
    }
    let rollbacks = |events: &[LoopEvent]| {
        let events: Vec<_> = events.iter().map(|event| stamped(0, event.clone())).collect();
        report(&events).rollbacks
    };
    assert_eq!(rollbacks(&[rolled_back(&[]), again.clone()]), rollbacks(&[rolled_back(&[])]));
    assert_eq!(
        rollbacks(&[rolled_back(&[]), rolled_back(&[])]).len(),
        2,
        "tried again, failed again"
    );
    assert_eq!(rollbacks(std::slice::from_ref(&again))[0].command, None);
    let text = shown(&[stamped(0, again)]);
    assert!(text.contains("restored `0123456789`; it had no changes\n"), "{text}");
}

/// The command, split as a shell does.
#[test]
fn the_command_shows_the_changes_of_a_rolled_back_iteration() {
    let dir = assert_fs::TempDir::new().unwrap();
    test_repo::init(dir.path());
    std::fs::write(dir.path().join("a.txt"), "before\n").unwrap();
    commit_all(dir.path());
    let before = git(dir.path(), &["rev-parse", "HEAD"]);
    for text in ["half\n", "half and a bit\n"] {
        std::fs::write(dir.path().join("a.txt"), text).unwrap();
        commit_all(dir.path());
    }
    let name = "refs/ralph/run/it's $(touch evil)";
    let mut event = rolled_back(&[]);
    if let LoopEvent::RolledBack(events::RolledBack { to, backup, .. }) = &mut event {
        (*to, *backup) = (before.clone(), "refs/ralph/run/rolled-back-4-1".into());
        git(dir.path(), &["update-ref", backup, "HEAD"]);
    }
    git(dir.path(), &["reset", "-q", "--hard", &before]);
    let command = report(&[stamped(0, event.clone())]).rollbacks[0].command.clone().unwrap();
    let words = shlex::split(&command).unwrap();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    assert_eq!(words[0], "git");
    let diff = git(dir.path(), &words[1..]);
    assert!(diff.contains("-before\n+half and a bit"), "{diff}");

    if let LoopEvent::RolledBack(events::RolledBack { backup, .. }) = &mut event {
        *backup = name.into();
    }
    let command = report(&[stamped(0, event)]).rollbacks[0].command.clone().unwrap();
    assert!(shlex::split(&command).unwrap().contains(&name.to_owned()), "{command}");
}
