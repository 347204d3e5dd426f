use events::samples::{
    a_long_run, a_prompt_loop, a_proof, a_run, a_run_with_a_proof, a_run_with_failures,
    a_run_with_lanes, stamped,
};
use events::{CheckOutcome, LoopEvent, LoopKind, Role, RunState, Stamped};
use proptest::prelude::*;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::look::{Look, Signs};
use crate::replay::{EventTimes, Replay};
use crate::state::{DashboardMode, DashboardState};
use crate::tests::{PLAIN, buffer, press, screen, state_of, types};

/// A run in the middle of its first iteration.
fn running() -> Vec<Stamped> {
    let mut events = a_run();
    let ends = |stamped: &Stamped| matches!(stamped.event, LoopEvent::AgentEnded { .. });
    let end = events.iter().position(ends).unwrap();
    events.truncate(end);
    events
}

fn hostile() -> Vec<Stamped> {
    let mut events = running();
    let texts = [
        "<script>alert(1)</script> & \x1b[2J\x1b]0;title\x07gone\u{202e}txet\u{2066}",
        "漢字と仮名 👩\u{200d}👩\u{200d}👧 e\u{301}\u{301}\u{301} \u{200b}zero",
    ];
    for text in texts {
        events.push(stamped(20, LoopEvent::AgentText { text: text.into() }));
    }
    events.push(stamped(21, LoopEvent::AgentText { text: "x".repeat(1_000_000) }));
    events
}

fn paused() -> Vec<Stamped> {
    let mut events = a_run();
    let rests = |stamped: &Stamped| matches!(stamped.event, LoopEvent::Waiting { .. });
    let rest = events.iter().position(rests).unwrap();
    events.truncate(rest);
    let order = project::orders::Order::Pause;
    events.push(stamped(255, LoopEvent::OrderAccepted { order }));
    events.push(stamped(256, LoopEvent::Paused));
    events
}

fn of_prompts() -> Vec<Stamped> {
    let mut events = a_prompt_loop(LoopKind::Prompt, "", 0.4);
    events.truncate(3);
    events.extend(running().into_iter().skip(5).take(6));
    events
}

mod proof;

const SMALL: (u16, u16) = (40, 10);
const USUAL: (u16, u16) = (80, 24);
const LARGE: (u16, u16) = (120, 40);
const HUGE: (u16, u16) = (200, 60);

#[test]
fn screens_of_runs() {
    for (name, events, sizes) in [
        ("running", running(), &[SMALL, USUAL, LARGE, HUGE][..]),
        ("hostile", hostile(), &[SMALL, USUAL, LARGE]),
        ("paused", paused(), &[SMALL, USUAL]),
        ("prompt_loop", of_prompts(), &[USUAL, LARGE]),
        ("interrupted", a_run(), &[USUAL]),
        ("failed", a_run_with_failures(), &[SMALL, USUAL, LARGE, HUGE]),
        ("lanes", a_run_with_lanes(), &[SMALL, USUAL, LARGE, HUGE]),
    ] {
        for &size in sizes {
            let name = format!("{name}_{}x{}", size.0, size.1);
            insta::assert_snapshot!(name, screen(&mut state_of(&events), size));
        }
    }
}

#[test]
fn without_emoji_and_colours_it_is_plain_ascii() {
    let ascii = Look { coloured: false, signs: Signs::ASCII };
    let mut events = a_long_run(30);
    events.extend(a_run_with_failures().into_iter().filter(|stamped| stamped.to_line().is_ascii()));
    for size in [SMALL, USUAL, LARGE] {
        let mut state = state_of(&events);
        state.look = ascii;
        let text = screen(&mut state, size);
        assert!(text.is_ascii(), "{text}");
        let drawn = buffer(&state, size);
        let none = ratatui::style::Color::Reset;
        assert!(drawn.content().iter().all(|cell| (cell.fg, cell.bg) == (none, none)));
    }
    let mut state = state_of(&events);
    state.look = ascii;
    types(&mut state, "?");
    let text = screen(&mut state, USUAL);
    insta::assert_snapshot!("help_in_ascii_80x24", text);
    assert!(text.is_ascii(), "{text}");
}

