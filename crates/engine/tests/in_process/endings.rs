//! How a run ends, and what it says then.

use events::{LoopEvent, RunEnd};
use project::orders::{Order, give};
use serde_json::json;

use crate::control::MOST_VOID_REVIEWS;
use crate::in_process::agent;
use crate::in_process::project::{Project, id, story};

fn closing(project: &Project) -> (String, Vec<String>, usize) {
    let closing = |event| match event {
        LoopEvent::RunEnded(ended) => Some((ended.text, ended.blocked, ended.waiting.len())),
        _ => None,
    };
    project.events.all().into_iter().find_map(closing).unwrap()
}

#[test]
fn a_complete_run_says_so() {
    let project = Project::new(&[]);
    assert_eq!(project.finished(|_| agent::work(&project, true)).end, RunEnd::Complete);
    assert_eq!(closing(&project), ("every story is done".into(), Vec::new(), 0));
}

#[test]
fn failed_and_waiting_stories_are_counted() {
    let after = |id: &str| {
        let mut story = story(id);
        story["dependsOn"] = json!(["US-2"]);
        story
    };
    for (others, text) in [
        (vec![], "1 of 2 stories are done; US-2 failed"),
        (vec![after("US-3")], "1 of 3 stories are done; US-2 failed, and 1 other waits"),
        (
            vec![after("US-3"), after("US-4")],
            "1 of 4 stories are done; US-2 failed, and 2 others wait",
        ),
    ] {
        let count = others.len();
        let stories: Vec<_> = [story("US-1"), story("US-2")].into_iter().chain(others).collect();
        let mut project = Project::with(&stories, &[]);
        project.options.attempts.most = 1;
        let finished = project.finished(|_| match project.story("US-1")["passes"] == true {
            true => String::new(),
            false => agent::work(&project, true),
        });
        assert_eq!(finished.end, RunEnd::StoriesFailed);
        let (said, blocked, waiting) = closing(&project);
        assert_eq!(said, text);
        assert_eq!((blocked.len(), waiting), (count + 1, count));
    }
}

#[test]
fn a_skipped_story_did_not_fail() {
    let project = Project::with(&[story("US-1"), story("US-2")], &[]);
    let runs = project.options.run.layout.runs();
    let finished = project.finished(|_| {
        let run = std::fs::read_dir(&runs).unwrap().next().unwrap().unwrap().file_name();
        let skip = Order::Skip { story: Some(id("US-2")) };
        let _ = give(&project.options.run.layout, run.to_str().unwrap(), &skip);
        agent::work(&project, true)
    });
    assert_eq!(finished.end, RunEnd::StoriesFailed);
    assert_eq!(closing(&project).0, "1 of 2 stories are done; US-2 was skipped");
}

#[test]
fn a_reviewer_without_verdicts_ends_the_run_with_the_way_out() {
    let project = Project::new(&[]);
    let finished = project.finished(|_| match project.story("US-1")["reviewStatus"].is_null() {
        true => agent::work(&project, true),
        false => "I have no opinion".to_owned(),
    });
    assert_eq!(finished.end, RunEnd::ReviewerFailed);
    let (text, ..) = closing(&project);
    assert!(text.starts_with(&format!("{MOST_VOID_REVIEWS} reviews by ")), "{text}");
    assert!(text.contains("the last one of US-1") && text.contains("--review-agent"), "{text}");
    let saved = project.saved().run;
    assert_eq!(saved.counters.void_reviews, MOST_VOID_REVIEWS);
    assert_eq!(saved.ended, Some(RunEnd::ReviewerFailed));
}

#[test]
fn a_user_who_resumes_gives_the_reviewer_another_chance() {
    let mut project = Project::new(&[]);
    project.finished(|_| match project.story("US-1")["reviewStatus"].is_null() {
        true => agent::work(&project, true),
        false => "I have no opinion".to_owned(),
    });
    project.options.run.start = crate::options::StartMode::Resume;
    let finished = project.finished(|_| agent::work(&project, true));
    assert_eq!(finished.end, RunEnd::Complete);
}

#[test]
fn stories_that_wait_for_each_other_block_the_run() {
    let mut first = story("US-1");
    first["dependsOn"] = json!(["US-2"]);
    let mut second = story("US-2");
    second["dependsOn"] = json!(["US-1"]);
    let project = Project::with(&[first, second], &[]);
    match project.run(|_| panic!("no session")) {
        Ok(crate::LoopResult::Ran(finished)) => {
            assert_eq!(finished.end, RunEnd::Blocked);
            let (text, blocked, _) = closing(&project);
            assert_eq!(text, "stories are left, but none can be worked on");
            assert_eq!(blocked.len(), 2);
        }
        other => assert!(other.is_err()),
    }
}

#[test]
fn an_instruction_that_no_session_got_is_reported() {
    let project = Project::new(&[]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    run.state.user_instructions.add_or_refuse("use a table".into(), &run.control.sink);
    let finished = crate::drive::finish(&mut run, Ok(RunEnd::Complete), Default::default());
    assert_eq!(finished.end, RunEnd::Complete);
    let is_reported = |event: &LoopEvent| matches!(event, LoopEvent::Warning { text } if text.contains("use a table"));
    assert!(project.events.all().iter().any(is_reported));
    assert!(run.state.ended == Some(RunEnd::Complete));
}
