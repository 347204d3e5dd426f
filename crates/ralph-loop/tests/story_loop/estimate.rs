//! The estimate at the start of a run.

use events::{Estimate, EstimateBasis, LoopEvent};
use predicates::str::contains;
use serde_json::Value;
use test_repo::assert_text;

use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::story;

fn estimates(run: &Outcome<'_>) -> Vec<Estimate> {
    let estimates = run.events.iter().filter_map(|event| match event {
        LoopEvent::RunEstimated { estimate } => Some(estimate.clone()),
        _ => None,
    });
    estimates.collect()
}

#[test]
fn the_estimate_uses_earlier_runs() {
    let project = Project::new([story("US-001"), story("US-002")]);
    let first = project.run(["-n", "5"]);
    let [usual] = &estimates(&first)[..] else { panic!("{:?}", first.events) };
    assert_eq!((usual.stories, usual.iterations, usual.basis), (2, 6, EstimateBasis::Usual));
    assert!(usual.is_short_of_iterations() && usual.cost_per_iteration_usd.is_none());
    assert_text(&first.stderr, contains("only 5 iterations left; raise the limit with -n"));

    let mut list = project.tasks();
    list["userStories"].as_array_mut().unwrap().push(story("US-003"));
    project.write("ralph/tasks.json", list.to_string());
    test_repo::commit_all(&project.path());
    let second = project.run([]);
    let [so_far] = &estimates(&second)[..] else { panic!("{:?}", second.events) };
    assert_eq!((so_far.stories, so_far.iterations, so_far.basis), (1, 2, EstimateBasis::SoFar));
    let each = so_far.cost_per_iteration_usd.unwrap();
    let seconds = so_far.seconds.unwrap();
    assert!(seconds > 0.0 && usual.seconds.is_none(), "{so_far:?}");
    assert!((so_far.cost_usd.unwrap() - 2.0 * each).abs() < 1e-9, "{so_far:?}");
    assert_text(&second.stderr, contains("about 2 iterations each (average so far)"));
}

#[test]
fn without_open_stories_there_is_no_estimate_and_a_dry_run_shows_it() {
    let project = Project::new([story("US-001")]);
    let dry = |format: &str| {
        let agent = crate::harness::program("simulated-agent");
        let args = ["--dry-run", "--output", format, "--agent-program", agent.to_str().unwrap()];
        String::from_utf8(project.call(&args).stdout).unwrap()
    };
    let json: Value = serde_json::from_str(&dry("json")).unwrap();
    assert_eq!(json["estimate"]["iterations"], 3, "{json}");
    assert!(dry("human").contains("Estimate: 1 story, about 3 iterations each: about 3\n"));
    project.run([]);
    assert_eq!(estimates(&project.run(["--fresh"])).len(), 0);
}
