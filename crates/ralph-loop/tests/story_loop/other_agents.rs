//! The story loop with agents that have no hooks: what the guard would have caught inside of a
//! session, the runner catches outside of it.

use events::{AgentOutcome, IterationStatus, LoopEvent, RunEnd};
use predicates::str::contains;
use serde_json::json;
use simulator::{Act, LimitStatus, Mode, Scenario, When};
use test_repo::assert_text;

use crate::cheating::Cheat;
use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::{NEEDS_REVIEW, approval, fields, set, story, story_at};

fn with_codex(project: Project) -> Project {
    project.flags(["--agent", "codex"])
}

/// The details of each agent end.
fn ends(run: &Outcome<'_>) -> Vec<(AgentOutcome, String)> {
    let ended = run.events.iter().filter_map(|event| match event {
        LoopEvent::AgentEnded(events::AgentEnded { outcome, detail, .. }) => {
            Some((*outcome, detail.clone()))
        }
        _ => None,
    });
    ended.collect()
}

#[test]
fn codex_goes_through_the_whole_cycle() {
    let scenario = Scenario::new()
        .rule(When::mode(Mode::Review).visit(1), [Act::request_changes("the empty name")]);
    let project = Project::with_checks([story("US-001")], ["true"]).scenario(scenario);
    let project = with_codex(project);
    let run = project.run(["--model", "gpt"]);
    run.assert_end(RunEnd::Complete).assert_fields("US-001", &fields(true, "approved", 2, ""));
    let modes = ["implement US-001", "review US-001", "review-fix US-001", "review US-001"];
    assert_eq!(run.assignments(), modes);
    assert_eq!(run.statuses(), [IterationStatus::Accepted; 4]);
    for call in run.calls() {
        assert!(call.starts_with("codex: "), "{call}");
        assert!(call.contains(" exec --json ") && call.contains(" -m gpt -C "), "{call}");
        assert!(!call.contains("--plugin-dir"), "{call}");
    }
    assert_eq!(run.guards_missing(), 0, "there was none to be missed");
    assert!(!run.folder(1).with_file_name("plugin").exists(), "and none was made");
    let tools = run.events.iter().filter(|event| matches!(event, LoopEvent::ToolEnded { .. }));
    assert!(tools.count() > 4, "its stream is understood");
    assert!(project.state()["tokens"]["output"].as_u64().unwrap() > 0);
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}

#[test]
fn codex_that_cheats_at_its_work_is_caught_from_outside() {
    let submission = || Act::submit("done");
    let top = |field: &str| Act::SetTop { field: field.into(), value: json!(["true"]) };
    for (acts, finding) in [
        (vec![approval("US-001")], "implement iterations cannot set passes=true"),
        (
            vec![set("US-001", [("acceptanceCriteria", json!(["it works"]))]), submission()],
            "acceptanceCriteria",
        ),
        (vec![top("verifyCommands"), submission()], "verifyCommands"),
        (vec![Act::write("ralph/prd.md", "# Less\n"), submission()], "ralph/prd.md: changed"),
        (vec![approval("US-001"), Act::bash("rm .ralph-active")], "it was removed"),
    ] {
        let project = with_codex(Project::with_checks([story("US-001")], ["make test"]));
        let project = Cheat::in_project(Mode::Implement, project).commits(acts).for_what(finding);
        let now = project.tasks();
        assert_eq!(project.fields("US-001"), fields(false, json!(null), 0, ""), "{finding}");
        assert_eq!(now["verifyCommands"], json!(["make test"]));
        assert_eq!(
            now["userStories"][0]["acceptanceCriteria"],
            json!(["it works", "it is tested"])
        );
        assert_eq!(project.read("ralph/prd.md"), "# What and why\n");
    }
}

#[test]
fn codex_that_edits_code_in_a_review_is_caught_from_outside() {
    let project = with_codex(Project::new([story_at("US-001", NEEDS_REVIEW, 0)]));
    let edits = [Act::write("src/code.txt", "better code\n"), Act::approve("what was done")];
    let project = Cheat::in_project(Mode::Review, project)
        .commits(edits)
        .with_the_list_untouched("a review must not change files, but changed src/code.txt");
    assert_eq!(project.read("src/code.txt"), "code\n");
}

#[test]
fn any_command_that_takes_a_prompt_can_work_on_stories() {
    // Without its flags the simulated agent prints its answer and nothing else.
    let project = Project::new([story("US-001")]).installed("my-agent");
    let run = project.run_installed(["--agent", "my-agent"]);
    run.assert_end(RunEnd::Complete).assert_fields("US-001", &fields(true, "approved", 1, ""));
    let calls = run.calls();
    assert!(calls.iter().all(|call| call.starts_with("my-agent: ")), "{calls:?}");
    assert_eq!(run.guards_missing(), 0);
    run.assert_event("AgentText");
}

#[test]
fn an_interrupted_run_resumes_with_another_agent() {
    let interrupted = [
        Act::write("half.txt", "half"),
        Act::bash("kill -INT $(cat .ralph/lock)"),
        Act::finish("So far."),
    ];
    let scenario = Scenario::new().rule(When::mode(Mode::Implement).visit(1), interrupted);
    let project = Project::new([story("US-001")]).scenario(scenario);
    let first = project.run(["--agent", "codex", "--stop-grace", "30s"]);
    first.assert_end(RunEnd::Interrupted);
    assert_eq!(project.read("half.txt"), "half");
    let before = project.state();
    let second = project.run(["--resume"]);
    second.assert_end(RunEnd::Complete);
    assert_eq!(project.state()["runId"], before["runId"]);
    let calls = second.calls();
    assert!(calls.iter().all(|call| call.starts_with("claude: ")), "{calls:?}");
    assert_eq!(second.guards_missing(), 0);
}

#[test]
fn the_reason_of_an_end_without_a_result_text_is_reported() {
    let limit = Act::Limit {
        status: LimitStatus::Rejected,
        resets_in_s: None,
        resets_at: None,
        utilization: None,
    };
    for (act, end, outcome, words) in [
        (limit, RunEnd::QuotaCeiling, AgentOutcome::UsageLimit, "You've hit your usage limit"),
        (
            Act::ApiError { status: 401, message: "bad key".into() },
            RunEnd::AgentFailed,
            AgentOutcome::LoginNeeded,
            "bad key",
        ),
    ] {
        let project = Project::new([story("US-001")]);
        let project = with_codex(project.scenario(Scenario::new().otherwise([act])));
        let run = project.run(["--on-limit", "stop"]);
        run.assert_end(end);
        let ends = ends(&run);
        assert_eq!(ends.len(), 1, "no use in trying again: {ends:?}");
        assert!(ends[0].0 == outcome && ends[0].1.contains(words), "{ends:?}");
    }
}

#[test]
fn a_cost_limit_that_cannot_be_enforced_is_refused() {
    let project = with_codex(Project::new([story("US-001")]));
    let run = project.run(["--max-cost-usd", "5"]);
    run.assert_exit(2);
    assert_text(&run.stderr, contains("agent codex reports no cost, so --max-cost-usd"));
    assert!(run.stderr.contains("hint:") && run.events.is_empty(), "{}", run.stderr);
    assert!(!project.has(".ralph"), "nothing was begun");
    let reviewed = Project::new([story("US-001")]).installed("codex");
    let run = reviewed.run(["--max-cost-usd", "5", "--review-agent", "codex"]);
    run.assert_exit(2);
    assert_text(&run.stderr, contains("agent codex reports no cost, so --max-cost-usd"));
}
