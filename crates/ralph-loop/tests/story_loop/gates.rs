//! The project's own checks, run by the runner on what was committed.

use events::{CheckOutcome, ChecksOutcome, IterationStatus, LoopEvent, RunEnd};
use serde_json::json;
use simulator::{Act, Mode, Scenario, When};

use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::{NEEDS_REVIEW, fields, story, story_at};

/// Fails until `good.txt` exists.
const CHECK: &str = "test -f good.txt || { echo 'FAIL  good.txt: no such file'; exit 3; }";

fn judged(run: &Outcome<'_>) -> Vec<(String, ChecksOutcome)> {
    let judged = run.events.iter().filter_map(|event| match event {
        LoopEvent::ChecksJudged { tree, outcome } => Some((tree.clone(), *outcome)),
        _ => None,
    });
    judged.collect()
}

fn outcomes(run: &Outcome<'_>) -> Vec<CheckOutcome> {
    let ended = run.events.iter().filter_map(|event| match event {
        LoopEvent::CheckEnded(events::CheckRecord { outcome, .. }) => Some(*outcome),
        _ => None,
    });
    ended.collect()
}

#[test]
fn a_submission_that_fails_a_check_is_withdrawn_and_quoted() {
    let scenario = Scenario::new().rule(
        When::mode(Mode::Implement).visit(2),
        [Act::write("good.txt", "x"), Act::submit("now"), Act::commit("feat: really")],
    );
    let project = Project::with_checks([story("US-001")], [CHECK]).scenario(scenario);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(
        run.assignments(),
        ["implement US-001", "implement US-001", "review US-001"],
        "a story whose checks fail is not reviewed"
    );
    assert_eq!(run.fields_after(1, "US-001"), fields(false, json!(null), 0, ""));
    assert_eq!(outcomes(&run)[0], CheckOutcome::Failed(Some(3)));
    let prompt = run.prompt(2);
    assert!(prompt.contains("(truncated):\nFAIL  good.txt: no such file\n```"), "{prompt}");
    assert!(prompt.contains("failed with exit code 3"), "{prompt}");
    assert!(!run.prompt(3).contains("FAIL"), "a fixed failure is not repeated");
    assert_eq!(run.summary("US-001").failed_attempts, 1);
    let log = std::fs::read_to_string(
        run.folder(1).join("guardrail_test_f_good_txt_echo_FAIL_good_txt_no_such_file_ex.log"),
    );
    assert_eq!(log.unwrap(), "FAIL  good.txt: no such file\n");
}

#[test]
fn an_approval_that_fails_a_check_goes_back_to_be_fixed() {
    let stories = [story_at("US-001", NEEDS_REVIEW, 1)];
    let project = Project::with_checks(stories, [CHECK]);
    let run = project.run(["-n", "1"]);
    run.assert_end(RunEnd::IterationsUsed);
    assert_eq!(run.statuses(), [IterationStatus::ChecksFailed]);
    let after = project.fields("US-001");
    assert_eq!((&after[0], &after[1]), (&json!(false), &json!("changes_requested")));
    assert_eq!(after[2], 1, "a review that did not count is not counted");
    let feedback = after[3].as_str().unwrap();
    assert!(feedback.starts_with("[CHECKS FAILED]"), "{feedback}");
    assert!(feedback.contains("FAIL  good.txt: no such file"), "{feedback}");
    let next = project.run(["-n", "1"]);
    assert_eq!(next.assignments(), ["review-fix US-001"]);
    assert!(next.prompt(1).contains("FAIL  good.txt: no such file"), "{}", next.prompt(1));
}

#[test]
fn a_verdict_is_bound_to_the_tree_that_was_committed() {
    let project = Project::with_checks([story("US-001")], ["true"]);
    let run = project.run(["-n", "1"]);
    let tree = project.git(&["rev-parse", "HEAD^{tree}"]);
    assert_eq!(judged(&run), [(tree, ChecksOutcome::Passed)]);
    let run = project.run(["--resume", "-n", "2"]);
    run.assert_end(RunEnd::Complete);
    let tree = project.git(&["rev-parse", "HEAD^{tree}"]);
    assert_eq!(judged(&run), [(tree, ChecksOutcome::Passed)], "another tree, another verdict");
}

#[test]
fn uncommitted_work_is_committed_before_the_checks() {
    let scenario = Scenario::new().rule(
        When::mode(Mode::Implement),
        [Act::write("good.txt", "x"), Act::submit("uncommitted")],
    );
    let project = Project::with_checks([story("US-001")], [CHECK]).scenario(scenario);
    let run = project.run(["-n", "1"]);
    run.assert_fields("US-001", &fields(false, NEEDS_REVIEW, 0, ""));
    let tree = project.git(&["rev-parse", "HEAD^{tree}"]);
    assert_eq!(judged(&run), [(tree, ChecksOutcome::Passed)]);
    assert_eq!(project.git(&["show", "HEAD:good.txt"]), "x");
}

