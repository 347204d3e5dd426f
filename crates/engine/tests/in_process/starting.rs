//! How a run starts: preconditions, branch, the last run, and what is left of it.

use std::fs;

use events::{IterationStatus, LoopEvent, RunEnd};
use run_options::GuardrailKind;
use serde_json::{Value, json};
use tasks::Mode;

use crate::coordinator::start::has_unjudged_iteration;
use crate::coordinator::{DryRun, JudgedList, dry_run, judged_list};
use crate::in_process::agent;
use crate::in_process::project::{BRANCH, Project, id, story};
use crate::options::{Guardrail, StartMode, ValidationStrategy};
use crate::{FinishedRun, LoopResult};

fn complete(project: &Project) -> FinishedRun {
    project.finished(|_| agent::work(project, true))
}

fn refusal(project: &Project) -> (String, String) {
    let error = project.run(|_| panic!("no session")).unwrap_err();
    (error.to_string(), error.hint().unwrap_or_default())
}

fn started(project: &Project) -> Vec<LoopEvent> {
    let is_start = |event: &LoopEvent| matches!(event, LoopEvent::RunStarted { .. });
    project.events.all().into_iter().filter(is_start).collect()
}

#[test]
fn a_run_switches_to_the_branch_of_the_list_and_reports_what_it_does() {
    let project = Project::new(&["pass"]);
    project.git(&["switch", "-q", "main"]);
    project.git(&["branch", "-D", BRANCH]);
    let finished = complete(&project);
    assert_eq!(finished.end, RunEnd::Complete);
    assert!(finished.error.is_none());
    assert_eq!(project.git(&["branch", "--show-current"]), BRANCH);
    let [LoopEvent::RunStarted { start, resumed, stories, .. }] = &started(&project)[..] else {
        panic!("one start");
    };
    assert_eq!((start.branch.as_str(), start.base.as_deref()), (BRANCH, Some("main")));
    assert_eq!((start.review_cap, start.checks, stories.len()), (Some(3), Some(1), 1));
    assert!(resumed.is_none());
    let estimated = |event: &LoopEvent| matches!(event, LoopEvent::RunEstimated { estimate } if estimate.iterations == 3 && estimate.iterations_left == 20);
    assert!(project.events.all().iter().any(estimated));
    let saved = project.saved().run;
    assert_eq!((saved.ended, saved.base.as_deref()), (Some(RunEnd::Complete), Some("main")));
    assert!(!project.root().join(".ralph-active").exists());
}

#[test]
fn a_run_on_its_own_branch_finds_the_branch_to_merge_into() {
    let project = Project::new(&[]);
    complete(&project);
    assert_eq!(project.saved().run.base.as_deref(), Some("main"));
}

#[test]
fn a_complete_list_starts_no_run() {
    let project = Project::new(&[]);
    complete(&project);
    let before = project.saved();
    let events = project.events.all().len();
    let again = project.run(|_| panic!("no session")).unwrap();
    assert!(matches!(again, LoopResult::NothingToDo { stories: 1 }));
    assert_eq!(project.saved(), before);
    assert_eq!(project.events.all().len(), events, "no event either");
}

#[test]
fn a_run_that_may_be_resumed_continues_with_its_counters() {
    let mut project = Project::new(&[]);
    project.options.run.policy.max_iterations = 1;
    assert_eq!(complete(&project).end, RunEnd::IterationsUsed);
    let first = project.saved().run.run_id;
    project.options.run.start = StartMode::Resume;
    project.options.run.policy.max_iterations = 5;
    assert_eq!(complete(&project).end, RunEnd::Complete);
    let saved = project.saved().run;
    assert_eq!((saved.run_id, saved.counters.iterations), (first, 2));
    let [_, LoopEvent::RunStarted { resumed: Some(resumed), .. }] = &started(&project)[..] else {
        panic!("the second start resumes");
    };
    assert_eq!(resumed.iterations, 1);
}

