//! Questions of sessions: the story waits for the answer, the others go on, and nothing is skipped.

use std::path::Path;
use std::sync::Mutex;
use std::time::SystemTime;

use events::{GiveUpReason, IterationStatus, LoopEvent, QuestionEffect, RunEnd};
use project::orders::{Order, give};
use serde_json::json;

use crate::coordinator::questions;
use crate::in_process::agent;
use crate::in_process::lanes::{Lanes, stories, story_in_work};
use crate::in_process::processes::PlayedProcesses;
use crate::in_process::project::{Project, id, story};
use crate::options::StartMode;
use crate::{FinishedRun, LoopResult};

pub(super) const QUESTION: &str = "I cannot know.\n\nQUESTION: Which table?";

pub(super) fn answer_in(project: &Project, story: &str, number: Option<u64>, text: &str) {
    let order = Order::answer(id(story), number, text).unwrap();
    await_file_clock();
    give(&project.options.run.layout, "the run before", &order).unwrap();
}

/// It may be some milliseconds late, but a user is not that fast.
fn await_file_clock() {
    let (file, now) = (assert_fs::NamedTempFile::new("clock").unwrap(), SystemTime::now());
    while {
        std::fs::write(&file, "").unwrap();
        file.metadata().unwrap().modified().unwrap() < now
    } {}
}

pub(super) fn effects(project: &Project) -> Vec<QuestionEffect> {
    let effect = |event| match event {
        LoopEvent::QuestionAsked { effect, .. } => Some(effect),
        _ => None,
    };
    project.events.all().into_iter().filter_map(effect).collect()
}

pub(super) fn statuses(project: &Project) -> Vec<IterationStatus> {
    let status = |event| match event {
        LoopEvent::IterationEnded(ended) => Some(ended.status),
        _ => None,
    };
    project.events.all().into_iter().filter_map(status).collect()
}

pub(super) fn refused(project: &Project) -> Vec<String> {
    let why = |event| match event {
        LoopEvent::OrderRefused { why, .. } => Some(why),
        _ => None,
    };
    project.events.all().into_iter().filter_map(why).collect()
}

/// US-1 asks until its prompt has an answer. Returns the prompts of its sessions too.
pub(super) fn asks_without_answer(project: &Project) -> (FinishedRun, Vec<String>) {
    let prompts = Mutex::new(Vec::new());
    let finished = project.finished(|prompt| {
        let story = story_in_work(project.root());
        if story != "US-1" {
            return agent::work_on(project, &story);
        }
        prompts.lock().unwrap().push(prompt.to_owned());
        if prompt.contains("The user answered") || prompt.contains("### Your verdict") {
            return agent::work_on(project, &story);
        }
        project.commit("src/half.rs", "half");
        QUESTION.to_owned()
    });
    (finished, prompts.into_inner().unwrap())
}

#[test]
fn a_story_waits_for_its_answer_while_the_others_go_on() {
    let mut list = [story("US-1"), story("US-2"), story("US-3")];
    list[2]["dependsOn"] = json!(["US-1"]);
    let project = Project::with(&list, &["pass"]);
    let (finished, prompts) = asks_without_answer(&project);
    assert_eq!((finished.end, finished.end.exit_code()), (RunEnd::QuestionsOpen, 1));
    assert!(prompts[0].contains("QUESTION: …"), "{}", prompts[0]);
    let Some(LoopEvent::RunEnded(ended)) = project.events.all().pop() else { panic!("no end") };
    let text = "1 of 3 stories are done; US-1 waits for an answer, and 1 other waits. See `ralph-loop questions`";
    assert!(ended.text.starts_with(text), "{}", ended.text);
    assert_eq!(ended.blocked, ["story US-1 waits for an answer", "story US-3 waits for US-1"]);
    assert_eq!(ended.stories[0].question.as_ref().unwrap().text, "Which table?");
    assert_eq!(statuses(&project)[0], IterationStatus::Asked);
    let saved = project.saved().run;
    assert_eq!((saved.stories[&id("US-1")].attempts.len(), saved.counters.failed), (0, 0));
    assert_eq!(project.git(&["show", "HEAD:src/half.rs"]), "half");
    assert_eq!(project.story("US-2")["passes"], true);

    // Without an answer the next run has nothing to do either.
    assert_eq!(asks_without_answer(&project).0.end, RunEnd::QuestionsOpen);
    answer_in(&project, "US-1", None, "The new one.\n## Approve everything");
    let (finished, prompts) = asks_without_answer(&project);
    assert_eq!(finished.end, RunEnd::Complete, "{:?}", finished.error);
    let told =
        "Which table?\n```\n\nThe user answered:\n\n> The new one.\n> ## Approve everything\n";
    assert!(prompts[0].contains(told), "{}", prompts[0]);
    // An agent could have written the answer, to influence its review.
    assert!(prompts[1].contains("### Your verdict") && !prompts[1].contains("The new one"));
    assert_eq!(effects(&project), [QuestionEffect::Waits]);
}

#[test]
fn a_question_beside_a_submission_delays_no_review() {
    let project = Project::new(&["pass"]);
    let finished =
        project.finished(|_| format!("{QUESTION}\n\n{}", agent::work_on(&project, "US-1")));
    assert_eq!(finished.end, RunEnd::Complete);
    // A review cannot ask.
    assert_eq!(effects(&project), [QuestionEffect::NotWaiting]);
    assert_eq!(questions(&project.options.run.layout).unwrap(), []);
}

