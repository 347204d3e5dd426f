//! The review of all work after every story is done: its findings become stories, or are reported.

use events::{FinalReview, FinalReviewOutcome, IterationStatus, LoopEvent, RunEnd};
use predicates::str::contains;
use serde_json::{Value, json};
use simulator::{Act, Scenario, When};
use test_repo::assert_text;

use crate::failures::{CHECK, breaks, json_of, stdout_of};
use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::{fields, story};

use FinalReviewOutcome::{Clean, Reported, Stories, Void};

fn found(title: &str) -> Act {
    Act::Structured(json!({"findings": [
        {"title": title, "problem": "Sums are <rounded>\n twice\u{1b}[2J.", "file": "src/code.txt", "line": 1}
    ]}))
}

fn nothing() -> Act {
    Act::Structured(json!({"findings": []}))
}

fn review() -> When {
    When::any().prompt_contains("# Final review of ralph/demo")
}

/// Each final review ends with the next of these answers, then with no findings.
fn reviews(answers: impl IntoIterator<Item = Act>) -> Scenario {
    let each = (1..).zip(answers);
    let scenario = each.fold(Scenario::new(), |scenario, (number, answer)| {
        scenario.rule(review().visit(number), [answer])
    });
    scenario.rule(review(), [nothing()])
}

fn project(scenario: Scenario) -> Project {
    Project::new([story("US-001")]).flags(["--final-review=on"]).scenario(scenario)
}

fn final_reviews(run: &Outcome<'_>) -> Vec<FinalReview> {
    let ended = run.events.iter().filter_map(|event| match event {
        LoopEvent::FinalReviewed(review) => Some(review.clone()),
        _ => None,
    });
    ended.collect()
}

fn outcomes(run: &Outcome<'_>) -> Vec<FinalReviewOutcome> {
    final_reviews(run).iter().map(|review| review.outcome).collect()
}

fn ids(tasks: &Value) -> Vec<&str> {
    let stories = tasks["userStories"].as_array().unwrap();
    stories.iter().map(|story| story["id"].as_str().unwrap()).collect()
}

const ALL: [&str; 4] = ["implement US-001", "review US-001", "implement FR-001", "review FR-001"];

#[test]
fn a_finding_becomes_a_story_like_any_other() {
    let project = project(reviews([found("Rounds twice")]));
    let base = project.head();
    let run = project.run([]);
    run.assert_end(RunEnd::Complete).assert_exit(0);
    assert_eq!(run.assignments(), ALL);
    assert_eq!(outcomes(&run), [Stories, Clean]);
    assert_eq!(run.statuses(), [IterationStatus::Accepted; 6]);
    run.assert_fields("FR-001", &fields(true, "approved", 1, ""));
    let added = project.story("FR-001");
    assert_eq!(added["title"], "Rounds twice");
    let criterion = "This problem is gone, or proven not to exist: Sums are <rounded> twice.";
    assert_eq!(added["acceptanceCriteria"], json!([criterion]));
    assert_text(added["description"].as_str().unwrap(), contains("src/code.txt:1"));
    assert!(
        project.log().contains(&"ralph: add the findings of the final review as stories".into())
    );

    let first = &final_reviews(&run)[0];
    assert_eq!((first.round, first.from.as_str()), (1, base.as_str()));
    assert_eq!(first.findings[0].story.as_ref().unwrap().as_str(), "FR-001");
    let prompt = run.prompt(3);
    assert_text(&prompt, contains(format!("git diff {}..HEAD", &base[..12])));
    assert_text(&prompt, contains("### US-001: Title of US-001\n\n- it works\n"));
    assert!(!prompt.contains("${") && !prompt.contains("earlier final"), "{prompt}");
    assert_text(&run.prompt(6), contains("- FR-001: Rounds twice\n"));

    let report = json_of(&project, &["report", "--format", "json"]);
    assert_eq!(report["finalReviews"][0]["findings"][0]["story"], "FR-001");
    assert_eq!(
        (&report["iterations"], &report["completed"][1]["id"]),
        (&json!(6), &json!("FR-001"))
    );
    let text = stdout_of(&project, &["report"]);
    assert_text(&text, contains("## Final review"));
    assert_text(
        &text,
        contains("- FR-001: `src/code.txt:1`: **Rounds twice**: Sums are \\<rounded\\> twice"),
    );
    assert!(!text.contains('\u{1b}'), "{text}");
}

