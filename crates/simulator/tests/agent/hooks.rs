//! The hooks of a plugin run with the input of Claude Code, and their answers take effect.

use serde_json::{Value, json};
use simulator::{Act, Scenario, When};

use crate::project::{Ended, Project};

/// Blocks the first stops, as many as its argument says.
const BLOCKS: &str = r#"echo x >>"$CLAUDE_PLUGIN_DATA/stops"
[ "$(wc -l <"$CLAUDE_PLUGIN_DATA/stops")" -gt "$1" ] && exit 0
echo '{"decision":"block","reason":"not yet"}'"#;

fn stop_hook(blocks: u32) -> Value {
    let command = "${CLAUDE_PLUGIN_ROOT}/stop.sh";
    let hook = json!({"type": "command", "command": command, "args": [blocks.to_string()]});
    json!({"Stop": [{"hooks": [hook]}]})
}

fn blocked(project: &Project, scenario: &Scenario, blocks: u32, cap: &str) -> Ended {
    let plugin = project.plugin(stop_hook(blocks), &[("stop.sh", BLOCKS)]);
    project
        .play(scenario)
        .arg("--plugin-dir")
        .arg(plugin)
        .env("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", cap)
        .complete()
}

fn keys(ended: &Ended) -> Vec<&str> {
    let notifications = ended.of("system", "notification").into_iter();
    notifications.filter_map(|line| line["key"].as_str()).collect()
}

#[test]
fn after_a_blocked_stop_the_scenario_continues() {
    let project = Project::implement();
    let scenario = Scenario::new()
        .rule(When::any(), [Act::finish("one")])
        .when_blocked([Act::bash("touch repaired"), Act::finish("two")])
        .when_blocked([Act::finish("three")]);
    let ended = blocked(&project, &scenario, 2, "8");
    assert!(ended.status.success());
    assert_eq!(ended.feedback(), ["Stop hook feedback:\nnot yet"; 2]);
    assert_eq!(ended.result()["result"], "three");
    assert_eq!(keys(&ended), ["stop-hook-error"]);
    assert!(project.path().join("repaired").exists());
    let responses = ended.of("system", "hook_response");
    assert_eq!(responses.len(), 3);
    assert_eq!(responses[0]["stdout"], "{\"decision\":\"block\",\"reason\":\"not yet\"}\n");
    assert_eq!(
        (&responses[0]["exit_code"], &responses[0]["outcome"]),
        (&json!(0), &json!("success"))
    );
    assert_eq!(ended.of("system", "hook_started").len(), 3);
}

#[test]
fn the_block_cap_ends_the_session() {
    let project = Project::implement();
    let scenario = Scenario::new().rule(When::any(), []);
    let ended = blocked(&project, &scenario, 99, "2");
    assert!(ended.status.success());
    assert_eq!(ended.of("system", "hook_response").len(), 3);
    assert_eq!(keys(&ended), ["stop-hook-error", "stop-hook-block-cap"]);
    assert_eq!(ended.result()["terminal_reason"], "completed");
}

#[test]
fn the_default_cap_is_eight() {
    let project = Project::implement();
    let scenario = Scenario::new().rule(When::any(), []);
    assert_eq!(blocked(&project, &scenario, 99, "").of("system", "hook_response").len(), 9);
}

#[test]
fn a_tool_in_between_starts_the_count_again() {
    let project = Project::implement();
    let scenario = Scenario::new()
        .rule(When::any(), [])
        .when_blocked([Act::read("x")])
        .when_blocked([Act::read("x")]);
    let ended = blocked(&project, &scenario, 99, "1");
    assert_eq!(ended.of("system", "hook_response").len(), 4);
    assert_eq!(keys(&ended), ["stop-hook-error", "stop-hook-block-cap"]);
}

#[test]
fn a_missing_program_is_an_error_that_blocks_nothing() {
    let project = Project::implement();
    let hook = json!({"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/none", "args": []});
    let plugin = project.plugin(json!({"Stop": [{"hooks": [hook]}]}), &[]);
    let scenario = Scenario::new().rule(When::any(), []);
    let ended = project.play(&scenario).arg("--plugin-dir").arg(&plugin).complete();
    assert!(ended.status.success());
    let response = ended.of("system", "hook_response")[0];
    assert_eq!((&response["outcome"], &response["exit_code"]), (&json!("error"), &json!(1)));
    let expected = format!("posix_spawn '{}/none'", plugin.display());
    assert!(response["stderr"].as_str().unwrap().ends_with(&expected), "{response}");
}

#[test]
fn hooks_get_the_input_of_claude_code() {
    let project = Project::implement();
    let dump =
        r#"{ cat; echo "$CLAUDE_PROJECT_DIR $CLAUDE_PLUGIN_ROOT"; } >>"$CLAUDE_PLUGIN_DATA/$1""#;
    let hook = |name: &str| {
        let command = "${CLAUDE_PLUGIN_ROOT}/dump.sh";
        json!([{"hooks": [{"type": "command", "command": command, "args": [name]}]}])
    };
    let hooks =
        json!({"SessionStart": hook("start"), "PostToolUse": hook("tool"), "Stop": hook("stop")});
    let plugin = project.plugin(hooks, &[("dump.sh", dump)]);
    let acts = [Act::bash("echo hi"), Act::bash("exit 3"), Act::finish("bye")];
    let scenario = Scenario::new().rule(When::any(), acts);
    let ended = project
        .play(&scenario)
        .arg("--plugin-dir")
        .arg(&plugin)
        .arg("--session-id=s-1")
        .arg("--dangerously-skip-permissions")
        .complete();
    let heard = |name: &str| {
        let text = project.read(&format!("config/plugins/data/plugin-inline/{name}"));
        let (input, surroundings) = text.split_once('\n').unwrap();
        let cwd = project.path().canonicalize().unwrap();
        assert_eq!(surroundings, format!("{} {}\n", cwd.display(), plugin.display()));
        serde_json::from_str::<Value>(input).unwrap()
    };
    assert_eq!(heard("start")["source"], "startup");
    // PostToolUse is not called for the failed tool: one line of input, one of environment.
    let tool = heard("tool");
    assert_eq!(
        (&tool["tool_name"], &tool["tool_input"]["command"]),
        (&json!("Bash"), &json!("echo hi"))
    );
    assert_eq!(tool["tool_response"]["stdout"], "hi");
    let stop = heard("stop");
    assert_eq!(stop["session_id"], "s-1");
    assert_eq!((&stop["stop_hook_active"], &stop["background_tasks"]), (&json!(false), &json!([])));
    assert_eq!(
        (&stop["last_assistant_message"], &stop["permission_mode"]),
        (&json!("bye"), &json!("bypassPermissions"))
    );
    let transcript = std::fs::read_to_string(stop["transcript_path"].as_str().unwrap()).unwrap();
    let last: Value = serde_json::from_str(transcript.lines().last().unwrap()).unwrap();
    assert_eq!((&last["type"], &last["isSidechain"]), (&json!("assistant"), &json!(false)));
    assert_eq!(last["message"]["usage"]["input_tokens"], 1000);
    assert_eq!(ended.lines[0]["hook_name"], "SessionStart:startup");
}
