//! Which checks a step runs.

use events::LoopEvent;
use serde_json::{Value, json};

use crate::in_process::agent;
use crate::in_process::lanes::Lanes;
use crate::in_process::project::{Project, story};

/// Both stories, in order; each changes its own file.
const STORIES: [&str; 2] = ["US-1", "US-2"];

fn scoped(project: &Project) {
    let checks = json!([
        "pass all",
        {"run": "pass first", "paths": ["src/US-1.rs"]},
        {"run": "pass web", "paths": ["web/**"]},
    ]);
    let mut list: Value = serde_json::from_str(&project.read("ralph/tasks.json")).unwrap();
    list["verifyCommands"] = checks;
    project.commit("ralph/tasks.json", &(serde_json::to_string_pretty(&list).unwrap() + "\n"));
}

/// The checks before each approval or merge.
fn checks_by_step(project: &Project) -> Vec<Vec<String>> {
    let mut steps = vec![Vec::new()];
    for event in project.events.all() {
        match event {
            LoopEvent::CheckStarted { command, .. } => steps.last_mut().unwrap().push(command),
            LoopEvent::ChecksJudged { .. } => steps.push(Vec::new()),
            _ => {}
        }
    }
    steps.retain(|step| !step.is_empty());
    steps
}

#[test]
fn a_step_runs_the_checks_of_its_paths_and_the_last_one_runs_all() {
    let project = Project::with(&STORIES.map(story), &[]);
    scoped(&project);
    project.finished(|_| agent::work(&project, true));
    let (first, last) = (["pass all", "pass first"], ["pass all", "pass first", "pass web"]);
    assert_eq!(checks_by_step(&project), [&first[..], &first, &last, &last]);
}

#[test]
fn skipped_checks_are_recorded() {
    let project = Project::with(&STORIES.map(story), &[]);
    scoped(&project);
    project.finished(|_| agent::work(&project, true));
    let layout = &project.options.run.layout;
    let run = layout.run_dir(&project.saved().run.run_id);
    let record = std::fs::read(run.join("001-implement-US-1").join("validation.json")).unwrap();
    let record: Value = serde_json::from_slice(&record).unwrap();
    let outcomes = record["results"].as_array().unwrap().iter();
    let outcomes: Vec<&Value> = outcomes.map(|result| &result["outcome"]).collect();
    assert_eq!(outcomes, ["passed", "passed", "skipped"]);
}

#[test]
fn the_last_merge_runs_all_checks() {
    let lanes = Lanes::new(1, &STORIES.map(story), &[]);
    lanes.project.git(&["switch", "-q", crate::in_process::project::BRANCH]);
    scoped(&lanes.project);
    lanes.project.git(&["switch", "-q", "main"]);
    lanes.completes(agent::work_on);
    let (first, other) = (["pass all", "pass first"], ["pass all"]);
    let last = ["pass all", "pass first", "pass web"];
    let steps = checks_by_step(&lanes.project);
    assert_eq!(steps, [&first[..], &first, &first, &other, &other, &last]);
}

#[test]
fn a_story_that_is_given_up_does_not_keep_the_last_step_from_running_all_checks() {
    let mut project = Project::with(&STORIES.map(story), &[]);
    scoped(&project);
    project.options.attempts.most = 1;
    project.finished(|prompt| match prompt.contains("US-1") {
        true => "I give up".into(),
        false => agent::work_on(&project, "US-2"),
    });
    let steps = checks_by_step(&project);
    assert_eq!(steps.last().unwrap(), &["pass all", "pass first", "pass web"]);
}
