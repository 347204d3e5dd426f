//! Structured answers in Claude Code, and the guard before them.

use real_agents::{Home, Outcome, Session};
use serde_json::{Value, json};
use simulator::Turn;
use tasks::Mode;

use crate::project_with_loop::{
    ProjectWithLoop, approved, denials, guard_responses, model, stops, story,
};
use crate::{claude, home_with_plugin};

const SCHEMA: &str =
    r#"{"type":"object","properties":{"summary":{"type":"string"}},"required":["summary"]}"#;

fn answers(summary: &str) -> Turn {
    Turn::tool("StructuredOutput", json!({"summary": summary}))
}

fn structured(session: Session<'_>) -> Session<'_> {
    session.arg("--json-schema").arg(SCHEMA)
}

/// A user hook that always gives this answer.
fn settings(event: &str, answer: &Value) -> String {
    let hook = json!({"type": "command", "command": format!("echo '{answer}'")});
    json!({"hooks": {event: [{"matcher": "", "hooks": [hook]}]}}).to_string()
}

fn structured_output(outcome: &Outcome) -> &Value {
    &outcome.result().unwrap()["structured_output"]
}

/// The reason for the PreToolUse guard. If this fails, Claude Code obeys Stop hooks here.
#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn claude_code_ignores_a_stop_hook_after_a_structured_answer() {
    let home = Home::new(&claude()).unwrap();
    let model = model([answers("done"), Turn::text("Never said.")]);
    let never = settings("Stop", &json!({"decision": "block", "reason": "never"}));
    let session = structured(home.session(&model)).arg("--settings").arg(never);
    let outcome = session.run().unwrap();
    let stops = outcome.hook_responses("Stop");
    assert_eq!(stops.len(), 1, "{stops:?}");
    assert!(stops[0].stdout.contains("never"), "{stops:?}");
    assert_eq!(model.requests().len(), 1);
    assert_eq!(structured_output(&outcome), &json!({"summary": "done"}));
}

/// The reason why the guard allows the last answer.
#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn claude_code_fails_after_five_denied_answers() {
    for (limit, answers_given) in [(None, 5), (Some("3"), 3)] {
        let home = Home::new(&claude()).unwrap();
        let model = model((0..12).map(|_| answers("done")));
        let deny = settings(
            "PreToolUse",
            &json!({"hookSpecificOutput": {"hookEventName": "PreToolUse",
                "permissionDecision": "deny", "permissionDecisionReason": "never"}}),
        );
        let mut session = structured(home.session(&model)).arg("--settings").arg(deny);
        if let Some(limit) = limit {
            session = session.env("MAX_STRUCTURED_OUTPUT_RETRIES", limit);
        }
        let outcome = session.run().unwrap();
        assert_eq!(model.requests().len(), answers_given);
        assert_eq!(outcome.exit_code, Some(1));
        assert_eq!(outcome.hook_responses("Stop").len(), 0);
        let result = outcome.result().unwrap();
        assert_eq!(result["subtype"], "error_max_structured_output_retries");
    }
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn an_answer_is_denied_until_the_list_is_fixed() {
    let (home, _plugin) = home_with_plugin();
    let project = ProjectWithLoop::new(Mode::Implement, [story("US-001", json!(null))]);
    let model = model([
        project.agent_sets(&[(0, approved("I checked it myself"))]),
        answers("Done and approved."),
        project.agent_sets(&[(0, json!({"reviewStatus": "needs_review"}))]),
        answers("Submitted for review."),
        Turn::text("Never said."),
    ]);
    let outcome = structured(project.loop_session(&home, &model)).run().unwrap();

    let denials = denials(&outcome);
    assert_eq!(denials.len(), 2, "{denials:?}");
    assert!(denials[0].contains("implement iterations cannot approve"), "{}", denials[0]);
    assert_eq!(denials[1], "");
    assert_eq!(stops(&outcome), [""], "the stop hook still answers");
    assert_eq!(structured_output(&outcome), &json!({"summary": "Submitted for review."}));
    assert_eq!(outcome.exit_code, Some(0));

    let requests = model.requests();
    assert_eq!(requests.len(), 4);
    let denial = "PreToolUse:StructuredOutput hook error: Ralph: this implement iteration";
    let mentions: Vec<_> = requests.iter().map(|request| request.mentions(denial)).collect();
    assert_eq!(mentions, [0, 0, 1, 1]);
    assert_eq!(project.status(), "");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn the_guard_stops_denying_before_claude_code_fails_the_session() {
    let (home, _plugin) = home_with_plugin();
    let project = ProjectWithLoop::new(Mode::Implement, [story("US-001", json!(null))]);
    let stubborn = (0..12).map(|_| answers("I am done."));
    let model =
        model([project.agent_sets(&[(0, approved("trust me"))])].into_iter().chain(stubborn));
    let outcome = structured(project.loop_session(&home, &model)).run().unwrap();
    let denials = denials(&outcome);
    assert_eq!(denials.len(), 5, "{denials:?}");
    for (number, reason) in denials.iter().take(4).enumerate() {
        assert!(reason.contains(&format!("(block {} of 4)", number + 1)), "{reason}");
    }
    for last in [
        guard_responses(&outcome, "PreToolUse").remove(4),
        guard_responses(&outcome, "Stop").remove(0),
    ] {
        assert!(last.stdout.contains("systemMessage"), "{last:?}");
    }
    assert_eq!(structured_output(&outcome), &json!({"summary": "I am done."}));
    assert_eq!(outcome.exit_code, Some(0));
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn the_guard_ignores_sessions_outside_the_loop() {
    let (home, _plugin) = home_with_plugin();
    let project = ProjectWithLoop::new(Mode::Implement, [story("US-001", json!(null))]);
    let model = model([project.agent_sets(&[(0, approved("only visiting"))]), answers("Bye.")]);
    let session = home.session(&model).project(project.path()).prompt("Hello.");
    let outcome = structured(session).run().unwrap();
    assert_eq!(denials(&outcome), [""]);
    assert_eq!(structured_output(&outcome), &json!({"summary": "Bye."}));
}
