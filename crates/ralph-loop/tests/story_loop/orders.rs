//! Orders to a running loop. The agent or a check gives them here: the source makes no difference,
//! and they surely arrive during the run.

use std::time::{Duration, Instant};

use events::{GiveUpReason, IterationStatus, LoopEvent, RunEnd, Stamped, StoryCommits};
use predicates::str::contains;
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};
use test_repo::assert_text;

use crate::failures::{INTERRUPT, failed_attempts, given_up};
use crate::harness::{Project, program};
use crate::outcome::Outcome;
use crate::stories::{fields, story};

const PATIENCE: Duration = Duration::from_secs(90);

fn say(order: &str) -> String {
    format!("'{}' {order}", program("ralph-loop").display())
}

/// Gives the order and waits until the run accepted it.
fn give(order: &str) -> Act {
    let kind = order.split(' ').next().unwrap();
    Act::bash(format!(
        "{} && until grep -q '\"order-accepted\",\"order\":{{\"kind\":\"{kind}\"' .ralph/runs/*/events.jsonl; \
         do sleep 0.02; done",
        say(order)
    ))
}

fn two_stories() -> Project {
    Project::new([story("US-001"), story("US-002")])
}

/// In its first session on US-001 the agent does this, and is honest otherwise.
fn at_first<const N: usize>(acts: [Act; N]) -> Scenario {
    Scenario::new().rule(When::mode(Mode::Implement).story("US-001").visit(1), acts)
}

/// The types of the order events.
fn course(run: &Outcome<'_>) -> Vec<Value> {
    let events = run.events.iter().filter_map(|event| match event {
        LoopEvent::OrderAccepted { order } => Some(serde_json::to_value(order).unwrap()),
        LoopEvent::Paused => Some(json!("paused")),
        LoopEvent::Resumed => Some(json!("resumed")),
        _ => None,
    });
    events.collect()
}

/// The folders of the iterations whose prompts contain this text.
fn prompts_with(project: &Project, words: &str) -> Vec<String> {
    let run = project.path().join(".ralph/runs").join(project.state()["runId"].as_str().unwrap());
    let mut found: Vec<String> = std::fs::read_dir(run)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|folder| {
            std::fs::read_to_string(folder.join("prompt.md")).is_ok_and(|text| text.contains(words))
        })
        .map(|folder| folder.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    found.sort();
    found
}

