//! Handoffs, plan changes that they ask for, and compaction.

use events::{CompactionOutcome, CompactionReason, HandoffClaim, HandoffSource, LoopEvent, RunEnd};
use serde_json::{Value, json};
use tasks::Mode;

use crate::control::Step;
use crate::in_process::agent;
use crate::in_process::project::{Project, id, story};
use crate::options::MemoryOptions;

const COMPACTION: &str = "compact the handoffs";

fn project(checks: &[&str]) -> Project {
    remembering(Project::new(checks))
}

fn remembering(mut project: Project) -> Project {
    project.options.memory = Some(MemoryOptions {
        agent: project.options.run.agent.clone(),
        context_tokens: 8000,
        compact_after_iterations: 100,
        compact_after_bytes: 1_000_000,
    });
    project
}

fn saved(project: &Project) -> Vec<(HandoffSource, HandoffClaim, String)> {
    let handoff = |event| match event {
        LoopEvent::HandoffSaved { source, claim, text, .. } => Some((source, claim, text)),
        _ => None,
    };
    project.events.all().into_iter().filter_map(handoff).collect()
}

fn compactions(project: &Project) -> Vec<(CompactionOutcome, String)> {
    let ended = |event| match event {
        LoopEvent::CompactionEnded { outcome, text, .. } => Some((outcome, text)),
        _ => None,
    };
    project.events.all().into_iter().filter_map(ended).collect()
}

fn reviews(project: &Project) -> bool {
    project.story("US-1")["reviewStatus"] == "needs_review"
}

#[test]
fn a_handoff_that_claims_completion_submits_the_story() {
    let project = project(&[]);
    let mut prompts = Vec::new();
    let finished = project.finished(|prompt| {
        prompts.push(prompt.to_owned());
        match reviews(&project) {
            true => agent::approve_in_handoff(&project, "US-1", 1),
            false => {
                project.write("src/new.rs", "work");
                agent::handoff("added the sum", true, json!([]))
            }
        }
    });
    assert_eq!(finished.end, RunEnd::Complete);
    assert_eq!(prompts.len(), 2);
    let all = saved(&project);
    assert_eq!((all[0].0, all[0].1), (HandoffSource::Agent, HandoffClaim::Complete));
    assert!(all[0].2.contains("added the sum"), "{:?}", all[0]);
    let kept = &project.saved().run.memory.uncompacted;
    assert_eq!(
        (kept[0].iteration, kept[0].mode, &kept[0].story),
        (1, Mode::Implement, &id("US-1"))
    );
    assert!(project.read(&kept[0].file).contains("added the sum"));
    assert_eq!(kept[0].bytes, project.read(&kept[0].file).len() as u64);
}

#[test]
fn without_reviews_the_claim_passes_the_story_with_the_summary_as_its_notes() {
    let mut project = project(&["pass"]);
    project.options.review = tasks::ReviewPolicy::Skipped;
    let finished = project.finished(|_| {
        project.write("src/new.rs", "work");
        agent::handoff("added the sum", true, json!([]))
    });
    assert_eq!(finished.end, RunEnd::Complete);
    assert_eq!(project.story("US-1")["notes"], "added the sum");
}

#[test]
fn a_handoff_that_says_partial_takes_the_submission_back() {
    let mut project = project(&[]);
    project.options.run.policy.max_iterations = 1;
    project.finished(|_| {
        project.write("src/new.rs", "work");
        project.submit("US-1");
        agent::handoff("half of it", false, json!([]))
    });
    assert_eq!(project.story("US-1")["reviewStatus"], Value::Null);
    assert_eq!(saved(&project)[0].1, HandoffClaim::Partial);
    let warned = |event: &LoopEvent| matches!(event, LoopEvent::Warning { text } if text.contains("says that it is incomplete"));
    assert!(project.events.all().iter().any(warned));
}

