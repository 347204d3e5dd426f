//! Truncated, damaged or invented lines, none of which may stop a run.

use proptest::prelude::*;

use crate::stream::{all_recorded, decode};

const RESULT: &str = r#"{"type":"result","is_error":false,"terminal_reason":"completed","result":"#;

#[test]
fn marks_zeros_and_blanks_around_a_line() {
    let line = format!("\u{feff}{RESULT}\"ok\"}}\r\0\0\n\n  \n\0\n");
    let decoded = decode(line.as_bytes());
    assert_eq!(decoded.result().text, "ok");
    assert_eq!(decoded.unreadable, 0);
}

#[test]
fn unreadable_lines_are_counted() {
    let stream = b"Warning: something\n{\"type\":\"assistant\",\"message\":{\"id\n[]\n{\"type\":\"result\"\n\0x\0\n{\"type\":\"user\",\"message\":7}\n";
    let decoded = decode(stream);
    assert!(decoded.events.is_empty());
    assert_eq!(decoded.unreadable, 6);
}

#[test]
fn unknown_lines_are_not_unreadable() {
    let stream = b"{}\n{\"type\":7}\n{\"type\":\"new\",\"x\":1}\n{\"type\":\"system\",\"subtype\":[]}\n{ \"type\" : \"other\" }";
    let decoded = decode(stream);
    assert!(decoded.events.is_empty());
    assert_eq!(decoded.unreadable, 0);
}

#[test]
fn bytes_that_are_no_text_cost_only_themselves() {
    let line = [RESULT.as_bytes(), b"\"a\xff\xfeb\"}"].concat();
    assert_eq!(decode(&line).result().text, "a\u{fffd}\u{fffd}b");
}

#[test]
fn half_a_surrogate_pair_costs_only_itself() {
    let line = format!(r#"{RESULT}"Done \ud83d\n<promise>COMPLETE</promise>"}}"#);
    assert!(decode(line.as_bytes()).result().text.ends_with("\n<promise>COMPLETE</promise>"));
}

#[test]
fn ignored_parts_may_have_any_depth() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let line = format!(
        r#"{{"type":"user","x":{deep},"message":{{"content":[{{"type":"tool_result","tool_use_id":"t","content":{deep}}}]}}}}"#
    );
    let decoded = decode(line.as_bytes());
    assert_eq!(decoded.summaries(), ["end t Ok "]);
    assert_eq!(decoded.unreadable, 0);
}

#[test]
fn fields_of_another_type_are_absent() {
    let stream = br#"{"type":"result","is_error":false,"terminal_reason":"completed","result":"ok","num_turns":"x","usage":7,"modelUsage":[],"total_cost_usd":{},"duration_ms":null,"errors":"x"}
{"type":"assistant","message":{"id":3,"content":[{"type":"text","text":"hi"},null,{"type":{}}],"usage":[],"model":0},"parent_tool_use_id":null}"#;
    let decoded = decode(stream);
    assert_eq!(decoded.result().text, "ok");
    assert_eq!(decoded.summaries(), ["text hi"]);
    assert_eq!(decoded.unreadable, 0);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn a_stream_cut_anywhere_ends_as_far_as_it_came(part in 0.0..1.0) {
        let stream = all_recorded();
        let whole = decode(&stream);
        let cut = decode(&stream[..(stream.len() as f64 * part) as usize]);
        prop_assert!(cut.unreadable <= 1);
        prop_assert_eq!(&cut.events[..], &whole.events[..cut.events.len()]);
    }

    #[test]
    fn no_changed_byte_stops_it(changes in prop::collection::vec((0.0..1.0, any::<u8>()), 1..200)) {
        let mut stream = all_recorded();
        let length = stream.len() as f64;
        for (place, byte) in changes {
            stream[(length * place) as usize] = byte;
        }
        let lines = stream.split(|byte| *byte == b'\n').count() as u64;
        prop_assert!(decode(&stream).unreadable <= lines);
    }

    #[test]
    fn no_bytes_stop_it(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let lines = bytes.split(|byte| *byte == b'\n').count() as u64;
        prop_assert!(decode(&bytes).unreadable <= lines);
    }
}
