//! `rollback`: an iteration that failed leaves no trace, and one that did not is one commit.

use events::{LoopEvent, RunEnd};
use serde_json::json;
use simulator::{Act, Mode, Scenario, When};

use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::{commit, fields, set, story};

const CHECK: &str = "test ! -f broken";

/// Fails at its first attempt, having turned everything upside down.
fn vandal() -> Vec<Act> {
    vec![
        Act::bash(
            "echo changed >> src/code.txt; git mv mine.txt moved.txt; mkdir -p made/deep; \
             echo new > made/deep/new.txt; echo '*.log' >> .gitignore; echo log > run.log; \
             mkdir -p target; echo o > target/o; ln -s src link; chmod +x src/code.txt; touch broken",
        ),
        Act::submit("all done"),
        Act::commit("feat: US-001"),
        Act::write("src/late.txt", "not committed\n"),
        Act::finish("Done."),
    ]
}

fn project(scenario: Scenario) -> Project {
    let project =
        Project::with_checks([story("US-001")], [CHECK]).flags(["--rollback"]).scenario(scenario);
    project.write(".gitignore", format!("{}target/\n.env\n", project.read(".gitignore")));
    test_repo::commit_all(&project.path());
    project.write(".env", "SECRET=1\n");
    project.write("target/kept", "old\n");
    project
}

fn rollbacks(run: &Outcome<'_>) -> Vec<(u64, String, Vec<String>)> {
    let reported = run.events.iter().filter_map(|event| match event.clone() {
        LoopEvent::RolledBack(events::RolledBack { iteration, backup, left, .. }) => {
            Some((iteration, backup, left))
        }
        _ => None,
    });
    reported.collect()
}

#[test]
fn a_failed_iteration_leaves_no_trace_but_a_backup() {
    let scenario = Scenario::new().rule(When::mode(Mode::Implement).visit(1), vandal());
    let project = project(scenario);
    let before = project.git(&["rev-parse", "HEAD"]);
    let run = project.run(["-n", "1"]);
    run.assert_end(RunEnd::IterationsUsed);
    run.assert_fields("US-001", &fields(false, json!(null), 0, ""));
    assert_eq!(project.git(&["rev-parse", "HEAD"]), before);
    assert_eq!(
        project.git(&["status", "--porcelain", "--ignored"]).lines().count(),
        3,
        "{}",
        project.git(&["status", "--porcelain", "--ignored"])
    );
    assert_eq!(project.read("src/code.txt"), "code\n");
    assert_eq!(project.read("mine.txt"), "committed\n");
    for gone in ["moved.txt", "made", "run.log", "link", "broken", "target/o", "src/late.txt"] {
        assert!(!project.has(gone), "{gone}");
    }
    assert_eq!(project.read(".env"), "SECRET=1\n");
    assert_eq!(project.read("target/kept"), "old\n");
    let reported = rollbacks(&run);
    assert_eq!((reported.len(), &reported[0].2), (1, &vec![]), "{reported:?}");
    let kept = project.git(&["show", &format!("{}:made/deep/new.txt", reported[0].1)]);
    assert_eq!(kept, "new");
    let late = project.git(&["show", &format!("{}:src/late.txt", reported[0].1)]);
    assert_eq!(late, "not committed", "what was not committed is kept too");
}

#[test]
fn the_next_attempt_starts_clean_with_the_failure_in_its_prompt() {
    let added = Act::AddStory { story: story("US-002").as_object().unwrap().clone() };
    let acts = std::iter::once(added).chain(vandal());
    let scenario = Scenario::new().rule(When::mode(Mode::Implement).visit(1), acts);
    let project = project(scenario);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    let expected = ["implement US-001", "implement US-001", "review US-001"];
    assert_eq!(run.assignments(), expected, "the story that it added is not there any more");
    assert_eq!(project.tasks()["userStories"].as_array().unwrap().len(), 1);
    assert!(run.prompt(2).contains(CHECK), "{}", run.prompt(2));
    assert!(!project.has("broken"));
}

#[test]
fn cheating_timing_out_and_crashing_leave_no_trace_either() {
    let cheats = vec![
        Act::write("x.txt", "x\n"),
        set(
            "US-001",
            [("passes", json!(true)), ("reviewStatus", json!("approved")), ("notes", json!("n"))],
        ),
        commit("cheat"),
        Act::finish("Done."),
    ];
    let crashes = vec![Act::write("x.txt", "x\n"), commit("half"), Act::Crash { exit_code: 1 }];
    for (what, acts) in [("cheats", cheats), ("crashes", crashes)] {
        let scenario = Scenario::new().rule(When::mode(Mode::Implement).visit(1), acts);
        let project = project(scenario);
        let run = project.run(["--retry-wait", "1ms"]);
        run.assert_end(RunEnd::Complete);
        assert_eq!(rollbacks(&run).len(), 1, "{what}");
        assert!(!project.has("x.txt"), "{what}");
    }
}

