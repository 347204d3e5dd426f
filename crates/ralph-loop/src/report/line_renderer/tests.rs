//! The rendered text, with and without a terminal.

mod attempts;
mod lanes;
mod memory;
mod prompt_loop;
mod stream;
mod verbose;

use events::*;
use project::orders::Order;
use tasks::{Mode, ReviewStatus};

use super::*;
use crate::report::test_events::{
    a_run, at, id, iteration_ended, iteration_started, scm_ended, stamped,
};

impl LineRenderer {
    pub(crate) fn coloured() -> Self {
        let mut renderer = Self::plain(Marks::EMOJI);
        renderer.look.palette.is_coloured = true;
        renderer
    }
}

fn renderer(width: Option<usize>) -> LineRenderer {
    LineRenderer::plain(Marks::EMOJI).with_width(width)
}

fn rendered(renderer: &LineRenderer, events: &[Stamped]) -> String {
    let mut view = RunView::default();
    let mut text = String::new();
    for stamped in events {
        for line in renderer.lines(stamped, &view) {
            text.push_str(&line.paint(&renderer.look.palette));
            text.push('\n');
        }
        view.apply(stamped);
    }
    text
}

/// The lines of one event.
fn about(event: LoopEvent) -> String {
    rendered(&renderer(None), &[stamped(0, event)])
}

#[test]
fn a_whole_run_without_a_terminal() {
    let text = rendered(&renderer(None), &a_run());
    assert_eq!(text, include_str!("a_run_without_terminal.txt"));
}

#[test]
fn a_whole_run_on_a_narrow_terminal() {
    let text = rendered(&renderer(Some(60)), &a_run());
    assert_eq!(text, include_str!("a_run_on_60_columns.txt"));
}

#[test]
fn hook_answers_are_shown() {
    let hook = |answer, text: &str| {
        about(LoopEvent::HookAnswered { hook: "stop-guard".into(), answer, text: text.into() })
    };
    assert_eq!(hook(HookAnswerKind::Blocked, "a\nb"), "  ▲ stop-guard blocked: a\n    b\n");
    assert_eq!(hook(HookAnswerKind::Warned, "a"), "  ▲ stop-guard warned: a\n");
    assert_eq!(hook(HookAnswerKind::Failed, "a"), "  ❌ stop-guard failed: a\n");
}

#[test]
fn accepted_orders_are_shown() {
    let accepted = |order| about(LoopEvent::OrderAccepted { order });
    assert_eq!(accepted(Order::Pause), "  ↺ pausing after this iteration\n");
    let skip = Order::Skip { story: Some(id("US-2")) };
    assert_eq!(accepted(skip), "  ↺ skipping US-2\n");
    let steer = accepted(Order::Steer { text: "use\x1b[31m tabs\nand more".into(), story: None });
    assert_eq!(
        steer,
        "  ↺ instruction for the next implementing session: use tabs\n    and more\n"
    );
    assert_eq!(about(LoopEvent::Paused), "  ⏸ paused; run `ralph-loop resume` to continue\n");
    assert_eq!(about(LoopEvent::Resumed), "  ⏸ resumed\n");
}

#[test]
fn limits_show_when_they_end() {
    let quota = |state, used, resets_at| {
        about(LoopEvent::Quota(events::Quota {
            state,
            window: "seven_day".into(),
            used,
            resets_at,
        }))
    };
    assert_eq!(
        quota(QuotaState::Rejected, Some(1.0), Some(at(90_000))),
        "  ❌ usage limit reached (seven_day), 100% used, resets Nov 16 02:00\n"
    );
    assert_eq!(
        quota(QuotaState::Warning, None, None),
        "  ▲ usage limit nearly reached (seven_day)\n"
    );
    let rest = |reason| {
        about(LoopEvent::Waiting(events::WaitView {
            reason,
            text: "the API is overloaded".into(),
            until: at(30),
        }))
    };
    assert_eq!(
        rest(WaitReason::Backoff),
        "  ⏸ the API is overloaded; resuming at 01:00 (in 30s)\n"
    );
    assert_eq!(rest(WaitReason::Pause), "  ⏸ the API is overloaded (30s)\n");
}

