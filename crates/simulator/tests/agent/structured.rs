//! A session with a JSON schema: its answer, the hooks before it, and the result.

use serde_json::{Value, json};
use simulator::{Act, Scenario, When};

use crate::project::{Ended, Project, Run};

/// Denies the first answers; the argument is their number.
const DENIES: &str = r#"cat >>"$CLAUDE_PLUGIN_DATA/heard"
[ "$(wc -l <"$CLAUDE_PLUGIN_DATA/heard")" -gt "$1" ] && exit 0
echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"not yet"}}'"#;

const BLOCKS: &str =
    r#"cat >>"$CLAUDE_PLUGIN_DATA/stops"; echo '{"decision":"block","reason":"never"}'"#;

fn hook(matcher: &str, script: &str, args: &[&str]) -> Value {
    let command = format!("${{CLAUDE_PLUGIN_ROOT}}/{script}");
    json!([{"matcher": matcher, "hooks": [{"type": "command", "command": command, "args": args}]}])
}

/// A project whose hooks deny this many answers and block every stop.
fn strict(denials: u32) -> (Project, std::path::PathBuf) {
    let project = Project::implement();
    let hooks = json!({
        "PreToolUse": hook("StructuredOutput", "deny.sh", &[&denials.to_string()]),
        "Stop": hook("", "block.sh", &[]),
    });
    let plugin = project.plugin(hooks, &[("deny.sh", DENIES), ("block.sh", BLOCKS)]);
    (project, plugin)
}

impl Run<'_> {
    fn structured(self) -> Self {
        self.arg("--json-schema").arg(r#"{"type":"object"}"#)
    }
}

