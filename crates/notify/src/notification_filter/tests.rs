//! Every kind, its class, and what a notice must not contain.

use events::samples::{
    RUN, a_prompt_loop, a_prompt_loop_reporting, a_run, at, escalated, given_up, id,
    question_and_answer, run_ended, stamped, stories,
};
use events::{EscalationTier, GiveUpReason, QuotaState, RunEnd, StoryCommits, WaitReason};

use super::*;

const ALL: [NoticeClass; 3] =
    [NoticeClass::Finished, NoticeClass::Failed, NoticeClass::NeedsAttention];

/// Has received the start of the sample run.
fn filter_for(classes: &[NoticeClass]) -> NotificationFilter {
    let scrubber = Scrubber::new([], []);
    let mut filter = NotificationFilter::new(classes.to_vec(), scrubber);
    let first = a_run().remove(0);
    assert_eq!(filter.apply(&first), None);
    filter
}

fn notice_for(event: LoopEvent) -> Option<Notice> {
    filter_for(&ALL).apply(&stamped(90, event))
}

fn story_given_up(reason: GiveUpReason) -> LoopEvent {
    let given_up = given_up(reason, StoryCommits::Nothing);
    LoopEvent::StoryGivenUp { story: id("US-002"), given_up }
}

fn waiting(reason: WaitReason) -> LoopEvent {
    LoopEvent::Waiting(events::WaitView {
        reason,
        text: "agents say /etc/passwd".into(),
        until: at(90 + 7800),
    })
}

fn hook_missing() -> LoopEvent {
    LoopEvent::HookMissing { why: "it said: /home/me/x".into() }
}

#[test]
fn each_kind_has_its_event_and_text() {
    for (event, kind, run_ended, text) in [
        (
            run_ended(RunEnd::Complete),
            NoticeKind::Finished,
            true,
            "Ralph has finished shop: the run is complete. ",
        ),
        (
            run_ended(RunEnd::StoriesFailed),
            NoticeKind::Failed,
            true,
            "Ralph stopped in shop: stories failed. ",
        ),
        (
            run_ended(RunEnd::AgentFailed),
            NoticeKind::Failed,
            true,
            "Ralph stopped in shop: the agent failed. ",
        ),
        (
            run_ended(RunEnd::Terminated),
            NoticeKind::Failed,
            true,
            "Ralph stopped in shop: terminated. ",
        ),
        (
            run_ended(RunEnd::CostCeiling),
            NoticeKind::LimitReached,
            true,
            "Ralph stopped in shop: cost limit reached. ",
        ),
        (
            run_ended(RunEnd::QuotaCeiling),
            NoticeKind::LimitReached,
            true,
            "Ralph stopped in shop: usage limit reached. ",
        ),
        (
            run_ended(RunEnd::TimeUsed),
            NoticeKind::LimitReached,
            true,
            "Ralph stopped in shop: time limit reached. ",
        ),
        (
            story_given_up(GiveUpReason::AttemptsUsed),
            NoticeKind::StoryFailed,
            false,
            "Ralph gave up a story of shop: US-002 \"Sums with tax\" failed after 5 attempts. ",
        ),
        (
            story_given_up(GiveUpReason::Stuck),
            NoticeKind::StoryFailed,
            false,
            "Ralph gave up a story of shop: US-002 \"Sums with tax\" is stuck: the same failure in 5 attempts. ",
        ),
        (
            hook_missing(),
            NoticeKind::HookMissing,
            false,
            "Ralph hook failure in shop: the Stop hook did not run in a session. ",
        ),
        (
            waiting(WaitReason::UsageLimit),
            NoticeKind::LimitReached,
            false,
            "Ralph waits in shop: usage limit reached; the run resumes in 2h 10m. ",
        ),
        (
            question_and_answer()[0].clone(),
            NoticeKind::Question,
            false,
            "Ralph has a question in shop: US-003 \"日本語の領収書 (receipts in the customer's own language)\" waits for your answer; see ralph-loop questions. ",
        ),
        (
            run_ended(RunEnd::QuestionsOpen),
            NoticeKind::Question,
            true,
            "Ralph stopped in shop: waiting for answers. ",
        ),
        (
            escalated(EscalationTier::StrategyShift, &[]),
            NoticeKind::Stuck,
            false,
            "Ralph is stuck in shop: US-003 \"日本語の領収書 (receipts in the customer's own language)\" repeats the same failure; the next attempt uses another strategy. ",
        ),
    ] {
        let notice = notice_for(event).unwrap();
        assert_eq!((notice.kind, notice.run_ended), (kind, run_ended));
        assert!(notice.text.starts_with(text), "{}", notice.text);
        assert!(notice.text.ends_with(" Next: ralph-loop report"), "{}", notice.text);
        assert!(!notice.to_json().contains("/"), "{}", notice.to_json());
    }
}

