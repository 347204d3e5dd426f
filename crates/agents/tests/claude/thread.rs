//! Text and tokens of subagents, and todo lists.

use crate::stream::decode;

fn assistant(id: &str, rest: &str, content: &str) -> String {
    format!(
        r#"{{"type":"assistant","message":{{"id":"{id}","model":"m","content":[{content}],"usage":{{"input_tokens":10,"output_tokens":1}}}}{rest}}}
"#
    )
}

fn tool(id: &str, name: &str, input: &str) -> String {
    assistant(
        "m1",
        "",
        &format!(r#"{{"type":"tool_use","id":"{id}","name":"{name}","input":{input}}}"#),
    )
}

#[test]
fn a_subagent_emits_tools_but_no_text() {
    let content = r#"{"type":"text","text":"<promise>COMPLETE</promise>"},{"type":"tool_use","id":"t","name":"Read","input":{"file_path":"a"}}"#;
    for rest in
        [r#","parent_tool_use_id":"toolu_1""#, r#","parent_tool_use_id":null,"agent_id":"a1""#]
    {
        let summaries = decode(assistant("m1", rest, content).as_bytes()).summaries();
        assert_eq!(summaries, ["start t Read Subagent a"], "{rest}");
    }
}

#[test]
fn usage_counts_once_for_each_message() {
    let text = |text: &str| format!(r#"{{"type":"text","text":"{text}"}}"#);
    let stream = [
        assistant("m1", "", &text("a")),
        assistant("s1", r#","parent_tool_use_id":"t""#, &text("b")),
        assistant("m1", "", &text("c")),
        assistant("m2", "", &text(" ")),
    ]
    .concat();
    let summaries = decode(stream.as_bytes()).summaries();
    assert_eq!(summaries, ["context 11", "text a", "text c", "context 11"]);
}

#[test]
fn usage_with_nulls_in_it() {
    let line = br#"{"type":"assistant","message":{"id":"m","usage":{"input_tokens":5,"cache_read_input_tokens":null,"output_tokens":"7"},"content":[]}}"#;
    assert_eq!(decode(line).summaries(), ["context 5"]);
}

#[test]
fn prompts_and_feedback_are_not_text_of_the_agent() {
    let stream = br#"{"type":"user","message":{"role":"user","content":"the prompt"}}
{"type":"user","message":{"role":"user","content":[{"type":"text","text":"feedback"}]},"isSynthetic":true}
{"type":"stream_event","event":{"delta":{"text":"x"}}}"#;
    let decoded = decode(stream);
    assert!(decoded.events.is_empty());
    assert_eq!(decoded.unreadable, 0);
}

#[test]
fn output_made_of_parts() {
    let line = br#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"image","source":{}},{"type":"text","text":"\n two\nthree"}]}]}}"#;
    assert_eq!(decode(line).summaries(), ["end t Ok two"]);
}

#[test]
fn a_list_of_steps_written_whole() {
    let input = r#"{"todos":[{"content":"a","status":"completed","activeForm":"A"},{"content":"b","status":"in_progress"},{"content":"c","status":"pending"},7]}"#;
    let summaries = decode(tool("t", "TodoWrite", input).as_bytes()).summaries();
    assert_eq!(summaries.last().unwrap(), "todo a:Done b:InProgress c:Pending");
}

/// The result of a `TaskCreate` call.
fn created(call: &str, id: &str, subject: &str) -> String {
    format!(
        r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"{call}","content":"ok"}}]}},"tool_use_result":{{"task":{{"id":"{id}","subject":"{subject}"}}}}}}
"#
    )
}

/// Each change emits the whole list, so an endless list would take quadratic time.
#[test]
fn a_todo_list_has_a_maximum_size() {
    let call = |number: usize| tool(&format!("c{number}"), "TaskCreate", r#"{"subject":"a"}"#);
    let calls: String = (0..600).map(call).collect();
    let answers: String =
        (0..600).map(|n| created(&format!("c{n}"), &n.to_string(), "a")).collect();
    let more = call(600) + &created("c600", "600", "a");
    let summaries = decode((calls + &answers + &more).as_bytes()).summaries();
    let lists: Vec<_> =
        summaries.iter().filter(|summaries| summaries.starts_with("todo")).collect();
    assert_eq!(lists.len(), 500);
    assert_eq!(lists.last().unwrap().matches("a:Pending").count(), 500);
}

#[test]
fn a_todo_list_updated_task_by_task() {
    let stream = [
        tool("c1", "TaskCreate", r#"{"subject":"a","description":"x"}"#),
        tool("c2", "TaskCreate", r#"{"subject":"b","description":"x"}"#),
        created("c1", "1", "a"),
        created("c2", "2", "b"),
        tool("u1", "TaskUpdate", r#"{"taskId":"1","status":"completed"}"#),
        tool("u2", "TaskUpdate", r#"{"taskId":"2","status":"in_progress","subject":"b2"}"#),
        tool("u3", "TaskUpdate", r#"{"taskId":"1","status":"deleted"}"#),
        tool("u4", "TaskUpdate", r#"{"taskId":"9","status":"deleted"}"#),
    ]
    .concat();
    let todo: Vec<_> = decode(stream.as_bytes())
        .summaries()
        .into_iter()
        .filter(|t| t.starts_with("todo"))
        .collect();
    assert_eq!(
        todo,
        [
            "todo a:Pending",
            "todo a:Pending b:Pending",
            "todo a:Done b:Pending",
            "todo a:Done b2:InProgress",
            "todo b2:InProgress"
        ]
    );
}
