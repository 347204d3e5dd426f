//! Commands about the story loop in a project where a prompt loop ran.

use events::RunEnd;
use serde_json::Value;
use simulator::{Act, Scenario};

use crate::harness::{Project, program};
use crate::stories::{story, story_at};

#[track_caller]
fn succeeds(project: &Project, args: &[&str]) -> String {
    let output = project.call(args);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        output.status.code(),
        Some(0),
        "{printed}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    printed
}

/// A prompt loop to its end.
#[track_caller]
fn prompt_loop(project: &Project) {
    let done = Scenario::new().otherwise([Act::finish("All done. <response>DONE</response>")]);
    project.agent(&done);
    let agent = program("simulated-agent");
    let agent = ["--agent", "codex", "--sandbox=guard", "--agent-program", agent.to_str().unwrap()];
    succeeds(project, &[&["prompt", "-p", "Tidy up"], &agent[..]].concat());
}

#[test]
fn the_status_of_a_prompt_loop_needs_no_task_list() {
    let project = Project::empty();
    project.write("a.txt", "a");
    project.repository();
    prompt_loop(&project);
    let printed = succeeds(&project, &["status"]);
    for part in ["prompt loop", "codex", "complete", "1 iteration", "files: .ralph/runs/"] {
        assert!(printed.contains(part), "{part:?} is not in: {printed}");
    }
    assert!(!printed.contains("no task list"), "it needs none: {printed}");
    let json: Value = serde_json::from_str(&succeeds(&project, &["status", "--json"])).unwrap();
    assert_eq!(json["taskList"], "missing");
    assert_eq!(
        (&json["run"]["state"], &json["run"]["start"]["loop"]),
        (&"ended".into(), &"prompt".into())
    );
    assert_eq!(json["run"]["iterations"], 1);
}

#[test]
fn the_status_of_a_task_list_after_a_prompt_loop_is_about_both() {
    let project = Project::new([story("US-001")]);
    prompt_loop(&project);
    let printed = succeeds(&project, &["status"]);
    for part in ["demo · branch ralph/demo", "prompt loop", "0 of 1 done", "next: implement US-001"]
    {
        assert!(printed.contains(part), "{part:?} is not in: {printed}");
    }
    assert!(!printed.contains("done · 1 iteration"), "those are not the stories': {printed}");
}

#[test]
fn without_a_story_run_the_settings_decide_about_reviews() {
    let project = Project::new([story_at("US-001", "needs_review", 0)]);
    prompt_loop(&project);
    let next = |project: &Project| {
        let printed = succeeds(project, &["status"]);
        printed.lines().last().unwrap().to_owned()
    };
    assert_eq!(next(&project), "next: review US-001 Title of US-001");
    project.write(".ralph/settings.json", r#"{"review": {"skip": true}}"#);
    assert_eq!(next(&project), "next: implement US-001 Title of US-001");
}

#[test]
fn an_archive_leaves_a_prompt_loop_alone() {
    let project = Project::new([story("US-001")]);
    project.run([]).assert_end(RunEnd::Complete);
    prompt_loop(&project);
    let state = project.read(".ralph/prompt-state.json");
    succeeds(&project, &["archive"]);
    assert!(!project.has(".ralph/state.json"));
    assert_eq!(project.read(".ralph/prompt-state.json"), state);
}
