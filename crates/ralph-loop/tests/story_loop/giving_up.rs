//! Stories that are given up: when, why, and what that leaves for the others.

use events::{Gate, GiveUpReason, LoopEvent, RunEnd, StoryCommits, Stuck, WaitingStory};
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};

use crate::failures::{
    CHECK, breaking, breaks, failed_attempts, given_up, json_of, repeats, stdout_of,
};
use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::{NEEDS_REVIEW, commit, fields, story, story_at};

fn depends(id: &str, on: &str) -> Value {
    let mut story = story(id);
    story["dependsOn"] = json!([on]);
    story
}

fn waiting(run: &Outcome<'_>) -> Vec<WaitingStory> {
    match run.events.last() {
        Some(LoopEvent::RunEnded(events::RunEnded { waiting, .. })) => waiting.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn six_stories_of_which_two_cannot_succeed_end_with_four_done_and_two_branches() {
    let ids = ["US-001", "US-002", "US-003", "US-004", "US-005", "US-006"];
    let scenario = breaking(["US-003", "US-005"]);
    let project = Project::with_checks(ids.map(story), [CHECK]).scenario(scenario);
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed).assert_exit(1);
    for id in ["US-001", "US-002", "US-004", "US-006"] {
        assert_eq!(project.story(id)["passes"], true, "{id}");
    }
    let branches = project.git(&["branch", "--format=%(refname:short)", "--list", "wip/*"]);
    let branches: Vec<&str> = branches.lines().collect();
    assert_eq!(branches.len(), 2, "{branches:?}");
    for (id, branch) in ["US-003", "US-005"].into_iter().zip(branches) {
        let given_up = given_up(&run, id);
        assert_eq!(given_up.branch.as_deref(), Some(branch));
        assert!(branch.starts_with(&format!("wip/ralph-fail-{id}-")), "{branch}");
        assert_eq!((given_up.attempts, given_up.of, given_up.last_gate), (5, 5, Gate::Tests));
        assert_eq!(given_up.reason, GiveUpReason::AttemptsUsed);
        assert_eq!(given_up.stuck, Stuck::Yes { repeats: 5, strategy_shifts: 2 });
        assert_eq!(given_up.commits, StoryCommits::Rewound);
        assert!(given_up.error.contains(&format!("broken-{id}")), "{}", given_up.error);
        // Its work is kept only there, with the facts about it.
        let file = project.git(&["show", &format!("{branch}:broken-{id}")]);
        assert_eq!(file, "x");
        let diagnostics = project.git(&["show", &format!("{branch}:ralph/failure-{id}.md")]);
        assert!(diagnostics.contains("last_gate: tests"), "{diagnostics}");
        let message = project.git(&["log", "-1", "--format=%B", branch]);
        assert!(message.starts_with(&format!("Ralph Loop failed: {id}\n\nIterations: 5/5\n")));
        assert!(!project.has(&format!("broken-{id}")));
        assert_eq!(project.fields(id), fields(false, json!(null), 0, ""));
    }
    assert_eq!(project.git(&["status", "--porcelain"]), "");
    let half = project.read("src/code.txt").matches("half").count();
    assert_eq!(half, 0, "what the failed stories changed in a file of others is gone");
    assert_eq!(run.summary("US-003").failed_attempts, 5);
}

#[test]
fn a_story_gets_its_attempts_and_the_others_continue() {
    for (most, count) in [("1", 1), ("2", 2)] {
        let stories = [
            story("US-001"),
            depends("US-002", "US-001"),
            story("US-003"),
            depends("US-004", "US-002"),
        ];
        let project = Project::with_checks(stories, [CHECK]).scenario(breaking(["US-001"]));
        let run = project.run(["--max-attempts", most]);
        run.assert_end(RunEnd::StoriesFailed).assert_exit(1);
        assert_eq!(failed_attempts(&run).len(), count);
        let given_up = given_up(&run, "US-001");
        assert_eq!((given_up.attempts, given_up.of), (count as u64, count as u64));
        assert_eq!((given_up.reason, given_up.stuck), (GiveUpReason::AttemptsUsed, Stuck::No));
        let dependants: Vec<&str> = given_up.dependants.iter().map(|id| id.as_str()).collect();
        assert_eq!(dependants, ["US-002", "US-004"], "those of dependants too");
        assert_eq!(run.assignments()[count..], ["implement US-003", "review US-003"]);
        let waiting: Vec<String> = waiting(&run)
            .iter()
            .map(|waiting| format!("{} {}", waiting.story, waiting.waits_for[0]))
            .collect();
        assert_eq!(waiting, ["US-002 US-001", "US-004 US-002"]);

        let report = json_of(&project, &["report", "--format", "json"]);
        assert_eq!(report["failed"][0]["givenUp"]["dependants"], json!(["US-002", "US-004"]));
        assert_eq!(report["blocked"][0]["id"], "US-002");
        let status = json_of(&project, &["status", "--json"]);
        let states: Vec<&Value> =
            status["stories"].as_array().unwrap().iter().map(|story| &story["state"]).collect();
        assert_eq!(states[0], "failed", "{status:#}");
        assert_eq!(states[1], "blocked", "{status:#}");
        assert!(stdout_of(&project, &["status"]).contains("US-002 waits for US-001"));
    }
}

#[test]
fn a_story_that_crashes_the_agent_is_given_up_before_the_last_retry() {
    let dies = When::mode(Mode::Implement).story("US-001");
    let scenario = Scenario::new().rule(dies, [Act::Crash { exit_code: 7 }]);
    let project = Project::new([story("US-001"), story("US-002")]).scenario(scenario);
    let run = project.run(["--max-attempts", "2", "--retry-wait", "1ms"]);
    run.assert_end(RunEnd::StoriesFailed);
    let given_up = given_up(&run, "US-001");
    assert_eq!((given_up.attempts, given_up.last_gate), (2, Gate::Implement));
    assert_eq!(
        (&given_up.branch, &given_up.commits),
        (&None, &StoryCommits::Nothing),
        "there was no work"
    );
    assert!(run.folder(3).ends_with("001-implement-US-002"), "{:?}", run.folder(3));
    assert_eq!(project.story("US-002")["passes"], true);
}

#[test]
fn the_last_review_must_approve_unless_the_story_may_fail() {
    let rejecting = Scenario::new().rule(
        When::mode(Mode::Review),
        [Act::request_changes("never good enough"), Act::commit("review: no")],
    );
    let project =
        || Project::new([story_at("US-001", NEEDS_REVIEW, 1)]).scenario(rejecting.clone());
    let strict = json!({"review": {"cap": 2}});
    let by_default = project().settings(&strict);
    let run = by_default.run(["-n", "1"]);
    assert!(!run.findings().is_empty(), "a last review that does not approve is not allowed");
    assert_eq!(failed_attempts(&run)[0].gate, Gate::Rules);

    let by_flag = project().settings(&strict).flags(["--at-review-cap", "fail"]);
    let by_setting = project().settings(&json!({"review": {"cap": 2, "atCap": "fail"}}));
    for project in [by_flag, by_setting] {
        let run = project.run([]);
        run.assert_end(RunEnd::StoriesFailed);
        assert_eq!(run.assignments(), ["review US-001"]);
        assert_eq!(run.findings(), "");
        let given_up = given_up(&run, "US-001");
        assert_eq!((given_up.reason, given_up.attempts), (GiveUpReason::ReviewCap, 1));
        assert_eq!(
            (given_up.last_gate, given_up.error.as_str()),
            (Gate::SpecReview, "never good enough")
        );
    }
}

#[test]
fn before_the_cap_a_story_that_may_fail_there_is_fixed() {
    let rejected = [Act::request_changes("once more"), Act::commit("review: no")];
    let scenario = Scenario::new().rule(When::mode(Mode::Review).visit(1), rejected);
    let project = Project::new([story("US-001")]).scenario(scenario);
    let run = project.run(["--review-cap", "2", "--at-review-cap", "fail"]);
    run.assert_end(RunEnd::Complete).assert_fields("US-001", &fields(true, "approved", 2, ""));
    assert_eq!(repeats(&run), [(1, 1)]);
}

#[test]
fn without_reviews_attempts_count_the_same() {
    let passes = || Act::set_story([("passes", json!(true)), ("notes", json!("done"))]);
    let broken = [Act::write("broken-US-001", "x"), passes(), Act::commit("feat")];
    let scenario = Scenario::new().rule(When::mode(Mode::Implement).story("US-001"), broken);
    let stories = [story("US-001"), story("US-002")];
    let project = Project::with_checks(stories, [CHECK]).scenario(scenario);
    let run = project.run(["--skip-review", "--max-attempts", "2"]);
    run.assert_end(RunEnd::StoriesFailed);
    assert_eq!(run.assignments(), ["implement US-001", "implement US-001", "implement US-002"]);
    assert_eq!(repeats(&run), [(1, 1), (2, 2)]);
    assert!(run.prompt(2).contains("1 of 2 attempts at this story failed"), "{}", run.prompt(2));
    assert_eq!(project.story("US-002")["passes"], true);
    assert_eq!(project.story("US-001")["passes"], false);
}

#[test]
fn a_split_story_does_not_block_the_run() {
    let part = |id: &str| {
        let mut part = story(id);
        part["splitFrom"] = json!("US-001");
        match part {
            Value::Object(story) => Act::AddStory { story },
            _ => panic!(),
        }
    };
    let first = [Act::write("broken-US-001", "x"), Act::submit("it works"), commit("feat")];
    let split = [
        Act::bash("git rm -q broken-US-001"),
        part("US-002"),
        part("US-003"),
        Act::RemoveStory { story: None },
        commit("split"),
    ];
    let scenario = Scenario::new()
        .rule(When::mode(Mode::Implement).story("US-001").visit(1), first)
        .rule(When::mode(Mode::Implement).story("US-001"), split);
    let project = Project::with_checks([story("US-001")], [CHECK]).scenario(scenario);
    let run = project.run(["--max-attempts", "2"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(failed_attempts(&run).len(), 1, "splitting is none");
    assert_eq!(json_of(&project, &["report", "--format", "json"])["failed"], json!([]));
    assert_eq!(project.story("US-003")["passes"], true);
}

#[test]
fn plans_and_notes_of_a_failed_story_are_kept() {
    let mut planned = story("US-002");
    planned["notes"] = json!("mind the order");
    let Value::Object(planned) = planned else { panic!() };
    let mut acts = vec![
        Act::AddStory { story: planned },
        Act::append("ralph/progress.txt", "US-001: learnt something\n"),
    ];
    acts.extend(breaks("US-001"));
    let scenario = Scenario::new()
        .rule(When::mode(Mode::Implement).story("US-001").visit(1), acts)
        .rule(When::mode(Mode::Implement).story("US-001"), breaks("US-001"));
    let mut last = story("US-003");
    last["priority"] = json!(2);
    let project = Project::with_checks([story("US-001"), last], [CHECK]).scenario(scenario);
    let run = project.run(["--max-attempts", "2"]);
    run.assert_end(RunEnd::StoriesFailed);
    assert_eq!(run.findings(), "");
    assert_eq!(project.fields("US-001"), fields(false, json!(null), 0, ""));
    for id in ["US-002", "US-003"] {
        assert_eq!(project.fields(id), fields(true, "approved", 1, ""), "{id}");
    }
    assert!(project.read("ralph/progress.txt").contains("US-001: learnt something\n"));
    assert!(run.prompt(3).contains("US-002") || run.prompt(3).contains("US-003"));
    let notes = project.git(&["log", "-p", "--format=", "--", "ralph/tasks.json"]);
    assert!(notes.contains("mind the order"), "{notes}");
    assert!(!project.has("broken-US-001"));
}

#[test]
fn a_resumed_run_keeps_attempts_and_given_up_stories_and_a_fresh_one_does_not() {
    let stories = || [story("US-001"), story("US-002")];
    let project = Project::with_checks(stories(), [CHECK]).scenario(breaking(["US-001"]));
    project.run(["-n", "1", "--max-attempts", "2"]).assert_end(RunEnd::IterationsUsed);
    let run = project.run(["--resume", "-n", "2", "--max-attempts", "2"]);
    run.assert_end(RunEnd::IterationsUsed);
    assert_eq!(repeats(&run), [(2, 2)], "the first was another start of the same run");
    assert_eq!(given_up(&run, "US-001").attempts, 2);
    let branch = given_up(&run, "US-001").branch.clone().unwrap();
    let run = project.run(["--resume", "-n", "9", "--max-attempts", "2"]);
    run.assert_end(RunEnd::StoriesFailed);
    assert_eq!(run.assignments(), ["implement US-002", "review US-002"]);

    let again = project.run(["--resume", "-n", "9", "--max-attempts", "2"]);
    again.assert_end(RunEnd::StoriesFailed);
    assert_eq!(again.assignments(), Vec::<String>::new(), "it stays given up");
    assert_eq!(again.summary("US-001").failed_attempts, 2);

    project.agent(&Scenario::new());
    let fresh = project.run(["--fresh"]);
    fresh.assert_end(RunEnd::Complete).assert_fields("US-001", &fields(true, "approved", 1, ""));
    assert_eq!(fresh.summary("US-001").failed_attempts, 0);
    assert!(!fresh.prompt(1).contains("Previous attempts"), "{}", fresh.prompt(1));
    assert!(!project.git(&["branch", "--list", "wip/*"]).contains(&branch));
}