#[test]
fn minor_events_and_actions_of_the_user_cause_no_notice() {
    for event in [
        run_ended(RunEnd::Interrupted),
        run_ended(RunEnd::Stopped),
        story_given_up(GiveUpReason::Skipped),
        escalated(EscalationTier::ContextExpansion, &["src/a.rs"]),
        waiting(WaitReason::Backoff),
        waiting(WaitReason::Pause),
        LoopEvent::Warning { text: "x".into() },
        LoopEvent::Quota(events::Quota {
            state: QuotaState::Warning,
            window: "5h".into(),
            used: None,
            resets_at: None,
        }),
    ] {
        assert_eq!(notice_for(event), None);
    }
}

#[test]
fn only_the_chosen_classes_are_notified() {
    let notified = |class, event| filter_for(&[class]).apply(&stamped(90, event)).is_some();
    let complete = || run_ended(RunEnd::Complete);
    let failed = || run_ended(RunEnd::Blocked);
    let ceiling = || run_ended(RunEnd::CostCeiling);
    let each = |event: fn() -> LoopEvent| ALL.map(|class| notified(class, event()));
    assert_eq!(each(complete), [true, false, false]);
    assert_eq!(each(failed), [false, true, false]);
    assert_eq!(each(hook_missing), [false, false, true]);
    assert_eq!(each(ceiling), [false, true, true], "a run that ends at a limit is over as well");
    assert_eq!(filter_for(&[]).apply(&stamped(90, complete())), None);
}

#[test]
fn the_fields_are_those_of_the_run() {
    let notice = notice_for(run_ended(RunEnd::Complete)).unwrap();
    assert_eq!((notice.run.as_str(), notice.project.as_str()), (RUN, "shop"));
    assert_eq!(notice.stories, Some(stories().len() as u64));
    assert_eq!((notice.story, notice.title, notice.more), (None, None, 0));
    assert!(notice.iterations > 0 && notice.cost_usd > Some(0.0) && notice.seconds > 0.0);
    let so_far = notice_for(hook_missing()).unwrap();
    assert_eq!((so_far.seconds, so_far.iterations), (90.0, 2));
}

#[test]
fn a_cost_that_no_agent_reports_is_unknown() {
    let last_of = |reported: Option<f64>| {
        let mut filter = NotificationFilter::new(ALL.to_vec(), Scrubber::new([], []));
        let events = a_prompt_loop_reporting(reported);
        events.iter().filter_map(|stamped| filter.apply(stamped)).last().unwrap()
    };
    let unknown = last_of(None);
    assert_eq!(unknown.cost_usd, None);
    assert!(unknown.text.contains(", cost unknown. Next: "), "{}", unknown.text);
    assert!(last_of(Some(0.0)).text.contains(", $0.00. Next: "));
}

#[test]
fn a_second_notice_within_a_minute_is_counted_and_a_new_run_resets_the_limit() {
    let mut filter = filter_for(&ALL);
    let mut apply = |seconds, event| filter.apply(&stamped(seconds, event));
    assert!(apply(1, hook_missing()).is_some());
    assert!((2..5).all(|seconds| apply(seconds, hook_missing()).is_none()));
    assert!(apply(5, escalated(EscalationTier::StrategyShift, &[])).is_some(), "another kind");
    let next = apply(61, hook_missing()).unwrap();
    assert_eq!(next.more, 3);
    assert!(next.text.contains(" And 3 more since the last such notice. "), "{}", next.text);
    assert!(apply(62, hook_missing()).is_none());
    let started = a_run().remove(0).event;
    assert!(apply(63, started).is_none());
    assert_eq!(apply(64, hook_missing()).map(|notice| notice.more), Some(0));
}

