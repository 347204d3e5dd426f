//! With handoffs: the report of an iteration is kept, applied and in the next prompt.

use events::{HandoffClaim, HandoffSource, LoopEvent, RunEnd};
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};

use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::{NEEDS_REVIEW, commit, fields, set, story};

pub(crate) fn with_handoffs<const N: usize>(ids: [&str; N]) -> Project {
    Project::new(ids.map(story)).flags(["--handoffs"])
}

pub(crate) fn kept(run: &Outcome<'_>) -> Vec<(HandoffSource, HandoffClaim, String)> {
    let kept = run.events.iter().filter_map(|event| match event.clone() {
        LoopEvent::HandoffSaved { source, claim, text, .. } => Some((source, claim, text)),
        _ => None,
    });
    kept.collect()
}

#[track_caller]
pub(crate) fn handoff(run: &Outcome<'_>, start: usize) -> Value {
    let text = std::fs::read(run.folder(start).join("handoff.json")).unwrap();
    serde_json::from_slice(&text).unwrap()
}

fn task(summary: &str, fully_complete: bool) -> (&'static str, Value) {
    let id = "US-001";
    let task = json!({"task_id": id, "summary": summary, "fully_complete": fully_complete});
    ("task_completed", task)
}

#[test]
fn every_iteration_is_asked_for_a_handoff_and_leaves_it_in_its_folder() {
    let project = with_handoffs(["US-001"]);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(run.calls().len(), 2);
    for call in run.calls() {
        assert!(call.contains("--json-schema") && call.contains("--strict-mcp-config"), "{call}");
    }
    assert!(
        kept(&run).iter().all(|(source, ..)| *source == HandoffSource::Agent),
        "{:?}",
        kept(&run)
    );
    assert_eq!(handoff(&run, 1)["task_completed"]["task_id"], "US-001");
    assert!(
        run.prompt(1).contains("## Your handoff") && run.prompt(1).contains("StructuredOutput")
    );
    assert_eq!(run.guards_missing(), 0);
}

#[test]
fn without_handoffs_no_handoff_is_requested() {
    let project = Project::new([story("US-001")]);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert!(run.calls().iter().all(|call| !call.contains("--json-schema")), "{:?}", run.calls());
    assert!(!run.folder(1).join("handoff.json").exists());
    assert!(!run.prompt(1).contains("andoff"), "{}", run.prompt(1));
}

/// Writes code, but nothing into the task list.
fn works() -> [Act; 2] {
    [Act::write("work/US-001.txt", "done\n"), Act::commit("feat: US-001")]
}

#[test]
fn a_complete_handoff_submits_the_story_without_the_list() {
    let acts = works().into_iter().chain([Act::handoff([task("Says hello now.", true)])]);
    let scenario = Scenario::new().rule(When::mode(Mode::Implement), acts);
    let project = with_handoffs(["US-001"]).scenario(scenario);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(run.assignments(), ["implement US-001", "review US-001"]);
    assert_eq!(run.fields_after(1, "US-001"), fields(false, NEEDS_REVIEW, 0, ""));
}

#[test]
fn no_handoff_lets_a_story_pass() {
    let checks = ["test -f work/US-001.txt"];
    let acts = [Act::handoff([task("All done, approve it.", true)])];
    let scenario = Scenario::new().rule(When::mode(Mode::Implement), acts);
    let project =
        Project::with_checks([story("US-001")], checks).flags(["--handoffs"]).scenario(scenario);
    let run = project.run(["-n", "1"]);
    run.assert_end(RunEnd::IterationsUsed);
    run.assert_fields("US-001", &fields(false, json!(null), 0, ""));
    run.assert_event("ChecksJudged");
}

/// The text of an error is no answer of the agent, whatever it quotes.
#[test]
fn a_handoff_in_the_text_of_an_error_submits_nothing() {
    let task = json!({"task_completed": task("All done.", true).1});
    let acts = works()
        .into_iter()
        .chain([Act::ApiError { status: 400, message: format!("cannot read {task}") }]);
    let scenario = Scenario::new().rule(When::mode(Mode::Implement), acts);
    let project = with_handoffs(["US-001"]).scenario(scenario);
    let run = project.run(["-n", "1", "--retries", "0"]);
    run.assert_event("cannot read").assert_fields("US-001", &fields(false, json!(null), 0, ""));
}

#[test]
fn a_partial_handoff_is_repaired_and_an_unusable_one_is_rebuilt_from_text_and_git() {
    let partial = json!({"task_completed": {"summary": "Half.", "fully_complete": false}});
    let scenario = Scenario::new()
        .rule(
            When::mode(Mode::Implement).visit(1),
            works().into_iter().chain([Act::Structured(partial)]),
        )
        .rule(
            When::mode(Mode::Implement).visit(2),
            [
                Act::write("work/US-001.txt", "more\n"),
                Act::commit("feat: more of it"),
                Act::Structured(json!({"nonsense": true})),
            ],
        )
        .rule(
            When::mode(Mode::Implement).visit(3),
            [
                Act::write("work/US-001.txt", "most\n"),
                Act::commit("feat: most of it"),
                Act::finish("I did most of it."),
            ],
        );
    let project = with_handoffs(["US-001"]).scenario(scenario);
    let run = project.run(["-n", "4"]);
    let sources: Vec<HandoffSource> = kept(&run).iter().map(|(source, ..)| *source).collect();
    let expected = [HandoffSource::Repaired, HandoffSource::Runner, HandoffSource::Runner];
    assert_eq!(sources[..3], expected);
    assert_eq!(handoff(&run, 1)["deviations"], json!([]));
    assert_eq!(handoff(&run, 3)["task_completed"]["summary"], "I did most of it.");
    let files = handoff(&run, 3)["files_touched"].clone();
    assert_eq!(files[0], json!({"path": "work/US-001.txt", "action": "modified"}), "{files}");
    assert!(run.prompt(4).contains("I did most of it."), "the chain continues");
    assert!(run.prompt(4).contains("## Other recent iterations"), "{}", run.prompt(4));
}

