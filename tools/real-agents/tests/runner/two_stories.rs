//! A whole run: two stories, from an empty repository to complete.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use simulator::{Request, Turn};

use crate::model;
use crate::run_output::RunOutput;
use crate::run_setup::RunSetup;
use crate::stories::{APPROVED, Stories, approved, rejected, submitted};

const FEEDBACK: &str = "1. greet.sh:1 prints Hello alone; the name is missing";

/// The agent's turns in each of the six sessions.
fn sessions(stories: &mut Stories) -> Vec<Vec<Turn>> {
    let mut session = |work: &str, story: usize, fields: Value, last: &str| {
        vec![stories.work(work, story, fields).with_lead_in("Working."), Turn::text(last)]
    };
    let greet = "mkdir -p tests; echo 'echo Hello' >greet.sh; echo 'sh greet.sh' >tests/greet.sh";
    let fix =
        "echo 'echo Hello $1' >greet.sh; echo 'sh greet.sh Ada | grep -q Ada' >tests/greet.sh";
    let complete =
        "Approved, the last one.\n<promise>COMPLETE</promise>\n<verdict>approved</verdict>";
    vec![
        session(greet, 0, submitted(), "Submitted."),
        session("true", 0, rejected(FEEDBACK), "Not yet.\n<verdict>changes_requested</verdict>"),
        session(fix, 0, submitted(), "Fixed."),
        session("true", 0, approved(2), APPROVED),
        session("echo 'echo Bye' >bye.sh", 1, submitted(), "Submitted."),
        session("true", 1, approved(1), complete),
    ]
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn two_stories_go_from_nothing_to_complete() {
    let setup = RunSetup::with_plugin();
    let sessions = sessions(&mut setup.stories());
    let first_requests: Vec<usize> = (0..sessions.len()).map(|session| session * 2).collect();
    let model = model(sessions);
    // A user hook, which sees the same environment as the hooks of the loop.
    let spy = json!({"hooks": {"Stop": [{"hooks": [
        {"type": "command", "command": "env | grep -E '^(RALPH|CLAUDE_CONTEXT)_' | sort >>~/seen"}
    ]}]}});
    let output = setup.run(&model, &["--agent-arg=--settings", "--agent-arg", &spy.to_string()]);

    assert_eq!(output.exit_code, Some(0), "{output}");
    assert_eq!(output.other_lines, Vec::<String>::new());
    let modes = ["implement", "review", "review-fix", "review", "implement", "review"];
    assert_eq!(output.each("iteration-started", "mode"), modes, "{output}");
    assert_eq!(output.each("iteration-ended", "status"), ["accepted"; 6], "{output}");
    assert_eq!(output.each("run-ended", "end"), ["complete"]);
    assert_eq!(output.all("completion-claimed")[0]["accepted"], true);
    stories_are_approved(&setup.list());
    hooks_ran_in_all_sessions(&setup, &output);
    usage_was_reported(&output);
    environment_reached_hooks(&setup, &output);
    let requests = model.requests();
    assert_eq!(requests.len(), 12, "each session asked for exactly its turns");
    prompts_contain_the_assignment(
        &first_requests.iter().map(|at| &requests[*at]).collect::<Vec<_>>(),
    );
    // A tree that passed its checks is not checked again.
    assert!(output.all("check-ended").len() >= 3, "{output}");
    let checks = std::fs::read_to_string(setup.home.path().join("checks")).unwrap();
    assert_eq!(checks.lines().count(), output.all("check-ended").len());
}

fn stories_are_approved(list: &Value) {
    let stories = list["userStories"].as_array().unwrap();
    for (story, reviews) in stories.iter().zip([2, 1]) {
        assert_eq!(story["passes"], true, "{story}");
        assert_eq!(story["reviewStatus"], "approved", "{story}");
        assert_eq!(story["reviewCount"], reviews, "{story}");
    }
}

/// The hooks ran in every session, and each session has its own id.
fn hooks_ran_in_all_sessions(setup: &RunSetup, output: &RunOutput) {
    assert_eq!(output.all("hook-missing").len(), 0, "{output}");
    assert_eq!(output.hook_answers(), Vec::<&str>::new(), "{output}");
    for folder in output.each("iteration-started", "folder") {
        let stream = setup.read(format!("{folder}/stream.jsonl"));
        let answers = stream.lines().filter(|line| line.contains("\"stderr\":\"stop-guard: "));
        assert_eq!(answers.count(), 1, "{stream}");
    }
    let sessions: BTreeSet<_> = output.each("iteration-started", "session").into_iter().collect();
    assert_eq!(sessions.len(), 6, "{sessions:?}");
}

fn usage_was_reported(output: &RunOutput) {
    for ended in output.all("agent-ended") {
        assert_eq!(ended["outcome"], "answered", "{ended}");
        assert_eq!(ended["contextWindow"], 1_000_000, "{ended}");
        assert_eq!(ended["turns"], 2, "{ended}");
        assert_eq!(ended["leftovers"], json!([]), "{ended}");
        for figure in [&ended["costUsd"], &ended["tokens"]["input"], &ended["tokens"]["output"]] {
            assert!(figure.as_f64().unwrap() > 0.0, "{ended}");
        }
    }
    let sum: f64 =
        output.all("agent-ended").iter().map(|ended| ended["costUsd"].as_f64().unwrap()).sum();
    let total = output.all("run-ended")[0]["costUsd"].as_f64().unwrap();
    assert!((sum - total).abs() < 1e-9, "{sum} {total}");
    // Known after the first session.
    let windows: Vec<_> =
        output.all("context").iter().map(|event| event["window"].clone()).collect();
    assert_eq!(windows.first(), Some(&json!(null)), "{output}");
    assert_eq!(windows.last(), Some(&json!(1_000_000)), "{output}");
}

fn environment_reached_hooks(setup: &RunSetup, output: &RunOutput) {
    let seen = std::fs::read_to_string(setup.home.path().join("seen")).unwrap();
    let run = output.events[0]["run"].as_str().unwrap();
    let count = |line: &str| seen.lines().filter(|seen| seen.starts_with(line)).count();
    assert_eq!(count(&format!("RALPH_RUN_ID={run}")), 6, "{seen}");
    assert_eq!(count("RALPH_MARKER_SHA256="), 6, "{seen}");
    assert_eq!(count("RALPH_MAX_ITERATIONS=15"), 6, "{seen}");
    for iteration in 1..=6 {
        assert_eq!(count(&format!("RALPH_ITERATION={iteration}")), 1, "{seen}");
    }
    assert_eq!(count("CLAUDE_CONTEXT_WINDOW=1000000"), 5, "{seen}");
}

fn prompts_contain_the_assignment(prompts: &[&Request]) {
    let greet = "greet.sh Ada prints Hello Ada";
    let expected = [
        ("implement US-001", greet),
        ("review US-001", greet),
        ("review-fix US-001", greet),
        ("review US-001", greet),
        ("implement US-002", "bye.sh prints Bye"),
        ("review US-002", "bye.sh prints Bye"),
    ];
    for (index, (job, criterion)) in expected.into_iter().enumerate() {
        let title = format!("# Ralph, iteration {} of 15: {job}", index + 1);
        assert_eq!(prompts[index].mentions(&title), 1, "{title}");
        assert!(prompts[index].mentions(criterion) > 0, "{job}: {criterion}");
        assert_eq!(prompts[index].mentions(FEEDBACK), usize::from(index == 2), "{job}");
    }
}
