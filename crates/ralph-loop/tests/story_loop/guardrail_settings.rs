//! Guardrails of the settings beside the task list's own checks, and what they do to prompts.

use events::{FailAction, IterationStatus, LoopEvent, RunEnd};
use predicates::str::contains;
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};
use test_repo::assert_text;

use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::{NEEDS_REVIEW, fields, story};

/// Fails until `good.txt` exists.
const CHECK: &str = "test -f good.txt || { echo 'no ${MODE} good.txt'; exit 3; }";

fn guarded(guardrail: Value) -> Project {
    let second = When::mode(Mode::Implement).visit(2);
    let acts = [Act::write("good.txt", "x"), Act::submit("now"), Act::commit("feat: really")];
    let project = Project::with_checks([story("US-001")], ["true"]);
    let project = project.scenario(Scenario::new().rule(second, acts));
    project.write("ralph/prompt.md", "Go on with ${TICKET}: ${STORY}\n\n${VERIFY_COMMANDS}\n");
    let variables = json!({"TICKET": "SHOP-12 ${MODE}"});
    project.settings(&json!({"guardrails": [guardrail], "variables": variables}))
}

/// The first submission is withdrawn, the second is accepted; returns the prompts of both.
#[track_caller]
fn prompts(run: &Outcome<'_>) -> [String; 2] {
    run.assert_end(RunEnd::IterationsUsed);
    assert_eq!(run.statuses(), [IterationStatus::ChecksFailed, IterationStatus::Accepted]);
    assert_eq!(run.fields_after(1, "US-001"), fields(false, json!(null), 0, ""));
    run.assert_fields("US-001", &fields(false, NEEDS_REVIEW, 0, ""));
    [run.prompt(1), run.prompt(2)]
}

const MESSAGE: &str = "Guardrail \"test -f good.txt || { echo 'no ${MODE} good.txt'; exit 3; }\" \
                       failed with exit code 3.\nHint: write it\n";

#[test]
fn a_failing_guardrail_takes_the_step_back_and_its_message_follows_the_prompt() {
    let project = guarded(json!({"command": CHECK, "hint": "write it"}));
    let run = project.run(["-n", "2"]);
    let [first, second] = prompts(&run);
    assert!(first.starts_with("Go on with SHOP-12 ${MODE}: ### US-001"), "{first}");
    assert!(first.ends_with(&format!("- `true`\n- `{CHECK}`\n")), "{first}");
    assert!(second.starts_with("Go on with SHOP-12"), "{second}");
    let reported = second.find(MESSAGE).unwrap_or_else(|| panic!("{second}"));
    assert!(reported > second.find("- `true`").unwrap(), "{second}");
    assert!(second.contains("(truncated):\nno ${MODE} good.txt\n"), "verbatim: {second}");
    assert_eq!(run.warnings(), "", "every variable is known");
    let actions = run.events.iter().filter_map(|event| match event {
        LoopEvent::CheckEnded(events::CheckRecord { command, fail_action, .. })
            if command == CHECK =>
        {
            Some(*fail_action)
        }
        _ => None,
    });
    assert_eq!(actions.collect::<Vec<_>>(), [FailAction::Append; 2]);
}

#[test]
fn a_message_can_precede_the_prompt() {
    let project = guarded(json!({"command": CHECK, "failAction": "prepend", "hint": "write it"}));
    let [_, second] = prompts(&project.run(["-n", "2"]));
    assert!(second.starts_with(MESSAGE), "{second}");
    assert!(second.contains("\n\nGo on with SHOP-12"), "{second}");
    assert_eq!(second.matches("failed with exit code 3").count(), 1, "reported once: {second}");
}

#[test]
fn a_message_can_take_the_place_of_the_prompt_but_the_assignment_stays() {
    let project = guarded(json!({"command": CHECK, "failAction": "REPLACE", "hint": "write it"}));
    let [_, second] = prompts(&project.run(["-n", "2"]));
    assert!(second.starts_with(MESSAGE), "{second}");
    assert!(!second.contains("Go on with"), "{second}");
    assert!(second.contains("Mode: **implement**"), "{second}");
    assert!(second.contains("### US-001: Title of US-001"), "{second}");
}

#[test]
fn the_iteration_count_comes_first() {
    let settings = json!({"includeIterationCountInPrompt": true, "maximumIterations": 4});
    let project = Project::new([story("US-001")]).settings(&settings);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert!(run.prompt(1).starts_with("Iteration 1 of 4, 3 remaining.\n\nGo on."));
    assert!(run.prompt(2).starts_with("Iteration 2 of 4, 2 remaining.\n\n"));
}

#[test]
fn a_variable_cannot_hide_one_of_the_runners() {
    let project = Project::new([story("US-001")]);
    for name in ["STORY", "GUARDRAILS"] {
        let project = &project;
        project.write(".ralph/settings.json", json!({"variables": {name: "x"}}).to_string());
        let run = project.run(["--allow-dirty"]);
        run.assert_exit(2);
        let what = format!(".ralph/settings.json: variables.{name}: ${{{name}}} is a built-in");
        assert_text(&run.stderr, contains(&what));
        assert_text(&run.stderr, contains("hint: choose another name"));
        assert!(run.events.is_empty());
    }
}

#[test]
fn a_dry_run_shows_every_check() {
    let project = guarded(json!({"command": "make lint"}));
    let output = project.call(&["run", "--dry-run", "--agent-program", "sh"]);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_text(&printed, contains("Check: true\nCheck: make lint\n"));
}

#[test]
fn a_check_that_validation_leaves_out_is_neither_shown_nor_named_to_the_agent() {
    let project = guarded(json!({"command": "make lint", "kind": "lint"}));
    let shown = |strategy: &str| {
        let args = ["run", "--dry-run", "--agent-program", "sh", "--validation", strategy];
        String::from_utf8(project.call(&args).stdout).unwrap()
    };
    assert_eq!(shown("lenient").matches("make lint").count(), 2);
    assert_eq!(shown("tests-only").matches("make lint").count(), 0);
}
