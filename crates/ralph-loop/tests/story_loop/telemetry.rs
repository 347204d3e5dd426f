//! Whole runs as traces and metrics, sent to a collector on loopback.

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use events::{LoopEvent, RunEnd};
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};
use tiny_http::{Response, Server};

use crate::harness::{Project, program};
use crate::outcome::Outcome;
use crate::stories::story;

/// No request of these tests takes a tenth of it.
const PATIENCE: Duration = Duration::from_secs(180);

const TOKEN: &str = "Bearer token-of-mine";

struct Posted {
    path: String,
    token: String,
    body: Value,
    /// The command lines of all processes during the request.
    processes: String,
}

fn collector(status: u16) -> (String, Receiver<Posted>) {
    let server = Server::http("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", server.server_addr());
    let (sender, posted) = channel();
    std::thread::spawn(move || {
        for mut request in server.incoming_requests() {
            let body = serde_json::from_reader(request.as_reader()).unwrap();
            let token = request.headers().iter().find(|one| one.field.equiv("Authorization"));
            let token = token.map(|token| token.value.to_string()).unwrap_or_default();
            let path = request.url().to_owned();
            let _ = sender.send(Posted { path, token, body, processes: processes() });
            let _ = request.respond(Response::from_string("{}").with_status_code(status));
        }
    });
    (url, posted)
}

fn processes() -> String {
    let Ok(all) = std::fs::read_dir("/proc") else { return String::new() };
    let lines = all.filter_map(|entry| std::fs::read(entry.ok()?.path().join("cmdline")).ok());
    lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " ") + "\n").collect()
}

fn settings(url: &str) -> Value {
    json!({ "telemetry": { "otlp": url, "headers": { "Authorization": TOKEN } } })
}

/// All spans that were received until now, in their order.
fn spans(posted: &Receiver<Posted>) -> Vec<Value> {
    let traces = posted.try_iter().filter(|posted| posted.path == "/v1/traces");
    traces
        .flat_map(|posted| {
            let scopes = &posted.body["resourceSpans"][0]["scopeSpans"];
            scopes[0]["spans"].as_array().unwrap().clone()
        })
        .collect()
}

fn attribute<'s>(span: &'s Value, key: &str) -> &'s Value {
    let attributes = span["attributes"].as_array().unwrap();
    let found = attributes.iter().find(|one| one["key"] == key);
    found.map_or(&Value::Null, |one| one["value"].as_object().unwrap().values().next().unwrap())
}

fn warnings(run: &Outcome<'_>) -> Vec<String> {
    let warnings = run.events.iter().filter_map(|event| match event {
        LoopEvent::Warning { text } if text.contains("telemetry") => Some(text.clone()),
        _ => None,
    });
    warnings.collect()
}

/// The agent appends the span that it gets to a file.
fn recording() -> Scenario {
    let record = Act::bash("echo \"$TRACEPARENT\" >> ../seen");
    let work = [record, Act::submit("done"), Act::commit("done")];
    Scenario::new().rule(When::mode(Mode::Implement), work)
}

