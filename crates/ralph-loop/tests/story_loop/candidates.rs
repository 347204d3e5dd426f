//! Several fresh attempts at a stuck story: the checks decide which of them count, and a review chooses one.

use events::{EscalationTier, LoopEvent, ProofPhase, RunEnd};
use serde_json::json;
use simulator::{Act, Mode, Scenario, When};

use crate::failures::{breaks, escalated, failed_attempts};
use crate::harness::Project;
use crate::outcome::Outcome;
use crate::proofs::{self, implement, phases};
use crate::stories::{fields, story};

const CHECK: &str = "test ! -e broken-US-001";

/// Candidate `number` follows three failed attempts.
fn candidate(number: u64) -> When {
    When::mode(Mode::Implement).visit(3 + number)
}

fn solves(number: u64) -> [Act; 4] {
    [
        Act::write("solution.txt", format!("candidate {number}")),
        Act::submit("it works"),
        Act::commit(format!("feat: [US-001] {number}")),
        Act::Cost { usd: 0.5 },
    ]
}

fn choice(message: &str) -> (When, [Act; 1]) {
    (When::any().prompt_contains("# Choose a candidate"), [Act::finish(message)])
}

/// Three candidates. All sessions without a rule break the check.
fn project(scenario: Scenario) -> Project {
    let scenario = scenario.rule(When::mode(Mode::Implement), breaks("US-001"));
    let project = Project::with_checks([story("US-001")], [CHECK]).scenario(scenario);
    project.settings(&json!({
        "attempts": {"most": 3, "strategyShifts": 0}, "escalation": {"candidates": 3}
    }))
}

/// Number, and whether it passes.
fn ended(run: &Outcome<'_>) -> Vec<(u64, bool)> {
    let ended = run.events.iter().filter_map(|event| match event {
        LoopEvent::CandidateEnded { number, passes, .. } => Some((*number, *passes)),
        _ => None,
    });
    ended.collect()
}

fn chosen<'a>(run: &'a Outcome<'_>) -> Vec<(u64, &'a str)> {
    let chosen = run.events.iter().filter_map(|event| match event {
        LoopEvent::CandidateChosen { number, why, .. } => Some((*number, why.as_str())),
        _ => None,
    });
    chosen.collect()
}

#[track_caller]
fn assert_solved_by(project: &Project, run: &Outcome<'_>, number: u64) {
    run.assert_end(RunEnd::Complete);
    run.assert_fields("US-001", &fields(true, "approved", 1, ""));
    assert_eq!(project.read("solution.txt"), format!("candidate {number}"));
    // The failed attempts are gone.
    assert!(!project.has("broken-US-001"));
    assert_eq!(project.read("src/code.txt"), "code\n");
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}

#[test]
fn the_review_chooses_among_the_candidates_that_pass() {
    let (when, acts) = choice("Number 3 is shorter.\n\n<candidate>3</candidate>");
    let scenario = Scenario::new()
        .rule(when, acts)
        .rule(candidate(1), solves(1))
        .rule(candidate(3), solves(3));
    let project = project(scenario);
    let run = project.run([]);
    assert_eq!(ended(&run), [(1, true), (2, false), (3, true)]);
    assert_eq!(chosen(&run), [(3, "the review chose it")]);
    assert_solved_by(&project, &run, 3);
    let [(tier, text, _)] = &escalated(&run)[..] else { panic!("{:?}", escalated(&run)) };
    assert_eq!(*tier, EscalationTier::Candidates);
    assert!(text.starts_with("3 candidates get the story after 3 failed attempts"), "{text}");
    assert!(text.contains("at that price they cost about $"), "{text}");
    let help = run.events.iter().find_map(|event| match event {
        LoopEvent::EscalationEnded { help, cost_usd, solved, .. } => {
            Some((help.clone(), *cost_usd, *solved))
        }
        _ => None,
    });
    let (help, cost, solved) = help.unwrap();
    assert_eq!((help.as_str(), solved), ("3 candidates", true));
    assert!(cost > 1.0, "of all candidates: {cost}");
    assert_eq!(run.assignments().len(), 5, "three attempts, the candidates, and a review");
}