#[test]
fn with_colours_the_badge_is_coloured() {
    let mut state = state_of(&running());
    state.look = Look { coloured: true, ..PLAIN };
    let drawn = buffer(&state, USUAL);
    assert_eq!(drawn[(1, 0)].bg, ratatui::style::Color::Indexed(22), "the badge");
}

#[test]
fn every_state_has_a_badge() {
    let word = |state: &DashboardState| super::header::standing(state).1;
    let mut state = state_of(&running());
    assert_eq!(word(&state), "RUNNING");
    state.run_state = Some(RunState::Died);
    assert_eq!(word(&state), "DIED");
    assert_eq!(word(&state_of(&paused())), "PAUSED");
    assert_eq!(word(&state_of(&a_run())), "STOPPED");
    let rests = a_run().iter().position(|s| matches!(s.event, LoopEvent::Waiting { .. })).unwrap();
    assert_eq!(word(&state_of(&a_run()[..=rests])), "WAITING");
    assert_eq!(word(&state_of(&a_run_with_failures())), "FAILED");
    assert_eq!(word(&state_of(&a_prompt_loop(LoopKind::Plan, "", 0.1))), "COMPLETE");
    state.reading = Some(45);
    assert!(screen(&mut state, USUAL).contains("reading the log: 45%"));
}

#[test]
fn an_altered_log_is_shown_at_every_size() {
    let mut state = state_of(&running());
    let whole = events::samples::log(&a_run());
    let cut = whole.split_once('\n').unwrap().1;
    for (log, is_named) in [(whole.as_str(), false), (cut, true)] {
        let (chain, _) = events::run_logs::chain(log.as_bytes(), None).unwrap();
        state.log_altered = chain.check().altered().map(str::to_owned);
        for size in [(120, 40), (80, 24), (50, 12)] {
            let text = screen(&mut state, size);
            assert_eq!(text.contains("the event log was altered"), is_named, "{text}");
        }
    }
}

#[test]
fn a_dead_run_shows_its_last_iteration() {
    let mut state = state_of(&running());
    state.run_state = Some(RunState::Died);
    let text = screen(&mut state, USUAL);
    assert!(text.contains("interrupted") && text.contains("Last: iteration"), "{text}");
    assert!(!text.contains("Now:") && !text.contains("▸ US"), "{text}");
}

#[test]
fn failed_checks_come_first_and_the_rest_is_counted() {
    let mut events = running();
    for number in 0..30 {
        let outcome =
            if number == 2 { CheckOutcome::Failed(Some(1)) } else { CheckOutcome::Passed };
        let command = format!("check-{number}");
        let (number, of) = (number + 1, 30);
        events.push(stamped(20, LoopEvent::CheckStarted { command: command.clone(), number, of }));
        let ended = LoopEvent::CheckEnded(events::CheckRecord {
            command,
            outcome,
            seconds: 1.0,
            fail_action: events::FailAction::default(),
            log: String::new(),
            tail: Vec::new(),
        });
        events.push(stamped(21, ended));
    }
    let mut state = state_of(&events);
    let text = screen(&mut state, LARGE);
    assert!(text.contains("✗ check-2 exit code 1") && text.contains("more passed"), "{text}");
    assert!(screen(&mut state, USUAL).contains("✗ check-2 exit code 1"));
}

#[test]
fn a_skipped_story_did_not_fail() {
    let mut events = a_run_with_failures();
    let ended = events.pop().unwrap();
    for stamped in &mut events {
        if let LoopEvent::StoryGivenUp { given_up, .. } = &mut stamped.event {
            given_up.reason = events::GiveUpReason::Skipped;
        }
    }
    assert!(matches!(ended.event, LoopEvent::RunEnded { .. }));
    let mut state = state_of(&events);
    let text = screen(&mut state, USUAL);
    let head = text.lines().find(|line| line.contains("Stories ")).unwrap();
    assert!(head.contains(" skipped") && !head.contains("1 failed"), "{text}");
    assert!(screen(&mut state, SMALL).contains(" skipped"), "{text}");
}

