//! What a report says of handoffs, compactions, the plan and what was undone.

use engine::HandoffSource;
use serde_json::json;
use test_repo::{commit_all, git};

use super::*;

fn sections(text: &str) -> &str {
    let from = text.find("## Memory").unwrap();
    &text[from..text.find("## What to do next").unwrap()]
}

#[test]
fn a_run_with_memory_tells_of_it_after_the_stories() {
    let text = shown(&a_run_with_memory());
    assert!(text.contains("\n- 4 of 15 iterations used, 48 turns, cost $2.34\n"), "{text}");
    assert_eq!(
        sections(&text),
        "\
## Memory

- 3 handoffs; that of iteration 4 was made by the runner
- 1 compaction, 1 failed, cost $0.10
  - it gave no account of the shape that was asked for

## Changes to the plan

- iteration 3: story US-004 added after US-002: refunds need sums of their own
- iteration 3: **not done**, refused: remove US-001: US-001 is done, and stays as it is

## Rolled back

- iteration 4 (US-002): back at `0123456789`; what it left: \
`git diff 0123456789abcdef refs/ralph/20261115-010000-ab12/rolled-back-4-1`
  - not brought back: target/ (not in git and changed)

"
    );
    assert!(text.contains("- the compaction was ended at its hard limit (20m 00s)\n"), "{text}");
}

#[test]
fn a_run_without_any_of_it_says_nothing_of_it() {
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
    let why = "it gave no account of the shape that was asked for";
    assert_eq!(json["compactions"], json!({ "done": 1, "failures": [why], "costUsd": 0.1 }));
    let outcomes = [&json["planChanges"][0]["outcome"], &json["planChanges"][1]["outcome"]];
    assert_eq!(outcomes, [&json!("applied"), &json!("refused")]);
    let rollback = &json["rollbacks"][0];
    assert_eq!((&rollback["iteration"], &rollback["removed"]), (&json!(4), &json!(2)));
    assert_eq!(rollback["left"], json!(["target/ (not in git and changed)"]));
}

#[test]
fn whatever_number_of_changes_an_agent_asks_for_the_report_stays_short() {
    let refused: Vec<String> = (0..60).map(|number| format!("refused: {number}")).collect();
    let refused: Vec<&str> = refused.iter().map(String::as_str).collect();
    let text = shown(&[a_run().swap_remove(0), stamped(1, plan_amended(&[], &refused))]);
    assert_eq!(text.matches("**not done**").count(), 50);
    assert!(text.contains("\n- and 10 more\n"), "{text}");
}

#[test]
fn several_handoffs_of_the_runner_are_listed() {
    let kept = [4, 5, 9].map(|n| stamped(n as i64, handoff_kept(n, HandoffSource::Runner, &[])));
    let text = shown(&[vec![a_run().swap_remove(0)], kept.to_vec()].concat());
    let line = "- 3 handoffs; those of iterations 4, 5 and 9 were made by the runner\n";
    assert!(text.contains(line), "{text}");
}

#[test]
fn a_rollback_that_was_finished_after_a_kill_is_one_and_one_of_nothing_has_no_command() {
    let mut again = rolled_back(&[]);
    if let LoopEvent::RolledBack { backup, .. } = &mut again {
        backup.clear();
    }
    let told = |events: &[LoopEvent]| {
        let events: Vec<_> = events.iter().map(|event| stamped(0, event.clone())).collect();
        report(&events).memory.rollbacks
    };
    assert_eq!(told(&[rolled_back(&[]), again.clone()]), told(&[rolled_back(&[])]));
    assert_eq!(told(&[rolled_back(&[]), rolled_back(&[])]).len(), 2, "tried again, failed again");
    assert_eq!(told(std::slice::from_ref(&again))[0].command, None);
    let text = shown(&[stamped(0, again)]);
    assert!(text.contains("back at `0123456789`; it had left nothing\n"), "{text}");
}

/// Its words as a shell takes them.
#[test]
fn what_a_rolled_back_iteration_left_is_shown_by_its_command() {
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
    if let LoopEvent::RolledBack { to, backup, .. } = &mut event {
        (*to, *backup) = (before.clone(), "refs/ralph/run/rolled-back-4-1".into());
        git(dir.path(), &["update-ref", backup, "HEAD"]);
    }
    git(dir.path(), &["reset", "-q", "--hard", &before]);
    let command = report(&[stamped(0, event.clone())]).memory.rollbacks[0].command.clone().unwrap();
    let words = shlex::split(&command).unwrap();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    assert_eq!(words[0], "git");
    let diff = git(dir.path(), &words[1..]);
    assert!(diff.contains("-before\n+half and a bit"), "{diff}");

    if let LoopEvent::RolledBack { backup, .. } = &mut event {
        *backup = name.into();
    }
    let command = report(&[stamped(0, event)]).memory.rollbacks[0].command.clone().unwrap();
    assert!(shlex::split(&command).unwrap().contains(&name.to_owned()), "{command}");
}
