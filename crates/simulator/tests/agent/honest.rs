//! Without a scenario, the agent does its assignment and keeps the task list valid.

use serde_json::json;
use simulator::{Mode, Scenario, When};

use crate::project::Project;

fn assert_valid(project: &Project) {
    let list = project.read("repo/ralph/tasks.json");
    let inspection = tasks::inspect(list.as_bytes());
    assert!(inspection.accepted().is_ok(), "{list}");
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}

#[test]
fn an_implementation_is_written_submitted_and_committed() {
    let project = Project::implement();
    let ended = project.run().complete();
    assert!(ended.status.success());
    let story = project.story(0);
    assert_eq!((&story["passes"], &story["reviewStatus"]), (&json!(false), &json!("needs_review")));
    assert_eq!(project.read("repo/work/US-001.txt"), "Title of US-001\n\n- it's there\n");
    assert!(project.read("repo/ralph/progress.txt").contains("US-001"));
    assert_eq!(project.git(&["log", "-1", "--format=%s"]), "feat: [US-001] - Title of US-001");
    assert_eq!(ended.tools(), ["Read", "TodoWrite", "Write", "Edit", "Edit", "Bash"]);
    assert!(!ended.result()["result"].as_str().unwrap().contains("<promise>"));
    assert_valid(&project);
}

#[test]
fn the_last_review_approves_and_promises() {
    let project = Project::new("review", json!("needs_review"));
    let ended = project.run().complete();
    let story = project.story(0);
    assert_eq!((&story["passes"], &story["reviewStatus"]), (&json!(true), &json!("approved")));
    assert_eq!(story["reviewCount"], 1);
    let said = ended.result()["result"].as_str().unwrap();
    assert!(said.ends_with("\n<promise>COMPLETE</promise>\n<verdict>approved</verdict>"), "{said}");
    let changed = project.git(&["show", "--name-only", "--format=", "HEAD"]);
    assert_eq!(changed, "ralph/progress.txt\nralph/tasks.json");
    assert_valid(&project);
}

#[test]
fn a_fix_answers_the_feedback_and_is_submitted_again() {
    let project = Project::new("review-fix", json!("changes_requested"));
    let list = project.read("repo/ralph/tasks.json");
    let list = list.replacen(r#""reviewFeedback": """#, r#""reviewFeedback": "say why""#, 1);
    project.write("repo/ralph/tasks.json", &list);
    project.git(&["commit", "-qam", "a review"]);
    assert!(project.run().complete().status.success());
    let story = project.story(0);
    assert_eq!(
        (&story["reviewStatus"], &story["reviewFeedback"]),
        (&json!("needs_review"), &json!(""))
    );
    assert!(project.read("repo/work/US-001.txt").contains("addressed: say why"));
    assert_valid(&project);
}

#[test]
fn with_review_skipped_the_story_passes_at_once() {
    let project = Project::implement();
    project.mark(json!({"iterationMode": "implement", "storyId": "US-001", "skipReview": true}));
    let ended = project.run().complete();
    let story = project.story(0);
    assert_eq!((&story["passes"], &story["reviewStatus"]), (&json!(true), &json!(null)));
    assert!(ended.result()["result"].as_str().unwrap().contains("<promise>COMPLETE</promise>"));
    assert_valid(&project);
}

#[test]
fn a_scenario_without_a_matching_rule_is_honest_too() {
    let project = Project::implement();
    let scenario = Scenario::new().rule(When::mode(Mode::Review), []);
    assert!(project.play(&scenario).complete().status.success());
    assert_eq!(project.story(0)["reviewStatus"], "needs_review");
}
