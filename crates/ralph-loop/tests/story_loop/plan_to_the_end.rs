//! From another loop's `plan.json` to finished work: converted, worked through with handoffs,
//! rollback and compaction, interrupted and resumed.

use events::{LoopEvent, RunEnd};
use serde_json::json;
use simulator::{Act, Mode, Scenario, When};

use crate::compaction::{ASKED, account, compactions};
use crate::harness::Project;

const PLAN: &str = r#"{
  "project": "greeter", "branch": "feature/greeter", "max_iterations": 20,
  "validation_strategy": "strict",
  "tasks": [
    {"id": "TASK-003", "title": "French", "description": "Bonjour.", "status": "pending", "order": 3,
     "skills": ["testing"], "needs_docs": true, "libraries": ["fluent"],
     "acceptance_criteria": ["it greets in French"], "depends_on": ["TASK-002"], "max_turns": 12,
     "retry_count": 0, "max_retries": 2},
    {"id": "TASK-001", "title": "Scaffold", "description": "Folders.", "status": "done", "order": 1,
     "acceptance_criteria": ["they exist"], "depends_on": []},
    {"id": "TASK-002", "title": "Hello", "description": "Hello.", "status": "pending", "order": 2,
     "acceptance_criteria": ["it greets"], "depends_on": ["TASK-001"]}
  ]
}"#;

fn project() -> Project {
    let project = Project::empty();
    project.write("src/code.txt", "code\n");
    project.repository();
    project.write("plan.json", PLAN);
    let check = "test ! -f broken";
    let set_up = project.call(&["init", "--yes", "--from-plan", "plan.json", "--verify", check]);
    assert!(set_up.status.success(), "{set_up:?}");
    test_repo::commit_all(&project.path());
    project
}

#[test]
fn a_plan_is_taken_over_and_worked_through_to_the_end() {
    let fails = [
        Act::write("broken", "x\n"),
        Act::set_story([("passes", json!(true)), ("notes", json!("n"))]),
        Act::commit("feat: TASK-002"),
        Act::handoff([("architectural_notes", json!(["one file for each language"]))]),
    ];
    let scenario = Scenario::new()
        .rule(When::any().prompt_contains(ASKED), [Act::Structured(account("A greeter."))])
        .rule(When::mode(Mode::Implement).story("TASK-002").visit(1), fails);
    let project = project().flags(["--handoffs", "--rollback", "--skip-review"]).scenario(scenario);
    let before = project.git(&["rev-parse", "HEAD"]);

    let first = project.run(["-n", "1"]);
    first.assert_end(RunEnd::IterationsUsed);
    assert_eq!(
        first.assignments(),
        ["implement TASK-002"],
        "in order, and what is done stays done"
    );
    assert!(!project.has("broken"), "rolled back");

    let second = project.run(["--resume"]);
    second.assert_end(RunEnd::Complete);
    assert_eq!(second.assignments(), ["implement TASK-002", "implement TASK-003"]);
    assert!(second.prompt(1).contains("one file for each language"), "{}", second.prompt(1));
    assert_eq!(compactions(&second).len(), 1, "TASK-003 needs documentation");
    assert!(second.prompt(2).contains("A greeter."), "{}", second.prompt(2));
    let call = &second.calls()[2];
    for part in ["--max-turns 12", "--append-system-prompt-file", "--strict-mcp-config"] {
        assert!(call.contains(part), "{part}: {call}");
    }

    let log = project.git(&["log", "--reverse", "--format=%s", &format!("{before}..")]);
    let expected = ["ralph[2]: TASK-002 — Hello", "ralph[3]: TASK-003 — French"];
    assert_eq!(log.lines().collect::<Vec<_>>(), expected, "one commit for each that stands");
    let turns = second.events.iter().filter_map(|event| match event {
        LoopEvent::AgentEnded(events::AgentEnded { turns, .. }) => *turns,
        _ => None,
    });
    assert!(turns.sum::<u64>() > 0);
    let status = project.call(&["status", "--json"]);
    let status: serde_json::Value = serde_json::from_slice(&status.stdout).unwrap();
    assert!(status.to_string().contains("\"turns\":"), "{status}");
}
