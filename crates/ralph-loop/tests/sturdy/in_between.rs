//! The task list changes while no iteration runs: by the user, or by something that outlived its
//! agent and its keeper.

use events::LoopEvent;
use project::orders::{self, Order};

use crate::harness::{Finished, Project};

/// Runs until the first iteration is over, changes the list, and runs on.
fn changed_in_between(
    project: &Project,
    flags: &[&str],
    change: impl Fn(String) -> String,
) -> Finished {
    let mut runner = project.start(&[&["-n", "2"], flags].concat());
    runner.wait_for("an iteration", |event| matches!(event, LoopEvent::IterationStarted { .. }));
    let run = project.state().unwrap()["runId"].as_str().unwrap().to_owned();
    orders::give(&project.layout(), &run, &Order::Pause).unwrap();
    runner.wait_for("the end of the iteration", |event| matches!(event, LoopEvent::Paused));
    let path = project.layout().tasks();
    let text = std::fs::read_to_string(&path).unwrap();
    let changed = change(text.clone());
    assert_ne!(changed, text);
    std::fs::write(path, changed).unwrap();
    orders::give(&project.layout(), &run, &Order::GoOn).unwrap();
    runner.finish()
}

fn is_restored(event: &LoopEvent) -> bool {
    matches!(event, LoopEvent::ChangesReverted(events::RevertedChanges { findings, .. })
        if findings.iter().any(|finding| finding.contains("between two iterations")))
}

#[test]
fn a_story_that_passes_all_of_a_sudden_does_not() {
    for flags in [&[][..], &["--skip-review"]] {
        let project = Project::new(3, &[]);
        let approve = |text: String| {
            let mut list: serde_json::Value = serde_json::from_str(&text).unwrap();
            let story = &mut list["userStories"][2];
            story["passes"] = true.into();
            story["notes"] = "sneaked in".into();
            if flags.is_empty() {
                story["reviewStatus"] = "approved".into();
                story["reviewCount"] = 1.into();
            }
            list.to_string()
        };
        let ended = changed_in_between(&project, flags, approve);
        ended.assert_event("the restored files", is_restored);
        assert!(!project.list().stories[2].passes, "{flags:?}");
        project.assert_sound_repository();
    }
}

#[test]
fn allowed_changes_of_the_user_are_kept() {
    let project = Project::new(2, &[]);
    let ended = changed_in_between(&project, &[], |text| {
        let mut list: serde_json::Value = serde_json::from_str(&text).unwrap();
        list["userStories"][1]["priority"] = 9.into();
        list["userStories"][1]["notes"] = "mind the gap".into();
        list.to_string()
    });
    assert_eq!(ended.count(is_restored), 0);
    ended.assert_event(
        "the edit",
        |event| matches!(event, LoopEvent::Warning { text } if text.contains("was edited")),
    );
    let story = &project.list().stories[1];
    assert_eq!((story.priority, story.notes.as_str()), (9.0, "mind the gap"));
}

#[test]
fn input_of_the_reviewer_is_restored() {
    let project = Project::new(2, &[]);
    let before = project.list().stories[1].clone();
    let ended = changed_in_between(&project, &[], |text| {
        let mut list: serde_json::Value = serde_json::from_str(&text).unwrap();
        list["branchName"] = "main".into();
        list["userStories"][1]["title"] = "Nothing to do".into();
        list["userStories"][1]["model"] = "gullible".into();
        list["userStories"][1]["reviewStatus"] = "needs_review".into();
        list["userStories"][1]["dependsOn"] = [before.id.as_str()][..0].into();
        list.to_string()
    });
    ended.assert_event("the restored files", is_restored);
    let list = project.list();
    assert_eq!((&list.stories[1].title, &list.stories[1].model), (&before.title, &before.model));
    assert_eq!(list.stories[1].depends_on, before.depends_on);
    assert_eq!(list.stories[1].review_status, before.review_status);
    assert_ne!(list.branch_name, "main");
}

#[test]
fn a_list_that_is_destroyed_comes_back() {
    let project = Project::new(2, &[]);
    let ended = changed_in_between(&project, &[], |_| "{".into());
    ended.assert_event("the restored files", is_restored);
    assert_eq!(project.list().stories.len(), 2);
}
