//! Sample runs as requests.

use std::collections::BTreeSet;

use events::samples::{
    RUN, a_prompt_loop, a_run, a_run_with_lanes_to_its_end, agent_ended, at, id, stamped,
};
use events::{AgentOutcome, CompactionReason, LoopEvent, LoopKind, QualityOutcome};

use super::*;
use metrics::points;

mod metrics;

/// With the spans of sessions, as a run has them that is exported.
fn traced(events: Vec<Stamped>) -> Vec<Stamped> {
    let run = Traceparent::of_run(RUN, None);
    let mut events = events;
    let mut session = String::new();
    for stamped in &mut events {
        match &mut stamped.event {
            LoopEvent::IterationStarted(started) => session.clone_from(&started.session),
            LoopEvent::AgentCalled { traceparent, .. } => {
                *traceparent = Some(run.session(&session));
            }
            _ => {}
        }
    }
    events
}

fn export(exporter: &mut Exporter, events: &[Stamped]) -> Vec<(Signal, Value)> {
    let requests = events.iter().flat_map(|stamped| exporter.apply(stamped));
    requests.map(|one| (one.signal, serde_json::from_str(&one.body).unwrap())).collect()
}

fn spans(requests: &[(Signal, Value)]) -> Vec<Value> {
    let traces = requests.iter().filter(|(signal, _)| *signal == Signal::Traces);
    let spans = traces.flat_map(|(_, body)| {
        body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone()
    });
    spans.collect()
}

