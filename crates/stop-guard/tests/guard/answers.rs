//! Sessions that end with a structured answer, which a Stop hook cannot block.

use serde_json::json;

use crate::harness::{GuardAnswer, GuardOutput, Project, move_to, story};

fn cheating() -> Project {
    let project = Project::in_iteration("implement", [story("US-001")]);
    project.approve();
    project
}

impl Project {
    fn approve(&self) {
        self.agent_edits(|list| move_to(&mut list["userStories"][0], true, json!("approved"), 1));
    }

    fn put_right(&self) {
        self.agent_edits(|list| move_to(&mut list["userStories"][0], false, json!(null), 0));
    }

    /// Runs the guard as the PreToolUse hook of this tool.
    fn before(&self, tool: &str) -> GuardAnswer {
        let mut input = self.input.clone();
        for absent in ["stop_hook_active", "background_tasks"] {
            input.as_object_mut().unwrap().remove(absent);
        }
        input["hook_event_name"] = json!("PreToolUse");
        input["tool_name"] = json!(tool);
        input["tool_input"] = json!({"task_completed": {"task_id": "US-001"}});
        input["tool_use_id"] = json!("toolu_1");
        self.stop_with(input.to_string())
    }

    fn answers(&self) -> GuardAnswer {
        self.before("StructuredOutput")
    }
}

impl GuardAnswer {
    #[track_caller]
    fn assert_denied_for(&self, part: &str) {
        let GuardOutput::Deny(reason) = &self.output else { panic!("not denied: {self:?}") };
        assert!(reason.contains(part), "{part:?} is not in: {reason}");
    }

    #[track_caller]
    fn assert_allowed_because(&self, part: &str) {
        let GuardOutput::Warn(message) = &self.output else { panic!("no warning: {self:?}") };
        assert!(message.contains(part), "{part:?} is not in: {message}");
    }
}

#[test]
fn an_answer_is_denied_for_what_would_block_a_stop() {
    let project = cheating();
    project.answers().assert_denied_for("implement iterations cannot approve");
    project.put_right();
    project.answers().assert_allowed("no findings");
    project.stop().assert_allowed("no findings");
}

#[test]
fn a_tampered_marker_denies_the_answer() {
    let project = cheating().env("RALPH_MARKER_SHA256", "0".repeat(64));
    project.answers().assert_denied_for("was tampered with");
}

#[test]
fn other_tools_other_sessions_and_subagents_are_left_alone() {
    let mut project = cheating();
    for tool in ["Bash", "", "structuredoutput", "mcp__x__StructuredOutput"] {
        project.before(tool).assert_allowed("this tool does not end the session");
    }
    project.input["agent_id"] = json!("agent-1");
    project.answers().assert_allowed("subagent");
    project.input["agent_id"] = json!(null);
    project.input["session_id"] = json!("another-session");
    project.answers().assert_allowed(", not this one");
}

#[test]
fn stops_and_answers_are_counted_together() {
    let project = cheating();
    project.answers().assert_denied_for("block 1 of 4");
    project.stop().assert_blocked_for("block 2 of 6");
    project.answers().assert_denied_for("block 3 of 5");
    for number in 4..=6 {
        project.stop().assert_blocked_for(&format!("block {number} of 6"));
    }
    project.answers().assert_allowed_because("was blocked 6 times already");
    assert!(matches!(project.stop().output, GuardOutput::Warn(_)));
}

#[test]
fn the_last_answer_and_the_stop_after_it_are_allowed() {
    let project = cheating();
    for number in 1..=4 {
        project.answers().assert_denied_for(&format!("block {number} of 4"));
    }
    let last = project.answers();
    last.assert_allowed_because("with 3 unresolved findings");
    last.assert_allowed_because("Claude Code fails a session after 5 rejected answers");
    project.stop().assert_allowed_because("its structured answer was already allowed");
}

#[test]
fn claudes_limit_is_the_one_that_the_user_set() {
    for (limit, denied) in [("9", 6), ("3", 2), ("1", 0), ("0", 0), ("many", 4)] {
        let project = cheating().env("MAX_STRUCTURED_OUTPUT_RETRIES", limit);
        let denials = (0..20)
            .take_while(|_| matches!(project.answers().output, GuardOutput::Deny(_)))
            .count();
        assert_eq!(denials, denied, "limit {limit}");
    }
}

#[test]
fn an_allowed_answer_counts_because_its_schema_may_be_wrong() {
    let project = cheating();
    project.put_right();
    for _ in 0..3 {
        project.answers().assert_allowed("no findings");
    }
    project.approve();
    project.answers().assert_denied_for("block 1 of 1");
    project.answers().assert_allowed_because("after 5 rejected answers");
}

#[test]
fn without_saved_state_no_answer_is_denied() {
    let project = cheating().env("CLAUDE_PLUGIN_DATA", "/dev/null/nowhere");
    project.answers().assert_allowed_because("blocks cannot be counted");
}
