//! A whole run: two stories, from an empty repository to complete.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use simulator::{Request, Turn};

use crate::model;
use crate::stories::{APPROVED, Stories, approved, rejected, submitted};
use crate::told::Told;
use crate::workshop::Workshop;

const FEEDBACK: &str = "1. greet.sh:1 prints Hello alone; the name is missing";

/// What the agent says in each of the six sessions.
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
    let workshop = Workshop::with_plugin();
    let sessions = sessions(&mut workshop.stories());
    let first_requests: Vec<usize> = (0..sessions.len()).map(|session| session * 2).collect();
    let model = model(sessions);
    // A hook of the user's beside the loop's own, which sees the same environment.
    let spy = json!({"hooks": {"Stop": [{"hooks": [
        {"type": "command", "command": "env | grep -E '^(RALPH|CLAUDE_CONTEXT)_' | sort >>~/seen"}
    ]}]}});
    let told = workshop.run(&model, &["--agent-arg=--settings", "--agent-arg", &spy.to_string()]);

    assert_eq!(told.exit_code, Some(0), "{told}");
    assert_eq!(told.other_lines, Vec::<String>::new());
    let modes = ["implement", "review", "review-fix", "review", "implement", "review"];
    assert_eq!(told.each("iteration-started", "mode"), modes, "{told}");
    assert_eq!(told.each("iteration-ended", "status"), ["accepted"; 6], "{told}");
    assert_eq!(told.each("run-ended", "end"), ["complete"]);
    assert_eq!(told.each("completion-claimed", "claim"), ["true"]);
    stories_are_approved(&workshop.list());
    sessions_were_guarded(&workshop, &told);
    figures_came_through(&told);
    environment_reached_hooks(&workshop, &told);
    let requests = model.requests();
    assert_eq!(requests.len(), 12, "each session asked for exactly its turns");
    prompts_said_what_to_do(&first_requests.iter().map(|at| &requests[*at]).collect::<Vec<_>>());
    // Submissions and approvals of a tree that has passed already are not checked again.
    assert!(told.all("check-ended").len() >= 3, "{told}");
    let checks = std::fs::read_to_string(workshop.home.path().join("checks")).unwrap();
    assert_eq!(checks.lines().count(), told.all("check-ended").len());
}

fn stories_are_approved(list: &Value) {
    let stories = list["userStories"].as_array().unwrap();
    for (story, reviews) in stories.iter().zip([2, 1]) {
        assert_eq!(story["passes"], true, "{story}");
        assert_eq!(story["reviewStatus"], "approved", "{story}");
        assert_eq!(story["reviewCount"], reviews, "{story}");
    }
}

/// Every session ran under the guard, and every session was another one.
fn sessions_were_guarded(workshop: &Workshop, told: &Told) {
    assert_eq!(told.all("hook-missing").len(), 0, "{told}");
    assert_eq!(told.hook_answers(), Vec::<&str>::new(), "{told}");
    for folder in told.each("iteration-started", "folder") {
        let stream = workshop.read(format!("{folder}/stream.jsonl"));
        let answers = stream.lines().filter(|line| line.contains("\"stderr\":\"stop-guard: "));
        assert_eq!(answers.count(), 1, "{stream}");
    }
    let sessions: BTreeSet<_> = told.each("iteration-started", "session").into_iter().collect();
    assert_eq!(sessions.len(), 6, "{sessions:?}");
}

fn figures_came_through(told: &Told) {
    for ended in told.all("agent-ended") {
        assert_eq!(ended["outcome"], "answered", "{ended}");
        assert_eq!(ended["contextWindow"], 1_000_000, "{ended}");
        assert_eq!(ended["turns"], 2, "{ended}");
        assert_eq!(ended["leftovers"], json!([]), "{ended}");
        for figure in [&ended["costUsd"], &ended["tokens"]["input"], &ended["tokens"]["output"]] {
            assert!(figure.as_f64().unwrap() > 0.0, "{ended}");
        }
    }
    let sum: f64 =
        told.all("agent-ended").iter().map(|ended| ended["costUsd"].as_f64().unwrap()).sum();
    let total = told.all("run-ended")[0]["costUsd"].as_f64().unwrap();
    assert!((sum - total).abs() < 1e-9, "{sum} {total}");
    // Known from the second session on.
    let windows: Vec<_> = told.all("context").iter().map(|event| event["window"].clone()).collect();
    assert_eq!(windows.first(), Some(&json!(null)), "{told}");
    assert_eq!(windows.last(), Some(&json!(1_000_000)), "{told}");
}

fn environment_reached_hooks(workshop: &Workshop, told: &Told) {
    let seen = std::fs::read_to_string(workshop.home.path().join("seen")).unwrap();
    let run = told.events[0]["run"].as_str().unwrap();
    let count = |line: &str| seen.lines().filter(|seen| seen.starts_with(line)).count();
    assert_eq!(count(&format!("RALPH_RUN_ID={run}")), 6, "{seen}");
    assert_eq!(count("RALPH_MARKER_SHA256="), 6, "{seen}");
    assert_eq!(count("RALPH_MAX_ITERATIONS=15"), 6, "{seen}");
    for iteration in 1..=6 {
        assert_eq!(count(&format!("RALPH_ITERATION={iteration}")), 1, "{seen}");
    }
    assert_eq!(count("CLAUDE_CONTEXT_WINDOW=1000000"), 5, "{seen}");
}

fn prompts_said_what_to_do(prompts: &[&Request]) {
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