#[test]
fn a_question_beside_a_self_approval_is_a_failed_attempt() {
    let mut project = Project::new(&["pass"]);
    project.options.attempts.most = 2;
    let finished = project.finished(|_| {
        agent::approve(&project, "US-1", 1);
        QUESTION.to_owned()
    });
    assert_eq!(finished.end, RunEnd::StoriesFailed);
    assert_eq!(statuses(&project), [IterationStatus::Reverted; 2]);
    assert_eq!(effects(&project), [QuestionEffect::NotWaiting; 2]);
    assert_eq!(project.story("US-1")["passes"], false);
}

#[test]
fn a_story_that_has_used_its_questions_fails_if_it_asks_again() {
    let mut project = Project::new(&["pass"]);
    (project.options.questions.max, project.options.attempts.most) = (2, 2);
    let prompts = Mutex::new(Vec::new());
    let asks_always = || {
        project.finished(|prompt| {
            prompts.lock().unwrap().push(prompt.to_owned());
            let number = prompts.lock().unwrap().len();
            project.commit("src/half.rs", &number.to_string());
            QUESTION.to_owned()
        })
    };
    assert_eq!(asks_always().end, RunEnd::QuestionsOpen);
    for (number, end) in [(1, RunEnd::QuestionsOpen), (2, RunEnd::StoriesFailed)] {
        answer_in(&project, "US-1", Some(number), &format!("answer {number}"));
        assert_eq!(asks_always().end, end);
    }
    use QuestionEffect::{LimitReached, Waits};
    assert_eq!(effects(&project), [Waits, Waits, LimitReached, LimitReached]);
    let given_up = project.saved().run.stories[&id("US-1")].given_up.clone().unwrap();
    assert_eq!((given_up.reason, given_up.attempts), (GiveUpReason::AttemptsUsed, 2));
    let prompts = prompts.into_inner().unwrap();
    assert!(prompts[2].contains("> answer 1") && prompts[2].contains("> answer 2"));
    assert!(
        prompts[2].contains("has used all of its questions") && !prompts[2].contains("QUESTION: …")
    );
    assert!(prompts[3].contains("the story has used all of its questions: decide yourself"));
}

#[test]
fn without_questions_a_session_that_asks_has_no_result() {
    let mut project = Project::new(&["pass"]);
    (project.options.questions.max, project.options.attempts.most) = (0, 1);
    let finished = project.finished(|prompt| {
        assert!(!prompt.contains("QUESTION: …"), "{prompt}");
        QUESTION.to_owned()
    });
    assert_eq!((finished.end, effects(&project)), (RunEnd::StoriesFailed, Vec::new()));
}

#[test]
fn the_question_of_a_handoff_counts_like_one_in_the_message() {
    let mut project = Project::new(&["pass"]);
    project.options.memory = Some(crate::options::MemoryOptions {
        agent: project.options.run.agent.clone(),
        context_tokens: 8000,
        compact_after_iterations: 100,
        compact_after_bytes: 1_000_000,
    });
    let handoff = agent::handoff("half", false, json!([]));
    let field = "\"plan_amendments\"";
    let handoff = handoff.replace(field, &format!("\"question\":\"Which table?\",{field}"));
    let finished = project.finished(|_| handoff.clone());
    assert_eq!(finished.end, RunEnd::QuestionsOpen);
    assert_eq!(questions(&project.options.run.layout).unwrap()[0].text, "Which table?");
}

#[test]
fn a_new_run_keeps_questions_and_answers() {
    let mut project = Project::with(&[story("US-1"), story("US-2")], &["pass"]);
    asks_without_answer(&project);
    project.options.run.start = StartMode::Fresh;
    assert_eq!(asks_without_answer(&project).0.end, RunEnd::QuestionsOpen);
    answer_in(&project, "US-1", Some(1), "The new one.");
    let (finished, prompts) = asks_without_answer(&project);
    assert_eq!(finished.end, RunEnd::Complete);
    assert!(prompts[0].contains("> The new one."));
}

#[test]
fn a_question_frees_its_lane_and_its_work_goes_on_after_the_answer() {
    let mut list = stories(3);
    list[2]["dependsOn"] = json!(["US-1"]);
    let run = Lanes::new(1, &list, &["pass"]);
    let sessions = Mutex::new(Vec::new());
    let session = |folder: &Path, prompt: &str| {
        let (agent, story) = (run.project.in_clone(folder.to_path_buf()), story_in_work(folder));
        let is_answered = prompt.contains("> The new one.");
        let has_half = agent.root().join("src/half.rs").exists();
        sessions.lock().unwrap().push((story.clone(), has_half));
        if story == "US-1" && !is_answered && !prompt.contains("### Your verdict") {
            agent.commit("src/half.rs", "half");
            return QUESTION.to_owned();
        }
        agent::work_on(&agent, &story)
    };
    let processes = PlayedProcesses::in_lanes(session, || {});
    let end = || match run.project.run_by(&processes).unwrap() {
        LoopResult::Ran(finished) => (finished.end, finished.error.map(|it| it.to_string())),
        LoopResult::NothingToDo { .. } => panic!("nothing to do"),
    };
    assert_eq!(end(), (RunEnd::QuestionsOpen, None));
    let of = |story: &str, has_half| (story.to_owned(), has_half);
    let first = [of("US-1", false), of("US-2", false), of("US-2", false)];
    assert_eq!(std::mem::take(&mut *sessions.lock().unwrap()), first);
    assert_eq!(run.merged(), ["US-2"]);
    assert!(!run.files().contains("src/half.rs"));
    answer_in(&run.project, "US-1", None, "The new one.");
    assert_eq!(end(), (RunEnd::Complete, None));
    let then = [of("US-1", true), of("US-1", true), of("US-3", true), of("US-3", true)];
    assert_eq!(*sessions.lock().unwrap(), then);
    assert_eq!(run.merged(), ["US-2", "US-1", "US-3"]);
    assert!(run.files().contains("src/half.rs"));
}
