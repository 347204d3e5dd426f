use events::samples::{a_run, at, id, stamped};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::*;
use crate::keys::{KEYS, When};
use crate::test_screens::{press, screen, state_of, types};

fn running() -> State {
    let events = a_run();
    state_of(&events[..12])
}

fn told(order: Order) -> Option<Effect> {
    Some(Effect::Order(order))
}

#[test]
fn q_escape_and_ctrl_c_leave_and_whoever_runs_the_loop_interrupts_it() {
    let ctrl_c = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    let mut state = running();
    assert_eq!(types(&mut state, "q"), Some(Effect::Leave));
    assert_eq!(press(&mut state, &[KeyCode::Esc]), Some(Effect::Leave));
    assert_eq!(state.key(ctrl_c), Some(Effect::Leave));
    types(&mut state, "t");
    assert_eq!(state.key(ctrl_c), Some(Effect::Leave));
    state.part = Part::Runs;
    assert_eq!(state.key(ctrl_c), Some(Effect::Interrupt));
    assert_eq!(types(&mut state, "q"), Some(Effect::Leave));
}

#[test]
fn p_pauses_and_lets_it_go_on() {
    let mut state = running();
    assert_eq!(types(&mut state, "p"), told(Order::Pause));
    assert_eq!(state.pause, Pause::Asked);
    assert_eq!(types(&mut state, "p"), told(Order::GoOn));
    assert_eq!(types(&mut state, "p"), told(Order::Pause));
    state.apply(&stamped(100, LoopEvent::OrderAccepted { order: Order::Pause }));
    state.apply(&stamped(110, LoopEvent::Paused));
    assert_eq!(types(&mut state, "p"), told(Order::GoOn));
    assert_eq!(state.pause, Pause::Now, "until it says so");
    // The clock stands still meanwhile.
    assert_eq!(state.worked(at(170)), 110.0);
    state.apply(&stamped(200, LoopEvent::Resumed));
    assert_eq!((state.pause, state.worked(at(210))), (Pause::No, 120.0));
}

#[test]
fn skip_and_stop_ask_first() {
    let mut state = running();
    assert_eq!(types(&mut state, "s"), None);
    assert!(screen(&mut state, (80, 24)).contains("Tell the run to skip US-002? y/n"));
    assert_eq!(types(&mut state, "n"), None);
    assert_eq!(state.asks, Asks::Nothing);
    assert_eq!(types(&mut state, "sy"), told(Order::Skip { story: Some(id("US-002")) }));
    assert_eq!(types(&mut state, "x"), None);
    assert!(screen(&mut state, (80, 24)).contains("Tell the run to stop? y/n"));
    assert_eq!(types(&mut state, "y"), told(Order::Stop));
}

#[test]
fn a_line_is_typed_sent_or_taken_back() {
    let mut state = running();
    types(&mut state, "tuse tabs");
    state.paste(" and\nspaces");
    assert_eq!(
        screen(&mut state, (80, 24)).lines().last(),
        Some("to the next prompt: use tabs and spaces")
    );
    let steer = Order::steer("use tabs and spaces").unwrap();
    assert_eq!(press(&mut state, &[KeyCode::Enter]), told(steer));
    types(&mut state, ":x");
    assert_eq!(press(&mut state, &[KeyCode::Esc]), None);
    assert_eq!(press(&mut state, &[KeyCode::Char('t'), KeyCode::Enter]), None);
    assert!(state.notice.as_ref().unwrap().text.contains("nothing to say"));
}

#[test]
fn a_line_that_is_too_long_stays_and_the_reason_is_said() {
    let mut state = running();
    types(&mut state, "t");
    state.paste(&"wörd ".repeat(20_000));
    assert_eq!(press(&mut state, &[KeyCode::Enter]), None);
    let text = screen(&mut state, (80, 24));
    let rows: Vec<&str> = text.lines().collect();
    assert!(rows[22].starts_with("the text has 99999 characters, more than the 4000"), "{text}");
    assert!(rows[23].starts_with("to the next prompt: "), "{text}");
    // All of it is still there, and can be sent once it is short.
    let Asks::Steer(line) = &state.asks else { panic!("{:?}", state.asks) };
    assert_eq!(line.text().chars().count(), 100_000);
    state.key(KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL));
    types(&mut state, "short");
    assert_eq!(press(&mut state, &[KeyCode::Enter]), told(Order::steer("short").unwrap()));
}

#[test]
fn what_was_said_goes_by_itself() {
    let mut state = running();
    state.say(Role::Warn, "something");
    state.pass_time(at(100));
    state.pass_time(at(104));
    assert!(screen(&mut state, (80, 24)).contains("something"));
    state.pass_time(at(105));
    assert!(screen(&mut state, (80, 24)).contains("q leave"));
}

#[test]
fn whoever_stops_again_is_asked_for_more_and_sees_it_at_once() {
    let footer = |state: &mut State| {
        types(state, "x");
        let text = screen(state, (80, 24));
        assert!(!text.starts_with(" RUNNING ") || state.next_stop() == NextStop::First, "{text}");
        press(state, &[KeyCode::Esc]);
        text.lines().last().unwrap().to_owned()
    };
    let mut state = running();
    assert_eq!(footer(&mut state), "Tell the run to stop? y/n");
    state.asked_to_stop();
    assert!(screen(&mut state, (80, 24)).starts_with(" STOPPING "));
    // The run has taken what was asked: that is no second time.
    state.apply(&stamped(30, LoopEvent::OrderAccepted { order: Order::Stop }));
    assert_eq!(footer(&mut state), "It stops. Kill the agent? y/n");
}