#[test]
fn uncommitted_files_of_the_user_are_restored() {
    let acts = [
        Act::bash(
            "echo spoilt > mine.txt; rm -f own.txt; touch broken; git add broken; git commit -qm x",
        ),
        Act::submit("done"),
        commit("done"),
        Act::finish("Done."),
    ];
    let scenario = Scenario::new().rule(When::mode(Mode::Implement).visit(1), acts);
    let project = project(scenario).flags(["--allow-dirty"]);
    project.write("mine.txt", "my edit\n");
    project.write("own.txt", "my file\n");
    let run = project.run(["-n", "1"]);
    run.assert_end(RunEnd::IterationsUsed);
    assert_eq!(project.read("mine.txt"), "my edit\n");
    assert_eq!(project.read("own.txt"), "my file\n");
    assert!(!project.has("broken"));
}

#[test]
fn without_rollback_failed_work_stays_for_the_next_iteration() {
    let scenario = Scenario::new().rule(When::mode(Mode::Implement).visit(1), vandal());
    let project = Project::with_checks([story("US-001")], [CHECK]).scenario(scenario);
    let run = project.run(["-n", "1"]);
    assert!(
        rollbacks(&run).is_empty() && project.has("broken") && project.has("made/deep/new.txt")
    );
}

#[test]
fn failed_work_is_not_in_the_handoff_as_done() {
    let mut acts = vandal();
    acts.pop();
    acts.push(Act::handoff([]));
    let scenario = Scenario::new().rule(When::mode(Mode::Implement).visit(1), acts);
    let project = project(scenario).flags(["--handoffs"]);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    let prompt = run.prompt(2);
    assert!(prompt.contains("[US-001] complete: all done"), "{prompt}");
    let fate = "That iteration was not accepted, and its changes were rolled back.";
    assert!(prompt.contains(fate), "{prompt}");
}

#[test]
fn an_agent_that_cleans_everything_away_is_rolled_back_all_the_same() {
    for how in ["git clean -xfdq", "rm -rf .ralph/runs", "rm -f .ralph/runs/*/*/checkpoint.json"] {
        let mut acts = vandal();
        acts.insert(1, Act::bash(how));
        let scenario = Scenario::new().rule(When::mode(Mode::Implement).visit(1), acts);
        let project = project(scenario);
        let before = project.git(&["rev-parse", "HEAD"]);
        let run = project.run(["-n", "1"]);
        run.assert_end(RunEnd::IterationsUsed);
        assert_eq!(rollbacks(&run).len(), 1, "{how}: {}", run.warnings());
        assert_eq!(project.git(&["rev-parse", "HEAD"]), before, "{how}");
        assert!(!project.has("broken") && !project.has("made"), "{how}");
    }
}

#[cfg(unix)]
#[test]
fn half_of_a_session_that_was_cut_off_is_not_what_the_next_one_starts_from() {
    let acts = [
        Act::bash("touch broken; echo spoilt > mine.txt; rm -f own.txt"),
        Act::bash(crate::failures::INTERRUPT),
        Act::Hang { ignores_signals: false },
    ];
    let scenario = Scenario::new().rule(When::mode(Mode::Implement).visit(1), acts);
    let project = project(scenario)
        .settings(&json!({"timeLimits": {"stopGrace": "100ms"}}))
        .flags(["--allow-dirty"]);
    project.write("mine.txt", "my edit\n");
    project.write("own.txt", "my file\n");
    let run = project.run([]);
    run.assert_end(RunEnd::Interrupted);
    assert_eq!(rollbacks(&run).len(), 1, "{}", run.warnings());
    assert_eq!(
        (project.read("mine.txt"), project.read("own.txt")),
        ("my edit\n".to_owned(), "my file\n".to_owned())
    );
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert!(!project.has("broken"));
}

#[cfg(unix)]
#[test]
fn a_lost_checkpoint_is_reported() {
    let acts = [
        Act::bash("touch broken; rm -f .ralph/runs/*/*/checkpoint.json"),
        Act::bash(crate::failures::INTERRUPT.replace("-INT", "-KILL")),
        Act::Hang { ignores_signals: false },
    ];
    let scenario = Scenario::new().rule(When::mode(Mode::Implement).visit(1), acts);
    let project = project(scenario);
    assert_eq!(project.run([]).code, None);
    let run = project.run(["-n", "1"]);
    assert!(run.warnings().contains("its changes are not rolled back"), "{}", run.warnings());
}

/// After the death of the runner, their origin is unknown.
#[cfg(unix)]
#[test]
fn ignored_files_of_the_user_are_unchanged_after_a_kill() {
    let acts = [
        Act::bash("touch broken"),
        Act::bash(crate::failures::INTERRUPT.replace("-INT", "-KILL")),
        Act::Hang { ignores_signals: false },
    ];
    let scenario = Scenario::new().rule(When::mode(Mode::Implement).visit(1), acts);
    let project = project(scenario);
    project.git(&["update-index", "--skip-worktree", "mine.txt"]);
    project.write("mine.txt", "my edit\n");
    assert_eq!(project.run([]).code, None);
    project.write("target/new", "mine\n");
    let run = project.run(["-n", "1"]);
    assert_eq!(rollbacks(&run).len(), 1, "{}", run.warnings());
    assert!(!project.has("broken"));
    assert_eq!(project.read("mine.txt"), "my edit\n");
    assert_eq!(project.git(&["ls-files", "-v", "mine.txt"]), "S mine.txt");
    assert_eq!(project.read("target/new"), "mine\n");
    assert_eq!(project.read(".env"), "SECRET=1\n");
}
