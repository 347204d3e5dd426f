//! The text of the page.

use chrono::TimeDelta;
use events::samples::{RUN, a_long_run, a_prompt_loop, a_run, a_run_with_failures, stamped};
use events::{LoopEvent, RunState, RunView, WaitReason};

use super::*;

fn head(events: &[Stamped], state: RunState) -> String {
    words(&Sample { state, ..Sample::of(events) }.section("head"))
}

fn during(extra: impl IntoIterator<Item = LoopEvent>) -> Vec<Stamped> {
    let mut events = a_long_run(3);
    events.extend(extra.into_iter().map(|event| stamped(400, event)));
    events
}

#[test]
fn the_head_shows_the_state() {
    let (running, died, ended) = (RunState::Running, RunState::Died, RunState::Ended);
    let resting = LoopEvent::Waiting(events::WaitView {
        reason: WaitReason::UsageLimit,
        text: "the usage limit is reached".into(),
        until: events::samples::at(5400),
    });
    for (events, state, expected) in [
        (during([]), running, "●|running"),
        (during([LoopEvent::Paused]), running, "!|paused"),
        (during([resting]), running, "!|waiting|the usage limit is reached. It resumes at 03:30."),
        (during([]), died, "✕|died|It ended without a result"),
        (a_run_with_failures(), ended, "✕|stories failed|All is done but US-003"),
        (a_run(), ended, "!|interrupted"),
        (a_prompt_loop(LoopKind::Prompt, "main", 0.4), ended, "✓|complete"),
        (Vec::new(), died, &format!("Ralph run {RUN}|{RUN}|○|no events yet")),
    ] {
        let found = head(&events, state);
        assert!(found.contains(expected), "{expected} is not in {found}");
    }
}

#[test]
fn the_running_iteration_is_shown_with_its_time() {
    let sample = Sample::of(&a_long_run(3));
    let found = words(&sample.section("head"));
    assert!(
        found.contains("Iteration 3, |●| implement| US-0001 One of very many stories"),
        "{found}"
    );
    assert!(sample.section("head").contains("<time data-since=\"2026-11-15T01:04:30Z\">3h 55m"));
    assert!(words(&sample.section("summary")).contains("Running now|implement|US-0001"));
}

#[test]
fn the_summary_has_the_most_important_numbers() {
    let found = words(&Sample::of(&a_run_with_failures()).section("summary"));
    for expected in [
        "Stories done|3|of 6",
        "Stories failed|2|1 story blocked by them",
        "Stories open|0",
        "Cost|$11.27|of at most $20.00",
        "Iterations|14|of 15, 6 accepted, 8 failed",
    ] {
        assert!(found.contains(expected), "{expected} is not in {found}");
    }
}

#[test]
fn a_failed_story_is_shown_with_its_reason_and_next_steps() {
    let found = words(&Sample::of(&a_run_with_failures()).section("attention"));
    for expected in [
        "US-003 Add *authentication* | tokens",
        "assertion `left == right` failed | src/auth.rs",
        "wip/ralph-fail-US-003-20261115-020640",
        "same error 5x, 2 strategy shifts failed",
        "US-006 Show who is logged in waits for US-003",
        "TESTS WEAKENED in 2 files by US-004; tests/test_auth.py",
        "Continue.|ralph-loop",
    ] {
        assert!(found.contains(expected), "{expected} is not in {found}");
    }
    let calm = words(&Sample::of(&a_long_run(3)).section("attention"));
    assert!(calm.contains("Nothing needs attention."), "{calm}");
}

#[test]
fn reviews_are_shown_with_their_feedback() {
    let found = words(&Sample::of(&a_run()).section("stories"));
    assert!(
        found.contains(
            "!| changes requested| iteration 3, 2026-11-15 02:04|Round half to even.\nTest zero."
        ),
        "{found}"
    );
}

#[test]
fn final_reviews_and_verdicts_of_several_reviewers_are_shown() {
    let found = words(&Sample::of(&with_further_reviews()).section("further-reviews"));
    for expected in [
        "✕| void| Final review 1|Iteration 9, commits |0123456789| to |fedcba9876|.|it made <commits>|",
        "!| findings became stories| Final review 1|",
        "|FR-001| |src/cart.rs:12| |Two functions round sums|cart.rs and invoice.rs round differently; one must do.|",
        "!| findings are open| Final review 2|",
        "✓| no findings| Final review 3|",
        "US-004|9|1 of 2: claude|✓| approved|US-004|9|2 of 2: codex, big|!| changes requested|1. The empty name\nis greeted.|",
        "US-004|10|2 of 2: codex, big|!| no valid verdict|1. The",
    ] {
        assert!(found.contains(expected), "{expected} is not in {found}");
    }
    let none = Sample::of(&a_run()).section("further-reviews");
    assert!(words(&none).contains("No final review, and no story with several reviewers."));
    assert!(!none.contains("<table") && !none.contains("<article"), "{none}");
}