#[test]
fn a_crashed_session_submits_nothing_and_a_claim_in_a_review_neither() {
    let project = project(&[]);
    let text = agent::handoff("fine", true, json!([]));
    let processes = crate::in_process::processes::PlayedProcesses::new(|_| text.clone(), || {});
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    let iteration = run.started(Mode::Review, "US-1", 1);
    let context = run.story_context(&id("US-1"), Default::default());
    run.control.executor = &processes;
    let session = run.lane.run_session(&iteration, &context, &mut run.control).unwrap();
    run.lane.apply_handoff(&iteration, &session).unwrap();
    assert_eq!(project.story("US-1")["reviewStatus"], Value::Null);
}

#[test]
fn without_a_handoff_the_runner_makes_one_of_commits_and_files() {
    let mut project = project(&[]);
    project.options.run.policy.max_iterations = 1;
    project.commit("src/old.rs", "old\n");
    project.finished(|_| {
        project.commit("src/new.rs", "work");
        project.git(&["rm", "-q", "src/old.rs"]);
        project.git(&["commit", "-q", "-m", "without the old one"]);
        "done".to_owned()
    });
    let [(source, claim, _)] = &saved(&project)[..] else { panic!("one handoff") };
    assert_eq!((*source, *claim), (HandoffSource::Runner, HandoffClaim::Partial));
    let kept = project.saved().run.memory.uncompacted[0].clone();
    let text: Value = serde_json::from_str(&project.read(&kept.file)).unwrap();
    let files: Vec<(&str, &str)> = text["files_touched"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| (file["path"].as_str().unwrap(), file["action"].as_str().unwrap()))
        .collect();
    assert!(files.contains(&("src/new.rs", "created")), "{files:?}");
    assert!(files.contains(&("src/old.rs", "deleted")), "{files:?}");
    assert!(text.to_string().contains("without the old one"), "{text}");
}

#[test]
fn a_silent_session_without_work_has_no_handoff() {
    let mut project = project(&[]);
    project.options.run.policy.max_iterations = 1;
    project.finished(|_| String::new());
    assert_eq!(saved(&project), []);
}

#[test]
fn the_next_prompt_contains_the_handoff() {
    let mut project = remembering(Project::with(&[story("US-1"), story("US-2")], &[]));
    project.options.review = tasks::ReviewPolicy::Skipped;
    project.options.run.policy.max_iterations = 2;
    let mut prompts = Vec::new();
    project.finished(|prompt| {
        prompts.push(prompt.to_owned());
        let number = prompts.len();
        project.write(&format!("src/{number}.rs"), "work");
        agent::handoff("the sum is in src/1.rs", true, json!([]))
    });
    assert!(!prompts[0].contains("the sum is in src/1.rs"));
    assert!(prompts[1].contains("the sum is in src/1.rs"), "{}", prompts[1]);
}

fn amended(project: &Project) -> Vec<(Vec<String>, Vec<String>)> {
    let changes = |event| match event {
        LoopEvent::PlanAmended { applied, refused, .. } => Some((applied, refused)),
        _ => None,
    };
    project.events.all().into_iter().filter_map(changes).collect()
}

fn new_story() -> Value {
    json!({"action": "add", "task": {"id": "US-2", "title": "Difference", "description": "d",
        "acceptance_criteria": ["works"], "priority": 2}, "reason": "it is missing"})
}

