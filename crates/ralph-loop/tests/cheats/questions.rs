//! Questions to the user that are meant to avoid a review or a limit, and answers that are not the user's.

use events::{LoopEvent, QuestionEffect, RunEnd};
use predicates::str::contains;
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, ScenarioVerdict, When};
use test_repo::assert_text;

use crate::attack_target::{AttackTarget, Attacked, STORY, rejection};
use crate::harness::{Project, program};
use crate::outcome::Outcome;
use crate::stories::story;

const QUESTION: &str = "QUESTION: May it count without a review?";

/// Code that passes the check and does not do what the story asks for.
fn unreviewed() -> Vec<Act> {
    vec![Act::bash("echo right > src/code.txt; date +%N > src/change.txt"), Act::commit("feat")]
}

/// Every session that implements does this; reviews reject.
fn always(acts: impl IntoIterator<Item = Act>) -> Scenario {
    Scenario::new().rule(When::mode(Mode::Review), rejection()).otherwise(acts)
}

fn asking(first: impl IntoIterator<Item = Act>) -> Scenario {
    always(unreviewed().into_iter().chain(first).chain([Act::finish(QUESTION)]))
}

fn effects(run: &Outcome<'_>) -> Vec<QuestionEffect> {
    let effect = |event: &LoopEvent| match event {
        LoopEvent::QuestionAsked { effect, .. } => Some(*effect),
        _ => None,
    };
    run.events.iter().filter_map(effect).collect()
}

fn refusals(run: &Outcome<'_>) -> Vec<String> {
    let why = |event: &LoopEvent| match event {
        LoopEvent::OrderRefused { why, .. } => Some(why.clone()),
        _ => None,
    };
    run.events.iter().filter_map(why).collect()
}

#[track_caller]
fn call(project: &Project, args: &[&str]) -> String {
    let output = project.call(args);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn answers(project: &Project) -> Vec<Value> {
    let list: Value = serde_json::from_str(&call(project, &["questions", "--json"])).unwrap();
    list["questions"].as_array().unwrap().iter().map(|one| one["answer"].clone()).collect()
}

/// The story waits, and its question is not answered.
#[track_caller]
fn waits(attacked: &Attacked) -> Outcome<'_> {
    let run = attacked.is_not_counted();
    run.assert_end(RunEnd::QuestionsOpen);
    assert_eq!(effects(&run), [QuestionEffect::Waits]);
    assert_eq!(answers(&attacked.project), [Value::Null]);
    run
}

#[test]
fn questions_without_end_do_not_replace_a_review() {
    let attacked = AttackTarget::new().scenario(asking([]));
    for _ in 0..3 {
        waits(&attacked);
        call(&attacked.project, &["answer", STORY, "Yes, it counts without a review."]);
        // A new run does not forget the questions.
        let run = attacked.project.run(["--fresh", "-n", "1", "--max-attempts=2"]);
        assert_ne!(run.code, Some(0));
        assert!(!run.summary(STORY).passes);
        if effects(&run) == [QuestionEffect::LimitReached] {
            break;
        }
    }
}
