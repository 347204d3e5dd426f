//! The lines have the same keys as those of Claude Code 2.1.325.

use serde_json::Value;
use simulator::{Act, Scenario, When};

use crate::project::Project;

#[track_caller]
fn assert_keys(value: &Value, keys: &str) {
    for key in keys.split_whitespace() {
        assert!(value.get(key).is_some(), "no {key} in {value}");
    }
}

#[test]
fn lines_have_the_keys_of_the_real_ones() {
    let project = Project::implement();
    let acts = [Act::say("I will look."), Act::bash("echo hi"), Act::read(".gitignore")];
    let ended = project.play(&Scenario::new().rule(When::any(), acts)).complete();
    for line in &ended.lines {
        assert_keys(line, "type session_id uuid");
    }
    assert_keys(
        &ended.lines[0],
        "subtype cwd tools mcp_servers model permissionMode slash_commands apiKeySource plugins \
         claude_code_version output_style agents skills",
    );
    let assistant = ended.of("assistant", "");
    for line in &assistant {
        assert_keys(line, "message parent_tool_use_id timestamp");
        assert_keys(
            &line["message"],
            "id type role model content stop_reason stop_sequence usage context_management",
        );
    }
    let id = |index: usize| &assistant[index]["message"]["id"];
    assert_eq!(id(0), id(1), "a call belongs to the answer that announces it");
    assert_ne!(id(1), id(2));
    for line in ended.of("user", "") {
        assert_keys(line, "message parent_tool_use_id timestamp tool_use_result tool_result_meta");
        assert_keys(&line["message"]["content"][0], "tool_use_id type content");
    }
    let result = ended.result();
    assert_keys(
        result,
        "subtype is_error duration_ms duration_api_ms num_turns result stop_reason total_cost_usd \
         usage modelUsage permission_denials terminal_reason api_error_status",
    );
    assert_eq!(result["num_turns"], 3, "two lines of one answer are one turn");
    assert_keys(
        &result["modelUsage"]["claude-opus-5-5"],
        "inputTokens outputTokens cacheReadInputTokens cacheCreationInputTokens costUSD \
         contextWindow maxOutputTokens",
    );
}
