//! What a run says at its start about what its stories will take.

use engine::{Basis, Estimate, LoopEvent};
use predicates::str::contains;
use serde_json::Value;
use test_repo::assert_text;

use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::story;

fn told(run: &Outcome<'_>) -> Vec<Estimate> {
    let told = run.events.iter().filter_map(|event| match event {
        LoopEvent::RunEstimated { estimate } => Some(estimate.clone()),
        _ => None,
    });
    told.collect()
}

#[test]
fn what_earlier_runs_took_is_what_the_next_one_is_reckoned_by() {
    let project = Project::new([story("US-001"), story("US-002")]);
    let first = project.run(["-n", "5"]);
    let [usual] = &told(&first)[..] else { panic!("{:?}", first.events) };
    assert_eq!((usual.stories, usual.iterations, usual.basis), (2, 6, Basis::Usual));
    assert!(usual.is_short_of_iterations() && usual.cost_per_iteration_usd.is_none());
    assert_text(&first.stderr, contains("5 iterations are left: -n gives it more"));

    let mut list = project.tasks();
    list["userStories"].as_array_mut().unwrap().push(story("US-003"));
    project.write("ralph/tasks.json", list.to_string());
    test_repo::commit_all(&project.path());
    let second = project.run([]);
    let [so_far] = &told(&second)[..] else { panic!("{:?}", second.events) };
    assert_eq!((so_far.stories, so_far.iterations, so_far.basis), (1, 2, Basis::SoFar));
    let each = so_far.cost_per_iteration_usd.unwrap();
    assert!((so_far.cost_usd.unwrap() - 2.0 * each).abs() < 1e-9, "{so_far:?}");
    assert_text(&second.stderr, contains("about 2 iterations each (so far here)"));
}

#[test]
fn nothing_is_estimated_where_nothing_is_to_do_and_a_dry_run_tells_it_too() {
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
    assert_eq!(told(&project.run(["--fresh"])).len(), 0);
}
