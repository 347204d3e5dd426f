//! A run with lanes: each line names its lane, and the bottom has a line for each.

use unicode_width::UnicodeWidthStr;

use super::*;
use crate::report::test_events::{a_run_with_lanes, a_run_with_lanes_to_its_end};

fn painted(renderer: &LineRenderer, events: &[Stamped]) -> String {
    let mut view = RunView::default();
    let mut text = String::new();
    for stamped in events {
        text += &renderer.painted(stamped, &view);
        view.apply(stamped);
    }
    text
}

#[test]
fn a_whole_run_without_a_terminal() {
    let text = painted(&renderer(None), &a_run_with_lanes_to_its_end());
    assert_eq!(text, include_str!("../a_run_with_lanes.txt"));
}

#[test]
fn no_line_is_wider_than_the_window() {
    let renderer = LineRenderer { timestamps: true, ..renderer(Some(80)) };
    let text = painted(&renderer, &a_run_with_lanes());
    let widest = text.lines().max_by_key(|line| line.width()).unwrap();
    assert!(widest.width() <= 80, "{widest}");
    assert!(text.contains("[01:00:23] [1 US-001]   I will work on US-001."), "{text}");
}

#[test]
fn a_lane_has_its_colour() {
    let events = a_run_with_lanes();
    let coloured = painted(&LineRenderer::coloured(), &events);
    let line = |start: &str| coloured.lines().find(|line| line.contains(start)).unwrap();
    assert!(line("[1 US-001]").starts_with("\x1b[36m[1 US-001] "), "{}", line("[1 US-001]"));
    assert!(line("[2 US-002]").starts_with("\x1b[34m[2 US-002] "));
    let stripped = anstream::adapter::strip_str(&coloured).to_string();
    assert_eq!(stripped, painted(&renderer(None), &events));
}
