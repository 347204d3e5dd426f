//! Variables in prompts.

use events::RunEnd;
use serde_json::json;

use crate::harness::{DONE, Project};

#[test]
fn the_built_in_ones_and_those_of_the_settings() {
    let project = Project::new().agent(["echo ok", DONE]).settings(&json!({
        "variables": {"TEAM": "we"},
        "guardrails": [{"command": "true"}, {"command": "make -n || true"}],
    }));
    let template = "${TEAM} ${MODE} ${ITERATION}/${MAX_ITERATIONS} ${REMAINING} ${SPECS_DIR} \
                    ${PLAN_FILE} ${BRANCH} ${RALPH_DIR}\n${GUARDRAILS}\n${COMPLETION_TAG}";
    project.write("all.md", template);
    project.run(&["prompt", "-f", "all.md", "-n", "5"]).assert_end(RunEnd::Complete);
    let expected = |counts: &str| {
        format!(
            "we prompt {counts} specs implementation_plan.md main ralph\n- `true`\n\
             - `make -n || true`\n<response>DONE</response>"
        )
    };
    assert_eq!(project.prompts(), [expected("1/5 4"), expected("2/5 3")]);
}

#[test]
fn no_shell_no_second_pass_and_the_unknown_stay_and_are_reported() {
    let project = Project::without_git()
        .agent([DONE])
        .settings(&json!({"variables": {"ONE": "${TWO} $(touch shell)", "TWO": "2"}}));
    let text = "${ONE} `touch shell` $HOME ${HOME} ${NOPE} ${lower} <response>DONE</response>";
    let run = project.run(&["prompt", "-p", text]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(
        project.prompts(),
        ["${TWO} $(touch shell) `touch shell` $HOME ${HOME} ${NOPE} ${lower} \
          <response>DONE</response>"]
    );
    assert!(!project.has("shell"));
    assert_eq!(run.warnings(), "the prompt has unknown variables: ${HOME}, ${NOPE}");
}

#[test]
fn unknown_ones_of_a_file_that_changed_are_reported_then() {
    let project = Project::without_git().agent(["printf ' ${LATER}' >>notes.md; echo ok", DONE]);
    project.write("notes.md", "${EARLY} <response>DONE</response>");
    let run = project.run(&["prompt", "-f", "notes.md"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(
        run.warnings(),
        "the prompt has unknown variables: ${EARLY}\nthe prompt has unknown variables: ${LATER}"
    );
}

#[test]
fn the_count_of_iterations_comes_first() {
    let project = Project::new().agent(["echo ok", DONE]).settings(&json!({
        "includeIterationCountInPrompt": true,
        "guardrails": [{"command": "test -e made", "failAction": "PREPEND"}],
    }));
    let text = "do it <response>DONE</response>";
    project.run(&["prompt", "-p", text, "-n", "2"]).assert_end(RunEnd::IterationsUsed);
    let prompts = project.prompts();
    assert_eq!(prompts[0], format!("Iteration 1 of 2, 1 remaining.\n\n{text}"));
    let second = "Iteration 2 of 2, 0 remaining.\n\nGuardrail \"test -e made\" failed";
    assert!(prompts[1].starts_with(second), "{}", prompts[1]);
}