#[test]
fn findings_become_stories_twice_and_are_then_reported() {
    let project = project(reviews(["a", "b", "c", "d"].map(found)));
    let run = project.run(["-n", "20"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(outcomes(&run), [Stories, Stories, Reported]);
    assert_eq!(ids(&project.tasks()), ["US-001", "FR-001", "FR-002"]);
    assert_text(
        &stdout_of(&project, &["report"]),
        contains("found these problems, which are open:"),
    );
    let again = project.run([]);
    assert_eq!((again.code, again.events.len()), (Some(0), 0), "nothing is left to do");
}

#[test]
fn findings_are_only_reported_if_the_user_wants_that() {
    let settings = json!({"review": {"final": "report"}});
    let project =
        Project::new([story("US-001")]).settings(&settings).scenario(reviews([found("a")]));
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!((outcomes(&run), ids(&project.tasks())), (vec![Reported], vec!["US-001"]));
    let status = json_of(&project, &["status", "--json"]);
    assert_eq!(status["run"]["finalReviews"][0]["findings"][0]["title"], "a");
    let text = stdout_of(&project, &["status"]);
    assert_text(&text, contains("  final review 1: 1 finding, only reported\n"));
}

#[test]
fn a_review_without_a_list_does_not_approve() {
    let project = project(Scenario::new().rule(review(), [Act::finish("Nothing is wrong.")]));
    let run = project.run([]);
    run.assert_end(RunEnd::ReviewerFailed).assert_exit(4);
    assert_eq!(outcomes(&run), [Void; 3]);
    assert_eq!(run.statuses()[2..], [IterationStatus::Void; 3]);
    run.assert_event(
        "the work is not reviewed as a whole: its final message does not end with a list",
    );
    project.agent(&reviews([]));
    // The next run does not take the work for reviewed.
    let run = project.run(["--resume"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(outcomes(&run), [Clean]);
}

#[test]
fn a_review_that_changes_the_project_does_not_count() {
    let approves = r#"sed -i 's/"passes": true/"passes": false/' ralph/tasks.json; git commit -qam x; echo y > new.txt"#;
    let scenario = Scenario::new()
        .rule(review().visit(1), [Act::bash(approves), nothing()])
        .rule(review(), [nothing()]);
    let project = project(scenario);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete).assert_fields("US-001", &fields(true, "approved", 1, ""));
    assert_eq!(outcomes(&run), [Void, Clean]);
    assert_text(&final_reviews(&run)[0].text, contains("the final review made commits"));
    assert!(!project.has("new.txt"));
}

#[cfg(unix)]
#[test]
fn a_review_whose_runner_is_killed_is_repeated() {
    let kill = crate::failures::INTERRUPT.replace("-INT", "-KILL");
    let script = format!(
        r#"sed -i 's/"passes": true/"passes": false/' ralph/tasks.json; echo x > src/code.txt; {kill}"#
    );
    let acts = [Act::bash(script), Act::Hang { ignores_signals: false }];
    let project = project(Scenario::new().rule(review(), acts));
    assert_eq!(project.run([]).code, None);
    project.agent(&reviews([]));
    let run = project.run([]);
    run.assert_end(RunEnd::Complete).assert_fields("US-001", &fields(true, "approved", 1, ""));
    assert_eq!((outcomes(&run), run.assignments().len()), (vec![Clean], 0));
    assert_eq!(project.read("src/code.txt"), "code\n");
}

/// A run that is killed right after its final review was read, and its stories added or not.
#[test]
fn stories_are_added_once_whenever_the_runner_is_killed() {
    for reset in [None, Some("--soft"), Some("--hard")] {
        let project = project(reviews([found("a")]));
        let run = project.run(["-n", "3"]);
        run.assert_end(RunEnd::IterationsUsed);
        assert_eq!(ids(&project.tasks()), ["US-001", "FR-001"]);
        if let Some(mode) = reset {
            project.git(&["reset", "-q", mode, "HEAD~1"]);
        }
        let mut state = project.state();
        state["finalReview"]["rounds"][0]["isAdded"] = json!(false);
        state["ended"] = Value::Null;
        project.write(".ralph/state.json", state.to_string());
        let run = project.run(["-n", "10"]);
        run.assert_end(RunEnd::Complete);
        assert_eq!(run.assignments(), ALL[2..], "{reset:?}");
        assert_eq!(
            (outcomes(&run), ids(&project.tasks())),
            (vec![Clean], vec!["US-001", "FR-001"])
        );
    }
}

#[test]
fn with_lanes_they_are_added_once_too() {
    let project = project(reviews([found("a")]));
    project.git(&["switch", "-q", "-c", "mine"]);
    project.run(["--separate", "-n", "3"]).assert_end(RunEnd::IterationsUsed);
    let mut state = project.state();
    state["finalReview"]["rounds"][0]["isAdded"] = json!(false);
    state["ended"] = Value::Null;
    project.write(".ralph/state.json", state.to_string());
    let run = project.run(["--separate", "-n", "10"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(
        (outcomes(&run), run.assignments()),
        (vec![Clean], ALL[2..].iter().map(|it| (*it).to_owned()).collect())
    );
    let subjects = project.log();
    let adding = subjects.iter().filter(|subject| subject.starts_with("ralph: add the findings"));
    assert_eq!(adding.count(), 1, "{subjects:?}");
}

#[test]
fn limits_hold_for_the_review_and_the_next_run_begins_with_it() {
    let project = project(reviews([]));
    let run = project.run(["-n", "2"]);
    run.assert_end(RunEnd::IterationsUsed);
    assert_eq!(outcomes(&run), []);
    let run = project.run(["-n", "3"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!((outcomes(&run), run.assignments().len()), (vec![Clean], 0));
}

#[test]
fn a_story_of_a_finding_that_is_given_up_fails_the_run() {
    let scenario = reviews([found("a")]).rule(When::any().story("FR-001"), breaks("FR-001"));
    let project = Project::with_checks([story("US-001")], [CHECK]).scenario(scenario);
    let run = project.run(["--final-review=on", "--max-attempts", "1"]);
    run.assert_end(RunEnd::StoriesFailed).assert_exit(1);
    assert_eq!(outcomes(&run), [Stories]);
}

#[test]
fn with_lanes_the_review_has_a_clone_and_the_stories_are_on_the_runs_branch() {
    let project = project(reviews([found("a")]));
    project.git(&["switch", "-q", "-c", "mine"]);
    let run = project.run(["--separate"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(
        (outcomes(&run), run.assignments()),
        (vec![Stories, Clean], ALL.map(str::to_owned).into())
    );
    assert_eq!(project.read("ralph/tasks.json"), project.tasks_before());
    let list: Value =
        serde_json::from_str(&project.git(&["show", "ralph/demo:ralph/tasks.json"])).unwrap();
    assert_eq!(ids(&list), ["US-001", "FR-001"]);
    assert_eq!(list["userStories"][1]["passes"], true);
    assert!(!run.warnings().contains("clone"), "{}", run.warnings());
    let lanes = json_of(&project, &["lanes", "--json"]);
    let lanes: Vec<&str> =
        lanes.as_array().unwrap().iter().map(|lane| lane["lane"].as_str().unwrap()).collect();
    assert_eq!(lanes, ["1", "verification"]);
}

#[cfg(unix)]
#[test]
fn with_lanes_a_review_whose_runner_is_killed_is_repeated() {
    let project = Project::new([story("US-001"), story("US-002")]).flags(["--final-review=on"]);
    project.git(&["switch", "-q", "-c", "mine"]);
    let kill = crate::failures::INTERRUPT.replace("-INT", "-KILL");
    let kill = kill.replace(".ralph/lock", &project.path().join(".ralph/lock").to_string_lossy());
    let script = format!(
        r#"sed -i 's/"passes": true/"passes": false/' ralph/tasks.json; git commit -qam x; echo x > new.txt; {kill}"#
    );
    let seen = project.path().with_file_name("seen");
    let look =
        format!("git status --short > '{0}'; git log -1 --format=%s >> '{0}'", seen.display());
    let killed = || [Act::bash(&script), Act::Hang { ignores_signals: false }];
    project.agent(
        &Scenario::new()
            .rule(review().visit(1), killed())
            .rule(review().visit(2), [Act::bash(look), found("a")])
            .rule(review().visit(3), killed())
            .rule(review(), [nothing()]),
    );
    let clone = || {
        let folder = project.state()["separate"]["folder"].as_str().unwrap().to_owned();
        std::path::Path::new(&folder).join("review").exists()
    };

    let first = project.run(["-j", "2"]);
    assert_eq!((first.code, outcomes(&first), clone()), (None, vec![], true));
    let second = project.run(["-j", "2"]);
    assert_eq!((second.code, outcomes(&second), clone()), (None, vec![Stories], true));
    assert_eq!(second.assignments(), ALL[2..]);
    let seen = std::fs::read_to_string(seen).unwrap();
    assert!(!seen.contains("new.txt") && !seen.ends_with("x\n"), "{seen}");
    let last = project.run(["-j", "2"]);
    last.assert_end(RunEnd::Complete);
    assert_eq!((outcomes(&last), last.assignments().len(), clone()), (vec![Clean], 0, false));

    let list = project.git(&["show", "ralph/demo:ralph/tasks.json"]);
    let list: Value = serde_json::from_str(&list).unwrap();
    assert_eq!(ids(&list), ["US-001", "US-002", "FR-001"]);
    assert!(list["userStories"].as_array().unwrap().iter().all(|story| story["passes"] == true));
    assert_eq!(project.tasks(), serde_json::from_str::<Value>(project.tasks_before()).unwrap());
    let report = json_of(&project, &["report", "--format", "json"]);
    let rounds = report["finalReviews"].as_array().unwrap().iter();
    let rounds: Vec<_> =
        rounds.map(|it| (&it["round"], it["findings"].as_array().unwrap().len())).collect();
    assert_eq!(rounds, [(&json!(1), 1), (&json!(2), 0)]);
    assert_eq!(report["iterations"], 8, "a kill uses nothing up");
}
