//! The same failure again and again: another strategy, the files that the error is about, the end.

use events::{EscalationTier, GiveUpReason, RunEnd, Stuck};
use simulator::{Act, Mode, Scenario, When};

use crate::failures::{PRINTS, escalated, failed_attempts, given_up, printing, repeats};
use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::story;

const SHIFT: &str = "strategy shift required";
const EXPANSION: &str = "### Files related to the error";

/// One failure with everything that differs from run to run.
fn noisy(run: u64) -> String {
    let mut tests = ["adds", "sums"];
    if run.is_multiple_of(2) {
        tests.reverse();
    }
    let [first, second] = tests;
    let of = |test: &str| {
        format!(
            "---- cart::{test} stdout ----\nthread 'cart::{test}' (40{run}) panicked at \
             src/cart.rs:7:9:\nassertion `left == right` failed\n  left: 3\n right: 2\nsee \
             /tmp/cart-x{run}Q9/cart.db\n"
        )
    };
    format!(
        "2026-11-15T01:02:0{run}Z pid {run}1234\nrunning 2 tests\ntest cart::{first} ... \
         FAILED\ntest cart::{second} ... FAILED\n\nfailures:\n\n{}\n{}\ntest result: FAILED. 0 passed; \
         2 failed; finished in 0.0{run}s\n",
        of(first),
        of(second)
    )
}

/// The output of pytest for a module that cannot be imported.
const GAP: &str = "tests/test_cart.py:1: in <module>\n    from shop.cart import Cart\nE   \
                   ModuleNotFoundError: No module named 'shop.cart'\n";

fn stuck_with(outputs: &[String]) -> Project {
    Project::with_checks([story("US-001")], [PRINTS]).scenario(printing(outputs))
}

/// The same with files for the error to be about.
fn with_a_gap() -> Project {
    let project = stuck_with(&[GAP.to_owned()]);
    project.write("src/shop/cart.py", "class Cart: ...\n");
    project.write("src/shop/tax.py", "RATE = 19\n");
    project.write("src/web/app.py", "APP = 1\n");
    project.write("tests/test_cart.py", "from shop.cart import Cart\n");
    test_repo::commit_all(&project.path());
    project
}

/// The prompts of this run that contain this text.
fn prompts_with(run: &Outcome<'_>, words: &str) -> Vec<usize> {
    let starts = 1..=run.assignments().len();
    starts.filter(|start| run.prompt(*start).contains(words)).collect()
}

#[test]
fn the_same_failure_through_noise_asks_for_another_strategy_twice() {
    let outputs: Vec<String> = (1..=5).map(noisy).collect();
    let project = stuck_with(&outputs);
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed);
    assert_eq!(repeats(&run), [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5)]);
    assert_eq!(prompts_with(&run, SHIFT), [4, 5]);
    assert_eq!(prompts_with(&run, EXPANSION), Vec::<usize>::new());
    let hash = failed_attempts(&run)[0].hash.clone();
    for (start, number) in [(4, 1), (5, 2)] {
        let prompt = run.prompt(start);
        let shift = &prompt[prompt.find("### IMPORTANT").unwrap()..];
        assert!(shift.contains(&format!("{SHIFT} ({number} of 2)")), "{shift}");
        assert!(shift.contains(&outputs[start - 2]), "the newest output, word for word: {shift}");
        assert!(shift.contains(&format!("same error ({hash})")), "{shift}");
        assert!(shift.contains("they changed `out.txt`, and it did not help"), "{shift}");
    }
    let reported: Vec<(EscalationTier, String)> =
        escalated(&run).into_iter().map(|(tier, text, _)| (tier, text)).collect();
    let text = |number| format!("asked for another approach ({number} of 2)");
    assert_eq!(
        reported,
        [(EscalationTier::StrategyShift, text(1)), (EscalationTier::StrategyShift, text(2))]
    );
    let state = project.read(".ralph/state.md");
    assert!(state.contains("\nstuck_count: 5\nstrategy_shifts: 2\n"), "{state}");
    assert!(state.contains(&format!("\n| 3 | tests | {hash} | no |\n")), "{state}");
    assert!(state.contains(&format!("\n| 4 | tests | {hash} | yes |\n")), "{state}");
}

#[test]
fn failures_that_differ_are_no_reason_for_another_strategy() {
    let outputs: Vec<String> =
        ["left: 3", "missing field", "timeout waiting", "overflow", "deadlock"]
            .iter()
            .map(|what| format!("test cart::adds ... FAILED\nerror: {what}\n"))
            .collect();
    let run_of = stuck_with(&outputs);
    let run = run_of.run([]);
    run.assert_end(RunEnd::StoriesFailed);
    assert_eq!(repeats(&run), [(1, 1), (2, 1), (3, 1), (4, 1), (5, 1)]);
    assert_eq!(escalated(&run), []);
    assert_eq!(prompts_with(&run, SHIFT), Vec::<usize>::new());
    let given_up = given_up(&run, "US-001");
    assert_eq!((given_up.reason, given_up.stuck), (GiveUpReason::AttemptsUsed, Stuck::No));
}

