//! A review must give its verdict in its final message, and it must match the task list.

use serde_json::{Value, json};

use crate::harness::{GuardAnswer, GuardOutput, Project, move_to, story_at};

const REJECTS: &str = "No.\n<verdict>changes_requested</verdict>";

/// A review that must give its verdict in `place`.
fn reviewing(place: Value) -> Project {
    let project = Project::in_iteration("review", [story_at("A", false, json!("needs_review"), 0)]);
    let mut marker = project.marker("review");
    marker["verdictIn"] = place;
    marker["storyId"] = json!("A");
    project.write_marker(&marker);
    project
}

impl Project {
    fn rejected(self) -> Self {
        let reject = |list: &mut Value| {
            move_to(&mut list["userStories"][0], false, json!("changes_requested"), 1);
        };
        self.agent_edits(reject);
        self
    }

    fn stop_saying(&self, message: &str) -> GuardAnswer {
        let mut input = self.input.clone();
        input["last_assistant_message"] = json!(message);
        self.stop_with(input.to_string())
    }

    fn answer_saying(&self, verdict: Value) -> GuardAnswer {
        let mut input = self.input.clone();
        input["hook_event_name"] = json!("PreToolUse");
        input["tool_name"] = json!("StructuredOutput");
        input["tool_input"] = json!({"task_completed": {"task_id": "A"}, "verdict": verdict});
        self.stop_with(input.to_string())
    }
}

#[test]
fn a_review_with_matching_verdicts_may_end() {
    let project = reviewing(json!("message")).rejected();
    project.stop_saying(REJECTS).assert_allowed("no findings");
}

#[test]
fn a_review_with_a_missing_or_other_verdict_may_not_end() {
    let project = reviewing(json!("message")).rejected();
    for message in ["No.", "", "<verdict>changes_requested</verdict>\nGoodbye."] {
        project.stop_saying(message).assert_blocked_for("the final message gives no verdict");
    }
    let answer = project.stop_saying("<verdict>approved</verdict>");
    answer.assert_blocked_for(
        "the task list says changes_requested, the final message says approved",
    );
    answer.assert_blocked_for("This review has no valid verdict:");
    answer.assert_blocked_for("last line of your final message");
    answer.assert_blocked_for(
        "`<verdict>approved</verdict>` or `<verdict>changes_requested</verdict>`",
    );
    answer.assert_blocked_for("correct the list, not your verdict");
}

#[test]
fn a_review_without_a_written_verdict_may_not_end() {
    let project = reviewing(json!("message"));
    project.stop_saying(REJECTS).assert_blocked_for("the task list gives no verdict");
    project.stop_saying("Hm.").assert_blocked_for("the task list gives no verdict, the final");
    project.stop().assert_blocked_for("the task list gives no verdict");
}

#[test]
fn an_old_claude_that_does_not_pass_the_message_is_held_to_the_list_alone() {
    reviewing(json!("message")).rejected().stop().assert_allowed("no findings");
}

#[test]
fn an_answer_has_a_field_for_it() {
    let project = reviewing(json!("answer")).rejected().env("MAX_STRUCTURED_OUTPUT_RETRIES", "20");
    project.answer_saying(json!("changes_requested")).assert_allowed("no findings");
    for verdict in [json!("approved"), json!(null), json!("Changes_Requested"), json!(7)] {
        let answer = project.answer_saying(verdict);
        let GuardOutput::Deny(reason) = &answer.output else { panic!("not denied: {answer:?}") };
        assert!(reason.contains("the task list says changes_requested, the final"), "{reason}");
        assert!(reason.contains("the field `verdict` of your answer"), "{reason}");
    }
    // Claude Code has already ended the session.
    project.stop_saying("").assert_allowed("no findings");
}

#[test]
fn without_a_request_no_verdict_is_needed() {
    reviewing(json!(null)).stop_saying("Hm.").assert_allowed("no findings");
    let project = Project::in_iteration("implement", [story_at("A", false, json!(null), 0)]);
    project.stop_saying("Hm.").assert_allowed("no findings");
}

#[test]
fn missing_verdicts_have_the_same_maximum_of_blocks() {
    let project = reviewing(json!("message")).rejected();
    for number in 1..=6 {
        project.stop_saying("No.").assert_blocked_for(&format!("block {number} of 6"));
    }
    assert!(matches!(project.stop_saying("No.").output, GuardOutput::Warn(_)));
}
