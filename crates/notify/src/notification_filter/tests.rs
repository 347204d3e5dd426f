//! Every kind, for whom it is, and what it never says.

use engine::{GiveUpReason, QuotaState, RestReason, RunEnd, StoryCommits, Tier};
use events::samples::{
    RUN, a_prompt_loop, a_prompt_loop_reporting, a_run, at, escalated, given_up, id, run_ended,
    stamped, stories,
};

use super::*;

const ALL: [Class; 3] = [Class::Finished, Class::Failed, Class::NeedsAttention];

/// Knows how the run of the samples began.
fn watch(classes: &[Class]) -> NotificationFilter {
    let scrubber = Scrubber::new([], []);
    let mut watch = NotificationFilter::new(classes.to_vec(), scrubber);
    let first = a_run().remove(0);
    assert_eq!(watch.hear(&first), None);
    watch
}

fn heard(event: LoopEvent) -> Option<Notice> {
    watch(&ALL).hear(&stamped(90, event))
}

fn story_given_up(reason: GiveUpReason) -> LoopEvent {
    let given_up = given_up(reason, StoryCommits::Nothing);
    LoopEvent::StoryGivenUp { story: id("US-002"), given_up }
}

fn resting(reason: RestReason) -> LoopEvent {
    LoopEvent::Waiting { reason, text: "agents say /etc/passwd".into(), until: at(90 + 7800) }
}

fn guard_missing() -> LoopEvent {
    LoopEvent::HookMissing { why: "it said: /home/me/x".into() }
}

#[test]
fn each_kind_has_its_event_and_says_it_in_a_line() {
    for (event, kind, state, said) in [
        (
            run_ended(RunEnd::Complete),
            Kind::Finished,
            RunState::Over,
            "Ralph has finished shop: the run is complete. ",
        ),
        (
            run_ended(RunEnd::StoriesFailed),
            Kind::Failed,
            RunState::Over,
            "Ralph stopped in shop: stories failed. ",
        ),
        (
            run_ended(RunEnd::AgentFailed),
            Kind::Failed,
            RunState::Over,
            "Ralph stopped in shop: the agent failed. ",
        ),
        (
            run_ended(RunEnd::Terminated),
            Kind::Failed,
            RunState::Over,
            "Ralph stopped in shop: terminated. ",
        ),
        (
            run_ended(RunEnd::CostCeiling),
            Kind::LimitReached,
            RunState::Over,
            "Ralph stopped in shop: cost ceiling reached. ",
        ),
        (
            run_ended(RunEnd::QuotaCeiling),
            Kind::LimitReached,
            RunState::Over,
            "Ralph stopped in shop: usage limit reached. ",
        ),
        (
            run_ended(RunEnd::TimeUsed),
            Kind::LimitReached,
            RunState::Over,
            "Ralph stopped in shop: time used up. ",
        ),
        (
            story_given_up(GiveUpReason::AttemptsUsed),
            Kind::StoryFailed,
            RunState::GoesOn,
            "Ralph gave up a story of shop: US-002 \"Sums with tax\" failed after 5 attempts. ",
        ),
        (
            story_given_up(GiveUpReason::Stuck),
            Kind::StoryFailed,
            RunState::GoesOn,
            "Ralph gave up a story of shop: US-002 \"Sums with tax\" is stuck: the same failure each time, 5 attempts. ",
        ),
        (
            guard_missing(),
            Kind::GuardMissing,
            RunState::GoesOn,
            "Ralph works without its guard in shop: the Stop guard did not do its work in a session. ",
        ),
        (
            resting(RestReason::UsageLimit),
            Kind::LimitReached,
            RunState::GoesOn,
            "Ralph rests in shop: the usage limit is reached, and it goes on by itself in 2h 10m. ",
        ),
        (
            escalated(Tier::StrategyShift, &[]),
            Kind::Stuck,
            RunState::GoesOn,
            "Ralph is stuck in shop: US-003 \"日本語の領収書 (receipts in the customer's own language)\" fails in the same way again and again, and is now tried another way. ",
        ),
    ] {
        let notice = heard(event).unwrap();
        assert_eq!((notice.kind, notice.state), (kind, state));
        assert!(notice.text.starts_with(said), "{}", notice.text);
        assert!(notice.text.ends_with(" Next: ralph-loop report"), "{}", notice.text);
        assert!(!notice.to_json().contains("/"), "{}", notice.to_json());
    }
}

#[test]
fn what_matters_less_is_no_word_and_nor_is_what_the_user_did() {
    for event in [
        run_ended(RunEnd::Interrupted),
        run_ended(RunEnd::Stopped),
        story_given_up(GiveUpReason::Skipped),
        escalated(Tier::ContextExpansion, &["src/a.rs"]),
        resting(RestReason::Backoff),
        resting(RestReason::Pause),
        LoopEvent::Warning { text: "x".into() },
        LoopEvent::Quota {
            state: QuotaState::Warning,
            window: "5h".into(),
            used: None,
            resets_at: None,
        },
    ] {
        assert_eq!(heard(event), None);
    }
}

#[test]
fn only_the_classes_that_were_chosen_are_told_of() {
    let told = |class, event| watch(&[class]).hear(&stamped(90, event)).is_some();
    let complete = || run_ended(RunEnd::Complete);
    let failed = || run_ended(RunEnd::Blocked);
    let ceiling = || run_ended(RunEnd::CostCeiling);
    let each = |event: fn() -> LoopEvent| ALL.map(|class| told(class, event()));
    assert_eq!(each(complete), [true, false, false]);
    assert_eq!(each(failed), [false, true, false]);
    assert_eq!(each(guard_missing), [false, false, true]);
    assert_eq!(each(ceiling), [false, true, true], "a run that ends at a limit is over as well");
    assert_eq!(watch(&[]).hear(&stamped(90, complete())), None);
}