#[test]
fn escape_ends_the_search_before_it_leaves() {
    let mut state = running();
    types(&mut state, "/claude");
    press(&mut state, &[KeyCode::Enter]);
    assert_eq!(press(&mut state, &[KeyCode::Esc]), None);
    assert_eq!(state.search, None);
    assert_eq!(press(&mut state, &[KeyCode::Esc]), Some(Effect::Leave));
}

#[test]
fn ctrl_z_goes_to_the_shell_and_what_is_typed_stays() {
    let mut state = running();
    types(&mut state, "tuse tabs");
    let ctrl_z = KeyEvent::new(KeyCode::Char('z'), KeyModifiers::CONTROL);
    assert_eq!(state.key(ctrl_z), Some(Effect::Suspend));
    assert_eq!(press(&mut state, &[KeyCode::Enter]), told(Order::steer("use tabs").unwrap()));
}

#[test]
fn a_run_that_was_taken_up_again_worked_before_too() {
    let mut state = running();
    let started = a_run()[0].clone();
    state.apply(&stamped(37, LoopEvent::AgentText { text: "the last word".into() }));
    state.apply(&Stamped { at: at(1000), ..started.clone() });
    assert_eq!(state.worked(at(1010)), 47.0);
    let text = screen(&mut state, (80, 24));
    assert!(text.contains(" 1m 37s "), "{text}");
    let ended = a_run().last().unwrap().clone();
    let LoopEvent::RunEnded { seconds, .. } = &ended.event else { unreachable!() };
    state.apply(&ended);
    assert_eq!(state.worked(at(0)), 37.0 + seconds);
    state.rewind();
    state.apply(&started);
    assert_eq!(state.worked(at(5)), 5.0);
}

#[test]
fn nobody_gives_orders_to_a_run_that_is_over_dead_replayed_or_not_read_yet() {
    let mut over = state_of(&a_run());
    let mut dead = running();
    dead.set_run_state(RunState::Died);
    let mut replayed = running();
    replayed.part = Part::Replays(Replay::new(crate::replay::Tape::default(), 1.0));
    // Nobody knows yet.
    let mut unread = running();
    unread.run_state = None;
    for state in [&mut over, &mut dead, &mut replayed, &mut unread] {
        assert!(!state.accepts_orders());
        for key in ["p", "s", "x", "t", ":"] {
            assert_eq!(types(state, key), None, "{key}");
            assert_eq!(state.asks, Asks::Nothing, "{key}");
        }
        let footer = screen(state, (80, 24)).lines().last().unwrap().to_owned();
        assert!(!footer.contains("skip") && footer.contains("q leave"), "{footer}");
    }
}

#[test]
fn r_leads_to_a_newer_run_once_there_is_one() {
    let mut state = running();
    assert_eq!(types(&mut state, "r"), None);
    state.set_newer(Some("20261116-000000-0001".into()));
    assert_eq!(types(&mut state, "r"), Some(Effect::ToNewerRun));
}

#[test]
fn the_stream_is_scrolled_by_lines_and_pages_and_follows_again_at_its_end() {
    let mut state = running();
    for number in 0..100 {
        state.apply(&stamped(20, LoopEvent::AgentText { text: format!("line {number}") }));
    }
    let seen = |state: &mut State, text: &str| {
        screen(state, (80, 24)).lines().any(|line| line.trim() == text)
    };
    assert!(seen(&mut state, "line 99"));
    press(&mut state, &[KeyCode::Up]);
    assert!(!seen(&mut state, "line 99") && seen(&mut state, "line 98"));
    press(&mut state, &[KeyCode::Down]);
    assert_eq!(state.scroll.stream, None);
    press(&mut state, &[KeyCode::PageUp]);
    let page = screen(&mut state, (80, 24));
    assert!(page.contains("lines below, G to the end"), "{page}");
    state.apply(&stamped(21, LoopEvent::AgentText { text: "line 100".into() }));
    let body = |page: &str| page.lines().skip(7).take(8).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(body(&screen(&mut state, (80, 24)))[1..7], body(&page)[1..7], "it stays");
    press(&mut state, &[KeyCode::PageDown, KeyCode::PageDown]);
    assert!(seen(&mut state, "line 100"));
    types(&mut state, "g");
    assert!(screen(&mut state, (80, 24)).contains("The run goes on, with claude"));
    types(&mut state, "G");
    assert_eq!(state.scroll.stream, None);
}

#[test]
fn every_key_of_the_help_does_something_or_is_offered() {
    let keys: Vec<&str> = KEYS.iter().flat_map(|help| help.keys.split(", ")).collect();
    for key in [
        "q", "Esc", "Ctrl-C", "Ctrl-Z", "?", "Tab", "Up", "PgDn", "g", "/", "r", "p", "s", "x",
        "t", ":", "Space", "+", "-", "Left", "Home",
    ] {
        assert!(keys.contains(&key), "{key}");
    }
}

/// docs/watch.md has a table of them.
#[test]
fn the_keys_are_documented_as_they_are() {
    let docs = include_str!("../../../../docs/watch.md");
    for help in KEYS {
        let keys: Vec<String> = help.keys.split(", ").map(|key| format!("`{key}`")).collect();
        let when = match help.when {
            When::Always => "",
            When::Live => "while it runs",
            When::Replay => "in a replay",
        };
        let row = format!("| {} | {} | {when} |", keys.join(" "), help.does).replace("|  |", "| |");
        assert!(docs.contains(&row), "{row}");
    }
    assert_eq!(docs.lines().filter(|line| line.starts_with("| `")).count(), KEYS.len());
}
