use events::samples::{a_run, stamped, tool, tool_ended};
use events::{Stamped, ToolOutcome};

use super::*;

fn of(events: &[Stamped]) -> AgentStream {
    let mut stream = AgentStream::default();
    events.iter().for_each(|stamped| stream.apply(&stamped.event));
    stream
}

fn texts(stream: &AgentStream) -> Vec<&str> {
    (stream.first()..stream.end()).map(|at| stream.line(at).unwrap().text.as_str()).collect()
}

#[test]
fn text_calls_and_results_are_in_order() {
    let stream = of(&a_run());
    let texts = texts(&stream);
    let at = |wanted: &str| {
        texts
            .iter()
            .position(|text| *text == wanted)
            .unwrap_or_else(|| panic!("{wanted}: {texts:#?}"))
    };
    assert!(at("I will look at the diff first.") < at("Bash  git diff main..."));
    assert!(at("Bash  git diff main...") < at("(8 lines more)"));
    assert!(at("todo 1/3: judge") < at("retry 1/10 in 2s: 529 overloaded"));
    assert_eq!(texts.iter().filter(|text| text.starts_with("todo")).count(), 1);
    assert!(at("stop-guard blocked:") < at("check failed: cargo clippy, exit code 101 (8s)"));
    assert!(texts.iter().all(|text| !text.contains(|c: char| c.is_control())));
}

#[test]
fn a_late_result_names_its_call() {
    let stream = of(&[
        stamped(0, tool("a", "Read", "one")),
        stamped(0, tool("b", "Bash", "two")),
        stamped(1, tool_ended("a", ToolOutcome::Failed, "")),
        stamped(1, tool_ended("b", ToolOutcome::Ok, "fine")),
    ]);
    let expected =
        ["Read  one", "Bash  two", "Read  one (result)", "failed", "Bash  two (result)", "fine"];
    assert_eq!(texts(&stream), expected);
    assert_eq!(stream.line(3).unwrap().role, Role::Bad);
}

#[test]
fn the_number_of_lines_is_limited_and_numbers_stay() {
    let mut stream = AgentStream::default();
    for number in 0..MOST_LINES + 10 {
        stream.apply(&LoopEvent::AgentText { text: format!("line {number}") });
    }
    assert_eq!((stream.dropped(), stream.end()), (10, MOST_LINES as u64 + 10));
    assert!(stream.line(9).is_none());
    assert_eq!(stream.line(10).unwrap().text, "line 10");
}

#[test]
fn a_search_goes_both_ways_and_wraps() {
    let mut stream = AgentStream::default();
    for text in ["tax", "no", "Tax", "no"] {
        stream.apply(&LoopEvent::AgentText { text: text.into() });
    }
    let search = Search::new("tax").unwrap();
    assert_eq!(stream.find(&search, 0, SearchDirection::Later), Some(2));
    assert_eq!(stream.find(&search, 2, SearchDirection::Later), Some(0));
    assert_eq!(stream.find(&search, 2, SearchDirection::Earlier), Some(0));
    assert_eq!(stream.find(&search, 0, SearchDirection::Earlier), Some(2));
    assert_eq!(stream.find(&Search::new("x y").unwrap(), 0, SearchDirection::Later), None);
}

#[test]
fn rows_are_counted_as_they_are_wrapped() {
    let mut stream = AgentStream::default();
    stream.apply(&LoopEvent::AgentText { text: "aaaa bbbb\ncc".into() });
    assert_eq!(stream.lines_up_from(1, 6, 2), 1);
    assert_eq!(stream.lines_up_from(1, 6, 3), 2);
    assert_eq!(stream.lines_down_from(0, 6, 2), 1);
    assert_eq!(stream.lines_down_from(0, 20, 2), 2);
}
