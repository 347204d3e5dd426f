//! Truncated, damaged or invented streams.

use agents::Agent;
use serde_json::Value;

use crate::decode;
use crate::support::mutation;

fn is_agent_message(line: &Value, path: &str) -> bool {
    path == "/item/text" && line["item"]["type"] == "agent_message"
}

#[test]
fn cut_anywhere() {
    mutation::cut_anywhere(Agent::Codex);
}

#[test]
fn the_tag_in_each_text_except_the_final_message() {
    mutation::the_tag_in_each_text(Agent::Codex, is_agent_message);
}

#[test]
fn lost_and_foreign_lines() {
    mutation::lost_and_foreign(Agent::Codex, is_agent_message);
}

#[test]
fn fields_of_another_type_are_absent() {
    let stream = r#"{"type":"thread.started","thread_id":7}
{"type":"item.completed","item":[]}
{"type":"item.completed","item":{"id":{},"type":"command_execution","command":[],"exit_code":"x","aggregated_output":3}}
{"type":"item.completed","item":{"type":"agent_message","text":null}}
{"type":"item.completed","item":{"type":"todo_list","items":{}}}
{"type":"item.completed","item":{"type":"error"}}
{"type":"error"}
{"type":"turn.completed","usage":"none"}
{"type":"turn.failed","error":"no"}
{"type":"brand.new"}
{"type":[]}"#;
    let decoded = decode(stream);
    assert_eq!(decoded.unreadable, 0);
    assert_eq!(
        decoded.summaries(),
        ["started None None ", "start  shell Main ", "end  Ok ", "notice "]
    );
}
