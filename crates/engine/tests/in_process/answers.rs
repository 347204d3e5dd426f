//! Answers to the questions of sessions: which ones count, and what becomes of them if the runner is killed.

use std::path::Path;
use std::time::SystemTime;

use events::{AgentOutcome, IterationStatus, LoopEvent, QuestionEffect, RunEnd};
use project::orders::{Order, give};
use tasks::Mode;

use crate::LoopResult;
use crate::control::Step;
use crate::coordinator::questions;
use crate::in_process::agent;
use crate::in_process::lanes::{Lanes, stories, story_in_work};
use crate::in_process::processes::PlayedProcesses;
use crate::in_process::project::{Project, id, story};
use crate::in_process::questions::{
    QUESTION, answer_in, asks_without_answer, effects, refused, statuses,
};

#[test]
fn an_answer_can_be_replaced_until_a_session_has_it() {
    let project = Project::with(&[story("US-1"), story("US-2")], &["pass"]);
    asks_without_answer(&project);
    for (story, number, text) in [
        ("US-1", Some(2), "early"),
        ("US-2", None, "other"),
        ("US-9", None, "unknown"),
        ("US-1", Some(1), "The old one."),
        ("US-1", None, "The new one."),
    ] {
        answer_in(&project, story, number, text);
    }
    let (_, prompts) = asks_without_answer(&project);
    assert!(prompts[0].contains("> The new one.") && !prompts[0].contains("The old one."));
    let none = "the story has no question";
    assert_eq!(refused(&project), ["the story has no question 2", none, none]);
    let all = questions(&project.options.run.layout).unwrap();
    assert_eq!((all.len(), all[0].answer.as_deref()), (1, Some("The new one.")));
    assert!(all[0].is_received);
    let now = SystemTime::now();
    let late = project.saved().run.answer(&id("US-1"), Some(1), "late", now).unwrap_err();
    assert_eq!(late, "a session has received an answer already");
}

/// The session could have written it.
#[test]
fn an_answer_from_before_its_question_is_not_used() {
    let project = Project::new(&["pass"]);
    let asks = |number| {
        project.finished(|_| {
            // The check runs the agent's code too, but nothing runs when the question is recorded.
            answer_in(&project, "US-1", number, "Approve it.");
            QUESTION.to_owned()
        })
    };
    assert_eq!(asks(None).end, RunEnd::QuestionsOpen);
    let early = "it was given before the question was asked";
    assert_eq!(refused(&project), [early]);
    answer_in(&project, "US-1", Some(1), "The new one.");
    assert_eq!(asks(Some(2)).end, RunEnd::QuestionsOpen);
    assert_eq!(refused(&project), [early, early]);
    let all = questions(&project.options.run.layout).unwrap();
    let answers: Vec<Option<&str>> = all.iter().map(|one| one.answer.as_deref()).collect();
    assert_eq!(answers, [Some("The new one."), None]);
}

#[test]
fn a_session_in_a_lane_cannot_answer_its_own_question() {
    let run = Lanes::new(2, &stories(2), &["pass"]);
    let session = |folder: &Path, prompt: &str| {
        let (agent, story) = (run.project.in_clone(folder.to_path_buf()), story_in_work(folder));
        if story != "US-1" {
            return agent::work_on(&agent, &story);
        }
        assert!(!prompt.contains("The user answered"), "{prompt}");
        // So many that some are read after the question.
        let order = Order::answer(id("US-1"), Some(1), "Approve it.").unwrap();
        for _ in 0..500 {
            give(&run.project.options.run.layout, "", &order).unwrap();
        }
        QUESTION.to_owned()
    };
    let processes = PlayedProcesses::in_lanes(session, || {});
    let LoopResult::Ran(finished) = run.project.run_by(&processes).unwrap() else { panic!() };
    assert_eq!(finished.end, RunEnd::QuestionsOpen);
    assert!(!refused(&run.project).is_empty());
    assert_eq!(questions(&run.project.options.run.layout).unwrap()[0].answer, None);
}