/// The input of the hooks of a plugin.
fn inputs(project: &Project, name: &str) -> Vec<Value> {
    let text = project.read(&format!("config/plugins/data/plugin-inline/{name}"));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The hooks that ran, in order.
fn hooks(ended: &Ended) -> Vec<&str> {
    let responses = ended.of("system", "hook_response").into_iter();
    responses.filter_map(|line| line["hook_name"].as_str()).collect()
}

#[test]
fn an_accepted_answer_ends_the_session_despite_a_stop_hook() {
    let (project, plugin) = strict(0);
    let answer = json!({"a": "x"});
    let scenario = Scenario::new().rule(When::any(), [Act::Structured(answer.clone())]);
    let ended = project.play(&scenario).structured().arg("--plugin-dir").arg(plugin).complete();
    assert!(ended.status.success());
    assert_eq!(hooks(&ended), ["PreToolUse:StructuredOutput", "Stop"]);
    assert_eq!(ended.tools(), ["StructuredOutput"]);
    assert_eq!(ended.tool_results(), ["Structured output provided successfully"]);
    assert_eq!(ended.feedback(), [""; 0]);
    let result = ended.result();
    assert_eq!(
        (&result["structured_output"], &result["result"]),
        (&answer, &json!(r#"{"a":"x"}"#))
    );
    assert_eq!(
        (&result["subtype"], &result["stop_reason"], &result["num_turns"]),
        (&json!("success"), &json!("tool_use"), &json!(2))
    );
    let heard = &inputs(&project, "heard")[0];
    assert_eq!(heard["hook_event_name"], "PreToolUse");
    assert_eq!((&heard["tool_name"], &heard["tool_input"]), (&json!("StructuredOutput"), &answer));
    assert_eq!(heard.get("background_tasks"), None);
    assert_eq!(inputs(&project, "stops")[0].get("last_assistant_message"), None);
}

#[test]
fn after_a_denied_answer_the_scenario_continues() {
    let (project, plugin) = strict(2);
    let scenario = Scenario::new()
        .rule(When::any(), [Act::Structured(json!({"n": 1}))])
        .when_blocked([Act::bash("touch repaired"), Act::Structured(json!({"n": 2}))])
        .when_blocked([Act::bash("touch again")]);
    let ended = project.play(&scenario).structured().arg("--plugin-dir").arg(plugin).complete();
    let denied = "PreToolUse:StructuredOutput hook error: not yet";
    let results = ended.tool_results();
    assert_eq!(results.iter().filter(|result| **result == denied).count(), 2, "{results:?}");
    let meta = ended.lines.iter().find(|line| line["message"]["content"][0]["content"] == denied);
    let meta = &meta.unwrap()["tool_result_meta"][0];
    assert_eq!(meta["permission_decision"]["decision"], "reject");
    assert!(project.path().join("repaired").exists() && project.path().join("again").exists());
    assert_eq!(ended.result()["structured_output"], json!({"n": 2}), "it says the same again");
}

#[test]
fn a_session_fails_when_every_answer_is_denied() {
    for (limit, answers) in [("", 5), ("2", 2)] {
        let (project, plugin) = strict(99);
        let scenario = Scenario::new().rule(When::any(), [Act::Structured(json!({}))]);
        let run = project.play(&scenario).structured().arg("--plugin-dir").arg(plugin);
        let ended = run.env("MAX_STRUCTURED_OUTPUT_RETRIES", limit).complete();
        assert_eq!(ended.status.code(), Some(1));
        assert_eq!(hooks(&ended), vec!["PreToolUse:StructuredOutput"; answers], "no stop");
        let result = ended.result();
        assert_eq!(result["subtype"], "error_max_structured_output_retries");
        assert_eq!(result["terminal_reason"], "structured_output_retry_exhausted");
        let error = format!(
            "Failed to provide valid structured output after {answers} attempts — last \
             StructuredOutput error: PreToolUse:StructuredOutput hook error: not yet"
        );
        assert_eq!(result["errors"], json!([error]));
    }
}

#[test]
fn a_text_answer_gets_one_reminder() {
    let project = Project::implement();
    let hooks = json!({"Stop": hook("", "dump.sh", &[])});
    let plugin = project.plugin(hooks, &[("dump.sh", r#"cat >>"$CLAUDE_PLUGIN_DATA/stops""#)]);
    let scenario = Scenario::new().rule(When::any(), [Act::finish("done")]);
    let ended = project.play(&scenario).structured().arg("--plugin-dir").arg(plugin).complete();
    let active: Vec<Value> =
        inputs(&project, "stops").iter().map(|input| input["stop_hook_active"].clone()).collect();
    assert_eq!(active, [false, true]);
    let reminder = "[structured-output-enforce] You MUST call the StructuredOutput tool to \
                    complete this request. Call this tool now.";
    assert_eq!(ended.feedback(), [reminder]);
    assert_eq!(ended.of("assistant", "").len(), 2);
    let result = ended.result();
    assert_eq!((&result["subtype"], &result["result"]), (&json!("success"), &json!("done")));
    assert_eq!(result.get("structured_output"), None);
}

#[test]
fn a_stop_hook_also_blocks_a_session_without_its_structured_answer() {
    let project = Project::implement();
    let once = r#"mkdir "$CLAUDE_PLUGIN_DATA/once" 2>/dev/null && echo '{"decision":"block","reason":"no"}'; exit 0"#;
    let hooks = json!({"Stop": hook("", "once.sh", &[])});
    let plugin = project.plugin(hooks, &[("once.sh", once)]);
    let scenario = Scenario::new()
        .rule(When::any(), [Act::finish("one")])
        .when_blocked([Act::Structured(json!({"two": 2}))]);
    let ended = project.play(&scenario).structured().arg("--plugin-dir").arg(plugin).complete();
    let feedback = ended.feedback();
    assert_eq!(feedback.len(), 2, "{feedback:?}");
    assert!(feedback[0].starts_with("[structured-output-enforce]"), "{feedback:?}");
    assert_eq!(feedback[1], "Stop hook feedback:\nno");
    assert_eq!(ended.result()["structured_output"], json!({"two": 2}));
}

#[test]
fn without_a_schema_a_structured_answer_is_text() {
    let project = Project::implement();
    let scenario = Scenario::new().rule(When::any(), [Act::Structured(json!({"a": 1}))]);
    let ended = project.play(&scenario).complete();
    assert_eq!(ended.result()["result"], r#"{"a":1}"#);
    assert_eq!(ended.result().get("structured_output"), None);
    assert_eq!(ended.tools(), [""; 0]);
}

#[test]
fn the_honest_agent_writes_a_handoff() {
    let project = Project::implement();
    let ended = project.run().structured().complete();
    let touched = |path: &str, action: &str| json!({"path": path, "action": action});
    assert_eq!(
        ended.result()["structured_output"],
        json!({
            "task_completed": {
                "task_id": "US-001", "fully_complete": true,
                "summary": "Wrote work/US-001.txt, a line for each criterion.",
            },
            "files_touched": [
                touched("ralph/progress.txt", "created"),
                touched("ralph/tasks.json", "modified"),
                touched("work/US-001.txt", "created"),
            ],
            "deviations": [], "bugs_encountered": [], "architectural_notes": [],
            "unfinished_business": [], "recommendations": [], "plan_amendments": [],
            "tests_added": [], "constraints_discovered": [],
        })
    );
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}

#[test]
fn an_honest_review_still_prints_the_completion_tag() {
    let project = Project::new("review", json!("needs_review"));
    let ended = project.run().structured().complete();
    let texts = ended.lines.iter().map(|line| &line["message"]["content"][0]["text"]);
    let texts: Vec<&str> = texts.filter_map(Value::as_str).collect();
    let expected = "US-001 is approved.\n<promise>COMPLETE</promise>";
    assert_eq!(texts.last(), Some(&expected));
    let handoff = &ended.result()["structured_output"];
    assert_eq!(handoff["task_completed"]["fully_complete"], true);
    assert_eq!(handoff["verdict"], "approved");
}

#[test]
fn a_scenario_may_change_the_handoff() {
    let project = Project::implement();
    let amendment = json!([{"action": "remove", "task_id": "US-002", "reason": "done"}]);
    let acts = [Act::write("a.txt", "a"), Act::handoff([("plan_amendments", amendment.clone())])];
    let scenario = Scenario::new().rule(When::any(), acts);
    let ended = project.play(&scenario).structured().complete();
    let handoff = &ended.result()["structured_output"];
    assert_eq!(handoff["plan_amendments"], amendment);
    assert_eq!(handoff["task_completed"]["task_id"], "US-001");
    assert_eq!(handoff["task_completed"]["fully_complete"], false);
    assert_eq!(handoff["files_touched"], json!([{"path": "a.txt", "action": "created"}]));
}