#[test]
fn a_prompt_loop_is_named_after_its_folder_and_never_after_its_prompt() {
    let mut filter = NotificationFilter::new(ALL.to_vec(), Scrubber::new([], []));
    let mut events = a_prompt_loop(LoopKind::Prompt, "", 0.1);
    if let LoopEvent::RunStarted { start, .. } = &mut events[0].event {
        (start.name, start.project) = ("all of the prompt".into(), "/home/me/shop of mine".into());
    }
    events.push(stamped(900, run_ended(RunEnd::Complete)));
    let notices: Vec<Notice> = events.iter().filter_map(|event| filter.apply(event)).collect();
    let last = notices.last().unwrap();
    assert_eq!(last.project, "shop of mine");
    assert!(!last.to_json().contains("all of the prompt") && !last.to_json().contains("/home"));
}

/// Titles are untrusted.
#[test]
fn hostile_names_are_sanitized_short_and_without_secrets() {
    let secret = format!("ghp_{}", "a1".repeat(12));
    for (title, absent) in [
        ("a\x1b]9;x\x07\nb\u{202e}c".to_owned(), vec!["\x1b", "\x07", "\n", "\u{202e}"]),
        (format!("push with {secret}"), vec![secret.as_str()]),
        (format!("{}{secret}", "x ".repeat(55)), vec!["ghp_"]),
        (format!("{}\u{1b}[1m{}", &secret[..10], &secret[10..]), vec![&secret[10..]]),
        ("y".repeat(100_000), vec!["yyyyyyyyyy".repeat(13).leak() as &str]),
    ] {
        let mut started = a_run().remove(0);
        if let LoopEvent::RunStarted { stories, start, .. } = &mut started.event {
            stories[1].title.clone_from(&title);
            start.name.clone_from(&title);
        }
        let mut filter = filter_for(&ALL);
        filter.apply(&started);
        let notice = filter.apply(&stamped(90, story_given_up(GiveUpReason::Stuck))).unwrap();
        for absent in absent {
            assert!(!notice.text.contains(absent), "{title:?} became {}", notice.text);
            assert!(!notice.title.as_ref().unwrap().contains(absent), "{notice:?}");
            assert!(!notice.project.contains(absent), "{notice:?}");
        }
        assert!(notice.to_json().len() < 2000);
    }
}

fn given_up_story(story: &str, seconds: i64) -> Stamped {
    let given_up = given_up(GiveUpReason::Stuck, StoryCommits::Nothing);
    stamped(seconds, LoopEvent::StoryGivenUp { story: id(story), given_up })
}

#[test]
fn a_delayed_notice_is_sent_after_its_minute() {
    let mut filter = filter_for(&ALL);
    assert!(filter.apply(&given_up_story("US-001", 90)).is_some());
    assert_eq!(filter.apply(&given_up_story("US-002", 91)), None);
    let later = |seconds| stamped(seconds, LoopEvent::LeftoverFound { text: "x".into() });
    assert_eq!(filter.apply(&later(149)), None);
    let notice = filter.apply(&later(150)).unwrap();
    assert_eq!((notice.story.as_deref(), notice.more), (Some("US-002"), 0));
    assert_eq!(filter.apply(&later(400)), None, "once");
}

#[test]
fn the_last_notice_names_the_stories_that_failed() {
    let mut filter = filter_for(&ALL);
    let mut ended = run_ended(RunEnd::StoriesFailed);
    let LoopEvent::RunEnded(events::RunEnded { stories, .. }) = &mut ended else { panic!() };
    for story in stories.iter_mut() {
        (story.passes, story.given_up) = (false, None);
    }
    for (story, reason) in
        stories.iter_mut().zip([GiveUpReason::Stuck, GiveUpReason::Stuck, GiveUpReason::Skipped])
    {
        story.given_up = Some(given_up(reason, StoryCommits::Nothing));
    }
    let names = format!("2 failed ({}, {}), ", stories[0].id, stories[1].id);
    let notice = filter.apply(&stamped(90, ended)).unwrap();
    assert!(notice.text.contains(&names), "{names}: {}", notice.text);
}