#[test]
fn a_stopped_run_is_resumed_and_a_fresh_start_takes_its_work_over() {
    for (start, resumes) in [(StartMode::Auto, true), (StartMode::Fresh, false)] {
        let mut project = Project::new(&["pass"]);
        let mut sessions = 0;
        let finished = project.finished(|_| {
            sessions += 1;
            if sessions == 2 {
                project.switch.request(events::StopSignal::Interrupt);
                return String::new();
            }
            agent::work(&project, true)
        });
        assert_eq!(finished.end, RunEnd::Interrupted);
        let first = project.saved().run;
        assert_eq!(first.stories[&id("US-1")].work.len(), 1);
        project.switch = crate::StopSwitch::new(std::time::Duration::ZERO);
        project.options.run.start = start;
        assert_eq!(complete(&project).end, RunEnd::Complete);
        let second = project.saved().run;
        assert_eq!(second.run_id == first.run_id, resumes, "{start:?}");
        let record = &second.stories[&id("US-1")];
        assert_eq!(record.work[0].from, first.stories[&id("US-1")].work[0].from);
        assert_eq!(record.began_at, first.stories[&id("US-1")].began_at);
        assert_eq!(record.iterations, if resumes { 3 } else { 1 }, "{start:?}");
    }
}

#[test]
fn work_that_is_no_longer_on_the_branch_is_not_taken_over() {
    let mut project = Project::new(&["pass"]);
    project.options.run.policy.max_iterations = 1;
    complete(&project);
    project.git(&["reset", "-q", "--hard", "HEAD~1"]);
    project.submit("US-1");
    project.options.run.start = StartMode::Fresh;
    complete(&project);
    let work = &project.saved().run.stories[&id("US-1")].work;
    assert!(work.len() <= 1, "{work:?}");
}

#[test]
fn there_is_no_run_to_resume() {
    let mut project = Project::new(&[]);
    project.options.run.start = StartMode::Resume;
    let (text, hint) = refusal(&project);
    assert_eq!(text, "no run to resume");
    assert!(hint.contains("--resume"), "{hint}");
}

#[test]
fn uncommitted_changes_are_refused_unless_they_are_allowed() {
    let mut project = Project::new(&[]);
    project.write("src/mine.rs", "mine");
    let (text, hint) = refusal(&project);
    assert!(text.contains("src/mine.rs"), "{text}");
    assert!(hint.contains("--allow-dirty"), "{hint}");
    assert!(!project.root().join(".ralph/state.json").exists(), "nothing was recorded");
    project.options.allow_dirty = true;
    assert_eq!(complete(&project).end, RunEnd::Complete);
    let saved = project.saved();
    assert_eq!(saved.baseline.dirty_before, ["src/mine.rs"]);
}

#[test]
fn many_uncommitted_changes_are_counted() {
    let project = Project::new(&[]);
    for number in 0..12 {
        project.write(&format!("mine{number:02}.txt"), "");
    }
    let (text, _) = refusal(&project);
    assert!(text.contains("mine09.txt") && !text.contains("mine10.txt"), "{text}");
    assert!(text.ends_with("… and 2 more"), "{text}");
}

#[test]
fn an_invalid_branch_name_is_refused() {
    let project = Project::new(&[]);
    let list = project.read("ralph/tasks.json").replace(BRANCH, "a..b");
    project.commit("ralph/tasks.json", &list);
    let (text, hint) = refusal(&project);
    assert!(text.contains("branchName \"a..b\" is not a valid branch name"), "{text}");
    assert!(hint.contains("branchName"), "{hint}");
    let error = dry_run(&project.options).unwrap_err();
    assert!(error.to_string().contains("a..b"), "{error}");
}

#[test]
fn a_contradictory_list_is_refused_if_reviews_are_required() {
    let mut contradictory = story("US-1");
    contradictory["passes"] = json!(true);
    contradictory["notes"] = json!("n");
    let mut project = Project::with(&[contradictory, story("US-2")], &[]);
    let (text, hint) = refusal(&project);
    assert!(text.contains("contradictory") && text.contains("US-1"), "{text}");
    assert!(hint.contains("--skip-review"), "{hint}");
    assert!(dry_run(&project.options).unwrap_err().to_string().contains("contradictory"));
    project.options.review = tasks::ReviewPolicy::Skipped;
    assert!(dry_run(&project.options).is_ok());
}

#[test]
fn a_strategy_under_which_no_check_counts_is_refused() {
    let mut project = Project::new(&[]);
    project.options.validation = ValidationStrategy::TestsOnly;
    let lint = Guardrail { kind: GuardrailKind::Lint, ..Guardrail::of_command("pass") };
    project.options.run.guardrails = vec![lint.clone()];
    let (text, hint) = refusal(&project);
    assert!(text.contains("no guardrail counts"), "{text}");
    assert!(hint.contains("--validation strict"), "{hint}");
    project.options.run.guardrails.push(Guardrail { kind: GuardrailKind::Test, ..lint });
    assert_eq!(complete(&project).end, RunEnd::Complete);
}