#[test]
fn a_check_that_changes_files_changes_nothing() {
    let commands = ["echo changed > src/code.txt; echo left > left.log"];
    let project = Project::with_checks([story("US-001")], commands);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(project.read("src/code.txt"), "code\n");
    run.assert_fields("US-001", &fields(true, "approved", 1, ""));
    let named = run.warnings().matches("src/code.txt").count();
    assert_eq!(named, 2, "once after each of two checks: {}", run.warnings());
    assert!(run.warnings().contains("left.log"), "{}", run.warnings());
    assert!(!project.has("left.log"), "the next check does not see it");
    let moved = run.folder(1).join("moved/left.log");
    assert_eq!(std::fs::read_to_string(moved).unwrap(), "left\n", "and it is not lost");
    let commits = project.git(&["log", "--format=%H", "--", "src/code.txt"]);
    assert_eq!(commits.lines().count(), 1, "what a check wrote is not committed");
}

#[test]
fn a_check_that_hangs_is_ended_and_has_failed() {
    let project = Project::with_checks([story("US-001")], ["echo begun; sleep 600"]);
    let run = project.run(["-n", "1", "--check-timeout", "2s"]);
    run.assert_end(RunEnd::IterationsUsed);
    assert_eq!(outcomes(&run), [CheckOutcome::TimedOut]);
    run.assert_fields("US-001", &fields(false, json!(null), 0, ""));
    let failure = &project.state()["stories"]["US-001"]["failure"]["guardrails"][0];
    assert_eq!(failure["how"], "exceeded its time limit");
    assert_eq!(failure["tail"], json!(["begun"]));
}

#[test]
fn every_check_runs_and_every_failure_is_reported() {
    let commands = ["exit 9", "true", "echo second; exit 8"];
    let project = Project::with_checks([story("US-001")], commands);
    let run = project.run(["-n", "2"]);
    let (nine, eight) = (CheckOutcome::Failed(Some(9)), CheckOutcome::Failed(Some(8)));
    assert_eq!(outcomes(&run)[..3], [nine, CheckOutcome::Passed, eight]);
    let prompt = run.prompt(2);
    for reported in ["\"exit 9\" failed with exit code 9", "failed with exit code 8", "\nsecond\n"]
    {
        assert!(prompt.contains(reported), "{reported}: {prompt}");
    }
}

#[test]
fn a_project_without_checks_is_reported() {
    let project = Project::new([story("US-001")]);
    let run = project.run(["-n", "1"]);
    let outcomes: Vec<_> = judged(&run).into_iter().map(|(_, outcome)| outcome).collect();
    assert_eq!(outcomes, [ChecksOutcome::None]);
    run.assert_fields("US-001", &fields(false, NEEDS_REVIEW, 0, ""));
}

#[test]
fn without_review_the_checks_still_decide() {
    let project = Project::with_checks([story("US-001")], [CHECK]);
    let run = project.run(["-n", "1", "--skip-review"]);
    run.assert_end(RunEnd::IterationsUsed);
    run.assert_fields("US-001", &fields(false, json!(null), 0, ""));
}

/// Without reviews there is no reviewer to see that the checks are others.
#[test]
fn without_review_a_session_cannot_choose_its_checks() {
    let easier = Act::SetTop { field: "verifyCommands".into(), value: json!(["true"]) };
    let passes = Act::set_story([("passes", json!(true)), ("notes", json!("done"))]);
    let scenario = Scenario::new().otherwise([easier, passes, Act::commit("feat: done")]);
    let project = Project::with_checks([story("US-001")], [CHECK])
        .flags(["--skip-review"])
        .scenario(scenario);
    let run = project.run(["-n", "2"]);
    run.assert_end(RunEnd::IterationsUsed);
    run.assert_fields("US-001", &fields(false, json!(null), 0, ""));
    assert_eq!(outcomes(&run), [CheckOutcome::Failed(Some(3)); 2]);
    assert_eq!(run.warnings().matches("changed verifyCommands; restored").count(), 2);
    assert_eq!(project.tasks()["verifyCommands"], json!([CHECK]));
}

#[test]
fn a_file_hidden_from_git_is_checked() {
    for hide in ["--skip-worktree", "--assume-unchanged"] {
        let scenario = Scenario::new().rule(
            When::mode(Mode::Implement),
            [
                Act::write("good.txt", "bad\n"),
                Act::submit("done"),
                Act::commit("feat"),
                Act::bash(format!("git update-index {hide} good.txt; echo good > good.txt")),
            ],
        );
        let project = Project::with_checks([story("US-001")], ["grep good good.txt"]);
        let project = project.scenario(scenario);
        let run = project.run(["-n", "1"]);
        assert_eq!(run.statuses(), [IterationStatus::Reverted]);
        assert!(run.findings().contains("good.txt: hidden from git"), "{}", run.findings());
        assert_eq!(project.read("good.txt"), "bad\n", "what was committed stands");
        let kept = project.git(&["for-each-ref", "--format=%(refname)", "refs/ralph"]);
        assert_eq!(project.git(&["show", &format!("{kept}:good.txt")]), "good", "nothing is lost");
    }
}