#[test]
fn the_help_stays_within_its_frame() {
    for size in [(60, 20), (80, 24), (120, 40)] {
        let mut state = state_of(&running());
        types(&mut state, "?");
        let text = screen(&mut state, size);
        let inside = text.lines().skip_while(|line| !line.contains('┌')).skip(1);
        let rows: Vec<&str> = inside.take_while(|line| !line.contains('└')).collect();
        assert!(rows.iter().all(|row| row.matches('│').count() == 2), "{text}");
        assert!(rows.last().unwrap().contains("press any key to close"), "{text}");
    }
}

#[test]
fn reviews_and_failures_are_shown_at_every_width() {
    for width in [60, 80, 110, 120, 200] {
        let text = screen(&mut state_of(&running()), (width, 40));
        let head = text.lines().find(|line| line.contains("Stories ")).unwrap();
        for column in [" state ", " rev", " fail", " cost"] {
            assert!(head.contains(column), "{width} {column}: {text}");
        }
    }
}

#[test]
fn a_loop_without_stories_offers_no_skip() {
    let footer = screen(&mut state_of(&of_prompts()), USUAL).lines().last().unwrap().to_owned();
    assert!(footer.contains("x stop") && !footer.contains("skip"), "{footer}");
}

#[test]
fn matches_are_visible_and_marked() {
    let mut state = state_of(&running());
    screen(&mut state, USUAL);
    types(&mut state, "/PWNED");
    assert!(screen(&mut state, USUAL).lines().last().unwrap().starts_with("search: PWNED"));
    press(&mut state, &[KeyCode::Enter]);
    let text = screen(&mut state, USUAL);
    let row =
        text.lines().position(|line| line.contains("]0;pwned")).unwrap_or_else(|| panic!("{text}"));
    let drawn = buffer(&state, USUAL);
    let reversed = (0..80u16)
        .filter(|&x| drawn[(x, row as u16)].modifier.contains(ratatui::style::Modifier::REVERSED));
    assert_eq!(reversed.count(), 5);
    types(&mut state, "/nowhere");
    press(&mut state, &[KeyCode::Enter]);
    assert!(screen(&mut state, USUAL).contains("\"nowhere\" not found in the stream"));
}

#[test]
fn the_running_story_is_visible_among_many() {
    let mut state = state_of(&a_long_run(1000));
    let text = screen(&mut state, USUAL);
    assert!(text.contains("▸ US-0499"), "{text}");
    press(&mut state, &[KeyCode::Tab, KeyCode::Tab, KeyCode::Char('g')]);
    assert!(screen(&mut state, USUAL).contains("US-0000"));
    press(&mut state, &[KeyCode::End]);
    assert!(screen(&mut state, USUAL).contains("US-0499"));
}

#[test]
fn a_replay_shows_speed_and_progress() {
    let mut times = EventTimes::default();
    a_run().iter().for_each(|stamped| times.push(stamped));
    let mut state = state_of(&[]);
    state.mode = DashboardMode::Replaying(Replay::new(times, 10.0));
    assert!(screen(&mut state, USUAL).contains("the run has no events yet"));
    state.apply(&a_run()[0]);
    types(&mut state, "+ ");
    let text = screen(&mut state, USUAL);
    for word in ["Space play", "+/- x20", " REPLAY  x20, 0% · RUNNING · "] {
        assert!(text.contains(word), "{text}");
    }
}

#[test]
fn a_lane_can_be_chosen() {
    let mut state = state_of(&a_run_with_lanes());
    let mut shown = |key: &str| {
        types(&mut state, key);
        let text = screen(&mut state, USUAL);
        let title = text.lines().find(|line| line.contains("Now: ")).unwrap().to_owned();
        let (_, lane) = title.split_once("lane ").unwrap();
        assert!(text.contains(&format!("▸ {}", &lane[..8])), "{text}");
        (title, text)
    };
    let (title, text) = shown("");
    assert!(title.contains("Now: lane 1 US-005 · implement · 2m 09s"), "{title}");
    assert!(text.contains("I will work on US-005."), "{text}");
    let (title, text) = shown("3");
    assert!(title.contains("lane 3 US-003 · merging · 1m 21s"), "{title}");
    assert!(text.contains("checks: ▸ cargo test 1/1"), "{text}");
    assert!(shown("]").0.contains("lane 1 "), "after the last comes the first");
    assert!(shown("[").0.contains("lane 3 "));
    assert!(shown("9").0.contains("lane 3 "), "there is no lane 9");
    types(&mut state, "2s");
    let asked = screen(&mut state, USUAL).lines().last().unwrap().to_owned();
    assert!(asked.contains("skip US-004"), "{asked}");
}

