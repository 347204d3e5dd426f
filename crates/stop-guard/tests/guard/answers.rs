//! A session that ends by its structured answer, which no Stop hook could hold.

use serde_json::json;

use crate::harness::{Answer, Project, Said, move_to, story};

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

    /// The guard, asked before this tool.
    fn before(&self, tool: &str) -> Answer {
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

    fn answers(&self) -> Answer {
        self.before("StructuredOutput")
    }
}

impl Answer {
    #[track_caller]
    fn assert_denied_for(&self, part: &str) {
        let Said::Deny(reason) = &self.said else { panic!("not denied: {self:?}") };
        assert!(reason.contains(part), "{part:?} is not in: {reason}");
    }

    #[track_caller]
    fn assert_let_pass_because(&self, part: &str) {
        let Said::Warn(message) = &self.said else { panic!("no warning: {self:?}") };
        assert!(message.contains(part), "{part:?} is not in: {message}");
    }
}

#[test]
fn an_answer_is_denied_for_what_would_block_a_stop() {
    let project = cheating();
    project.answers().assert_denied_for("implement iterations cannot approve");
    project.put_right();
    project.answers().assert_allowed("nothing to object to");
    project.stop().assert_allowed("nothing to object to");
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
    project.input["session_id"] = json!("someone-else");
    project.answers().assert_allowed("this is another");
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
    project.answers().assert_let_pass_because("was blocked 6 times already");
    assert!(matches!(project.stop().said, Said::Warn(_)));
}

#[test]
fn the_answer_that_would_be_claudes_last_is_let_pass_and_so_is_the_stop_after_it() {
    let project = cheating();
    for number in 1..=4 {
        project.answers().assert_denied_for(&format!("block {number} of 4"));
    }
    let last = project.answers();
    last.assert_let_pass_because("with 3 unresolved findings");
    last.assert_let_pass_because("Claude Code gives up after 5 answers that were not taken");
    project.stop().assert_let_pass_because("its answer was let pass already");
}

#[test]
fn claudes_limit_is_the_one_that_the_user_set() {
    for (limit, denied) in [("9", 6), ("3", 2), ("1", 0), ("0", 0), ("many", 4)] {
        let project = cheating().env("MAX_STRUCTURED_OUTPUT_RETRIES", limit);
        let denials =
            (0..20).take_while(|_| matches!(project.answers().said, Said::Deny(_))).count();
        assert_eq!(denials, denied, "limit {limit}");
    }
}

#[test]
fn an_answer_that_was_let_pass_counts_because_its_form_may_be_wrong() {
    let project = cheating();
    project.put_right();
    for _ in 0..3 {
        project.answers().assert_allowed("nothing to object to");
    }
    project.approve();
    project.answers().assert_denied_for("block 1 of 1");
    project.answers().assert_let_pass_because("after 5 answers");
}

#[test]
fn without_a_place_to_count_no_answer_is_denied() {
    let project = cheating().env("CLAUDE_PLUGIN_DATA", "/dev/null/nowhere");
    project.answers().assert_let_pass_because("blocks cannot be counted");
}