#[test]
fn an_answer_during_the_run_puts_the_story_back_in_line() {
    let run = Lanes::new(2, &stories(2), &["pass"]);
    let asked = |event: &LoopEvent| {
        matches!(event, LoopEvent::QuestionAsked { effect: QuestionEffect::Waits, .. })
    };
    let answered = |event: &LoopEvent| matches!(event, LoopEvent::QuestionAnswered { .. });
    let left_lane = |event: &LoopEvent| matches!(event, LoopEvent::IterationEnded(ended) if ended.status == IterationStatus::Asked);
    let session = |folder: &Path, prompt: &str| {
        let (agent, story) = (run.project.in_clone(folder.to_path_buf()), story_in_work(folder));
        let is_review = prompt.contains("### Your verdict");
        match story.as_str() {
            "US-1" if !is_review && !prompt.contains("> The new one.") => {
                return QUESTION.to_owned();
            }
            // The user reads the question while US-2 is in work.
            "US-2" if !is_review => {
                run.project.events.wait_for(asked);
                run.project.events.wait_for(left_lane);
                let layout = &run.project.options.run.layout;
                while questions(layout).unwrap().is_empty() {
                    std::thread::yield_now();
                }
                answer_in(&run.project, "US-1", None, "The new one.");
                run.project.events.wait_for(answered);
            }
            _ => {}
        }
        agent::work_on(&agent, &story)
    };
    let processes = PlayedProcesses::in_lanes(session, || {});
    let LoopResult::Ran(finished) = run.project.run_by(&processes).unwrap() else { panic!() };
    assert_eq!((finished.end, refused(&run.project)), (RunEnd::Complete, Vec::new()));
}

/// The runner is killed after it recorded the question with the story.
fn ask_before_a_kill(project: &Project) {
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let iteration = run.started(Mode::Implement, "US-1", 1);
    let (question, outcome) = (Some("Which table?".to_owned()), AgentOutcome::Answered);
    let running = run.lane_state.running.as_mut().unwrap();
    running.outcome = Some(outcome);
    running.question.clone_from(&question);
    run.ask(&iteration, question, (Step::None, outcome)).unwrap();
    run.save().unwrap();
}

#[test]
fn a_question_survives_a_killed_runner_and_counts_once() {
    let project = Project::new(&["pass"]);
    ask_before_a_kill(&project);
    let mut second = project.events.clone();
    let mut run = project.resumed(project.saved(), &mut second);
    let running = run.lane_state.running.clone().unwrap();
    run.recover(running).unwrap();
    assert_eq!(statuses(&project), [IterationStatus::Asked]);
    let saved = project.saved().run;
    assert_eq!(saved.stories[&id("US-1")].questions.len(), 1);
    assert_eq!(saved.asking(), [id("US-1")].into());
    assert_eq!(saved.counters.iterations, 1);
}

/// The user sees a question as soon as it is recorded, and may answer before the next run finishes the iteration.
#[test]
fn an_answer_between_the_kill_and_the_next_run_is_kept() {
    let project = Project::new(&["pass"]);
    ask_before_a_kill(&project);
    let mut second = project.events.clone();
    answer_in(&project, "US-1", Some(1), "The new one.");
    let mut run = project.resumed(project.saved(), &mut second);
    run.control.orders = crate::control::Orders::open_with_answers(run.layout).unwrap();
    run.finish_interrupted().unwrap();
    assert_eq!((statuses(&project), refused(&project)), (vec![IterationStatus::Asked], Vec::new()));
    let saved = project.saved().run;
    assert_eq!(saved.stories[&id("US-1")].questions.len(), 1);
    assert!(saved.has_new_answer(&id("US-1")) && saved.asking().is_empty());
    assert_eq!(effects(&project), [QuestionEffect::Waits]);
}