#[test]
fn the_keys_of_lanes_are_offered_only_in_a_run_with_lanes() {
    for (events, has_lanes) in [(running(), false), (a_run_with_lanes(), true)] {
        let mut state = state_of(&events);
        let footer = screen(&mut state, USUAL).lines().last().unwrap().to_owned();
        assert_eq!(footer.contains("[ ] lane"), has_lanes, "{footer}");
        types(&mut state, "?");
        assert_eq!(screen(&mut state, LARGE).contains("show lane 1 to 9"), has_lanes);
    }
}

#[test]
fn a_new_run_is_offered() {
    let mut state = state_of(&a_run());
    state.newer = Some("20261116-000000-0001".into());
    assert!(screen(&mut state, USUAL).contains("r open the new run 20261116-000000-0001"));
    state.set_notice(Role::Warn, "a\x1b[2Jb");
    assert!(screen(&mut state, USUAL).ends_with("ab\n"));
}

fn any_key() -> impl Strategy<Value = KeyEvent> {
    let codes = prop_oneof![
        any::<char>().prop_map(KeyCode::Char),
        "[?/nNrpsxtyjkgGq:+= \\[\\]1-3-]"
            .prop_map(|text| KeyCode::Char(text.chars().next().unwrap())),
        proptest::sample::select(vec![
            KeyCode::Up,
            KeyCode::Down,
            KeyCode::PageUp,
            KeyCode::PageDown,
            KeyCode::Home,
            KeyCode::End,
            KeyCode::Left,
            KeyCode::Right,
            KeyCode::Tab,
            KeyCode::BackTab,
            KeyCode::Enter,
            KeyCode::Esc,
            KeyCode::Backspace,
            KeyCode::Delete,
            KeyCode::F(1),
        ]),
    ];
    let modifiers = prop_oneof![
        8 => Just(KeyModifiers::NONE), 1 => Just(KeyModifiers::CONTROL), 1 => Just(KeyModifiers::SHIFT)
    ];
    (codes, modifiers).prop_map(|(code, modifiers)| KeyEvent::new(code, modifiers))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_size_events_and_keys_can_be_drawn(
        sizes in prop::collection::vec((1u16..220, 1u16..70), 1..5),
        picked in prop::collection::vec(0usize..600, 0..60),
        keys in prop::collection::vec(any_key(), 0..40),
        replays in any::<bool>(),
    ) {
        let lanes = a_run_with_lanes();
        let (failures, proven) = (a_run_with_failures(), a_run_with_a_proof(&a_proof()));
        let all = [hostile(), a_run(), lanes, failures, proven, paused(), of_prompts()].concat();
        let mut state = state_of(&[]);
        if replays {
            let mut times = EventTimes::default();
            all.iter().for_each(|stamped| times.push(stamped));
            state.mode = DashboardMode::Replaying(Replay::new(times, 10.0));
        }
        let mut keys = keys.into_iter();
        for &at in &picked {
            state.apply(&all[at % all.len()]);
            if let Some(key) = keys.next() {
                state.key(key);
            }
        }
        for size in sizes {
            for key in keys.by_ref().take(5) {
                screen(&mut state, size);
                state.key(key);
            }
            let text = screen(&mut state, size);
            prop_assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
        }
    }
}

#[test]
fn a_title_gets_the_remaining_columns() {
    let mut events = running();
    let title = "A title that needs more than fifty columns of its own";
    if let LoopEvent::RunStarted { stories, .. } = &mut events[0].event {
        stories[0].title = title.into();
    }
    let text = screen(&mut state_of(&events), USUAL);
    assert!(!text.contains(title), "the state of another story is long\n{text}");
    let text = screen(&mut state_of(&events), (100, 24));
    assert!(text.contains(title), "{text}");
}
