use events::Pause;
use events::samples::{a_run, at, id, stamped};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::*;
use crate::keys::{KEYS, When};
use crate::tests::{press, screen, state_of, types};

fn running() -> DashboardState {
    let events = a_run();
    state_of(&events[..12])
}

fn sent(order: Order) -> Option<Effect> {
    Some(Effect::Order(order))
}

#[test]
fn q_escape_and_ctrl_c_leave_and_ctrl_c_interrupts_an_own_run() {
    let ctrl_c = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    let mut state = running();
    assert_eq!(types(&mut state, "q"), Some(Effect::Leave));
    assert_eq!(press(&mut state, &[KeyCode::Esc]), Some(Effect::Leave));
    assert_eq!(state.key(ctrl_c), Some(Effect::Leave));
    types(&mut state, "t");
    assert_eq!(state.key(ctrl_c), Some(Effect::Leave));
    state.mode = DashboardMode::Running;
    assert_eq!(state.key(ctrl_c), Some(Effect::Interrupt));
    assert_eq!(types(&mut state, "q"), Some(Effect::Leave));
}

fn worked(state: &mut DashboardState, now: DateTime<Utc>) -> f64 {
    state.clock = now;
    state.worked()
}

#[test]
fn p_pauses_and_resumes() {
    let mut state = running();
    assert_eq!(types(&mut state, "p"), sent(Order::Pause));
    assert_eq!(state.view.pending_orders.pause, Pause::Requested);
    assert_eq!(types(&mut state, "p"), sent(Order::GoOn));
    assert_eq!(types(&mut state, "p"), sent(Order::Pause));
    state.apply(&stamped(100, LoopEvent::OrderAccepted { order: Order::Pause }));
    state.apply(&stamped(110, LoopEvent::Paused));
    assert_eq!(types(&mut state, "p"), sent(Order::GoOn));
    let waiting = Pause::Waiting { since: at(110) };
    assert_eq!(state.view.pending_orders.pause, waiting, "until the run confirms it");
    // Paused time does not count.
    assert_eq!(worked(&mut state, at(170)), 110.0);
    state.apply(&stamped(200, LoopEvent::Resumed));
    assert_eq!((worked(&mut state, at(210)), state.view.pending_orders.pause), (120.0, Pause::No));
}

#[test]
fn skip_and_stop_ask_first() {
    let mut state = running();
    assert_eq!(types(&mut state, "s"), None);
    assert!(screen(&mut state, (80, 24)).contains("Confirm: skip US-002? y/n"));
    assert_eq!(types(&mut state, "n"), None);
    assert_eq!(state.prompt, Prompt::Nothing);
    assert_eq!(types(&mut state, "sy"), sent(Order::Skip { story: Some(id("US-002")) }));
    assert_eq!(types(&mut state, "x"), None);
    assert!(screen(&mut state, (80, 24)).contains("Confirm: stop? y/n"));
    assert_eq!(types(&mut state, "y"), sent(Order::Stop));
}

#[test]
fn an_instruction_is_typed_sent_or_cancelled() {
    let mut state = running();
    types(&mut state, "tuse tabs");
    state.paste(" and\nspaces");
    assert_eq!(
        screen(&mut state, (80, 24)).lines().last(),
        Some("instruction for the next session: use tabs and spaces")
    );
    let steer = Order::steer("use tabs and spaces").unwrap();
    assert_eq!(press(&mut state, &[KeyCode::Enter]), sent(steer));
    types(&mut state, ":x");
    assert_eq!(press(&mut state, &[KeyCode::Esc]), None);
    assert_eq!(press(&mut state, &[KeyCode::Char('t'), KeyCode::Enter]), None);
    assert!(state.notice.as_ref().unwrap().text.contains("the text is empty"));
}

#[test]
fn a_too_long_instruction_stays_with_an_error() {
    let mut state = running();
    types(&mut state, "t");
    state.paste(&"wörd ".repeat(20_000));
    assert_eq!(press(&mut state, &[KeyCode::Enter]), None);
    let text = screen(&mut state, (80, 24));
    let rows: Vec<&str> = text.lines().collect();
    assert!(
        rows[22].starts_with("the text has 99999 characters, more than the limit of 4000"),
        "{text}"
    );
    assert!(rows[23].starts_with("instruction for the next session: "), "{text}");
    // The text is kept and can be sent after shortening.
    let Prompt::Line(_, line) = &state.prompt else { panic!("{:?}", state.prompt) };
    assert_eq!(line.text().chars().count(), 100_000);
    state.key(KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL));
    types(&mut state, "short");
    assert_eq!(press(&mut state, &[KeyCode::Enter]), sent(Order::steer("short").unwrap()));
}

#[test]
fn a_notice_disappears_after_a_while() {
    let mut state = running();
    state.set_notice(Role::Warn, "something");
    state.pass_time(at(100));
    state.pass_time(at(104));
    assert!(screen(&mut state, (80, 24)).contains("something"));
    state.pass_time(at(105));
    assert!(screen(&mut state, (80, 24)).contains("q leave"));
}

