//! `plan` and `build`: from specifications to a plan, and from a plan to code.

use events::{LoopEvent, RunEnd};
use predicates::str::contains;
use serde_json::json;
use test_repo::assert_text;

use crate::harness::{PROMISE, Project};
use crate::outcome::Outcome;

const NO_PLAN: &str = "Implementation plan not found. Run 'ralph-loop plan' first.";

fn with_specs() -> Project {
    let project = Project::new();
    project.write("specs/parser.md", "It parses.\n");
    project
}

fn with_plan(plan: &str) -> Project {
    let project = with_specs();
    project.write("implementation_plan.md", plan);
    project
}

fn claims(run: &Outcome) -> Vec<bool> {
    let claims = run.events.iter().filter_map(|event| match event {
        LoopEvent::CompletionClaimed { accepted, .. } => Some(*accepted),
        _ => None,
    });
    claims.collect()
}

#[test]
fn plan_needs_specifications() {
    let project = Project::new();
    project
        .run(&["plan"])
        .assert_refused(["folder specs not found, so there is nothing to plan from", "specsDir"]);
    assert_eq!(project.prompts().len(), 0);
}

#[test]
fn a_completion_without_a_plan_is_refused_in_the_next_prompt() {
    let write = format!("echo '- [ ] the parser' >implementation_plan.md; {PROMISE}");
    let project = with_specs().agent([PROMISE, &write]);
    let run = project.run(&["plan"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(claims(&run), [false, true]);
    let prompts = project.prompts();
    assert!(prompts[0].starts_with("# Plan, iteration 1 of 10\n"), "{}", prompts[0]);
    assert!(prompts[0].contains("Read everything in `specs/`"), "{}", prompts[0]);
    let objection = "\n\nThe last iteration claimed that everything is done, but \
                     implementation_plan.md is missing, empty or not UTF-8 text";
    assert!(prompts[1].ends_with(objection), "{}", prompts[1]);
    assert!(!prompts[0].contains("is missing, empty"), "{}", prompts[0]);
}

#[test]
fn build_needs_a_plan() {
    let project = with_specs();
    project.run(&["build"]).assert_refused([NO_PLAN, "implementation_plan.md"]);
    let project = with_plan(" \n");
    project.run(&["build"]).assert_refused([NO_PLAN]);
    assert_eq!(project.prompts().len(), 0);
}

#[test]
fn build_ends_when_its_plan_disappears() {
    let project = with_plan("- [ ] the parser\n").agent(["rm implementation_plan.md; echo ok"]);
    let run = project.run(&["build"]);
    run.assert_end(RunEnd::PlanMissing);
    assert_text(&run.stderr, contains(NO_PLAN));
    assert_eq!(project.prompts().len(), 1);
}

#[test]
fn open_items_contradict_the_claim_and_the_next_prompt_names_them() {
    let tick = format!("sed -i.bak 's/\\[ \\]/[x]/' implementation_plan.md; {PROMISE}");
    let project = with_plan("- [x] the lexer\n- [ ] the parser\n").agent([PROMISE, &tick]);
    let run = project.run(&["build"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(claims(&run), [false, true]);
    let prompts = project.prompts();
    assert!(prompts[0].starts_with("# Build, iteration 1 of 10\n"), "{}", prompts[0]);
    let objection = "\n\nThe last iteration claimed that everything is done, but \
                     implementation_plan.md still has open items:\n- the parser";
    assert!(prompts[1].ends_with(objection), "{}", prompts[1]);
}

#[test]
fn an_objection_is_reported_once() {
    let project = with_plan("- [ ] the parser\n").agent([PROMISE, "echo 'on my way'"]);
    project.run(&["build", "3"]).assert_end(RunEnd::IterationsUsed);
    let objected: Vec<bool> =
        project.prompts().iter().map(|prompt| prompt.contains("claimed that everything")).collect();
    assert_eq!(objected, [false, true, false]);
}

#[test]
fn own_templates_and_other_names() {
    let settings = json!({"specsDir": "wishes", "planFile": "docs/todo.md"});
    let project = Project::new().settings(&settings);
    project.write("wishes/parser.md", "It parses.\n");
    project.write("docs/todo.md", "- [x] the parser\n");
    let template = "${MODE} ${SPECS_DIR} ${PLAN_FILE} ${COMPLETION_TAG}";
    project.write("ralph/build.md", template);
    project.write("ralph/plan.md", template);
    project.run(&["plan"]).assert_end(RunEnd::Complete);
    project.run(&["build"]).assert_end(RunEnd::Complete);
    let expected = |mode| format!("{mode} wishes docs/todo.md <promise>COMPLETE</promise>");
    assert_eq!(project.prompts(), [expected("plan"), expected("build")]);
}

#[test]
fn a_custom_template_needs_the_tag() {
    let project = with_plan("- [ ] the parser\n");
    project.write("ralph/build.md", "Build it.");
    project.run(&["build"]).assert_refused(["the prompt of build does not ask the agent"]);
}