#[test]
fn the_only_candidate_that_passes_is_taken_over_without_a_choice() {
    let project = project(Scenario::new().rule(candidate(2), solves(2)));
    let run = project.run([]);
    assert_eq!(chosen(&run), [(2, "it alone passed")]);
    assert_solved_by(&project, &run, 2);
}

#[test]
fn an_invalid_choice_is_not_followed() {
    for message in ["<candidate>2</candidate>", "<candidate>9</candidate>", "Any of them."] {
        let (when, acts) = choice(message);
        let scenario = Scenario::new()
            .rule(when, acts)
            .rule(candidate(1), solves(1))
            .rule(candidate(3), solves(3));
        let project = project(scenario);
        let run = project.run([]);
        assert_eq!(chosen(&run), [(1, "the review chose none that passed")], "{message}");
        assert_solved_by(&project, &run, 1);
    }
}

#[test]
fn candidates_that_all_fail_are_one_failed_attempt() {
    let project = project(Scenario::new());
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed);
    assert_eq!(ended(&run), [(1, false), (2, false), (3, false)]);
    let failed = failed_attempts(&run);
    assert_eq!(failed.len(), 4);
    assert!(failed[3].error.contains("none of the candidates"), "{:?}", failed[3]);
}

/// The review requests changes of the candidate's work: one session makes them.
#[test]
fn the_fix_of_a_candidate_is_one_session() {
    let reject = [
        Act::bash("true"),
        crate::stories::set(
            "US-001",
            [
                ("reviewStatus", json!("changes_requested")),
                ("reviewCount", json!(1)),
                ("reviewFeedback", json!("1. solution.txt:1: more")),
            ],
        ),
        Act::commit("review: [US-001] - changes requested"),
        Act::finish("<verdict>changes_requested</verdict>"),
    ];
    let scenario = Scenario::new()
        .rule(When::mode(Mode::Review).visit(1), reject)
        .rule(candidate(1), solves(1));
    let project = project(scenario);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(ended(&run).len(), 3);
    assert_eq!(run.assignments()[4..], ["review US-001", "review-fix US-001", "review US-001"]);
}

/// The runner is killed while the second candidate works.
#[cfg(unix)]
#[test]
fn a_resumed_run_continues_with_the_candidates_that_are_left() {
    let lock = "$HOME/../project/.ralph/lock";
    let kill = format!("kill -9 $(sed -n '1s/[^0-9]*\\([0-9][0-9]*\\).*/\\1/p' {lock})");
    let scenario =
        Scenario::new().rule(candidate(1), solves(1)).rule(candidate(2), [Act::bash(kill)]);
    let project = project(scenario);
    let killed = project.run([]);
    assert_eq!(ended(&killed), [(1, true)], "{:#?}", killed.events);
    let lanes = String::from_utf8(project.call(&["lanes"]).stdout).unwrap();
    assert!(lanes.contains("candidate-0"), "{lanes}");
    let run = project.run([]);
    assert_eq!(ended(&run), [(2, false), (3, false)]);
    assert_solved_by(&project, &run, 1);
    let lanes = String::from_utf8(project.call(&["lanes"]).stdout).unwrap();
    assert!(!lanes.contains("candidate-0"), "{lanes}");
}

#[test]
fn a_candidate_that_approves_itself_does_not_pass() {
    let approves = [
        Act::write("solution.txt", "candidate 1"),
        crate::stories::set(
            "US-001",
            [
                ("passes", json!(true)),
                ("reviewStatus", json!("approved")),
                ("reviewCount", json!(1)),
            ],
        ),
        Act::commit("feat: [US-001]"),
        Act::finish("<candidate>1</candidate>"),
    ];
    let scenario = Scenario::new().rule(candidate(1), approves).rule(candidate(2), solves(2));
    let project = project(scenario);
    let run = project.run([]);
    assert_eq!(ended(&run)[..2], [(1, false), (2, true)]);
    assert_solved_by(&project, &run, 2);
}