#[test]
fn failures_are_shown_with_evidence() {
    let found = words(&Sample::of(&a_run()).section("failures"));
    for expected in [
        "cargo clippy|: exit code 101",
        "error: unused\n    could not compile",
        ".ralph/runs/r/003/guardrail_clippy.log",
        "src/lib.rs was changed in a review",
        "the review fields of US-003 are as before",
        "1\n2\n3",
        "the hook never answered",
        "The agent crashed: exit code 1",
    ] {
        assert!(found.contains(expected), "{expected} is not in {found}");
    }
    let given_up = words(&Sample::of(&a_run_with_failures()).section("failures"));
    assert!(
        given_up.contains("Attempt 5 of 5 failed at tests, the same failure 5 times in a row:")
    );
    assert!(
        given_up.contains("its commits are reverted on ralph/shop by fedcba9876"),
        "{given_up}"
    );
}

#[test]
fn a_diff_shows_signed_lines_and_omissions() {
    let sample = Sample { diffs: a_diff("let x = 1 < 2;"), ..Sample::of(&a_run()) };
    let section = sample.section("diffs");
    assert!(section.contains("<span class=\"added\">+let x = 1 &lt; 2;</span>"), "{section}");
    assert!(section.contains("<span class=\"removed\">-let x = 1 &lt; 2;</span>"), "{section}");
    assert!(section.contains("<span class=\"same\">     let x = 1 &lt; 2;</span>"), "{section}");
    let found = words(&section);
    for expected in [
        "2 files |+1| |-1",
        "Iterations 3 to 4",
        "binary",
        "7 more changed lines are not shown.",
        "git diff a b",
    ] {
        assert!(found.contains(expected), "{expected} is not in {found}");
    }
}

#[test]
fn times_are_in_the_users_time_zone() {
    let sample = Sample::of(&a_run());
    assert!(words(&sample.section("head")).contains("Ralph run of 2026-11-15 02:00 UTC+01:00"));
    let utc = PageInput { offset: FixedOffset::east_opt(0).unwrap(), ..sample.input() };
    assert!(report(&utc).contains("2026-11-15 01:00 UTC on branch"));
}

#[test]
fn unreadable_lines_are_mentioned() {
    let sample = Sample { unread_lines: 1, ..Sample::of(&a_run()) };
    assert!(words(&sample.section("about")).contains("1 line of its log is unreadable"));
}

#[test]
fn a_prompt_loop_has_no_stories() {
    let sample = Sample::of(&a_prompt_loop(LoopKind::Prompt, "main", 0.4));
    assert!(!words(&sample.section("summary")).contains("Stories"));
    assert!(words(&sample.section("stories")).contains("it has no stories"));
    assert!(words(&sample.section("costs")).contains("all iterations"));
}

#[test]
fn only_the_head_and_the_summary_depend_on_the_time() {
    let sample = Sample::of(&a_long_run(9));
    let later = PageInput { now: now() + TimeDelta::days(2), ..sample.input() };
    let pairs = sections(&sample.input()).into_iter().zip(sections(&later));
    let changed: Vec<&str> =
        pairs.filter(|(one, other)| one != other).map(|(one, _)| one.id).collect();
    assert_eq!(changed, ["head", "summary"]);
}

#[test]
fn infinite_numbers_are_not_shown() {
    let mut events = a_run();
    for stamped in &mut events {
        match &mut stamped.event {
            LoopEvent::IterationEnded(events::IterationEnded {
                cost_usd,
                total_cost_usd,
                seconds,
                ..
            }) => {
                (*cost_usd, *total_cost_usd, *seconds) = (f64::NAN, f64::INFINITY, f64::NAN);
            }
            LoopEvent::CheckEnded(events::CheckRecord { seconds, .. }) => {
                *seconds = f64::NEG_INFINITY
            }
            LoopEvent::RunStarted { start, .. } => start.ceiling_usd = Some(f64::INFINITY),
            LoopEvent::RunEnded(events::RunEnded { cost_usd, .. }) => *cost_usd = f64::NAN,
            _ => {}
        }
    }
    let page = Sample { view: RunView::of(&events), ..Sample::of(&[]) }.page();
    let page = page.split_once("</style>").unwrap().1;
    assert!(!page.contains("NaN") && !page.contains("inf\"") && !page.contains("$inf"), "{page}");
}

#[test]
fn a_page_looks_as_it_did() {
    let sample = Sample::of(&a_run_with_failures());
    let sections = sections(&sample.input());
    let text: String =
        sections.iter().map(|section| section.html.replace("><", ">\n<") + "\n\n").collect();
    // The figures change with the samples.
    let text = text.replace(&sample.log.figures(), "57 events, sha256 9f86");
    insta::assert_snapshot!(text);
}

#[test]
fn an_altered_log_needs_attention_and_its_digest_is_in_the_footer() {
    let sample = Sample::of(&a_run_with_failures());
    assert!(!sample.section("attention").contains("log was altered"));
    assert!(sample.section("about").contains(&sample.log.figures()));
    let mut events = a_run_with_failures();
    let text = "the event log was altered: it was removed".to_owned();
    events.insert(3, stamped(3, LoopEvent::LogAltered { line: 1, text }));
    let whole = log(&events);
    let (chain, _) = run_logs::chain(whole.split_once('\n').unwrap().1.as_bytes(), None).unwrap();
    let sample = Sample { log: chain.check(), ..Sample::of(&events) };
    let attention = sample.section("attention");
    for expected in ["it begins with event 2", "it was removed"] {
        assert_eq!(attention.matches(expected).count(), 1, "{attention}");
    }
}
