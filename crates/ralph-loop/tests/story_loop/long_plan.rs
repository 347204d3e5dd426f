//! A plan of sixty stories: prompts stay within their budget and do not grow.

use events::{LoopEvent, RunEnd};
use serde_json::{Value, json};
use simulator::{Act, Mode, Scenario, When};

use crate::compaction::{ASKED, compactions};
use crate::harness::Project;
use crate::outcome::Outcome;
use crate::stories::story;

const STORIES: usize = 60;
const BUDGET: u64 = 8000;

/// Wordy, as agents are.
fn wordy(id: &str) -> Act {
    let many = |what: &str, count: usize| -> Vec<String> {
        (0..count).map(|n| format!("{what} {n} of {id}: {}", "and so on ".repeat(12))).collect()
    };
    let constraints: Vec<Value> = many("Constraint", 12)
        .into_iter()
        .map(|text| json!({"constraint": text, "impact": "everything"}))
        .collect();
    Act::handoff([
        ("architectural_notes", json!(many("Decision", 15))),
        ("constraints_discovered", json!(constraints)),
        ("recommendations", json!(many("Advice", 10))),
    ])
}

/// As large as `count` lines make it.
fn account(count: usize) -> Value {
    let many = |what: &str| -> Vec<String> {
        (0..count).map(|n| format!("{what} {n}: {}", "and more of it ".repeat(10))).collect()
    };
    let files: Vec<Value> =
        many("f").iter().map(|text| json!({"path": text, "purpose": text})).collect();
    json!({
        "project_summary": "A program of many parts.", "completed_work": many("Story"),
        "active_constraints": [{"constraint": "never shout"}],
        "architectural_decisions": many("Decision"), "unresolved_issues": [],
        "file_knowledge": files,
    })
}

/// One story after the other, without reviews, with an account of that size in between.
fn plan(stories: usize, account: Value) -> Project {
    let ids: Vec<String> = (1..=stories).map(|number| format!("US-{number:03}")).collect();
    let scenario =
        Scenario::new().rule(When::any().prompt_contains(ASKED), [Act::Structured(account)]);
    let scenario = ids.iter().fold(scenario, |scenario, id| {
        let acts = [
            Act::write(format!("work/{id}.txt"), "done\n"),
            Act::set_story([("passes", json!(true)), ("notes", json!("n"))]),
            Act::commit(format!("feat: {id}")),
            wordy(id),
        ];
        scenario.rule(When::mode(Mode::Implement).story(id.clone()), acts)
    });
    let project = Project::new(ids.iter().map(|id| story(id)))
        .flags(["--handoffs", "--skip-review", "-n", "60", "--run-timeout", "0s"])
        .scenario(scenario);
    // The usual prompt.
    std::fs::remove_file(project.path().join("ralph/prompt.md")).unwrap();
    test_repo::commit_all(&project.path());
    project
}

/// The reported tokens of every prompt; each is within its budget, in the event and on disk.
fn sizes(run: &Outcome<'_>, stories: usize) -> Vec<u64> {
    let assembled = run.events.iter().filter_map(|event| match event {
        LoopEvent::ContextAssembled { tokens, .. } => Some(*tokens),
        _ => None,
    });
    let sizes: Vec<u64> = assembled.collect();
    assert_eq!(sizes.len(), stories);
    assert!(sizes.iter().all(|size| *size <= BUDGET), "{sizes:?}");
    for start in 1..=stories {
        let tokens = memory::tokens(&run.prompt(start)) as u64;
        assert!(tokens <= BUDGET, "{start}: {tokens}");
    }
    sizes
}

#[test]
fn sixty_stories_end_with_prompts_no_larger_than_at_the_beginning() {
    let project = plan(STORIES, account(12));
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    let sizes = sizes(&run, STORIES);
    let third = STORIES / 3;
    let most = |sizes: &[u64]| sizes.iter().copied().max().unwrap();
    // The commit hash in each changes the size by a token or two.
    let (first, last) = (most(&sizes[..third]), most(&sizes[STORIES - third..]));
    assert!(last <= first + first / 100, "{sizes:?}");
    assert!(compactions(&run).len() >= STORIES / 6, "{:?}", compactions(&run));
    assert!(run.prompt(STORIES).contains("never shout"), "the most important item is kept");
}

#[test]
fn everything_except_the_task_is_cut_to_the_budget() {
    let project = plan(7, account(190));
    let mut list = project.tasks();
    list["userStories"][6]["skills"] = json!(["small", "huge"]);
    project.write("ralph/tasks.json", format!("{list:#}\n"));
    project.write(".ralph/skills/small.md", "Be small.\n");
    project.write(".ralph/skills/huge.md", "word ".repeat(40_000));
    test_repo::commit_all(&project.path());
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    let sizes = sizes(&run, 7);
    assert!(sizes[6] > BUDGET / 2, "there was enough content: {sizes:?}");
    let prompt = run.prompt(7);
    for part in ["Title of US-007", "- it is tested", "## Your handoff", "never shout"] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    assert!(prompt.contains("more were left out: not enough space"), "{prompt}");
    let skills = std::fs::read_to_string(run.folder(7).join("skills.md")).unwrap();
    assert!(skills.contains("Be small.") && !skills.contains("word word"), "{skills}");
}

#[test]
fn a_task_larger_than_the_budget_is_alone_in_the_prompt() {
    let mut large = story("US-001");
    large["description"] = json!("every word of it matters ".repeat(4000));
    let project = Project::new([large]).flags(["--handoffs", "--context-tokens", "2000"]);
    let run = project.run([]);
    run.assert_end(RunEnd::Complete);
    assert!(run.warnings().contains("more than the prompt budget of 2000"));
    assert!(run.prompt(1).matches("every word of it matters").count() == 4000);
}
