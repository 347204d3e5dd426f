//! The runner is killed around a question: question, answer and work are kept, and the question counts once.

use std::collections::BTreeSet;

use events::{IterationStatus, LoopEvent};
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};

use crate::harness::{Project, await_none_in, until};
use crate::lane_kill_sweep::{BRANCH, list_at};
use crate::sweep::{Sweep, Victim, logged, sweep_all, verdicts};

const ANSWER: &str = "The new one.";

/// The sessions of US-1 leave half of the work and ask, until their prompt has an answer.
fn asking(scenario: Scenario) -> Scenario {
    let half = [
        Act::write("work/half.txt", "half\n"),
        Act::commit("half"),
        Act::finish("QUESTION: Which table?"),
    ];
    let whole = [
        Act::bash("test -e work/half.txt && cp work/half.txt work/US-1.txt"),
        Act::submit("done"),
        Act::commit("feat"),
        Act::finish("Done."),
    ];
    let implement = || When::mode(Mode::Implement).story("US-1");
    scenario.rule(implement().prompt_contains("The user answered:"), whole).rule(implement(), half)
}

fn questions(project: &Project) -> Vec<Value> {
    let output = project.call(&["questions", "--json"]);
    assert!(output.status.success(), "{output:?}");
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    list["questions"].as_array().unwrap().clone()
}

/// While no loop is running.
#[track_caller]
fn answer(project: &Project) {
    let output = project.call(&["answer", "US-1", ANSWER]);
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said, "answered; the next `ralph-loop` works on US-1 again\n");
}

/// One question, answered, and the session that got the answer went on from the work before.
#[track_caller]
fn assert_answered(project: &Project) {
    let questions = questions(project);
    assert_eq!(questions.len(), 1, "{questions:?}");
    assert_eq!(
        (&questions[0]["answer"], &questions[0]["isReceived"]),
        (&json!(ANSWER), &json!(true))
    );
    let copied = test_repo::git(project.root(), &["show", &format!("{BRANCH}:work/US-1.txt")]);
    assert_eq!(copied.trim(), "half");
}

#[test]
fn an_answer_after_a_kill_before_the_iteration_is_booked_is_in_the_next_prompt() {
    let project = Project::new(1, &["test -d work"]);
    project.scenario(&asking(Scenario::new()));
    let mut runner = project.start(&[]);
    runner.wait_for("the question", |event| matches!(event, LoopEvent::QuestionAsked { .. }));
    runner.kill();
    await_none_in(project.root(), None);
    assert_eq!(questions(&project)[0]["text"], "Which table?");
    answer(&project);
    let next = project.run(&[]);
    next.assert_exit(0);
    project.assert_complete();
    assert_answered(&project);
    // A runner that is killed late has logged the end before.
    let asked = |event| match event {
        LoopEvent::IterationEnded(ended) if ended.status == IterationStatus::Asked => {
            Some(ended.iteration)
        }
        _ => None,
    };
    let iterations: BTreeSet<u64> = logged(&project).into_iter().filter_map(asked).collect();
    assert_eq!(iterations.len(), 1, "{iterations:?}");
}

#[test]
fn a_story_that_waits_beside_a_killed_lane_goes_on_with_its_work_after_the_answer() {
    let project = Project::new(3, &["test -d work"]);
    let hang = [Act::write("work/US-2.txt", "half\n"), Act::Hang { ignores_signals: false }];
    let scenario = Scenario::new().rule(When::mode(Mode::Implement).story("US-2").visit(1), hang);
    project.scenario(&asking(scenario));
    let mut runner = project.start(&["-j", "2"]);
    // The lane of the story that waits takes another one.
    let merged = |event: &LoopEvent| matches!(event, LoopEvent::StoryMerged { story, .. } if story.as_str() == "US-3");
    runner.wait_for("the other story", merged);
    until("US-1 waits without a lane", || {
        project.state()?["separate"]["parked"]["US-1"].is_object().then_some(())
    });
    runner.kill();
    await_none_in(&project.around(), None);
    answer(&project);
    project.run(&["-j", "2"]).assert_exit(0);
    assert_answered(&project);
    assert!(list_at(&project, BRANCH).stories.iter().all(|story| story.passes));
    assert_eq!(test_repo::git(project.root(), &["for-each-ref", "refs/ralph/"]), "");
}

#[test]
fn kills_at_any_time_lose_no_question_and_no_answer() {
    let in_place = Sweep {
        kills: 30,
        moments: &["agent-ended", "question-asked", "question-answered", "iteration-ended"],
        most_events: 40,
        begin: || Box::new(Asking::new(&[])),
    };
    let in_lanes = Sweep { begin: || Box::new(Asking::new(&["-j", "2"])), ..in_place };
    sweep_all(&[in_place, in_lanes]);
}

struct Asking {
    project: Project,
    args: &'static [&'static str],
    has_asked: bool,
}

impl Asking {
    fn new(args: &'static [&'static str]) -> Self {
        let project = Project::new(2, &["test -d work"]);
        project.scenario(&asking(Scenario::new()));
        Self { project, args, has_asked: false }
    }
}

impl Victim for Asking {
    fn project(&self) -> &Project {
        &self.project
    }

    fn args(&self) -> Vec<&'static str> {
        ["--max-iterations", "500", "--retry-wait", "1ms"]
            .iter()
            .chain(self.args)
            .copied()
            .collect()
    }

    /// It may end because of the question.
    fn exit_codes(&self) -> &'static [i32] {
        &[0, 1]
    }

    /// The user answers as soon as there is a question, which stays from then on.
    #[track_caller]
    fn check_after_kill(&mut self) {
        let questions = questions(&self.project);
        assert!(questions.len() == 1 || (questions.is_empty() && !self.has_asked), "{questions:?}");
        self.has_asked = !questions.is_empty();
        if questions.first().is_some_and(|question| question["answer"].is_null()) {
            answer(&self.project);
        }
    }

    #[track_caller]
    fn check_end(&self) {
        self.project.assert_quiet();
        assert_answered(&self.project);
        let (approvals, _) = verdicts(&self.project);
        assert_eq!(approvals.len(), 2, "{approvals:?}");
    }
}