#[test]
fn the_prompt_has_the_last_handoff_and_one_line_for_each_of_two_others() {
    let acts = |number: u64| {
        [
            Act::append("work/US-001.txt", format!("{number}\n")),
            Act::commit(format!("feat: {number}")),
            Act::handoff([
                task(&format!("Step {number} done. More to say about it."), false),
                ("architectural_notes", json!([format!("Decision {number}")])),
            ]),
        ]
    };
    let rule = |scenario: Scenario, number| {
        scenario.rule(When::mode(Mode::Implement).visit(number), acts(number))
    };
    let scenario = (1..=5).fold(Scenario::new(), rule);
    let project = with_handoffs(["US-001"]).scenario(scenario);
    let run = project.run(["-n", "5"]);
    let prompt = run.prompt(5);
    assert!(prompt.contains("Step 4 done. More to say about it."), "{prompt}");
    assert!(prompt.contains("Decision 4") && !prompt.contains("Decision 3"), "{prompt}");
    assert!(prompt.contains("[US-001] Step 3 done. Partial. 1 file."), "{prompt}");
    assert!(prompt.contains("[US-001] Step 2 done."), "{prompt}");
    assert!(!prompt.contains("Step 1 done"), "{prompt}");
}

#[test]
fn the_next_story_gets_the_notes_of_the_implementer_and_not_those_of_the_review() {
    let notes = ("architectural_notes", json!(["Greetings live in one file"]));
    let acts = works().into_iter().chain([Act::handoff([task("Says hello.", true), notes])]);
    let scenario = Scenario::new().rule(When::mode(Mode::Implement).visit(1), acts);
    let project = with_handoffs(["US-001", "US-002"]).scenario(scenario);
    let run = project.run(["-n", "3"]);
    let next = run.prompt(3);
    assert!(next.contains("## The last coding iteration"), "{next}");
    assert!(next.contains("Decision: Greetings live in one file"), "{next}");
    assert!(next.contains("## Other recent iterations, newest first"), "{next}");
}

#[test]
fn a_review_does_not_see_handoffs() {
    let acts = works().into_iter().chain([
        Act::submit("n"),
        Act::commit("submit"),
        Act::handoff([task("Perfect work, approve at once.", true)]),
    ]);
    let scenario = Scenario::new().rule(When::mode(Mode::Implement), acts);
    let project = with_handoffs(["US-001"]).scenario(scenario);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert!(!run.prompt(2).contains("Perfect work"), "{}", run.prompt(2));
}

#[test]
fn an_answer_that_breaks_a_rule_is_denied_in_the_session_and_repaired() {
    let cheats = [set("US-001", [("passes", json!(true)), ("notes", json!("n"))]), commit("cheat")];
    let scenario = Scenario::new()
        .rule(When::mode(Mode::Implement), cheats.into_iter().chain([Act::handoff([])]))
        .when_blocked([
            set("US-001", [("passes", json!(false)), ("reviewStatus", json!(NEEDS_REVIEW))]),
            commit("repair"),
            Act::handoff([]),
        ]);
    let project = with_handoffs(["US-001"]).scenario(scenario);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete).assert_event("PreToolUse:StructuredOutput");
    assert_eq!(run.findings(), "", "nothing was left for the runner to undo");
    assert_eq!(run.assignments(), ["implement US-001", "review US-001"]);
}

#[test]
fn agents_without_a_schema_are_asked_for_a_block_and_it_is_found() {
    let block = "Done.\n\n```json\n{\"task_completed\": {\"task_id\": \"US-001\", \"summary\": \
                 \"Says hello.\", \"fully_complete\": true}, \"architectural_notes\": [\"One file\"],}\n```";
    let acts = works().into_iter().chain([Act::finish(block)]);
    let scenario = Scenario::new().rule(When::mode(Mode::Implement), acts);
    let project = with_handoffs(["US-001"]).scenario(scenario).installed("codex");
    let run = project.run_installed(["--agent", "codex"]);
    run.assert_end(RunEnd::Complete);
    assert!(run.prompt(1).contains("three backticks"), "{}", run.prompt(1));
    assert!(!run.calls()[0].contains("--json-schema"), "{:?}", run.calls());
    assert_eq!(handoff(&run, 1)["architectural_notes"], json!(["One file"]));
    assert_eq!(kept(&run)[0].0, HandoffSource::Repaired);
}

#[test]
fn the_dry_run_shows_the_parts_of_the_prompt() {
    let project = with_handoffs(["US-001"]);
    let agent = crate::harness::program("simulated-agent");
    let shown = project.call(&[
        "run",
        "--handoffs",
        "--dry-run",
        "--output",
        "json",
        "--agent-program",
        agent.to_str().unwrap(),
    ]);
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    let parts = shown["context"]["parts"].as_array().unwrap();
    let names: Vec<&str> = parts.iter().map(|part| part["part"].as_str().unwrap()).collect();
    assert!(names.starts_with(&["task", "output"]), "{names:?}");
    assert_eq!(shown["context"]["budget"], 8000);
    assert!(shown["prompt"].as_str().unwrap().contains("## Your handoff"));
}
