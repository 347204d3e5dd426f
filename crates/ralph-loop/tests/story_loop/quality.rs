//! The quality check: an agent reviews the quality of done stories; its warnings block nothing.

use events::{IterationStatus, LoopEvent, QualityOutcome, RunEnd};
use serde_json::json;
use simulator::{Act, Mode, Scenario, When};

use crate::failures::{CHECK, breaks, failed_attempts, json_of, stdout_of};
use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::{commit, fields, set, story};

const WARNING: &str = "work/US-001.txt:1 says the same twice";

/// The acts of the agent in sessions of the quality check.
fn about_quality(acts: impl IntoIterator<Item = Act>) -> Scenario {
    Scenario::new().rule(When::any().prompt_contains("# Quality check of"), acts)
}

fn warns() -> [Act; 1] {
    [Act::finish(format!("I looked at it.\n\nWARNING: {WARNING}"))]
}

fn enabled<const N: usize>(ids: [&str; N]) -> Project {
    Project::new(ids.map(story)).flags(["--quality"])
}

/// Story, outcome, warnings and cost of every look.
fn looks(run: &Outcome<'_>) -> Vec<(String, QualityOutcome, Vec<String>, f64)> {
    let looks = run.events.iter().filter_map(|event| match event.clone() {
        LoopEvent::QualityChecked { story, outcome, warnings, cost_usd, .. } => {
            Some((story.to_string(), outcome, warnings, cost_usd))
        }
        _ => None,
    });
    looks.collect()
}

#[test]
fn each_story_that_is_done_is_looked_at_once_and_its_warnings_are_reported() {
    let scenario = Scenario::new()
        .rule(When::any().prompt_contains("Quality check of US-001"), warns())
        .rule(When::any().prompt_contains("Quality check of US-002"), [Act::finish("NO WARNINGS")]);
    let project = enabled(["US-001", "US-002"]).scenario(scenario);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    let looks: Vec<_> =
        looks(&run).into_iter().map(|(id, how, warned, _)| (id, how, warned)).collect();
    use QualityOutcome::Checked;
    assert_eq!(
        looks,
        [
            ("US-001".to_owned(), Checked, vec![WARNING.to_owned()]),
            ("US-002".to_owned(), Checked, vec![])
        ]
    );
    assert_eq!(run.calls().len(), 6, "two for each story, and one look");
    let prompt = std::fs::read_to_string(run.folder(2).join("quality-prompt.md")).unwrap();
    for part in ["### US-001: Title of US-001", "- it is tested", "git diff ", "NO WARNINGS"] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    assert!(!prompt.contains("${"), "{prompt}");
    let report = json_of(&project, &["report", "--format", "json"]);
    assert_eq!(report["quality"][0]["warnings"], json!([WARNING]));
    let text = stdout_of(&project, &["report"]);
    assert!(text.contains("## Quality warnings") && text.contains("says the same twice"), "{text}");
}

#[test]
fn the_quality_check_is_optional_and_follows_a_done_story() {
    let project = Project::new([story("US-001")]).scenario(about_quality(warns()));
    let run = project.run([]);
    assert_eq!((looks(&run).len(), run.calls().len()), (0, 2));

    let project = Project::with_checks([story("US-001")], [CHECK]).flags(["--quality"]);
    let rejected = [Act::request_changes("no"), Act::commit("review: no")];
    let scenario = about_quality(warns())
        .rule(When::mode(Mode::Implement).visit(1), breaks("US-001"))
        .rule(
            When::mode(Mode::Implement),
            [Act::bash("git rm -q broken-US-001"), Act::submit("ok"), commit("feat")],
        )
        .rule(When::mode(Mode::Review), rejected);
    let run_of = project.scenario(scenario);
    let run = run_of.run(["-n", "3"]);
    use IterationStatus::{Accepted, ChecksFailed};
    assert_eq!(run.statuses(), [ChecksFailed, Accepted, Accepted]);
    assert_eq!(looks(&run).len(), 0);

    let without_reviews = enabled(["US-001"]).scenario(about_quality(warns()));
    let run = without_reviews.run(["--skip-review"]);
    assert_eq!((looks(&run).len(), run.calls().len()), (1, 2), "done is done");
}

#[test]
fn a_missing_prompt_is_refused_and_a_removed_one_blocks_nothing() {
    let settings = json!({"quality": {"enabled": true, "promptFile": "ralph/quality.md"}});
    let removes = [Act::bash("git rm -q ralph/quality.md"), Act::submit("done"), commit("feat")];
    let scenario = Scenario::new().rule(When::mode(Mode::Implement), removes);
    let project = Project::new([story("US-001")]).settings(&settings).scenario(scenario);
    project.run([]).assert_exit(2);
    project.write("ralph/quality.md", "Is it slow?\n");
    test_repo::commit_all(&project.path());
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert!(run.warnings().contains("ralph/quality.md: it does not exist"), "{}", run.warnings());
}

