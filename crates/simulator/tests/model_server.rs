//! The scripted model over plain HTTP, without an agent.

#![expect(clippy::unwrap_used, reason = "clippy spares only the test functions themselves")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};
use simulator::{Script, ScriptedModel, Turn};

const SOON: Duration = Duration::from_secs(60);

struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

fn send(model: &ScriptedModel, method: &str, path: &str, body: &str) -> Answer {
    let url = model.url();
    let mut socket = TcpStream::connect(url.strip_prefix("http://").unwrap()).unwrap();
    socket.set_read_timeout(Some(SOON)).unwrap();
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: model\r\nConnection: close\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    );
    socket.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    Answer {
        status: head.split(' ').nth(1).unwrap().parse().unwrap(),
        head: head.to_ascii_lowercase(),
        body: body.to_owned(),
    }
}

fn ask(model: &ScriptedModel, body: &Value) -> Answer {
    send(model, "POST", "/v1/messages?beta=true", &body.to_string())
}

/// A request of the main thread, identified by its tools.
fn main_thread(prompt: &str) -> Value {
    json!({
        "model": "claude-test",
        "tools": [{ "name": "Bash" }],
        "messages": [{ "role": "user", "content": prompt }],
    })
}

fn start(turns: impl IntoIterator<Item = Turn>) -> ScriptedModel {
    ScriptedModel::start(Script::new(turns).afterwards(Turn::text("over"))).unwrap()
}

#[test]
fn turns_are_in_order_and_side_calls_use_none() {
    let model = start([Turn::text("one"), Turn::text("two")]);
    let side = json!({ "model": "claude-small", "messages": [] });
    let mut said = Vec::new();
    for prompt in ["a", "b", "c"] {
        assert_eq!(ask(&model, &side).status, 200);
        let answer = ask(&model, &main_thread(prompt)).json();
        said.push(answer["content"][0]["text"].as_str().unwrap().to_owned());
    }
    assert_eq!(said, ["one", "two", "over"]);
    let requests = model.requests();
    let prompts: Vec<_> = requests.iter().map(|request| request.user_texts()).collect();
    assert_eq!(prompts, [["a"], ["b"], ["c"]]);
}

#[test]
fn a_stream_is_sent_only_if_asked_for() {
    let model = start([]);
    let mut request = main_thread("a");
    let answer = ask(&model, &request);
    assert!(answer.head.contains("content-type: application/json"));
    assert_eq!(answer.json()["model"], "claude-test");
    request["stream"] = true.into();
    let answer = ask(&model, &request);
    assert!(answer.head.contains("content-type: text/event-stream"));
    assert!(answer.body.starts_with("event: message_start\ndata: {"));
    assert!(answer.body.ends_with("\n\n"));
}

#[test]
fn codex_gets_its_own_format() {
    let model = start([Turn::text("one")]);
    let request = json!({ "model": "scripted", "stream": true, "tools": [{}], "input": [
        { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "a" }] }
    ]});
    let answer = send(&model, "POST", "/v1/responses", &request.to_string());
    assert!(answer.head.contains("content-type: text/event-stream"));
    assert!(answer.body.starts_with("event: response.created\ndata: {"));
    assert!(answer.body.contains(r#""text":"one""#));
    assert_eq!(model.requests()[0].user_texts(), ["a"]);
}

#[test]
fn a_refusal_uses_one_turn_and_is_the_same_for_both_apis() {
    for path in ["/v1/messages", "/v1/responses"] {
        let model = start([Turn::refused(429)]);
        let request = main_thread("a").to_string();
        let refusal = send(&model, "POST", path, &request);
        assert_eq!(refusal.status, 429, "{path}");
        assert_eq!(refusal.json()["error"]["message"], "the script says 429");
        assert_eq!(send(&model, "POST", path, &request).status, 200, "{path}");
    }
}

#[test]
fn the_other_paths_are_answered_too() {
    let model = start([]);
    let head = send(&model, "HEAD", "/", "");
    assert_eq!((head.status, &*head.body), (200, ""));
    let count =
        send(&model, "POST", "/v1/messages/count_tokens?beta=true", &main_thread("a").to_string());
    assert!(count.json()["input_tokens"].as_u64().unwrap() > 0);
    let unknown = send(&model, "GET", "/v1/models", "");
    assert_eq!(unknown.status, 404);
    assert_eq!(unknown.json()["error"]["type"], "not_found_error");
    assert_eq!(send(&model, "POST", "/v1/messages", "{").status, 400);
    assert_eq!(model.requests(), []);
}

#[test]
fn a_request_of_many_megabytes_is_recorded_whole() {
    let model = start([]);
    let prompt = "x".repeat(8 << 20);
    assert_eq!(ask(&model, &main_thread(&prompt)).status, 200);
    assert_eq!(model.requests()[0].mentions("x"), prompt.len());
}

#[test]
fn a_dropped_model_stops_answering() {
    let model = start([]);
    let address = model.url().strip_prefix("http://").unwrap().to_owned();
    // A client that keeps its connection must not keep the server.
    let idle = TcpStream::connect(&address).unwrap();
    drop(model);
    let refused = TcpStream::connect(&address).and_then(|mut socket| {
        socket.set_read_timeout(Some(SOON))?;
        socket.write_all(b"HEAD / HTTP/1.1\r\nHost: model\r\n\r\n")?;
        let count = socket.read(&mut [0; 16])?;
        Ok(count)
    });
    assert!(matches!(refused, Ok(0) | Err(_)), "{refused:?}");
    drop(idle);
}