fn text(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

fn int(key: &str, value: u64) -> Value {
    json!({ "key": key, "value": { "intValue": value.to_string() } })
}

fn float(key: &str, value: f64) -> Value {
    json!({ "key": key, "value": { "doubleValue": value } })
}

/// Nanoseconds, `seconds` after the start of the sample.
fn time(seconds: i64) -> String {
    format!("{}000000000", at(seconds).timestamp())
}

fn resource() -> Value {
    let version = env!("CARGO_PKG_VERSION");
    json!({ "attributes": [text("service.name", "ralph"), text("service.version", version),
        text("service.instance.id", RUN), text("ralph.project", "shop")] })
}

fn scope() -> Value {
    json!({ "name": "ralph", "version": env!("CARGO_PKG_VERSION") })
}

#[test]
fn a_session_is_a_span_as_the_conventions_say() {
    let until_its_end = a_run().into_iter().take_while(|stamped| stamped.at <= at(230)).collect();
    let requests = export(&mut Exporter::new(None), &traced(until_its_end));
    let run = Traceparent::of_run(RUN, None);
    let span = json!({
        "traceId": run.trace(),
        "spanId": run.session("5e551011-0000").span(),
        "parentSpanId": run.iteration("5e551011-0000").span(),
        "name": "invoke_agent claude",
        "kind": 3,
        "startTimeUnixNano": time(2),
        "endTimeUnixNano": time(230),
        "attributes": [
            int("ralph.iteration", 3), int("ralph.attempt", 1), text("ralph.story", "US-002"),
            text("gen_ai.conversation.id", "5e551011-0000"),
            text("gen_ai.operation.name", "invoke_agent"),
            text("gen_ai.provider.name", "anthropic"), text("gen_ai.agent.name", "claude"),
            text("gen_ai.response.model", "claude-opus-4"),
            int("gen_ai.usage.input_tokens", 1_200_000), int("gen_ai.usage.output_tokens", 45_000),
            int("gen_ai.usage.cache_read.input_tokens", 850_000),
            int("gen_ai.usage.cache_creation.input_tokens", 300_000),
            text("ralph.mode", "review"), text("ralph.outcome", "answered"),
            float("ralph.cost", 0.42), int("ralph.turns", 12),
        ],
    });
    let traces = json!({ "resourceSpans": [{ "resource": resource(),
        "scopeSpans": [{ "scope": scope(), "spans": [span] }] }] });
    assert_eq!(requests[0], (Signal::Traces, traces));
    assert_eq!(requests.len(), 2, "its metrics follow");
}

#[test]
fn iterations_stories_and_the_run_are_spans_when_they_end() {
    let spans = spans(&export(&mut Exporter::new(None), &traced(a_run())));
    let run = Traceparent::of_run(RUN, None);
    let names: Vec<_> = spans.iter().map(|span| span["name"].as_str().unwrap()).collect();
    let iteration = "ralph.iteration";
    assert_eq!(
        names,
        ["invoke_agent claude", iteration, iteration, "ralph.story", "ralph.run"],
        "the sample starts no agent in its second iteration"
    );
    let review = json!({
        "traceId": run.trace(),
        "spanId": run.iteration("5e551011-0000").span(),
        "parentSpanId": run.story(&id("US-002")).span(),
        "name": "ralph.iteration",
        "kind": 1,
        "startTimeUnixNano": time(2),
        "endTimeUnixNano": time(254),
        "attributes": [int("ralph.iteration", 3), int("ralph.attempt", 1),
            text("ralph.story", "US-002"), text("ralph.mode", "review"),
            text("ralph.status", "accepted"), float("ralph.cost", 0.42)],
    });
    assert_eq!(spans[1], review);
    assert_eq!(spans[2]["status"], json!({ "code": 2, "message": "failed" }));
    let story = json!({
        "traceId": run.trace(),
        "spanId": run.story(&id("US-002")).span(),
        "parentSpanId": run.span(),
        "name": "ralph.story",
        "kind": 1,
        "startTimeUnixNano": time(2),
        "endTimeUnixNano": time(5652),
        "attributes": [text("ralph.story", "US-002"), text("ralph.result", "unfinished"),
            int("ralph.iterations", 2), int("ralph.reviews", 1), int("ralph.failed_attempts", 1),
            float("ralph.cost", 0.84)],
    });
    assert_eq!(spans[3], story);
    let whole = json!({
        "traceId": run.trace(),
        "spanId": run.span(),
        "name": "ralph.run",
        "kind": 1,
        "startTimeUnixNano": time(0),
        "endTimeUnixNano": time(5652),
        "attributes": [text("ralph.run", RUN), text("ralph.loop", "stories"),
            text("ralph.end", "interrupted"), int("ralph.iterations", 4), int("ralph.stories", 3),
            int("ralph.stories_done", 1), float("ralph.cost", 2.34)],
    });
    assert_eq!(spans[4], whole, "a stop by the user is no failure");
}

#[test]
fn a_story_of_a_lane_ends_when_it_is_merged() {
    let events = traced(a_run_with_lanes_to_its_end());
    let mut exporter = Exporter::new(None);
    let (mut ended, mut ids) = (Vec::new(), BTreeSet::new());
    for stamped in &events {
        for span in spans(&export(&mut exporter, std::slice::from_ref(stamped))) {
            let is_new = ids.insert(span["spanId"].to_string());
            assert!(is_new || span["name"] != "ralph.story", "{span}");
            if span["name"] == "ralph.story" {
                assert!(matches!(stamped.event, LoopEvent::StoryMerged { .. }), "{stamped:?}");
                ended.push(span["attributes"][0]["value"]["stringValue"].clone());
            }
        }
    }
    assert_eq!(ended, ["US-002", "US-001", "US-003", "US-004", "US-005"]);
}

#[test]
fn an_iteration_without_a_story_is_below_the_run() {
    let spans = spans(&export(
        &mut Exporter::new(None),
        &traced(a_prompt_loop(LoopKind::Build, "main", 0.5)),
    ));
    let run = Traceparent::of_run(RUN, None);
    let iterations = spans.iter().filter(|span| span["name"] == "ralph.iteration");
    let parents: BTreeSet<_> = iterations.map(|one| one["parentSpanId"].to_string()).collect();
    assert_eq!(parents, [format!("{:?}", run.span())].into());
}

#[test]
fn sessions_outside_iterations_are_below_their_story_or_the_run() {
    let run = Traceparent::of_run(RUN, None);
    let called = |session| LoopEvent::AgentCalled {
        agent: "codex".into(),
        command: String::new(),
        prompt_bytes: 0,
        prompt: String::new(),
        traceparent: Some(run.session(session)),
    };
    let ended = || agent_ended(AgentOutcome::Answered, "", &[]);
    let compaction = LoopEvent::CompactionStarted {
        reason: CompactionReason::Interval,
        text: String::new(),
        handoffs: 5,
        folder: String::new(),
    };
    let events = [
        a_run()[0].event.clone(),
        LoopEvent::QualityStarted { story: id("US-001") },
        called("quality"),
        ended(),
        LoopEvent::QualityChecked {
            story: id("US-001"),
            outcome: QualityOutcome::Checked,
            warnings: Vec::new(),
            seconds: 1.0,
            cost_usd: 0.1,
        },
        compaction,
        called("compaction"),
        ended(),
    ];
    let events: Vec<_> = (0..).zip(events).map(|(second, one)| stamped(second, one)).collect();
    let spans = spans(&export(&mut Exporter::new(None), &events));
    let parents: Vec<_> = spans.iter().map(|span| span["parentSpanId"].clone()).collect();
    assert_eq!(parents, [run.story(&id("US-001")).span(), run.span()]);
    for (span, mode) in spans.iter().zip(["quality", "compaction"]) {
        let attributes = span["attributes"].as_array().unwrap();
        assert!(attributes.contains(&text("ralph.mode", mode)), "{span}");
        assert!(attributes.contains(&text("gen_ai.provider.name", "openai")), "{span}");
    }
}

#[test]
fn a_killed_runner_leaves_a_session_that_ends_with_its_iteration() {
    let events = traced(a_run());
    let killed = events.iter().position(|one| one.at > at(15)).unwrap();
    let judged = events.iter().position(|one| matches!(one.event, LoopEvent::IterationEnded(_)));
    let mut exporter = Exporter::new(None);
    events[..killed].iter().for_each(|stamped| exporter.replay(stamped));
    let resumed = Stamped { at: at(1000), ..events[0].clone() };
    let judged = Stamped { at: at(1001), ..events[judged.unwrap()].clone() };
    let spans = spans(&export(&mut exporter, &[resumed, judged]));
    let [session, iteration] = &spans[..] else { panic!("{spans:?}") };
    assert_eq!(session["status"]["message"], "runner-died");
    assert_eq!(session["parentSpanId"], iteration["spanId"]);
    for span in [session, iteration] {
        let times = (&span["startTimeUnixNano"], &span["endTimeUnixNano"]);
        assert_eq!(times, (&json!(time(2)), &json!(time(1001))));
    }
}

#[test]
fn a_failed_session_is_an_error_by_its_outcome_alone() {
    let mut events = traced(a_run());
    let ended = events.iter().position(|one| matches!(one.event, LoopEvent::AgentEnded(_)));
    let ended = &mut events[ended.unwrap()];
    *ended = stamped(230, agent_ended(AgentOutcome::ApiError, "401: key sk-secret", &[]));
    let requests = export(&mut Exporter::new(None), &events);
    let session = &spans(&requests)[0];
    assert_eq!(session["status"], json!({ "code": 2, "message": "api-error" }));
    let times = points(&requests, "gen_ai.client.operation.duration");
    assert!(times[0].0.ends_with(" api-error"), "{times:?}");
}

/// Texts of the sample that must not leave the machine: prompts, output, errors, commands, paths, titles.
#[test]
fn nothing_that_a_person_or_an_agent_wrote_is_exported() {
    let requests = export(&mut Exporter::new(None), &traced(a_run()));
    let all: String = requests.iter().map(|(_, body)| body.to_string()).collect();
    for text in [
        "Be strict",
        "diff first",
        "--model opus",
        "/home/me",
        "cargo",
        "E0425",
        "Sums",
        "exit code",
    ] {
        assert!(!all.contains(text), "{text}");
    }
}

#[test]
fn many_spans_are_several_requests() {
    let mut events = traced(a_run());
    let LoopEvent::RunStarted { stories, .. } = &mut events[0].event else { panic!() };
    let brief = stories[1].clone();
    let names = (0..300).map(|number| id(&format!("US-1{number:03}")));
    let more: Vec<_> = names.map(|id| events::StoryBrief { id, ..brief.clone() }).collect();
    stories.extend(more.clone());
    let started = events.iter().find(|one| matches!(one.event, LoopEvent::IterationStarted(_)));
    let Some(Stamped { event: LoopEvent::IterationStarted(started), .. }) = started.cloned() else {
        panic!()
    };
    let begun = more.iter().map(|story| {
        let own = events::IterationStarted { story: Some(story.id.clone()), ..started.clone() };
        stamped(300, LoopEvent::IterationStarted(own))
    });
    let end = events.iter().position(|one| one.at > at(300)).unwrap();
    events.splice(end..end, begun.collect::<Vec<_>>());
    let LoopEvent::RunEnded(ended) = &mut events.last_mut().unwrap().event else { panic!() };
    ended.stories.extend(more);
    let requests = export(&mut Exporter::new(None), &events);
    assert_eq!(spans(&requests).iter().filter(|span| span["name"] == "ralph.story").count(), 301);
    let longest = requests.iter().map(|(_, body)| body.to_string().len()).max();
    assert!(longest < Some(60_000), "curl reads 100 KB, with quotes escaped: {longest:?}");
}