fn await_event(project: &Project, is_it: impl Fn(&LoopEvent) -> bool) {
    let deadline = Instant::now() + PATIENCE;
    let events = || {
        let runs = std::fs::read_dir(project.path().join(".ralph/runs")).ok()?;
        let log = runs.flatten().next()?.path().join("events.jsonl");
        let text = std::fs::read(log).ok()?;
        let mut lines =
            text.split(|byte| *byte == b'\n').filter_map(|l| Stamped::from_line(l).ok());
        lines.find(|stamped| is_it(&stamped.event))
    };
    while events().is_none() {
        assert!(Instant::now() < deadline, "the order was never accepted");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[track_caller]
fn answer(project: &Project, args: &[&str]) -> String {
    let output = project.call(args);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_story_is_skipped_while_its_session_runs_and_its_work_is_kept() {
    let acts = [
        Act::bash("echo half > half.txt"),
        Act::bash(say("skip")),
        Act::Hang { ignores_signals: false },
    ];
    let project = two_stories().scenario(at_first(acts));
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed)
        .assert_fields("US-001", &fields(false, Value::Null, 0, ""));
    assert_eq!(run.assignments(), ["implement US-001", "implement US-002", "review US-002"]);
    assert_eq!(run.statuses()[0], IterationStatus::Stopped);
    assert_eq!(failed_attempts(&run).len(), 0);
    assert_eq!(course(&run), [json!({"kind": "skip", "story": "US-001"})]);
    let given_up = given_up(&run, "US-001");
    assert_eq!(
        (given_up.reason, &given_up.commits),
        (GiveUpReason::Skipped, &StoryCommits::Rewound)
    );
    let branch = given_up.branch.as_deref().unwrap();
    assert_eq!(project.git(&["show", &format!("{branch}:half.txt")]).trim(), "half");
    assert!(!project.has("half.txt"));
    assert_eq!(project.state()["skips"], json!([]));
}

#[test]
fn a_story_is_skipped_while_its_checks_run_and_does_not_pass() {
    let check = format!("if mkdir ../asked 2>/dev/null; then {} && sleep 60; fi", say("skip"));
    let project = Project::with_checks([story("US-001"), story("US-002")], [&check])
        // In its sandbox a check cannot give orders.
        .settings(&json!({ "isolation": { "checks": "none" } }));
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed)
        .assert_fields("US-001", &fields(false, Value::Null, 0, ""));
    run.assert_fields("US-002", &fields(true, "approved", 1, ""));
    assert_eq!(run.statuses()[0], IterationStatus::Stopped);
    assert_eq!(failed_attempts(&run).len(), 0);
    assert_eq!(given_up(&run, "US-001").reason, GiveUpReason::Skipped);
}

#[test]
fn an_impossible_skip_is_reported() {
    // The first as an order file, as if the story was removed since.
    let letter = r#"id=$(ls .ralph/runs) && printf '{"version":1,"run":"%s","at":1,"order":{"kind":"skip","story":"US-009"}}' "$id" > .ralph/orders/1.json"#;
    let refused = |id: &str| Act::bash(format!("! {} 2>> ../refused", say(&format!("skip {id}"))));
    let acts = [Act::bash(letter), refused("US-009"), Act::finish("Later.")];
    let scenario = at_first(acts).rule(
        When::mode(Mode::Implement).story("US-002"),
        [refused("US-001"), Act::finish("Later.")],
    );
    let project = two_stories().scenario(scenario).flags(["-n", "4"]);
    let run = project.run([]);
    run.assert_end(RunEnd::IterationsUsed)
        .assert_fields("US-001", &fields(true, "approved", 1, ""));
    let events: Vec<String> = run
        .events
        .iter()
        .filter_map(|event| match event {
            LoopEvent::OrderRefused { why, .. } => Some(why.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(events, ["the task list has no such story"]);
    let words = project.read("../refused");
    assert_text(&words, contains("US-009 is not a story of this run"));
    assert_text(&words, contains("US-001 is already done"));
}

#[test]
fn a_stopped_run_reports_it_and_resumes_with_its_instructions() {
    let acts = [give("steer 'Mind the ${STORY} gap.'"), give("stop"), Act::finish("Later.")];
    let project = two_stories().scenario(at_first(acts));
    let run = project.run([]);
    run.assert_end(RunEnd::Stopped).assert_exit(1);
    let requested = run.events.iter().any(|event| {
        matches!(event, LoopEvent::StopRequested { signal, .. } if signal == "stopped by the user")
    });
    assert!(requested, "{:#?}", run.events);
    assert_eq!(project.state()["steers"]["waiting"], json!(["Mind the ${STORY} gap."]));
    assert_eq!(std::fs::read_dir(project.path().join(".ralph/orders")).unwrap().count(), 0);
    project.run([]).assert_end(RunEnd::Complete);
    assert_eq!(prompts_with(&project, "> Mind the ${STORY} gap."), ["002-implement-US-001"]);
    assert_eq!(project.state()["steers"]["waiting"], json!([]));
}

#[test]
fn a_second_stop_does_not_wait_for_the_answer() {
    let acts =
        [Act::bash(say("stop")), Act::bash(say("stop")), Act::Hang { ignores_signals: false }];
    let run = two_stories().scenario(at_first(acts)).run([]).code;
    assert_eq!(run, Some(1));
}

#[test]
fn an_instruction_reaches_a_fix_and_never_a_review() {
    let review = [give("steer Approve everything."), Act::request_changes("louder")];
    let scenario = Scenario::new().rule(When::mode(Mode::Review).visit(1), review);
    let project = Project::new([story("US-001")]).scenario(scenario);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    let modes = ["implement US-001", "review US-001", "review-fix US-001", "review US-001"];
    assert_eq!(run.assignments(), modes);
    assert_eq!(prompts_with(&project, "Approve everything."), ["003-review-fix-US-001"]);
}

#[test]
fn a_paused_run_starts_nothing_until_it_is_resumed() {
    let project = two_stories().scenario(at_first([give("pause"), Act::finish("Later.")]));
    let run = std::thread::scope(|scope| {
        let run = scope.spawn(|| project.run([]));
        await_event(&project, |event| matches!(event, LoopEvent::Paused));
        assert_eq!(answer(&project, &["pause"]), "the run is already paused\n");
        let words = answer(&project, &["skip", "US-002"]);
        assert!(words.starts_with("skipping US-002 now: "), "{words}");
        await_event(&project, |event| matches!(event, LoopEvent::StoryGivenUp { .. }));
        let json: Value =
            serde_json::from_str(&answer(&project, &["steer", "Mind", "the gap.", "--json"]))
                .unwrap();
        assert_eq!(json["order"], json!({"kind": "steer", "text": "Mind the gap."}));
        answer(&project, &["go-on"]);
        run.join().unwrap()
    });
    run.assert_end(RunEnd::StoriesFailed);
    assert_eq!(
        course(&run),
        [
            json!({"kind": "pause"}),
            json!("paused"),
            json!({"kind": "skip", "story": "US-002"}),
            json!({"kind": "steer", "text": "Mind the gap."}),
            json!({"kind": "go-on"}),
            json!("resumed"),
        ]
    );
    assert_eq!(run.assignments(), ["implement US-001", "implement US-001", "review US-001"]);
    assert_eq!(prompts_with(&project, "Mind the gap."), ["002-implement-US-001"]);
    let given_up = given_up(&run, "US-002");
    assert_eq!((given_up.reason, &given_up.branch), (GiveUpReason::Skipped, &None));
}

#[test]
fn an_instruction_survives_a_killed_runner() {
    let kill = INTERRUPT.replace("-INT", "-KILL");
    let skip = Act::bash(format!("{} && {kill}", say("skip")));
    let acts = [give("steer Mind the gap."), skip, Act::Hang { ignores_signals: false }];
    let project = two_stories().scenario(at_first(acts));
    assert_eq!(project.run([]).code, None);
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed);
    assert_eq!(given_up(&run, "US-001").reason, GiveUpReason::Skipped);
    assert_eq!(run.assignments(), ["implement US-002", "review US-002"]);
    assert_eq!(prompts_with(&project, "Mind the gap.").len(), 1);
}

#[test]
fn an_invalid_or_foreign_order_is_reported_and_ignored() {
    let project = Project::new([story("US-001")]);
    let stop = json!({"version": 1, "run": "another", "at": 1, "order": {"kind": "steer", "text": "Mind it."}});
    project.write(".ralph/orders/1.json", stop.to_string());
    project.write(".ralph/orders/2.json", "approve US-001");
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(course(&run), [json!(null); 0]);
    let found = "ignored an order for run another: steer: Mind it.";
    assert!(
        run.events.contains(&LoopEvent::LeftoverFound { text: found.into() }),
        "{:#?}",
        run.events
    );
    assert!(
        run.warnings().contains("removed invalid files from .ralph/orders: 2.json: "),
        "{}",
        run.warnings()
    );
}

#[test]
fn without_a_loop_an_order_is_refused() {
    let project = Project::new([story("US-001")]);
    for args in [&["pause"][..], &["skip"], &["steer", "x"], &["steer", " "]] {
        let output = project.call(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
    }
    let words = String::from_utf8(project.call(&["stop"]).stderr).unwrap();
    assert!(
        words.contains("no loop is running here") && words.contains("ralph-loop status"),
        "{words}"
    );
    assert!(!project.has(".ralph/orders"));
}
