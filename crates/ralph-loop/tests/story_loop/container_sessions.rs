//! Whole runs in containers of the real Podman.

use events::RunEnd;
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
