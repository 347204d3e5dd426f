//! Structured answers of the agent, in the schemas of the runner.

use serde_json::{Value, json};
use simulator::Turn;

/// The tool for structured answers.
pub(crate) const TOOL: &str = "StructuredOutput";

pub(crate) fn answer(value: Value) -> Turn {
    Turn::tool(TOOL, value)
}

/// A handoff that says the story is complete.
pub(crate) fn complete(story: &str, summary: &str) -> Turn {
    answer(handoff(&json!({"task_id": story, "summary": summary, "fully_complete": true})))
}

/// A handoff with a question to the user.
pub(crate) fn asking(story: &str, question: &str) -> Turn {
    let task = json!({"task_id": story, "summary": "half", "fully_complete": false});
    let mut handoff = handoff(&task);
    handoff["question"] = json!(question);
    answer(handoff)
}

/// The handoff of a review with this verdict and open work.
pub(crate) fn reviewed(story: &str, summary: &str, verdict: &str) -> Turn {
    let task = json!({"task_id": story, "summary": summary, "fully_complete": false});
    let mut handoff = handoff(&task);
    handoff["verdict"] = json!(verdict);
    answer(handoff)
}

fn handoff(task_completed: &Value) -> Value {
    json!({
        "task_completed": task_completed,
        "deviations": [],
        "bugs_encountered": [],
        "architectural_notes": [],
        "files_touched": [{"path": "greet.sh", "action": "created"}],
        "plan_amendments": [],
        "tests_added": [],
        "constraints_discovered": [],
    })
}
