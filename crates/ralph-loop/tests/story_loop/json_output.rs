//! Commands that print JSON: a terminal that shows it is not steered by texts of others.

use serde_json::{Deserializer, Value};
use simulator::{Act, Mode, Scenario, When};

use crate::harness::{Project, program};
use crate::stories::story;

/// A command of its own for some terminals, one that turns the direction, and one that hides.
const STEERING: &str = "a\u{9b}2J\u{85}b\u{202e}c\u{2066}d\u{7f}e\u{e0041}f";
const ESCAPED: &str = r"a\u009b2J\u0085b\u202ec\u2066d\u007fe\udb40\udc41f";

#[track_caller]
fn assert_escaped(project: &Project, args: &[&str]) -> Vec<Value> {
    let text = assert_harmless(project, args);
    assert!(text.contains(ESCAPED), "{args:?}: {text}");
    Deserializer::from_str(&text).into_iter().map(Result::unwrap).collect()
}

#[track_caller]
fn assert_harmless(project: &Project, args: &[&str]) -> String {
    let output = project.call(args);
    let text = String::from_utf8(output.stdout).unwrap();
    let steers = |c: char| {
        let is_control = c.is_control() && c != '\n';
        is_control || matches!(c, '\u{202e}' | '\u{2066}' | '\u{e0041}')
    };
    assert!(!text.contains(steers), "{args:?}: {text:?}");
    text
}

#[test]
fn json_does_not_steer_a_terminal() {
    let mut one = story("US-001");
    one["title"] = STEERING.into();
    let project = Project::new([one]);
    let acts = [Act::say(STEERING), Act::submit("done"), Act::commit("work")];
    project.agent(&Scenario::new().rule(When::mode(Mode::Implement), acts));
    let agent = program("simulated-agent");
    let agent = agent.to_str().unwrap();
    let run = ["run", "--output", "json", "--sandbox=guard", "--agent-program", agent];
    // A prompt has no such characters in it.
    let dry_run = assert_harmless(&project, &[&run[..], &["--dry-run"]].concat());
    assert!(dry_run.contains("US-001"), "{dry_run}");
    let events = assert_escaped(&project, &run);
    assert!(events.iter().any(|event| event["text"] == STEERING), "another value: {events:#?}");
    assert_escaped(&project, &["status", "--json"]);
    assert_escaped(&project, &["report", "--format", "json"]);
}
