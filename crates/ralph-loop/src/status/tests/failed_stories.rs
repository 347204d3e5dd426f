//! Stories that the run gave up, and their dependants.

use super::*;
use crate::report::test_events::{self, a_run_with_failures, attempt_failed, id, stamped};

/// A run that gave US-002 up, which US-003 depends on.
fn a_run_that_failed() -> Vec<Stamped> {
    let mut failed = attempt_failed(4, 2, events::Gate::Tests, 1);
    let LoopEvent::AttemptFailed(events::AttemptFailed { story, .. }) = &mut failed else {
        unreachable!()
    };
    *story = id("US-002");
    let (reason, commits) = (events::GiveUpReason::AttemptsUsed, events::StoryCommits::Rewound);
    let given_up = test_events::given_up(reason, commits);
    let given_up = LoopEvent::StoryGivenUp { story: id("US-002"), given_up };
    vec![a_run().swap_remove(0), stamped(60, failed), stamped(61, given_up)]
}

#[test]
fn failed_attempts_are_counted() {
    let run = run(&a_run_that_failed()[..2]);
    let text = shown(&running_status(70, task_list(), run), Some(80));
    let row = "  US-002  Sums with tax                     awaits review        1     2/5     -\n";
    assert!(text.contains(row), "{text}");
}

#[test]
fn a_story_that_was_given_up_is_failed_and_its_dependants_are_blocked() {
    let status = running_status(70, task_list(), run(&a_run_that_failed()));
    assert_eq!(
        shown(&status, Some(80)),
        "\
shop · branch ralph/shop

  Story   Title                                  State     Reviews  Failed  Cost
  US-001  A cart that keeps its items            approved        1       0     -
  US-002  Sums with tax                          failed          0     5/5     -
  US-003  Receipts in the customer's own langu…  blocked         1       0     -

  1 of 3 done · 2 iterations · $1.50

  ⚑ US-002 failed after 5 of 5 attempts, the last at tests: assertion `left == right` failed | src/auth.rs
      its work is on wip/ralph-fail-US-003-20261115-020640
  ▲ US-003 waits for US-002
  ralph-loop report  next steps

● running · for 1m 10s · pid 4711
  files: .ralph/runs/20261115-010000-ab12/
  event log: 57 events, sha256 9f86

next: no story can be started
"
    );
    let json = serde_json::to_value(&status).unwrap();
    assert_eq!(json["stories"][1]["state"], "failed");
    assert_eq!(json["stories"][1]["failedAttempts"], 5);
    assert_eq!(json["stories"][1]["maxAttempts"], 5);
    let given_up = &json["stories"][1]["givenUp"];
    assert_eq!(given_up["branch"], "wip/ralph-fail-US-003-20261115-020640");
    assert_eq!(given_up["errorHash"], "a3f2b7c1");
    assert_eq!(json["stories"][2]["state"], "blocked");
    assert_eq!(json["stories"][2]["blockedBy"], json!(["US-002"]));
}

#[test]
fn a_story_finished_by_hand_is_not_failed() {
    let mut list = task_list();
    let TaskFile::Inspected(tasks::Inspection { list: Some(list_), .. }) = &mut list else {
        unreachable!()
    };
    (list_.stories[1].passes, list_.stories[1].review_status) = (true, ReviewStatus::Approved);
    let status = status(70, list, run(&a_run_that_failed()));
    assert_eq!(
        status.stories.iter().map(|s| s.state).collect::<Vec<_>>(),
        ["approved", "approved", "open"]
    );
    assert!(!shown(&status, None).contains("failed after"), "{}", shown(&status, None));
    assert!(matches!(status.next, Next::Work { .. }), "{:?}", status.next);
}

#[test]
fn without_a_task_list_dependants_come_from_the_run() {
    let log = run(&a_run_with_failures());
    let status = status(9000, TaskFile::Missing, log);
    let states: Vec<_> = status.stories.iter().map(|story| story.state).collect();
    assert_eq!(states, ["approved", "approved", "failed", "approved", "failed", "blocked"]);
    assert_eq!(status.stories[5].blocked_by, [id("US-003")]);
}
