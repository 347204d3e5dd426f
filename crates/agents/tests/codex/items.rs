//! Tools and todo lists that no recorded stream has.

use crate::decode;

fn item(phase: &str, item: &str) -> String {
    format!("{{\"type\":\"item.{phase}\",\"item\":{{\"id\":\"i\",{item}}}}}\n")
}

#[test]
fn a_tool_of_a_server() {
    let begun = r#""type":"mcp_tool_call","server":"docs","tool":"search","arguments":{"query":"rust"},"result":null,"error":null,"status":"in_progress""#;
    let done = r#""type":"mcp_tool_call","server":"docs","tool":"search","arguments":{"query":"rust"},"result":{"content":[{"type":"image"},{"type":"text","text":"found\nit"}],"structured_content":null},"error":null,"status":"completed""#;
    let failed = r#""type":"mcp_tool_call","server":"docs","tool":"get","arguments":{},"error":{"message":"gone"},"status":"failed""#;
    let stream =
        [item("started", begun), item("completed", done), item("completed", failed)].concat();
    assert_eq!(
        decode(&stream).summaries(),
        [
            "start i docs.search Main rust",
            "end i Ok found",
            "start i docs.get Main ",
            "end i Failed gone"
        ]
    );
}

#[test]
fn a_search_and_a_subagent() {
    let search = r#""type":"web_search","query":"rust 2024""#;
    let agent = r#""type":"collab_tool_call","tool":"spawn_agent","prompt":"look around","status":"completed""#;
    let stream = [item("completed", search), item("completed", agent)].concat();
    assert_eq!(
        decode(&stream).summaries(),
        [
            "start i web_search Main rust 2024",
            "end i Ok ",
            "start i spawn_agent Main look around",
            "end i Ok "
        ]
    );
}

#[test]
fn several_files_in_one_patch() {
    let patch = r#""type":"file_change","changes":[{"path":"a.rs","kind":"add"},{"path":"b.rs","kind":"update"},{"path":"c.rs","kind":"delete"}],"status":"failed""#;
    assert_eq!(
        decode(&item("completed", patch)).summaries(),
        ["start i apply_patch Main a.rs and 2 more", "end i Failed "]
    );
}

#[test]
fn a_list_of_steps_each_time_it_changes() {
    let list = |done: bool| {
        format!(
            r#""type":"todo_list","items":[{{"text":"a","completed":{done}}},{{"text":"b","completed":false}},7]"#
        )
    };
    let stream = [
        item("started", &list(false)),
        item("updated", &list(true)),
        item("completed", &list(true)),
    ]
    .concat();
    assert_eq!(decode(&stream).summaries(), ["todo a:Pending b:Pending", "todo a:Done b:Pending"]);
}

#[test]
fn an_unknown_item_is_ignored() {
    let decoded = decode(&item("completed", r#""type":"hologram","text":"x""#));
    assert!(decoded.events.is_empty());
    assert_eq!(decoded.unreadable, 0);
}
