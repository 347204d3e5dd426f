use chrono::{Offset, Utc};
use events::samples::{a_run, stamped, tool, tool_ended};
use events::{LoopEvent, ToolOutcome};

use super::*;

fn of(events: &[Stamped]) -> AgentStream {
    let (mut stream, mut view) = (AgentStream::default(), RunView::default());
    for stamped in events {
        stream.apply(stamped, &view, Utc.fix());
        view.apply(stamped);
    }
    stream
}

fn of_texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> AgentStream {
    let text = |text: &str| stamped(0, LoopEvent::AgentText { text: text.into() });
    of(&texts.into_iter().map(text).collect::<Vec<_>>())
}

fn texts(stream: &AgentStream) -> Vec<&str> {
    (stream.dropped..stream.end()).map(|at| stream.line(at).unwrap().text.as_str()).collect()
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
    assert!(at("I will look at the diff first.") < at("Bash(git diff main...)"));
    assert!(at("Bash(git diff main...)") < at("(8 lines more)"));
    assert!(at("todo 1/3: judge") < at("API error: 529 overloaded; retry 1 of 10 in 2s"));
    assert_eq!(texts.iter().filter(|text| text.starts_with("todo")).count(), 1);
    assert!(at("stop-guard blocked: 1") < at("check 2/2  cargo clippy  8s  exit code 101"));
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
        ["Read(one)", "Bash(two)", "Read(one) (result)", "failed", "Bash(two) (result)", "fine"];
    assert_eq!(texts(&stream), expected);
    assert_eq!(stream.line(3).unwrap().role, Role::Bad);
}

#[test]
fn the_number_of_lines_is_limited_and_numbers_stay() {
    let texts: Vec<String> = (0..MOST_LINES + 10).map(|number| format!("line {number}")).collect();
    let stream = of_texts(texts.iter().map(String::as_str));
    assert_eq!((stream.dropped, stream.end()), (10, MOST_LINES as u64 + 10));
    assert!(stream.line(9).is_none());
    assert_eq!(stream.line(10).unwrap().text, "line 10");
}

#[test]
fn a_search_goes_both_ways_and_wraps() {
    let stream = of_texts(["tax", "no", "Tax", "no"]);
    let search = Search::new("tax").unwrap();
    assert_eq!(stream.find(&search, 0, SearchDirection::Later), Some(2));
    assert_eq!(stream.find(&search, 2, SearchDirection::Later), Some(0));
    assert_eq!(stream.find(&search, 2, SearchDirection::Earlier), Some(0));
    assert_eq!(stream.find(&search, 0, SearchDirection::Earlier), Some(2));
    assert_eq!(stream.find(&Search::new("x y").unwrap(), 0, SearchDirection::Later), None);
}

#[test]
fn rows_are_counted_as_they_are_wrapped() {
    let stream = of_texts(["aaaa bbbb\ncc"]);
    assert_eq!(stream.lines_up_from(1, 6, 2), 1);
    assert_eq!(stream.lines_up_from(1, 6, 3), 2);
    assert_eq!(stream.lines_down_from(0, 6, 2), 1);
    assert_eq!(stream.lines_down_from(0, 20, 2), 2);
}