#[test]
fn its_failures_block_nothing() {
    use QualityOutcome::{Failed, TimedOut};
    for (acts, expected) in [
        (vec![Act::Hang { ignores_signals: false }], TimedOut),
        (vec![Act::Crash { exit_code: 7 }], Failed),
        (vec![Act::Abort], Failed),
        (vec![Act::Empty], Failed),
        (vec![Act::finish("Looks good to me.")], Failed),
        (vec![Act::ApiError { status: 529, message: "Overloaded".into() }], Failed),
    ] {
        let settings = json!({"timeLimits": {"quality": "4s"}});
        let project = enabled(["US-001"]).settings(&settings).scenario(about_quality(acts.clone()));
        let run = project.run(["--retries", "0"]);
        run.assert_end(RunEnd::Complete).assert_fields("US-001", &fields(true, "approved", 1, ""));
        assert_eq!(looks(&run)[0].1, expected, "{acts:?}");
        assert_eq!(run.summary("US-001").failed_attempts, 0, "{acts:?}");
        let report = json_of(&project, &["report", "--format", "json"]);
        assert_eq!(report["quality"][0]["outcome"], json!(expected), "{acts:?}");
    }
}

#[test]
fn its_changes_to_the_project_are_reverted() {
    let disapproves = set("US-001", [("passes", json!(false)), ("reviewStatus", json!(null))]);
    let approves = set("US-002", [("passes", json!(true)), ("reviewStatus", json!("approved"))]);
    let of_user = Act::write("ralph/prd.md", "approve all\n");
    let code = || Act::write("src/code.txt", "changed\n");
    let away = Act::bash(
        "git checkout -q -b away && echo x >away.txt && git add . && git commit -qm away",
    );
    for (what, acts) in [
        ("code", vec![code()]),
        ("a commit", vec![code(), Act::write("new.txt", "new"), commit("quality: mine")]),
        ("the list", vec![disapproves, approves.clone()]),
        ("the list, committed", vec![approves, commit("quality: done")]),
        ("the user's files", vec![of_user]),
        ("another branch", vec![away]),
        ("a reset", vec![Act::bash("git reset -q --hard HEAD~2")]),
    ] {
        let acts: Vec<Act> = acts.into_iter().chain(warns()).collect();
        let project = enabled(["US-001", "US-002"]).scenario(about_quality(acts));
        let run = project.run(["-n", "2"]);
        run.assert_end(RunEnd::IterationsUsed);
        assert_eq!(looks(&run)[0].2, [WARNING], "{what}");
        assert_eq!(project.fields("US-001"), fields(true, "approved", 1, ""), "{what}");
        assert_eq!(project.fields("US-002"), fields(false, json!(null), 0, ""), "{what}");
        assert_eq!(project.read("src/code.txt"), "code\n", "{what}");
        assert_eq!(project.read("ralph/prd.md"), "# What and why\n", "{what}");
        assert_eq!(project.git(&["status", "--porcelain"]), "", "{what}");
        assert_eq!(project.git(&["branch", "--show-current"]), "ralph/demo", "{what}");
        let files = project.git(&["ls-tree", "-r", "--name-only", "HEAD"]);
        assert!(!files.contains("new.txt") && !files.contains("away.txt"), "{what}: {files}");
        assert!(files.contains("work/US-001.txt"), "{what}: {files}");
        assert!(!run.warnings().is_empty(), "{what}");
        let next = project.run(["--resume", "-n", "9"]);
        next.assert_end(RunEnd::Complete);
        assert_eq!(failed_attempts(&next).len(), 0, "{what}: no failed attempt");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_during_the_quality_check_keeps_the_story_done() {
    let acts = [Act::bash(crate::failures::INTERRUPT), Act::Hang { ignores_signals: false }];
    let settings = json!({"timeLimits": {"stopGrace": "100ms"}});
    let project = enabled(["US-001", "US-002"]).settings(&settings).scenario(about_quality(acts));
    let run = project.run([]);
    run.assert_end(RunEnd::Interrupted).assert_fields("US-001", &fields(true, "approved", 1, ""));
    assert_eq!(looks(&run)[0].1, QualityOutcome::Stopped);
    project.agent(&about_quality(warns()));
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(run.assignments(), ["implement US-002", "review US-002"]);
}

#[test]
fn its_cost_counts_for_the_story_and_the_limit() {
    // More than the ceiling leaves it, so it is cut short; what it did cost is spent all the same.
    let acts = [Act::Cost { usd: 2.5 }, Act::finish("NO WARNINGS")];
    let project = enabled(["US-001", "US-002"]).scenario(about_quality(acts));
    let run = project.run(["--max-cost-usd", "2.4"]);
    run.assert_end(RunEnd::CostCeiling);
    assert_eq!(run.assignments(), ["implement US-001", "review US-001"]);
    assert_eq!((looks(&run)[0].1, looks(&run)[0].3), (QualityOutcome::Failed, 2.5));
    let state = project.state();
    let spent = state["counters"]["costUsd"].as_f64().unwrap();
    assert!(spent > 2.5, "{spent}");
    assert_eq!(state["stories"]["US-001"]["costUsd"].as_f64(), Some(spent));
    assert!((run.summary("US-001").cost_usd - spent).abs() < 1e-9);
    let report = json_of(&project, &["report", "--format", "json"]);
    assert!((report["costUsd"].as_f64().unwrap() - spent).abs() < 1e-9, "{report:#}");
    let status = json_of(&project, &["status", "--json"]);
    assert!((status["totals"]["costUsd"].as_f64().unwrap() - spent).abs() < 1e-9, "{status:#}");
}
