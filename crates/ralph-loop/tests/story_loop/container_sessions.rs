//! Whole runs in containers of the real Podman.

use events::{LoopEvent, RunEnd};
use predicates::str::contains;
use serde_json::{Value, json};
use test_repo::assert_text;

use crate::harness::{Project, program};
use crate::os_sandbox_sessions::{ESCAPES, isolation, no_way_out, project_with};
use crate::{os_sandbox_lanes, podman};

fn settings() -> Value {
    let mut readable = podman::PROGRAMS.to_vec();
    readable.push("../scenario.json");
    json!({
        "readablePaths": readable,
        "container": { "image": podman::IMAGE, "engine": podman::program() },
    })
}

fn project(attack: &str) -> Project {
    project_with(attack, settings())
}

#[test]
fn a_session_in_a_container_escapes_by_none_of_these_ways() {
    let project = project(ESCAPES);
    no_way_out("container", &project);
    assert_eq!(podman::containers(&project.path()), "");
}

#[test]
fn sessions_and_checks_of_lanes_are_confined_to_their_clone() {
    let project = os_sandbox_lanes::project(settings());
    os_sandbox_lanes::confines("container", &project);
}

#[test]
fn a_container_is_chosen_by_itself_where_the_settings_name_an_image() {
    let project = project("true").flags(["--sandbox=auto"]);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert!(isolation(&run)[0].starts_with("claude container "), "{:?}", isolation(&run));
}

#[test]
fn a_missing_image_ends_the_run_before_it_starts() {
    let mut settings = settings();
    settings["container"]["image"] = json!("localhost/no-such-image");
    let project = project_with("true", settings);
    let agent = program("simulated-agent");
    let args = ["run", "--sandbox=container", "--agent-program", agent.to_str().unwrap()];
    let refused = project.call(&args);
    let stderr = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{stderr}");
    assert_text(&stderr, contains("image localhost/no-such-image"));
    assert_text(&stderr, contains("ralph-loop containerfile | podman build -t"));
}

#[test]
fn the_span_of_a_session_reaches_its_agent_in_a_container() {
    let project = project("echo \"$TRACEPARENT\" >>seen").flags(["--sandbox=container"]);
    // No collector is there: the span does not depend on it.
    let telemetry = json!({ "telemetry": { "otlp": "http://127.0.0.1:9" } });
    project.write(".ralph/settings.local.json", telemetry.to_string());
    let run = project.run([]);
    run.assert_exit(0);
    let spans = run.events.iter().filter_map(|event| match event {
        LoopEvent::AgentCalled { traceparent, .. } => Some(traceparent.as_ref()?.to_string()),
        _ => None,
    });
    assert_eq!(project.read("seen").lines().next(), spans.into_iter().next().as_deref());
}
