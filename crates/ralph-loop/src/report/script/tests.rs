//! The words themselves, as they come out without a terminal and on one.

mod attempts;
mod memory;
mod prompt_loop;
mod stream;

use engine::*;
use project::orders::Order;
use tasks::{Mode, ReviewStatus};

use super::*;
use crate::report::HumanOptions;
use crate::report::test_events::{
    a_run, at, id, iteration_ended, iteration_started, scm_ended, stamped,
};

fn script(width: Option<usize>, beginnings: Beginnings) -> Script {
    HumanOptions::plain().script(width, beginnings)
}

fn said(script: &Script, events: &[Stamped]) -> String {
    let mut view = RunView::default();
    let mut text = String::new();
    for stamped in events {
        for line in script.lines(stamped, &view) {
            text.push_str(&line.paint(&script.look.palette));
            text.push('\n');
        }
        view.apply(stamped);
    }
    text
}

/// What is said about one event, on its own.
fn about(event: LoopEvent) -> String {
    said(&script(None, Beginnings::Told), &[stamped(0, event)])
}

#[test]
fn a_whole_run_without_a_terminal() {
    let text = said(&script(None, Beginnings::Told), &a_run());
    assert_eq!(text, include_str!("a_run_without_terminal.txt"));
}

#[test]
fn a_whole_run_on_a_narrow_terminal() {
    let text = said(&script(Some(60), Beginnings::Silent), &a_run());
    assert_eq!(text, include_str!("a_run_on_60_columns.txt"));
}

#[test]
fn hooks_say_what_they_did() {
    let hook = |answer, text: &str| {
        about(LoopEvent::HookAnswered { hook: "stop-guard".into(), answer, text: text.into() })
    };
    assert_eq!(hook(HookAnswerKind::Blocked, "a\nb"), "  ▲ stop-guard blocked: a\n    b\n");
    assert_eq!(hook(HookAnswerKind::Warned, "a"), "  ▲ stop-guard warned: a\n");
    assert_eq!(hook(HookAnswerKind::Failed, "a"), "  ❌ stop-guard failed: a\n");
}

#[test]
fn what_the_user_told_the_run_is_said_back() {
    let told = |order| about(LoopEvent::OrderAccepted { order });
    assert_eq!(told(Order::Pause), "  ↺ told to pause after this iteration\n");
    let skip = Order::Skip { story: Some(id("US-2")) };
    assert_eq!(told(skip), "  ↺ told to skip US-2\n");
    let steer = told(Order::Steer { text: "use\x1b[31m tabs\nand more".into() });
    assert_eq!(steer, "  ↺ told to say to the next session that codes: use tabs\n    and more\n");
    assert_eq!(about(LoopEvent::Paused), "  ⏸ paused; `ralph-loop resume` lets it work again\n");
    assert_eq!(about(LoopEvent::Resumed), "  ⏸ it goes on\n");
}

#[test]
fn limits_say_when_they_end() {
    let quota = |state, used, resets_at| {
        about(LoopEvent::Quota { state, window: "seven_day".into(), used, resets_at })
    };
    assert_eq!(
        quota(QuotaState::Rejected, Some(1.0), Some(at(90_000))),
        "  ❌ the usage limit is reached (seven_day), 100% used, resets Nov 16 02:00\n"
    );
    assert_eq!(quota(QuotaState::Warning, None, None), "  ▲ the usage limit is near (seven_day)\n");
    let rest = |reason| {
        about(LoopEvent::Waiting { reason, text: "the API is overloaded".into(), until: at(30) })
    };
    assert_eq!(
        rest(RestReason::Backoff),
        "  ⏸ the API is overloaded, on again at 01:00 (in 30s)\n"
    );
    assert_eq!(rest(RestReason::Pause), "  ⏸ the API is overloaded (30s)\n");
}

#[test]
fn checks_say_how_they_failed() {
    let gate = |outcome| {
        let command = "make check".into();
        let log = "check.log".into();
        about(LoopEvent::CheckEnded {
            command,
            outcome,
            seconds: 61.0,
            fail_action: FailAction::Append,
            log,
            tail: vec![],
        })
    };
    let failed = |how: &str| {
        format!(
            "  ❌ check  make check  1m 01s  {how}\n      all of it: check.log\n      the next prompt ends with this\n"
        )
    };
    assert_eq!(gate(GateOutcome::Passed), "  ✅ check  make check  1m 01s\n");
    assert_eq!(gate(GateOutcome::Failed(None)), failed("ended by a signal"));
    assert_eq!(gate(GateOutcome::TimedOut), failed("timed out"));
    assert_eq!(gate(GateOutcome::NotStarted), failed("could not be started"));
}

#[test]
fn a_story_that_moves_says_from_where_to_where() {
    let moved = |from, to, reviews| {
        let feedback = String::new();
        about(LoopEvent::StoryStatusChanged {
            story: id("US-1"),
            from,
            to,
            reviews,
            feedback,
            passes: false,
        })
    };
    assert_eq!(
        moved(ReviewStatus::NotSubmitted, ReviewStatus::NeedsReview, 0),
        "  ◆ US-1 open → awaits review\n"
    );
    assert_eq!(
        moved(ReviewStatus::NeedsReview, ReviewStatus::Approved, 2),
        "  ◆ US-1 awaits review → approved, review 2\n"
    );
}

