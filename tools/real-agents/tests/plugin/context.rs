//! The context monitor in a real session.

use std::time::Duration;

use real_agents::Outcome;
use serde_json::json;
use simulator::Turn;
use tasks::Mode;

use crate::home_with_plugin;
use crate::project_with_loop::{ProjectWithLoop, model, stops, story};

/// The output of the monitor after each tool call; empty if it was silent.
fn alerts(outcome: &Outcome) -> Vec<String> {
    let responses = outcome.hook_responses("PostToolUse");
    for response in &responses {
        assert_eq!(response.exit_code, Some(0), "{response:?}");
    }
    responses.iter().map(|response| response.stdout.clone()).collect()
}

/// A tool call that waits until its own answer, the `number`th of the session, is in the
/// transcript. Claude Code writes it late; otherwise the monitor would see the answer before.
fn tool_call(number: usize) -> Turn {
    Turn::bash(format!(
        "until [ $(cat ~/.claude/projects/*/*.jsonl | grep -c '\"type\":\"assistant\"') -ge {number} ]; \
         do sleep 0.02; done"
    ))
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn the_alert_reaches_the_model_once() {
    let (home, _plugin) = home_with_plugin();
    let project = ProjectWithLoop::new(Mode::Implement, [story("US-001", json!(null))]);
    let model = model([
        tool_call(1).with_context_tokens(1_000),
        tool_call(2).with_context_tokens(110_000),
        tool_call(3).with_context_tokens(112_000),
        Turn::text("Done.").with_context_tokens(113_000),
    ]);
    let session = project.loop_session(&home, &model).env("CLAUDE_CONTEXT_WINDOW", "200000");
    let outcome = session.run().unwrap();

    let alerts = alerts(&outcome);
    assert_eq!(alerts.len(), 3, "{alerts:?}");
    assert_eq!((alerts[0].as_str(), alerts[2].as_str()), ("", ""));
    assert!(alerts[1].contains("Context NOTICE: 55 %"), "{}", alerts[1]);

    let requests = model.requests();
    assert_eq!(requests[1].mentions("Context NOTICE"), 0);
    assert_eq!(requests[2].mentions("Context NOTICE"), 1);
    assert_eq!(requests[2].mentions("new stories to ralph/tasks.json"), 1);
    assert_eq!(requests[3].mentions("Context NOTICE"), 1, "said once, remembered in the history");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn the_time_warning_reaches_the_model_once() {
    let (home, _plugin) = home_with_plugin();
    let project = ProjectWithLoop::new(Mode::Implement, [story("US-001", json!(null))])
        .late(Duration::from_secs(3 * 60 * 60 + 30 * 60));
    let model = model([tool_call(1), tool_call(2), Turn::text("Done.")]);
    let outcome = project.loop_session(&home, &model).run().unwrap();

    let alerts = alerts(&outcome);
    assert_eq!(alerts.len(), 2, "{alerts:?}");
    assert!(alerts[0].contains("Time WARNING") && alerts[1].is_empty(), "{alerts:?}");
    let requests = model.requests();
    assert_eq!(requests[0].mentions("Time WARNING"), 0);
    assert_eq!(requests[1].mentions("soft time limit and is ended in about 3 h"), 1);
    assert_eq!(requests[2].mentions("Time WARNING"), 1, "said once, remembered in the history");
    assert_eq!(stops(&outcome), [""], "a marker with times is no other marker to the guard");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn the_window_of_the_default_model_is_detected() {
    let (home, _plugin) = home_with_plugin();
    let project = ProjectWithLoop::new(Mode::Implement, [story("US-001", json!(null))]);
    let model = model([
        tool_call(1).with_context_tokens(190_000),
        tool_call(2).with_context_tokens(920_000),
        Turn::text("Done."),
    ]);
    let outcome = home.session(&model).project(project.path()).prompt("Go.").run().unwrap();
    let alerts = alerts(&outcome);
    assert_eq!(alerts.len(), 2, "{alerts:?}");
    assert_eq!(alerts[0], "");
    assert!(alerts[1].contains("Context CRITICAL: 92 %"), "{}", alerts[1]);
    assert!(!alerts[1].contains("tasks.json"), "not a loop's session: {}", alerts[1]);

    let result = outcome.result().unwrap();
    let windows: Vec<_> = result["modelUsage"].as_object().unwrap().values().collect();
    assert_eq!(windows[0]["contextWindow"], 1_000_000, "{result}");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn compaction_resets_the_alerts() {
    let (home, _plugin) = home_with_plugin();
    // A compacting model may give its summary more than once.
    let summary = || Turn::text("A summary of what was said.").with_context_tokens(1_000);
    let model = model([
        tool_call(1).with_context_tokens(105_000),
        tool_call(2).with_context_tokens(199_000),
        summary(),
        summary(),
        tool_call(3).with_context_tokens(106_000),
        Turn::text("Done."),
    ]);
    let session = home
        .session(&model)
        .arg("--model")
        .arg("claude-sonnet-4-5")
        .env("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "100000")
        .prompt("Go.");
    let outcome = session.run().unwrap();
    let starts = outcome.hook_responses("SessionStart");
    assert!(starts.iter().any(|start| start.hook_name == "SessionStart:compact"), "{starts:?}");
    let alerts = alerts(&outcome);
    assert_eq!(alerts.len(), 3, "{alerts:?}");
    for (alert, expected) in alerts.iter().zip(["NOTICE: 52 %", "CRITICAL: 99 %", "NOTICE: 53 %"]) {
        assert!(alert.contains(expected), "{alerts:?}");
    }
}