#[test]
fn a_collector_gets_the_spans_of_a_run_and_the_agent_the_span_of_its_session() {
    let (url, posted) = collector(200);
    let project = Project::new([story("US-001")]).settings(&settings(&url)).scenario(recording());
    let run = project.run(["--sandbox=guard"]);
    // While the last trace is sent, an event says so.
    run.assert_exit(0);
    assert_eq!(warnings(&run), [""; 0]);
    let all: Vec<Posted> = posted.try_iter().collect();
    assert!(all.iter().all(|posted| posted.token == TOKEN));
    assert!(all.iter().any(|posted| posted.path == "/v1/metrics"));
    assert!(!all.iter().any(|posted| posted.processes.contains("token-of-mine")));
    let (sender, posted) = channel();
    all.into_iter().for_each(|posted| sender.send(posted).unwrap());
    let spans = spans(&posted);

    let names: Vec<_> = spans.iter().map(|span| span["name"].as_str().unwrap()).collect();
    let (session, iteration) = ("invoke_agent claude", "ralph.iteration");
    let expected = [session, iteration, session, iteration, "ralph.story", "ralph.run"];
    assert_eq!(names, expected);
    let parents: Vec<_> = spans.iter().map(|span| span["parentSpanId"].clone()).collect();
    let id = |at: usize| spans[at]["spanId"].clone();
    assert_eq!(parents, [id(1), id(4), id(3), id(4), id(5), Value::Null]);
    let traces: BTreeSet<_> = spans.iter().map(|span| span["traceId"].as_str().unwrap()).collect();
    assert_eq!(traces.len(), 1, "{traces:?}");
    assert_eq!(attribute(&spans[0], "ralph.mode"), "implement");
    assert_eq!(attribute(&spans[2], "ralph.mode"), "review");
    assert_eq!(attribute(&spans[4], "ralph.result"), "done");

    let trace = spans[0]["traceId"].as_str().unwrap();
    let own = format!("00-{trace}-{}-01\n", spans[0]["spanId"].as_str().unwrap());
    assert_eq!(project.read("../seen"), own);
}

#[test]
fn a_resumed_run_continues_its_trace() {
    let (url, posted) = collector(200);
    let project = Project::new([story("US-001")]).settings(&settings(&url));
    project.run(["-n", "1"]).assert_exit(1);
    let first = spans(&posted);
    project.run(["--resume"]).assert_exit(0);
    let then = spans(&posted);
    for name in ["ralph.story", "ralph.run"] {
        let [before, after] =
            [&first, &then].map(|spans| spans.iter().find(|span| span["name"] == name).unwrap());
        for same in ["traceId", "spanId", "startTimeUnixNano"] {
            assert_eq!(before[same], after[same], "{name}");
        }
        assert_ne!(before["endTimeUnixNano"], after["endTimeUnixNano"], "{name}");
    }
    assert_eq!(then.iter().filter(|span| span["name"] == "ralph.iteration").count(), 1);
}

#[test]
fn a_run_of_a_traced_program_is_below_its_span() {
    let (url, posted) = collector(200);
    let project = Project::new([story("US-001")]).settings(&settings(&url));
    let agent = program("simulated-agent");
    let mut command = project.command(&program("ralph-loop"));
    command.env("TRACEPARENT", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    let run = command.args(["run", "--agent-program", agent.to_str().unwrap()]).output().unwrap();
    assert_eq!(run.status.code(), Some(0), "{run:?}");
    let spans = spans(&posted);
    let is_in = |span: &Value| span["traceId"] == "0af7651916cd43dd8448eb211c80319c";
    assert!(spans.iter().all(is_in), "{spans:?}");
    assert_eq!(spans.last().unwrap()["parentSpanId"], "b7ad6b7169203331");
}

#[test]
fn without_a_collector_the_agent_gets_no_span() {
    let project = Project::new([story("US-001")]).scenario(recording());
    let run = project.run(["--sandbox=guard"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(project.read("../seen"), "\n");
}

#[test]
fn a_collector_that_refuses_is_one_warning_without_address_and_headers() {
    let (url, _posted) = collector(503);
    let project = Project::new([story("US-001"), story("US-002")]).settings(&settings(&url));
    let run = project.run([]);
    // The warning may be the last event.
    run.assert_exit(0);
    let [warning] = &warnings(&run)[..] else { panic!("one: {:?}", warnings(&run)) };
    let expected =
        "cannot send traces and metrics to telemetry.otlp: the server answered with status 503";
    assert_eq!(warning, expected);
}

#[test]
fn a_collector_that_hangs_delays_only_the_end_of_a_run() {
    // It accepts connections and never answers.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let project = Project::new([story("US-001")]).settings(&settings(&url));
    let started = Instant::now();
    let run = project.run([]);
    run.assert_exit(0);
    assert_eq!(warnings(&run).len(), 1, "{:?}", warnings(&run));
    assert!(started.elapsed() < PATIENCE / 2, "{:?}", started.elapsed());
}
