//! Changes to the plan that a handoff asks for: carried out by the runner, or refused with the reason.

use events::{LoopEvent, RunEnd};
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};

use crate::handoffs::with_handoffs;
use crate::outcome::Outcome;

/// Implements US-001 honestly and asks for these.
fn asks(amendments: Value) -> Scenario {
    let acts = [
        Act::write("work/US-001.txt", "done\n"),
        Act::submit("done"),
        Act::commit("feat: US-001"),
        Act::handoff([("plan_amendments", amendments)]),
    ];
    Scenario::new().rule(When::mode(Mode::Implement).story("US-001").visit(1), acts)
}

fn amended(run: &Outcome<'_>) -> (Vec<String>, Vec<String>) {
    let reported = run.events.iter().find_map(|event| match event.clone() {
        LoopEvent::PlanAmended { applied, refused, .. } => Some((applied, refused)),
        _ => None,
    });
    reported.unwrap_or_default()
}

fn added(id: &str) -> Value {
    json!({"action": "add", "reason": "found on the way", "after": "US-001", "task": {
        "id": id, "title": "Added", "description": "As it says.",
        "acceptance_criteria": ["it is there"], "skills": ["testing"]
    }})
}

#[test]
fn a_story_that_is_asked_for_is_added_committed_and_worked_on_next() {
    let project = with_handoffs(["US-001", "US-002"]).scenario(asks(json!([added("US-009")])));
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(
        run.assignments(),
        [
            "implement US-001",
            "review US-001",
            "implement US-009",
            "review US-009",
            "implement US-002",
            "review US-002"
        ]
    );
    let (applied, refused) = amended(&run);
    assert_eq!((applied.len(), refused.len()), (1, 0), "{applied:?} {refused:?}");
    run.assert_event("StoryAdded");
    let log = project.git(&["log", "--format=%s"]);
    assert!(log.contains("ralph: amend the plan as iteration 1"), "{log}");
    let backup = run.folder(1).join("tasks.before-amendments.json");
    assert!(!std::fs::read_to_string(backup).unwrap().contains("US-009"));
    let audit = run.folder(1).with_file_name("amendments.jsonl");
    let audit: Value = serde_json::from_str(&std::fs::read_to_string(audit).unwrap()).unwrap();
    assert_eq!(audit["amendment"]["task"]["id"], "US-009", "{audit}");
    assert_eq!(audit["iteration"], 1);
}

#[test]
fn a_refusal_is_in_the_next_prompt_with_its_reason() {
    let remove = json!({"action": "remove", "task_id": "US-002", "reason": "boring"});
    let own =
        json!({"action": "modify", "task_id": "US-001", "changes": {"title": "x"}, "reason": "r"});
    let project = with_handoffs(["US-001", "US-002"]).scenario(asks(json!([remove, own])));
    let run = project.run(["--review-cap", "5"]);
    run.assert_end(RunEnd::Complete);
    let (applied, refused) = amended(&run);
    assert_eq!((applied.len(), refused.len()), (0, 2), "{applied:?} {refused:?}");
    assert!(project.tasks().to_string().contains("US-002"));
    let [review, next] = [2, 3].map(|start| run.prompt(start));
    assert!(!review.contains(&refused[0]), "{review}");
    assert!(next.contains(&refused[0]) && next.contains(&refused[1]), "{next}");
}

#[test]
fn the_next_coding_iteration_sees_it() {
    let project = with_handoffs(["US-001", "US-002"]).flags(["--skip-review"]);
    let acts = [
        Act::write("work/US-001.txt", "done\n"),
        Act::set_story([("passes", json!(true)), ("notes", json!("n"))]),
        Act::commit("feat: US-001"),
        Act::handoff([(
            "plan_amendments",
            json!([{"action": "add", "reason": "r", "task": {"id": "US-009"}}]),
        )]),
    ];
    project.agent(&Scenario::new().rule(When::mode(Mode::Implement).story("US-001"), acts));
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    let prompt = run.prompt(2);
    assert!(prompt.contains("Refused changes to the plan"), "{prompt}");
    assert!(prompt.contains("title"), "it says what was missing: {prompt}");
}