#[test]
fn after_the_shifts_it_is_given_up_however_many_attempts_are_left() {
    let project = stuck_with(&[noisy(1)]);
    let run = project.run(["--max-attempts", "10"]);
    run.assert_end(RunEnd::StoriesFailed);
    let given_up = given_up(&run, "US-001");
    assert_eq!((given_up.reason, given_up.attempts, given_up.of), (GiveUpReason::Stuck, 5, 10));
    assert_eq!(given_up.stuck, Stuck::Yes { repeats: 5, strategy_shifts: 2 });
}

#[test]
fn a_shift_that_changed_the_failure_has_helped() {
    let outputs = [noisy(1), noisy(2), noisy(3), "error: something else\n".to_owned()];
    let project = stuck_with(&outputs);
    let run = project.run(["--max-attempts", "5"]);
    assert_eq!(repeats(&run), [(1, 1), (2, 2), (3, 3), (4, 1), (5, 2)]);
    assert_eq!(prompts_with(&run, SHIFT), [4]);
    assert!(project.read(".ralph/state.md").contains("\nstrategy_shifts: 1\n"));
}

#[test]
fn an_error_that_names_what_is_missing_gets_the_files_after_the_shifts() {
    let project = with_a_gap();
    let run = project.run(["--max-attempts", "10"]);
    run.assert_end(RunEnd::StoriesFailed);
    assert_eq!(given_up(&run, "US-001").reason, GiveUpReason::Stuck);
    assert_eq!(prompts_with(&run, SHIFT), [4, 5]);
    assert_eq!(prompts_with(&run, EXPANSION), [6]);
    assert_eq!(run.assignments().len(), 6);
    let (tier, text, files) = escalated(&run).pop().unwrap();
    assert_eq!(tier, EscalationTier::ContextExpansion);
    assert_eq!(text, "added 3 files that the error refers to");
    assert_eq!(files, ["tests/test_cart.py", "src/shop/cart.py", "src/shop/tax.py"]);
    let prompt = run.prompt(6);
    for part in
        ["`src/shop/cart.py`\n```\nclass Cart: ...\n", "RATE = 19", "from shop.cart import Cart"]
    {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    assert!(!prompt.contains("APP = 1"), "no neighbour: {prompt}");
}

#[test]
fn a_changed_failure_of_the_last_attempt_adds_its_files() {
    let project = with_a_gap();
    let run = project.run([]);
    assert_eq!(given_up(&run, "US-001").reason, GiveUpReason::AttemptsUsed);
    assert_eq!((prompts_with(&run, SHIFT), prompts_with(&run, EXPANSION)), (vec![4, 5], vec![5]));
    assert!(run.prompt(5).contains("class Cart: ..."), "{}", run.prompt(5));
    let tiers: Vec<EscalationTier> = escalated(&run).into_iter().map(|(tier, ..)| tier).collect();
    assert_eq!(
        tiers,
        [
            EscalationTier::StrategyShift,
            EscalationTier::StrategyShift,
            EscalationTier::ContextExpansion
        ]
    );
}

#[test]
fn equal_reviews_are_a_repeated_failure_and_reviewers_do_not_see_it() {
    let verdict = [Act::request_changes("Missing: password reset"), Act::commit("review: no")];
    let scenario = Scenario::new().rule(When::mode(Mode::Review), verdict);
    let project = Project::new([story("US-001")]).scenario(scenario);
    let run = project.run(["--max-attempts", "10", "--review-cap", "20", "-n", "30"]);
    run.assert_end(RunEnd::StoriesFailed);
    let given_up = given_up(&run, "US-001");
    assert_eq!((given_up.reason, given_up.attempts), (GiveUpReason::Stuck, 5));
    assert_eq!(given_up.stuck, Stuck::Yes { repeats: 5, strategy_shifts: 2 });
    // Implement, review; then a fix and a review, four times.
    assert_eq!(prompts_with(&run, SHIFT), [7, 9]);
    assert!(run.prompt(7).contains(&format!("{SHIFT} (1 of 2)")), "{}", run.prompt(7));
    assert!(run.prompt(9).contains(&format!("{SHIFT} (2 of 2)")), "{}", run.prompt(9));
    for (start, assignment) in (1..).zip(run.assignments()) {
        if assignment.starts_with("review US") {
            let prompt = run.prompt(start);
            for part in ["Previous attempts", "attempts at this story", "You are stuck", "state.md"]
            {
                assert!(!prompt.contains(part), "{start} {part}: {prompt}");
            }
        }
    }
}
