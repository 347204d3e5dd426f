//! Truncated, damaged or invented streams.

use agents::{Agent, Ending, ProcessExit};
use serde_json::Value;

use crate::support::{decode, mutation};

fn final_text(line: &Value, path: &str) -> bool {
    path == "/result" && line["type"] == "result"
}

#[test]
fn cut_anywhere() {
    mutation::cut_anywhere(Agent::Amp);
}

#[test]
fn the_tag_in_each_text_except_the_final_message() {
    mutation::the_tag_in_each_text(Agent::Amp, final_text);
}

#[test]
fn lost_and_foreign_lines() {
    mutation::lost_and_foreign(Agent::Amp, final_text);
}

#[test]
fn a_result_without_a_success_flag_failed() {
    for rest in [
        r#""subtype":"success""#,
        r#""subtype":"success","is_error":true"#,
        r#""is_error":false"#,
        r#""subtype":"other","is_error":false"#,
    ] {
        let line = format!(r#"{{"type":"result","result":"{}",{rest}}}"#, mutation::TAG);
        let decoded = decode(Agent::Amp, "", line.as_bytes(), ProcessExit::Code(0));
        assert!(matches!(decoded.result().ending, Ending::Other { .. }), "{rest}");
        assert_eq!(decoded.result().text, "", "{rest}");
    }
}