#[test]
fn unknown_keys_and_variables_are_warnings() {
    let project = Project::new(&[]);
    let list = project.read("ralph/tasks.json").replace("\"title\"", "\"size\": 3, \"title\"");
    project.write("ralph/prompt.md", "Work on ${STORY_ID} with ${NOTHING}.");
    project.commit("ralph/tasks.json", &list);
    complete(&project);
    let warnings = project.warnings();
    let keys = warnings.iter().find(|text| text.contains("unknown keys")).unwrap();
    assert!(keys.starts_with("ralph/tasks.json") && keys.ends_with("size"), "{keys}");
    let variables = warnings.iter().find(|text| text.contains("unknown variables")).unwrap();
    assert_eq!(variables, "ralph/prompt.md has unknown variables: ${NOTHING}");
}

#[test]
fn the_marker_of_another_run_is_refused_and_the_own_one_removed() {
    let mut project = Project::new(&[]);
    project.write(".ralph-active", r#"{"runId": "other"}"#);
    assert!(refusal(&project).0.contains("its last iteration was not judged"));
    project.options.run.start = StartMode::Fresh;
    assert_eq!(complete(&project).end, RunEnd::Complete);
    let removed = |event: &LoopEvent| matches!(event, LoopEvent::LeftoverFound { text } if text.contains("removed the marker"));
    assert!(project.events.all().iter().any(removed));
}

#[test]
fn a_list_that_names_another_branch_does_not_move_a_resumed_run() {
    let mut project = Project::new(&[]);
    project.options.run.policy.max_iterations = 1;
    complete(&project);
    let list = project.read("ralph/tasks.json").replace(BRANCH, "other");
    project.commit("ralph/tasks.json", &list);
    project.options.run.start = StartMode::Resume;
    project.options.run.policy.max_iterations = 5;
    complete(&project);
    assert_eq!(project.git(&["branch", "--show-current"]), BRANCH);
    assert!(project.warnings().iter().any(|text| text.contains("stays on \"ralph/x\"")));
}

#[test]
fn the_failure_branches_of_the_last_run_become_tags() {
    let mut project = Project::new(&["fail"]);
    project.options.attempts.most = 1;
    assert_eq!(complete(&project).end, RunEnd::StoriesFailed);
    let branch = project.saved().run.stories[&id("US-1")].given_up.clone().unwrap().branch.unwrap();
    assert!(!project.git(&["branch", "--list", &branch]).is_empty());
    complete(&project);
    let tag = project.events.all().into_iter().find_map(|event| match event {
        LoopEvent::BranchArchived { branch: of, tag } if of == branch => Some(tag),
        _ => None,
    });
    assert!(!project.git(&["tag", "--list", &tag.unwrap()]).is_empty());
}

#[test]
fn a_failure_branch_that_is_checked_out_stays_a_branch() {
    let mut project = Project::new(&["fail"]);
    project.options.attempts.most = 1;
    complete(&project);
    let branch = project.saved().run.stories[&id("US-1")].given_up.clone().unwrap().branch.unwrap();
    let elsewhere = assert_fs::TempDir::new().unwrap();
    let path = elsewhere.path().join("tree");
    project.git(&["worktree", "add", "-q", path.to_str().unwrap(), &branch]);
    complete(&project);
    assert!(!project.git(&["branch", "--list", &branch]).is_empty());
    assert!(project.warnings().iter().any(|text| text.contains("checked out in a work tree")));
}

#[test]
fn a_run_can_be_limited_to_one_story() {
    let mut project = Project::with(&[story("US-1"), story("US-2")], &[]);
    project.options.only_story = Some(id("US-2"));
    let work = || match project.story("US-2")["reviewStatus"] == "needs_review" {
        true => agent::review(&project, "US-2", 1, true),
        false => {
            project.submit("US-2");
            String::new()
        }
    };
    assert_eq!(project.finished(|_| work()).end, RunEnd::Complete);
    assert_eq!(project.story("US-1")["passes"], false);
    assert!(last_text(&project).contains("story US-2 is done; the run was limited to it"));
    let (text, _) = refusal(&project);
    assert_eq!(text, "story US-2 is done already");
    let mut project = Project::new(&[]);
    project.options.only_story = Some(id("US-9"));
    assert_eq!(refusal(&project).0, "story US-9 not found in ralph/tasks.json");
}

pub(crate) fn last_text(project: &Project) -> String {
    let text = |event| match event {
        LoopEvent::RunEnded(ended) => Some(ended.text),
        _ => None,
    };
    project.events.all().into_iter().filter_map(text).next_back().unwrap()
}

#[test]
fn a_dry_run_shows_the_first_iteration_and_writes_nothing() {
    let mut project = Project::new(&["cargo test"]);
    project.write("src/mine.rs", "mine");
    let status = project.git(&["status", "--porcelain", "--ignored"]);
    let DryRun { selection, uncommitted, estimate, first } = dry_run(&project.options).unwrap();
    let expected = tasks::Selection::Work { mode: Mode::Implement, story: id("US-1") };
    assert_eq!((selection, uncommitted), (expected, vec!["src/mine.rs".to_owned()]));
    assert_eq!(estimate.unwrap().stories, 1);
    let first = first.unwrap();
    assert_eq!((first.branch.as_str(), first.checks), (BRANCH, vec!["cargo test".to_owned()]));
    assert!(first.prompt.contains("US-1"), "{}", first.prompt);
    assert_eq!(project.git(&["status", "--porcelain", "--ignored"]), status);
    project.options.allow_dirty = true;
    assert!(dry_run(&project.options).unwrap().uncommitted.is_empty());
}

#[test]
fn displays_know_whether_the_list_on_disk_was_judged() {
    let project = Project::new(&[]);
    let layout = &project.options.run.layout;
    assert_eq!(judged_list(layout), JudgedList::Unknown);
    let before = fs::read(layout.tasks()).unwrap();
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    run.started(Mode::Implement, "US-1", 4);
    assert!(has_unjudged_iteration(layout));
    assert_eq!(judged_list(layout), JudgedList::OnDisk);
    project.submit("US-1");
    let JudgedList::Unjudged(unjudged) = judged_list(layout) else { panic!("not judged") };
    assert_eq!((unjudged.iteration, unjudged.before), (4, Some(before.clone())));
    let copies = fs::read_dir(layout.run_dir("r1")).unwrap();
    for folder in copies {
        let _ = fs::remove_file(folder.unwrap().path().join("tasks.before.json"));
    }
    let JudgedList::Unjudged(unjudged) = judged_list(layout) else { panic!("not judged") };
    assert_eq!(unjudged.before, Some(before), "of the commit");
    drop(run);

    let project = Project::new(&[]);
    complete(&project);
    let layout = &project.options.run.layout;
    assert!(!has_unjudged_iteration(layout));
    assert_eq!(judged_list(layout), JudgedList::OnDisk);
    project.set("US-1", &[("notes", Value::from("by the user"))]);
    assert_eq!(judged_list(layout), JudgedList::Edited);
}

#[test]
fn a_fresh_start_first_judges_what_a_killed_run_left() {
    let mut project = Project::new(&["pass"]);
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    run.started(Mode::Implement, "US-1", 1);
    project.set("US-1", &[("passes", json!(true)), ("reviewStatus", json!("approved"))]);
    drop(run);
    project.options.run.start = StartMode::Fresh;
    assert_eq!(complete(&project).end, RunEnd::Complete);
    let statuses = project.events.all().into_iter().filter_map(|event| match event {
        LoopEvent::IterationEnded(ended) => Some(ended.status),
        _ => None,
    });
    let expected =
        [IterationStatus::Reverted, IterationStatus::Accepted, IterationStatus::Accepted];
    assert_eq!(statuses.collect::<Vec<_>>(), expected);
    assert_ne!(project.saved().run.run_id, "r1");
}

#[test]
fn what_a_reviewer_must_know_is_taken_over_too() {
    let mut project = Project::new(&["pass"]);
    project.options.run.policy.max_iterations = 1;
    complete(&project);
    let mut saved = project.saved();
    let record = saved.run.stories.get_mut(&id("US-1")).unwrap();
    let notice = crate::workspace::ReviewNotice {
        text: "ignored files".into(),
        names: Vec::new(),
        whole_list: None,
    };
    record.notices.push(notice.clone());
    record.work.clear();
    saved.save(&project.options.run.layout).unwrap();
    project.options.run.start = StartMode::Fresh;
    project.options.run.policy.max_iterations = 20;
    let mut prompts = Vec::new();
    project.finished(|prompt| {
        prompts.push(prompt.to_owned());
        agent::work(&project, prompts.len() > 1)
    });
    assert!(prompts[0].contains("ignored files"), "{}", prompts[0]);
}