#[test]
fn an_accepted_iteration_may_add_a_story_and_a_refused_change_is_reported_to_the_next_one() {
    let mut project = project(&[]);
    project.options.run.policy.max_iterations = 1;
    let remove = json!({"action": "remove", "task_id": "US-1", "reason": "no"});
    project.finished(|_| {
        project.write("src/new.rs", "work");
        agent::handoff("sum", true, json!([new_story(), remove]))
    });
    let [(applied, refused)] = &amended(&project)[..] else { panic!("one report") };
    assert_eq!((applied.len(), refused.len()), (1, 1), "{applied:?} {refused:?}");
    assert_eq!(project.story("US-2")["title"], "Difference");
    let state = project.saved().run;
    assert_eq!(state.memory.refused, *refused);
    let log = project.read(&format!(".ralph/runs/{}/amendments.jsonl", state.run_id));
    assert_eq!(log.lines().count(), 2);
    assert!(log.contains("it is missing"));
    let subjects = project.git(&["log", "--format=%s"]);
    assert!(subjects.contains("ralph: amend the plan as"), "{subjects}");
    let added = |event: &LoopEvent| matches!(event, LoopEvent::StoryAdded { story } if story.id == id("US-2"));
    assert!(project.events.all().iter().any(added));
    assert_eq!(project.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_failed_iteration_changes_no_plan() {
    for (wanted, text) in [
        (json!([new_story()]), "the change to the plan of iteration 1 refused"),
        (json!([new_story(), new_story()]), "the 2 changes to the plan of iteration 1 refused"),
    ] {
        let mut project = project(&["fail"]);
        project.options.run.policy.max_iterations = 1;
        project.finished(|_| {
            project.write("src/new.rs", "work");
            agent::handoff("sum", true, wanted.clone())
        });
        let [(applied, refused)] = &amended(&project)[..] else { panic!("one report") };
        assert!(applied.is_empty() && refused[0].starts_with(text), "{refused:?}");
        assert!(!project.read("ralph/tasks.json").contains("US-2"));
    }
}

#[test]
fn a_coding_iteration_forgets_the_refusals_of_the_last_one_and_a_review_does_not() {
    for (mode, left) in [(Mode::Review, 1), (Mode::Implement, 0)] {
        let project = project(&[]);
        let mut observer = project.events.clone();
        let mut run = project.coordinator(&mut observer);
        run.state.memory.refused.push("no".into());
        let iteration = run.started(mode, "US-1", 1);
        run.amend_plan(&iteration, Step::None, &[]).unwrap();
        assert_eq!(run.state.memory.refused.len(), left, "{mode}");
        assert_eq!(amended(&project), []);
    }
}

/// Two stories without reviews: the second iteration compacts first.
fn compacting(answer: impl Fn(&Project) -> String + Sync) -> (Project, Vec<String>) {
    let mut project = remembering(Project::with(&[story("US-1"), story("US-2")], &[]));
    project.options.review = tasks::ReviewPolicy::Skipped;
    project.options.run.policy.max_iterations = 2;
    project.options.memory.as_mut().unwrap().compact_after_iterations = 1;
    let mut prompts = Vec::new();
    project.finished(|prompt| {
        prompts.push(prompt.to_owned());
        if prompt.contains(COMPACTION) {
            return answer(&project);
        }
        let number = prompts.len();
        project.write(&format!("src/{number}.rs"), "work");
        agent::handoff(&format!("summary {number}"), true, json!([]))
    });
    (project, prompts)
}

#[test]
fn after_enough_handoffs_an_account_replaces_them_in_prompts() {
    let (project, prompts) = compacting(|_| agent::account());
    assert_eq!(prompts.len(), 3);
    assert!(prompts[1].contains("summary 1") && prompts[1].contains("Iteration 1 (implement of"));
    assert!(prompts[1].contains("Nothing yet."), "{}", prompts[1]);
    assert!(prompts[1].contains("None requested. The next story is US-2: Sum."), "{}", prompts[1]);
    assert!(prompts[2].contains("a library of sums"), "{}", prompts[2]);
    let reason = project.events.all().into_iter().find_map(|event| match event {
        LoopEvent::CompactionStarted { reason, handoffs, .. } => Some((reason, handoffs)),
        _ => None,
    });
    assert_eq!(reason, Some((CompactionReason::Interval, 1)));
    assert_eq!(compactions(&project), [(CompactionOutcome::Compacted, String::new())]);
    let state = project.saved().run;
    assert!(project.saved().lane.side_session.is_none());
    assert_eq!((state.memory.compactions, state.memory.uncompacted.len()), (1, 1));
    let kept = format!(".ralph/memory/history/{}-001.json", state.run_id);
    assert!(project.read(&kept).contains("a library of sums"));
}

#[test]
fn an_unusable_account_loses_nothing() {
    for (answer, expected) in [
        ("no idea", "the agent gave no account in the requested format"),
        ("```json\n{\"project_summary\": 3}\n```", "the account is unusable: "),
    ] {
        let (project, prompts) = compacting(|_| answer.to_owned());
        assert_eq!(prompts.len(), 3, "the iteration runs all the same");
        let [(CompactionOutcome::Failed, text)] = &compactions(&project)[..] else {
            panic!("{:?}", compactions(&project));
        };
        assert!(text.starts_with(expected), "{text}");
        let memory = project.saved().run.memory;
        assert_eq!((memory.compactions, memory.uncompacted.len()), (0, 2));
    }
}

#[test]
fn a_compaction_cannot_change_the_project() {
    let (project, _) = compacting(|project| {
        project.write("src/lib.rs", "changed");
        project.set("US-2", &[("passes", json!(true)), ("notes", json!("n"))]);
        agent::account()
    });
    assert_eq!(project.read("src/lib.rs"), "pub fn sum() {}\n");
    let restored = |event: &&LoopEvent| matches!(event, LoopEvent::Warning { text } if text.ends_with("; restored"));
    assert!(project.events.all().iter().filter(restored).count() > 0);
}

#[test]
fn what_a_killed_compaction_changed_is_restored() {
    let project = project(&[]);
    let (mut first, mut second) = (project.events.clone(), project.events.clone());
    let mut run = project.coordinator(&mut first);
    let expected = run.expected_tasks().unwrap();
    let folder = crate::run_files::new_folder(run.layout, "r1", "001-memory", 1).unwrap();
    let protected = crate::workspace::protected_contents(run.layout, []);
    crate::lane::write_before(run.layout, &folder, &expected, &protected).unwrap();
    run.lane_state.side_session = Some(crate::coordinator::state::SideSessionState {
        kind: Default::default(),
        folder: run.layout.name_of(&folder),
        head: project.git(&["rev-parse", "HEAD"]),
        protected: ::project::record_protected(run.layout),
    });
    run.save().unwrap();
    drop(run);
    project.write("src/lib.rs", "changed");
    project.set("US-1", &[("passes", json!(true)), ("reviewStatus", json!("approved"))]);
    let mut run = project.resumed(project.saved(), &mut second);
    run.finish_interrupted().unwrap();
    assert!(run.lane_state.side_session.is_none() && project.saved().lane.side_session.is_none());
    assert_eq!(project.read("src/lib.rs"), "pub fn sum() {}\n");
    assert_eq!(project.story("US-1")["passes"], false);
    let restored = |event: &LoopEvent| matches!(event, LoopEvent::LeftoverFound { text } if text.ends_with("restored"));
    assert!(project.events.all().iter().any(restored));
}

#[test]
fn documentation_is_looked_up_once_for_a_story_that_needs_it() {
    let mut first = story("US-1");
    first["libraries"] = json!(["serde"]);
    let mut project = remembering(Project::with(&[first], &[]));
    project.options.run.policy.max_iterations = 2;
    let mut prompts = Vec::new();
    project.finished(|prompt| {
        prompts.push(prompt.to_owned());
        match prompt.contains(COMPACTION) {
            true => agent::account(),
            false => agent::handoff("half", false, json!([])),
        }
    });
    assert_eq!(prompts.len(), 3, "one lookup and two iterations");
    assert!(prompts[0].contains("The next story is US-1: Sum. It needs:\n\n- serde"));
    assert!(prompts[0].contains("None."), "no handoffs yet");
    assert_eq!(project.saved().run.memory.docs_for, Some(id("US-1")));
    let reason = |event: &LoopEvent| {
        matches!(event, LoopEvent::CompactionStarted { reason: CompactionReason::Docs, .. })
    };
    assert!(project.events.all().iter().any(reason));
}