#[test]
fn checks_show_how_they_failed() {
    let gate = |outcome| {
        let command = "make check".into();
        let log = "check.log".into();
        about(LoopEvent::CheckEnded(events::CheckRecord {
            command,
            outcome,
            seconds: 61.0,
            fail_action: FailAction::Append,
            log,
            tail: vec![],
        }))
    };
    let failed = |how: &str| {
        format!("  ❌ check  make check  1m 01s  {how}\n      full output: check.log\n")
    };
    assert_eq!(gate(CheckOutcome::Passed), "  ✅ check  make check  1m 01s\n");
    assert_eq!(gate(CheckOutcome::Failed(None)), failed("ended by a signal"));
    assert_eq!(gate(CheckOutcome::TimedOut), failed("timed out"));
    assert_eq!(gate(CheckOutcome::NotStarted), failed("could not be started"));
}

#[test]
fn a_status_change_shows_both_states() {
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
fn an_accepted_claim_and_an_iteration_without_progress() {
    for (basis, end) in [
        (ClaimBasis::TaskList, ", and all stories are done"),
        (ClaimBasis::Checks, ", and all checks passed"),
        (ClaimBasis::Nothing, " (no checks configured)"),
    ] {
        assert_eq!(
            about(LoopEvent::CompletionClaimed { accepted: true, basis, why: None }),
            format!("  ✅ the agent reports completion{end}\n")
        );
    }
    let footer = about(iteration_ended(3, Mode::Review, IterationStatus::NoProgress));
    assert!(footer.starts_with("  ▲ no progress · 4m 12s"), "{footer}");
}

#[test]
fn a_near_miss_of_the_tag_is_shown_unless_a_task_list_decides() {
    let checked = |near_miss| LoopEvent::CompletionChecked {
        wanted: "<response>DONE</response>".into(),
        found: None,
        near_miss,
    };
    let words = "  ▲ not counted as complete: the last message ends with the completion word without the tag \
                 <response>DONE</response>\n";
    assert_eq!(about(checked(Some(NearMiss::NoTag))), words);
    assert_eq!(about(checked(None)), "");
    let stories = [a_run()[0].clone(), stamped(0, checked(Some(NearMiss::NoTag)))];
    let shown = rendered(&renderer(None), &stories[..]);
    assert!(!shown.contains("not counted"), "{shown}");
}

/// The lines of a review that ends with status `to`.
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
    rendered(&renderer(None), &events[..])
}

#[test]
fn only_an_approval_by_the_reviewer_counts_as_approved() {
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
fn a_failed_check_shows_its_effect_on_the_next_prompt() {
    for (fail_action, words) in [
        (FailAction::Append, "appended to the next prompt"),
        (FailAction::Prepend, "prepended to the next prompt"),
        (FailAction::Replace, "replaces the next prompt"),
    ] {
        let gate = |outcome| {
            LoopEvent::CheckEnded(events::CheckRecord {
                command: "make".into(),
                outcome,
                seconds: 1.0,
                fail_action,
                log: "x.log".into(),
                tail: vec![],
            })
        };
        let failed = || gate(CheckOutcome::Failed(Some(1)));
        let in_mode = |mode, ended| {
            let started = LoopEvent::CheckStarted { command: "make".into(), number: 1, of: 1 };
            let events = [iteration_started(1, 1, mode), started, ended];
            rendered(&renderer(None), &events.map(|event| stamped(0, event)))
        };
        let last = |text: String| text.lines().last().unwrap().trim().to_owned();
        assert_eq!(last(in_mode(Mode::Implement, failed())), words);
        let of_tests = "accepted if the new tests explain it";
        assert_eq!(last(in_mode(Mode::Specify, failed())), of_tests);
        assert!(!in_mode(Mode::Implement, gate(CheckOutcome::Passed)).contains("prompt"));
        assert!(!about(failed()).contains("prompt"), "a check of the base");
    }
}

#[test]
fn scm_tasks_show_their_result() {
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
fn unknown_model_and_version_are_omitted() {
    let started = |model: &str, version: &str| {
        about(LoopEvent::SessionStarted { model: model.into(), version: version.into() })
    };
    assert_eq!(started("m", "1"), "  m, version 1\n");
    assert_eq!(started("m", ""), "  m\n");
    assert_eq!(started("", "1"), "  version 1\n");
    assert_eq!(started("", ""), "");
}

#[test]
fn without_reviews_a_story_that_passes_is_not_shown_as_open() {
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