/// It finds the project beside its clone: approves the story there, weakens the check, and takes its own choice.
#[test]
fn what_a_candidate_changes_in_the_project_does_not_count() {
    let attack = "cd \"$HOME/../project\" && sed -i 's/\"passes\": false/\"passes\": true/; s/test ! -e broken-US-001/true/' \
                  ralph/tasks.json && echo '{}' > .ralph/settings.json && git add -A && git commit -qm x";
    let attacks = [&[Act::bash(attack)][..], &breaks("US-001")].concat();
    let scenario = Scenario::new()
        .rule(candidate(1), attacks)
        .rule(candidate(2), breaks("US-001"))
        .rule(candidate(3), breaks("US-001"));
    let project = project(scenario);
    let settings = project.read(".ralph/settings.json");
    let run = project.run([]);
    run.assert_end(RunEnd::StoriesFailed);
    assert!(ended(&run).iter().all(|(_, passes)| !passes), "{:?}", ended(&run));
    assert_eq!(project.story("US-001")["passes"], false);
    assert!(run.findings().contains("passes false → true"), "{:#?}", run.events);
    assert!(project.read("ralph/tasks.json").contains(CHECK));
    assert_eq!(project.read(".ralph/settings.json"), settings);
}

#[test]
fn candidates_in_lanes() {
    let project = project(Scenario::new().rule(candidate(2), solves(2)));
    let run = project.run(["-j", "2"]);
    run.assert_end(RunEnd::Complete);
    assert_eq!(chosen(&run), [(2, "it alone passed")]);
    assert_eq!(project.git(&["show", "ralph/demo:solution.txt"]), "candidate 2");
}

#[test]
fn a_candidate_cannot_ask() {
    let scenario = Scenario::new()
        .rule(candidate(1), [Act::finish("QUESTION: Which table?")])
        .rule(candidate(2).prompt_contains("If only the user can decide"), breaks("US-001"))
        .rule(candidate(2), solves(2));
    let project = project(scenario);
    project.write("ralph/prompt.md", "${STORY}\n${INSTRUCTIONS}\n${LAST_FAILURE}\n");
    test_repo::commit_all(&project.path());
    let run = project.run([]);
    assert_eq!(ended(&run), [(1, false), (2, true), (3, false)]);
    assert_solved_by(&project, &run, 2);
    let asked = |event: &&LoopEvent| matches!(event, LoopEvent::QuestionAsked { .. });
    assert_eq!(run.events.iter().find(asked), None);
    assert!(run.prompt(1).contains("If only the user can decide"));
}

/// The check passes for all. The first candidate weakens the tests, as the attempt before it does, and the last one
/// works like the other attempts.
#[test]
fn candidates_must_make_the_tests_of_the_proof_pass() {
    let wrong = [Act::write("sums.py", "def total(numbers):\n    return 0\n")];
    let weakens = [Act::bash("sed -i 's/self.assert.*/pass/' tests/test_sums.py")];
    let more = Scenario::new()
        .rule(candidate(0), implement(weakens.clone()))
        .rule(candidate(1), implement(weakens))
        .rule(candidate(2), implement([]))
        .rule(When::mode(Mode::Implement), implement(wrong));
    let project = proofs::project(["true"], proofs::scenario(more)).settings(&json!({
        "attempts": {"most": 3, "strategyShifts": 0}, "escalation": {"candidates": 3}
    }));
    let run = project.run([]);
    run.assert_end(RunEnd::Complete).assert_fields("US-001", &fields(true, "approved", 1, ""));
    assert_eq!(ended(&run), [(1, false), (2, true), (3, false)]);
    assert_eq!(chosen(&run), [(2, "it alone passed")]);
    let weakened = run.findings().matches("protected file tests/test_sums.py: changed").count();
    assert_eq!(weakened, 2, "{}", run.findings());
    assert_eq!(project.read("tests/test_sums.py"), proofs::TEST);
    assert!(project.read("sums.py").contains("sum(numbers)"));
    // The first two attempts, the second candidate and its work in the project, the last candidate, the review.
    let green = phases(&run).into_iter().filter(|(phase, _)| *phase == ProofPhase::Green);
    let green: Vec<bool> = green.map(|(_, accepted)| accepted).collect();
    assert_eq!(green, [false, false, true, false, true, true]);
    let state: serde_json::Value =
        serde_json::from_str(&project.read(".ralph/state.json")).unwrap();
    let work = project.git(&["rev-parse", "HEAD~1"]);
    assert_eq!(state["stories"]["US-001"]["proof"]["greenAt"], work);
}