#[test]
fn a_claim_that_holds_and_a_status_that_is_neither_good_nor_bad() {
    for (basis, end) in [
        (ClaimBasis::TaskList, ", and all stories are done"),
        (ClaimBasis::Checks, ", and all checks passed"),
        (ClaimBasis::Nothing, " (no checks configured)"),
    ] {
        assert_eq!(
            about(LoopEvent::CompletionClaimed { claim: Claim::True, basis, why: None }),
            format!("  ✅ the agent reports completion{end}\n")
        );
    }
    let footer = about(iteration_ended(3, Mode::Review, IterationStatus::NoProgress));
    assert!(footer.starts_with("  ▲ no progress · 4m 12s"), "{footer}");
}

#[test]
fn a_tag_that_is_almost_given_is_told_unless_a_task_list_decides() {
    let checked = |near_miss| LoopEvent::CompletionChecked {
        wanted: "<response>DONE</response>".into(),
        found: None,
        near_miss,
    };
    let words = "  ▲ not counted as complete: the last message ends with the word alone, without the tag \
                 <response>DONE</response>\n";
    assert_eq!(about(checked(Some(NearMiss::NoTag))), words);
    assert_eq!(about(checked(None)), "");
    let stories = [a_run()[0].clone(), stamped(0, checked(Some(NearMiss::NoTag)))];
    let told = said(&script(None, Beginnings::Told), &stories[..]);
    assert!(!told.contains("not counted"), "{told}");
}

/// The lines about a review that ends with the story there.
fn reviewed(to: ReviewStatus, feedback: &str, status: IterationStatus) -> String {
    let moved = LoopEvent::StoryStatusChanged {
        story: id("US-002"),
        from: ReviewStatus::NeedsReview,
        to,
        reviews: 5,
        feedback: feedback.into(),
        passes: false,
    };
    let events =
        [iteration_started(3, 1, Mode::Review), moved, iteration_ended(3, Mode::Review, status)];
    let events: Vec<Stamped> = events.into_iter().map(|event| stamped(0, event)).collect();
    said(&script(None, Beginnings::Told), &events[..])
}

#[test]
fn only_a_reviewer_who_was_convinced_is_said_to_accept() {
    use IterationStatus::{Accepted, ChecksFailed};
    let rejected = reviewed(ReviewStatus::ChangesRequested, "no", Accepted);
    assert!(rejected.contains("  ▲ changes requested · 4m 12s"), "{rejected}");
    let at_cap = reviewed(ReviewStatus::Approved, "[AUTO-APPROVED AT CAP] slow", Accepted);
    let forced = "auto-approved at cap";
    assert!(at_cap.contains(&format!("awaits review → {forced}, review 5\n")), "{at_cap}");
    assert!(at_cap.contains(&format!("  ▲ {forced} · 4m 12s")), "{at_cap}");
    let approved = reviewed(ReviewStatus::Approved, "", Accepted);
    assert!(approved.contains("  ✅ approved · 4m 12s"), "{approved}");
    for text in [&rejected, &at_cap] {
        assert!(!text.contains("accepted") && !text.contains('✅'), "{text}");
    }
    let taken_back = reviewed(ReviewStatus::ChangesRequested, "FAIL", ChecksFailed);
    assert!(taken_back.contains("  ❌ checks failed · 4m 12s"), "{taken_back}");
}

#[test]
fn a_failure_says_what_it_does_to_the_next_prompt() {
    for (fail_action, words) in [
        (FailAction::Append, "the next prompt ends with this"),
        (FailAction::Prepend, "the next prompt begins with this"),
        (FailAction::Replace, "this is the next prompt"),
    ] {
        let gate = |outcome| LoopEvent::CheckEnded {
            command: "make".into(),
            outcome,
            seconds: 1.0,
            fail_action,
            log: "x.log".into(),
            tail: vec![],
        };
        let text = about(gate(GateOutcome::Failed(Some(1))));
        assert_eq!(text.lines().last().unwrap().trim(), words);
        assert!(!about(gate(GateOutcome::Passed)).contains("prompt"));
    }
}

#[test]
fn tasks_of_version_control_say_what_came_of_them() {
    let scm = |task, outcome, text| about(scm_ended(task, outcome, text));
    assert_eq!(scm("commit", ScmOutcome::Done, "Add x"), "  ✅ committed: Add x\n");
    assert_eq!(scm("push", ScmOutcome::Done, ""), "  ✅ pushed\n");
    assert_eq!(scm("push", ScmOutcome::Done, "pushed"), "  ✅ pushed\n");
    assert_eq!(scm("push", ScmOutcome::Done, "pushed wip/x"), "  ✅ pushed wip/x\n");
    let nothing = scm("commit", ScmOutcome::NothingToDo, "nothing to commit");
    assert_eq!(nothing, "  › nothing to commit\n");
    assert_eq!(scm("tag", ScmOutcome::Done, "v1"), "  ✅ tag done: v1\n");
    assert_eq!(scm("commit", ScmOutcome::NothingToDo, ""), "  › nothing to commit\n");
    assert_eq!(scm("push", ScmOutcome::Failed, "a\nb"), "  ❌ push failed: a\n     b\n");
}

#[test]
fn an_agent_that_tells_no_model_or_version_is_not_asked_for_it() {
    let started = |model: &str, version: &str| {
        about(LoopEvent::SessionStarted { model: model.into(), version: version.into() })
    };
    assert_eq!(started("m", "1"), "  m, version 1\n");
    assert_eq!(started("m", ""), "  m\n");
    assert_eq!(started("", "1"), "  version 1\n");
    assert_eq!(started("", ""), "");
}

#[test]
fn without_reviews_a_story_that_passes_is_not_told_as_open() {
    let open = tasks::ReviewStatus::NotSubmitted;
    let moved = LoopEvent::StoryStatusChanged {
        story: id("US-1"),
        from: open,
        to: open,
        reviews: 0,
        feedback: String::new(),
        passes: true,
    };
    assert!(about(moved).contains("passes"));
}
