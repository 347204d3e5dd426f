//! Failed attempts, given-up stories, quality checks and weakened tests.

use super::*;
use crate::report::Marks;
use crate::report::test_events::{
    a_run_with_failures, attempt_failed, escalated, given_up, quality, time_warning, verdict_void,
    weakened,
};

#[test]
fn a_run_with_failures_without_a_terminal() {
    let text = rendered(&renderer(None), &a_run_with_failures());
    assert_eq!(text, include_str!("../a_run_with_failures.txt"));
}

#[test]
fn a_run_with_failures_on_a_narrow_terminal_without_emoji() {
    let options = LineRenderer::plain(Marks::ASCII);
    let text = rendered(&options.with_width(Some(60)), &a_run_with_failures());
    assert_eq!(text, include_str!("../a_run_with_failures_on_60_columns.txt"));
    assert!(text.is_ascii(), "{text}");
    for line in text.lines() {
        assert!(line.len() <= 60, "{line}");
    }
}

#[test]
fn a_repeated_failure_is_counted() {
    let failed = |repeats| about(attempt_failed(4, 3, Gate::Tests, repeats));
    let once = failed(1);
    assert!(once.starts_with("  ❌ attempt 3 of 5 at US-003 failed at tests: assertion"), "{once}");
    assert!(once.ends_with(" (a3f2b7c1)\n"), "{once}");
    assert!(failed(3).ends_with(" (a3f2b7c1, 3 times in a row)\n"), "{}", failed(3));
}

#[test]
fn an_escalation_names_its_files() {
    assert_eq!(
        about(escalated(EscalationTier::ContextExpansion, &["a", "b", "c", "d", "e"])),
        "  ↻ more context for US-003: given the files that the error names (a, b, c, d and 1 more)\n"
    );
}

#[test]
fn a_story_that_is_given_up_shows_the_branch_of_its_work() {
    let commits = StoryCommits::Kept { conflicts: vec!["src/a.rs".into()] };
    let mut given_up = GivenUp {
        attempts: 4,
        dependants: vec![id("US-006"), id("US-007")],
        ..given_up(GiveUpReason::Stuck, commits)
    };
    let rendered = |given_up: &GivenUp| {
        let given_up = given_up.clone();
        about(LoopEvent::StoryGivenUp { story: id("US-003"), given_up })
    };
    assert_eq!(
        rendered(&given_up),
        "  ⚑ GIVEN UP: US-003 after 4 of 5 attempts\n      \
         stuck: same error 5x, 2 strategy shifts failed\n      \
         its work is on wip/ralph-fail-US-003-20261115-020640\n      \
         its commits stay on the branch, because later work builds on src/a.rs\n      \
         US-006 and US-007 wait for it\n"
    );
    (given_up.branch, given_up.commits, given_up.dependants) =
        (None, StoryCommits::Nothing, vec![]);
    let text = rendered(&given_up);
    assert!(text.ends_with("\n      no changes to keep\n"), "{text}");
}

#[test]
fn a_soft_limit_shows_the_hard_limit() {
    assert_eq!(
        about(time_warning(events::TimedTask::Implement)),
        "  ⏱ the session passed its soft limit (12m 00s); hard limit 20m 00s\n"
    );
    let what = events::TimedTask::Run;
    let text = about(LoopEvent::TimeWarning { what, soft_seconds: 2700.0, hard_seconds: None });
    assert_eq!(text, "  ⏱ the run passed its soft limit (45m 00s)\n");
}

#[test]
fn the_quality_check_shows_warnings_and_failures() {
    use QualityOutcome::{Checked, Failed, TimedOut};
    assert_eq!(about(quality(Checked, &[])), "  no quality warnings for US-004 (42s)\n");
    assert_eq!(
        about(quality(Checked, &["a", "b"])),
        "  ▲ quality of US-004: a\n  ▲ quality of US-004: b\n"
    );
    assert_eq!(about(quality(TimedOut, &[])), "  ▲ the quality check of US-004 timed out (42s)\n");
    assert!(about(quality(Failed, &[])).contains("gave an unreadable answer"));
}

#[test]
fn a_quality_check_is_shown_when_it_begins() {
    let started = LoopEvent::QualityStarted { story: id("US-004") };
    assert_eq!(about(started.clone()), "  › checking the quality of US-004\n");
    let events = [stamped(0, started)];
    let text = rendered(&renderer(Some(80)), &events);
    assert_eq!(text, "  › checking the quality of US-004\n", "on a terminal too");
}

/// File names are untrusted.
#[test]
fn a_file_name_never_starts_a_new_line() {
    let name = "tests/a`b|c\x1b[2J\n  ✅ approved\u{202e}.rs";
    let files = vec![events::WeakenedTests { path: name.into(), findings: vec!["x\ny".into()] }];
    let weakened = about(LoopEvent::TestsWeakened { story: id("US-004"), iteration: 1, files });
    let kept = LoopEvent::WorkCommitted { paths: vec![name.into()], commit: "abc".into() };
    let commits = StoryCommits::Kept { conflicts: vec![name.into()] };
    let given_up = given_up(GiveUpReason::Stuck, commits);
    let given_up = about(LoopEvent::StoryGivenUp { story: id("US-003"), given_up });
    let escalated = about(escalated(EscalationTier::ContextExpansion, &[name]));
    for (text, lines) in [(weakened, 3), (about(kept), 1), (given_up, 5), (escalated, 1)] {
        assert_eq!(text.lines().count(), lines, "{text}");
        assert!(text.contains("tests/a`b|c   ✅ approved\u{fffd}.rs"), "{text}");
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    }
}

#[test]
fn weakened_tests_are_listed_by_file() {
    assert_eq!(
        about(weakened()),
        "  ▲ TESTS WEAKENED in 2 files by US-004\n    \
         › tests/test_auth.py\n        \
         test_expired_token was removed\n        \
         2 assertions were removed\n    \
         › web/login.test.ts\n        \
         `it.skip` is new at line 12\n"
    );
}

#[test]
fn a_void_verdict_is_reported_with_both_verdicts() {
    assert_eq!(
        about(verdict_void()),
        "  ▲ verdict of US-002 is void: the task list says approved, the final message gives no verdict; \
         repeating the review (2 of 3 in a row)\n"
    );
}
