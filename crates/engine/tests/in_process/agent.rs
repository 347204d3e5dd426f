//! An agent that works off the task list: it submits the first open story, or reviews the submitted one.

use serde_json::{Value, json};
use tasks::ReviewVerdict;

use crate::in_process::project::Project;

fn find(project: &Project, is_wanted: impl Fn(&Value) -> bool) -> Option<(String, u64)> {
    let list: Value = serde_json::from_str(&project.read("ralph/tasks.json")).unwrap();
    let story = list["userStories"].as_array()?.iter().find(|story| is_wanted(story))?;
    Some((story["id"].as_str()?.to_owned(), story["reviewCount"].as_u64()?))
}

/// One session, and its last message.
pub(crate) fn work(project: &Project, approves: bool) -> String {
    if let Some((id, count)) = find(project, |story| story["reviewStatus"] == "needs_review") {
        return review(project, &id, count + 1, approves);
    }
    let (id, _) = find(project, |story| story["passes"] == false).expect("an open story");
    implement(project, &id)
}

/// Submits this story, or reviews it.
pub(crate) fn work_on(project: &Project, id: &str) -> String {
    let story = project.story(id);
    match story["reviewStatus"] == "needs_review" {
        true => review(project, id, story["reviewCount"].as_u64().unwrap() + 1, true),
        false => implement(project, id),
    }
}

fn implement(project: &Project, id: &str) -> String {
    project.write(&format!("src/{id}.rs"), "work");
    project.submit(id);
    format!("submitted {id}")
}

pub(crate) fn review(project: &Project, id: &str, count: u64, approves: bool) -> String {
    if approves {
        approve(project, id, count);
        return ReviewVerdict::Approved.tag();
    }
    reject(project, id, count);
    ReviewVerdict::ChangesRequested.tag()
}

pub(crate) fn approve(project: &Project, id: &str, count: u64) {
    let fields = [
        ("reviewStatus", json!("approved")),
        ("passes", json!(true)),
        ("reviewCount", json!(count)),
        ("notes", json!("done")),
    ];
    project.set(id, &fields);
}

pub(crate) fn reject(project: &Project, id: &str, count: u64) {
    let fields = [
        ("reviewStatus", json!("changes_requested")),
        ("reviewCount", json!(count)),
        ("reviewFeedback", json!("No reset.")),
    ];
    project.set(id, &fields);
}

/// The last message of a session with a handoff.
pub(crate) fn handoff(summary: &str, fully_complete: bool, amendments: Value) -> String {
    answer(summary, fully_complete, amendments, Value::Null)
}

/// An approval where reviews give their verdict in the handoff.
pub(crate) fn approve_in_handoff(project: &Project, id: &str, count: u64) -> String {
    approve(project, id, count);
    answer("fine", true, json!([]), json!("approved"))
}

pub(crate) fn reject_in_handoff(project: &Project, id: &str, count: u64) -> String {
    reject(project, id, count);
    answer("no reset", true, json!([]), json!("changes_requested"))
}

fn answer(summary: &str, fully_complete: bool, amendments: Value, verdict: Value) -> String {
    let mut handoff = json!({
        "task_completed": {"task_id": "US-1", "summary": summary, "fully_complete": fully_complete},
        "deviations": [], "bugs_encountered": [], "architectural_notes": [],
        "unfinished_business": [], "recommendations": [], "files_touched": [],
        "plan_amendments": amendments, "tests_added": [], "constraints_discovered": []});
    if !verdict.is_null() {
        handoff["verdict"] = verdict;
    }
    format!("```json\n{handoff}\n```")
}

/// The answer of a session that compacts.
pub(crate) fn account() -> String {
    let account = json!({"project_summary": "a library of sums", "completed_work": ["the sum"],
        "active_constraints": [], "architectural_decisions": [], "unresolved_issues": [],
        "file_knowledge": [], "library_docs": []});
    format!("```json\n{account}\n```")
}