#[test]
fn the_fields_are_those_of_the_run() {
    let notice = heard(run_ended(RunEnd::Complete)).unwrap();
    assert_eq!((notice.run.as_str(), notice.project.as_str()), (RUN, "shop"));
    assert_eq!(notice.stories, Some(stories().len() as u64));
    assert_eq!((notice.story, notice.title, notice.more), (None, None, 0));
    assert!(notice.iterations > 0 && notice.cost_usd > Some(0.0) && notice.seconds > 0.0);
    let so_far = heard(guard_missing()).unwrap();
    assert_eq!((so_far.seconds, so_far.iterations), (90.0, 2));
}

#[test]
fn a_cost_that_no_agent_reports_is_unknown() {
    let last_of = |reported: Option<f64>| {
        let mut watch = NotificationFilter::new(ALL.to_vec(), Scrubber::new([], []));
        let events = a_prompt_loop_reporting(reported);
        events.iter().filter_map(|stamped| watch.hear(stamped)).last().unwrap()
    };
    let unknown = last_of(None);
    assert_eq!(unknown.cost_usd, None);
    assert!(unknown.text.contains(", cost unknown. Next: "), "{}", unknown.text);
    assert!(last_of(Some(0.0)).text.contains(", $0.00. Next: "));
}

#[test]
fn a_second_one_within_a_minute_is_counted_and_a_run_that_goes_on_starts_anew() {
    let mut watch = watch(&ALL);
    let mut hear = |seconds, event| watch.hear(&stamped(seconds, event));
    assert!(hear(1, guard_missing()).is_some());
    assert!((2..5).all(|seconds| hear(seconds, guard_missing()).is_none()));
    assert!(hear(5, escalated(Tier::StrategyShift, &[])).is_some(), "another kind");
    let next = hear(61, guard_missing()).unwrap();
    assert_eq!(next.more, 3);
    assert!(next.text.contains(" And 3 more since the last such notice. "), "{}", next.text);
    assert!(hear(62, guard_missing()).is_none());
    let started = a_run().remove(0).event;
    assert!(hear(63, started).is_none());
    assert_eq!(hear(64, guard_missing()).map(|notice| notice.more), Some(0));
}

#[test]
fn a_prompt_loop_is_called_after_its_folder_and_never_after_its_prompt() {
    let mut watch = NotificationFilter::new(ALL.to_vec(), Scrubber::new([], []));
    let mut events = a_prompt_loop(LoopKind::Prompt, "", 0.1);
    if let LoopEvent::RunStarted { name, project, .. } = &mut events[0].event {
        (*name, *project) = ("all of the prompt".into(), "/home/me/shop of mine".into());
    }
    events.push(stamped(900, run_ended(RunEnd::Complete)));
    let notices: Vec<Notice> = events.iter().filter_map(|event| watch.hear(event)).collect();
    let last = notices.last().unwrap();
    assert_eq!(last.project, "shop of mine");
    assert!(!last.to_json().contains("all of the prompt") && !last.to_json().contains("/home"));
}

/// A title is anybody's text.
#[test]
fn hostile_names_are_plain_short_and_without_secrets() {
    let secret = format!("ghp_{}", "a1".repeat(12));
    for (title, absent) in [
        ("a\x1b]9;x\x07\nb\u{202e}c".to_owned(), vec!["\x1b", "\x07", "\n", "\u{202e}"]),
        (format!("push with {secret}"), vec![secret.as_str()]),
        (format!("{}{secret}", "x ".repeat(55)), vec!["ghp_"]),
        (format!("{}\u{1b}[1m{}", &secret[..10], &secret[10..]), vec![&secret[10..]]),
        ("y".repeat(100_000), vec!["yyyyyyyyyy".repeat(13).leak() as &str]),
    ] {
        let mut started = a_run().remove(0);
        if let LoopEvent::RunStarted { stories, name, .. } = &mut started.event {
            stories[1].title.clone_from(&title);
            name.clone_from(&title);
        }
        let mut watch = watch(&ALL);
        watch.hear(&started);
        let notice = watch.hear(&stamped(90, story_given_up(GiveUpReason::Stuck))).unwrap();
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
fn what_was_held_back_is_said_once_the_minute_is_over() {
    let mut watch = watch(&ALL);
    assert!(watch.hear(&given_up_story("US-001", 90)).is_some());
    assert_eq!(watch.hear(&given_up_story("US-002", 91)), None);
    let later = |seconds| stamped(seconds, LoopEvent::LeftoverFound { text: "x".into() });
    assert_eq!(watch.hear(&later(149)), None);
    let notice = watch.hear(&later(150)).unwrap();
    assert_eq!((notice.story.as_deref(), notice.more), (Some("US-002"), 0));
    assert_eq!(watch.hear(&later(400)), None, "once");
}

#[test]
fn the_last_notice_names_the_stories_that_failed() {
    let mut watch = watch(&ALL);
    let mut ended = run_ended(RunEnd::StoriesFailed);
    let LoopEvent::RunEnded { stories, .. } = &mut ended else { panic!() };
    for story in stories.iter_mut() {
        (story.passes, story.given_up) = (false, None);
    }
    for (story, reason) in
        stories.iter_mut().zip([GiveUpReason::Stuck, GiveUpReason::Stuck, GiveUpReason::Skipped])
    {
        story.given_up = Some(given_up(reason, StoryCommits::Nothing));
    }
    let names = format!("2 failed ({}, {}), ", stories[0].id, stories[1].id);
    let notice = watch.hear(&stamped(90, ended)).unwrap();
    assert!(notice.text.contains(&names), "{names}: {}", notice.text);
}