#[test]
fn a_second_stop_asks_to_kill_the_agent() {
    let footer = |state: &mut DashboardState| {
        types(state, "x");
        let text = screen(state, (80, 24));
        assert!(!text.starts_with(" RUNNING ") || !state.view.stopping, "{text}");
        press(state, &[KeyCode::Esc]);
        text.lines().last().unwrap().to_owned()
    };
    let mut state = running();
    assert_eq!(footer(&mut state), "Confirm: stop? y/n");
    state.view.stopping = true;
    assert!(screen(&mut state, (80, 24)).starts_with(" STOPPING "));
    // The run accepted the first request, which is no second one.
    state.apply(&stamped(30, LoopEvent::OrderAccepted { order: Order::Stop }));
    assert_eq!(footer(&mut state), "Already stopping. Kill the agent? y/n");
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
fn ctrl_z_suspends_and_keeps_the_typed_text() {
    let mut state = running();
    types(&mut state, "tuse tabs");
    let ctrl_z = KeyEvent::new(KeyCode::Char('z'), KeyModifiers::CONTROL);
    assert_eq!(state.key(ctrl_z), Some(Effect::Suspend));
    assert_eq!(press(&mut state, &[KeyCode::Enter]), sent(Order::steer("use tabs").unwrap()));
}

#[test]
fn a_resumed_run_includes_earlier_work() {
    let mut state = running();
    let started = a_run()[0].clone();
    state.apply(&stamped(37, LoopEvent::AgentText { text: "the last word".into() }));
    state.apply(&Stamped { at: at(1000), ..started.clone() });
    assert_eq!(worked(&mut state, at(1010)), 47.0);
    let text = screen(&mut state, (80, 24));
    assert!(text.contains(" 1m 37s "), "{text}");
    let ended = a_run().last().unwrap().clone();
    let LoopEvent::RunEnded(events::RunEnded { seconds, .. }) = &ended.event else {
        unreachable!()
    };
    state.apply(&ended);
    assert_eq!(worked(&mut state, at(0)), 37.0 + seconds);
    state.rewind();
    state.apply(&started);
    assert_eq!(worked(&mut state, at(5)), 5.0);
}

#[test]
fn no_orders_for_an_ended_dead_replayed_or_unread_run() {
    let mut over = state_of(&a_run());
    let mut dead = running();
    dead.run_state = Some(RunState::Died);
    let mut replayed = running();
    replayed.mode =
        DashboardMode::Replaying(Replay::new(crate::replay::EventTimes::default(), 1.0));
    // The state is not known yet.
    let mut unread = running();
    unread.run_state = None;
    for state in [&mut over, &mut dead, &mut replayed, &mut unread] {
        assert!(!state.accepts_orders());
        for key in ["p", "s", "x", "t", ":"] {
            assert_eq!(types(state, key), None, "{key}");
            assert_eq!(state.prompt, Prompt::Nothing, "{key}");
        }
        let footer = screen(state, (80, 24)).lines().last().unwrap().to_owned();
        assert!(!footer.contains("skip") && footer.contains("q leave"), "{footer}");
    }
}

#[test]
fn r_opens_a_newer_run() {
    let mut state = running();
    assert_eq!(types(&mut state, "r"), None);
    state.newer = Some("20261116-000000-0001".into());
    assert_eq!(types(&mut state, "r"), Some(Effect::ToNewerRun));
}

#[test]
fn the_stream_scrolls_and_follows_again_at_its_end() {
    let mut state = running();
    for number in 0..100 {
        state.apply(&stamped(20, LoopEvent::AgentText { text: format!("line {number}") }));
    }
    let seen = |state: &mut DashboardState, text: &str| {
        screen(state, (80, 24)).lines().any(|line| line.trim() == text)
    };
    assert!(seen(&mut state, "line 99"));
    press(&mut state, &[KeyCode::Up]);
    assert!(!seen(&mut state, "line 99") && seen(&mut state, "line 98"));
    press(&mut state, &[KeyCode::Down]);
    assert_eq!(state.scroll.stream, None);
    press(&mut state, &[KeyCode::PageUp]);
    let page = screen(&mut state, (80, 24));
    assert!(page.contains("lines below, press G for the end"), "{page}");
    state.apply(&stamped(21, LoopEvent::AgentText { text: "line 100".into() }));
    let body = |page: &str| page.lines().skip(7).take(8).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(body(&screen(&mut state, (80, 24)))[1..7], body(&page)[1..7], "it stays");
    press(&mut state, &[KeyCode::PageDown, KeyCode::PageDown]);
    assert!(seen(&mut state, "line 100"));
    types(&mut state, "g");
    assert!(screen(&mut state, (80, 24)).contains("resumed after 2 iterations and $1.50"));
    types(&mut state, "G");
    assert_eq!(state.scroll.stream, None);
}

#[test]
fn every_key_of_the_help_does_something_or_is_offered() {
    let keys: Vec<&str> = KEYS.iter().flat_map(|(keys, ..)| keys.split(", ")).collect();
    for key in [
        "q", "Esc", "Ctrl-C", "Ctrl-Z", "?", "Tab", "Up", "PgDn", "g", "/", "r", "p", "s", "x",
        "t", ":", "Space", "+", "-", "Left", "Home",
    ] {
        assert!(keys.contains(&key), "{key}");
    }
}

/// docs/watch.md has a table of them.
#[test]
fn the_keys_are_documented() {
    let docs = include_str!("../../../../docs/watch.md");
    for (keys, when, does) in KEYS {
        let keys: Vec<String> = keys.split(", ").map(|key| format!("`{key}`")).collect();
        let when = match when {
            When::Always => "",
            When::Live => "while it runs",
            When::Replay => "in a replay",
            When::Lanes => "with lanes",
        };
        let row = format!("| {} | {} | {when} |", keys.join(" "), does).replace("|  |", "| |");
        assert!(docs.contains(&row), "{row}");
    }
    assert_eq!(docs.lines().filter(|line| line.starts_with("| `")).count(), KEYS.len());
}