/// Sets the story approved, as a check could: it runs what the agent wrote.
const APPROVING: &str = "sed -i 's/\"passes\": *false/\"passes\": true/; \
                         s/\"reviewStatus\": *\"needs_review\"/\"reviewStatus\": \"approved\"/; \
                         s/\"reviewCount\": *0/\"reviewCount\": 1/' ralph/tasks.json";

#[test]
fn a_check_that_approves_a_story_is_caught_and_its_commits_are_undone() {
    for rest in [
        "",
        " && git -c user.name=c -c user.email=c@localhost commit -qam sneaked",
        " && echo 'approve all' > ralph/prd.md",
        " && git -c user.name=c -c user.email=c@localhost commit -qam away && git checkout -q -b away",
    ] {
        let acts = [
            Act::write("check.sh", format!("{APPROVING}{rest}\nexit 0\n")),
            Act::submit("done"),
            Act::commit("feat: cheat"),
        ];
        let scenario = Scenario::new().rule(When::mode(Mode::Implement).visit(1), acts);
        let project = Project::with_checks([story("US-001")], ["sh check.sh"]).scenario(scenario);
        project.write("check.sh", "exit 0\n");
        project.write("ralph/prd.md", "the PRD\n");
        test_repo::commit_all(&project.path());
        let run = project.run(["-n", "1"]);
        run.assert_end(RunEnd::IterationsUsed);
        assert_eq!(run.statuses(), [IterationStatus::Reverted], "{rest}: {:#?}", run.events);
        run.assert_fields("US-001", &fields(false, json!(null), 0, ""));
        assert!(run.findings().contains("a check"), "{rest}: {}", run.findings());
        assert_eq!(project.read("ralph/prd.md"), "the PRD\n");
        assert_eq!(project.git(&["status", "--porcelain"]), "", "{rest}");
        assert_eq!(project.git(&["branch", "--show-current"]), "ralph/demo", "{rest}");
        let next = project.run(["--resume", "-n", "2"]);
        assert!(next.prompt(1).contains("a check"), "{rest}");
    }
}

#[test]
fn a_check_that_commits_code_is_no_verdict_on_what_was_judged() {
    let check = "echo x > sneaked.txt && git add sneaked.txt && \
                 git -c user.name=c -c user.email=c@localhost commit -qm sneaked";
    let project = Project::with_checks([story("US-001")], [check]);
    let run = project.run(["-n", "1"]);
    assert_eq!(run.statuses(), [IterationStatus::Reverted], "{:#?}", run.events);
    assert!(run.findings().contains("a check made commits"), "{}", run.findings());
    assert!(!project.has("sneaked.txt"));
    assert_eq!(project.git(&["status", "--porcelain"]), "");
    run.assert_fields("US-001", &fields(false, json!(null), 0, ""));
}

#[test]
fn each_check_sees_what_was_committed_and_not_what_another_made_of_it() {
    let fixes = [
        Act::write("code.txt", "bad\n"),
        Act::write("check.sh", "echo good >code.txt\n"),
        Act::submit("done"),
        Act::commit("feat: fixed by its own check"),
    ];
    let scenario = Scenario::new().rule(When::mode(Mode::Implement), fixes);
    let commands = ["sh check.sh", "grep -q good code.txt"];
    let project = Project::with_checks([story("US-001")], commands).scenario(scenario);
    let run = project.run(["-n", "1"]);
    run.assert_end(RunEnd::IterationsUsed);
    assert_eq!(run.statuses(), [IterationStatus::ChecksFailed]);
    assert_eq!(project.read("code.txt"), "bad\n");
}

#[test]
fn a_check_that_deletes_the_index_does_not_turn_files_into_the_users() {
    let check = "rm -f .git/index; grep -q code src/code.txt";
    let acts = |text: &str| {
        [
            Act::bash(format!("echo '{text}' > src/code.txt")),
            Act::submit("n"),
            Act::bash("git add ralph && git commit -qm 'without the code'"),
        ]
    };
    let scenario = Scenario::new()
        .rule(When::mode(Mode::Implement).story("US-001"), acts("code 1"))
        .rule(When::mode(Mode::Implement).story("US-002"), acts("code 2"));
    let project = Project::with_checks(["US-001", "US-002"].map(story), [check]).scenario(scenario);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(project.git(&["show", "HEAD:src/code.txt"]), "code 2", "{}", run.warnings());
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}
