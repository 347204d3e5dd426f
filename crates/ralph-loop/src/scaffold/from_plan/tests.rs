//! Importing a plan: the fields, the remarks and the refusals.

use proptest::prelude::*;
use serde_json::{Value, json};
use tasks::{ReviewStatus, Story, TaskList};

use super::{Imported, read};

fn task(id: &str) -> Value {
    json!({
        "id": id,
        "title": format!("Title of {id}"),
        "description": format!("What {id} is"),
        "status": "pending",
        "order": 1,
        "acceptance_criteria": ["it works"],
        "depends_on": [],
    })
}

fn with(mut task: Value, fields: Value) -> Value {
    task.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    task
}

fn plan(tasks: impl IntoIterator<Item = Value>) -> Value {
    json!({"tasks": tasks.into_iter().collect::<Vec<_>>()})
}

fn imported(plan: &Value) -> Imported {
    read(plan.to_string().as_bytes()).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn list(plan: &Imported) -> TaskList {
    let text = plan.task_list("p", "b", &["make test".into()]);
    tasks::inspect(text.as_bytes()).accepted().unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn remarks(plan: &Imported) -> Vec<String> {
    plan.remarks.iter().map(|remark| remark.message.clone()).collect()
}

fn one(task: Value) -> (Story, Vec<String>) {
    let plan = imported(&plan([task]));
    (list(&plan).stories.remove(0), remarks(&plan))
}

fn problems(plan: &Value) -> Vec<String> {
    read(plan.to_string().as_bytes()).unwrap_err()
}

#[test]
fn every_field_goes_to_its_counterpart() {
    let full = with(
        task("TASK-001"),
        json!({"order": 7, "skills": ["testing"], "needs_docs": true, "libraries": ["serde"],
            "max_turns": 15, "depends_on": ["TASK-002"], "max_retries": 2}),
    );
    let plan = with(
        plan([full, with(task("TASK-002"), json!({"max_retries": 4}))]),
        json!({"project": "compass", "branch": "feature/x", "max_iterations": 50}),
    );
    let plan = imported(&plan);
    assert_eq!(remarks(&plan), [""; 0]);
    assert_eq!(
        (plan.project.as_deref(), plan.branch.as_deref()),
        (Some("compass"), Some("feature/x"))
    );
    assert_eq!(
        (plan.settings.maximum_iterations, plan.settings.most_attempts),
        (Some(50), Some(5))
    );
    let list = list(&plan);
    let story = &list.stories[0];
    assert_eq!(list.verify_commands, ["make test".into()]);
    assert_eq!((story.id.as_str(), story.priority), ("TASK-001", 7.0));
    assert_eq!(
        (story.title.as_str(), story.description.as_str()),
        ("Title of TASK-001", "What TASK-001 is")
    );
    assert_eq!(story.acceptance_criteria, ["it works"]);
    assert_eq!(story.depends_on[0].as_str(), "TASK-002");
    assert_eq!((story.skills[0].as_str(), story.needs_docs), ("testing", true));
    assert_eq!(
        (story.libraries.as_slice(), story.max_turns),
        (&["serde".to_owned()][..], Some(15))
    );
}

#[test]
fn each_status_has_its_state() {
    let cases = [
        ("pending", false, "", None),
        ("in_progress", false, "", Some("story A was in progress; it starts again")),
        ("done", true, "Done in the imported plan.", None),
        (
            "failed",
            false,
            "Failed in the imported plan.",
            Some("story A had failed; it starts again"),
        ),
    ];
    for (status, passes, notes, remark) in cases {
        let (story, remarks) = one(with(task("A"), json!({"status": status})));
        assert_eq!((story.passes, story.notes.as_str()), (passes, notes), "{status}");
        assert_eq!(story.review_status == ReviewStatus::Approved, passes, "{status}");
        assert_eq!(story.review_count, 0);
        assert_eq!(remarks, Vec::from_iter(remark), "{status}");
    }
}

#[test]
fn skipped_tasks_and_dependencies_on_them_are_dropped() {
    let plan = imported(&plan([
        with(task("A"), json!({"status": "skipped", "depends_on": ["B"]})),
        with(task("B"), json!({"depends_on": ["A"]})),
    ]));
    assert_eq!(list(&plan).stories.len(), 1);
    assert_eq!(list(&plan).stories[0].depends_on, []);
    let expected = [
        "task \"A\" was skipped and is not imported",
        "story B does not depend on \"A\", which was skipped",
    ];
    assert_eq!(remarks(&plan), expected);
}

#[test]
fn invalid_ids_are_mapped_and_dependencies_follow() {
    let plan = imported(&plan([task("a b"), with(task("C"), json!({"depends_on": ["a b"]}))]));
    let list = list(&plan);
    assert_eq!(list.stories[0].id.as_str(), "a-b");
    assert_eq!(list.stories[1].depends_on, [list.stories[0].id.clone()]);
    assert_eq!(remarks(&plan), ["task \"a b\" becomes story a-b"]);
}

#[test]
fn without_criteria_the_description_or_the_title_is_one() {
    for (description, criterion, from) in
        [("What A is", "What A is", "description"), (" ", "Title of A", "title")]
    {
        for criteria in [json!([]), json!(null), json!(["", " "])] {
            let fields = json!({"acceptance_criteria": criteria, "description": description});
            let (story, remarks) = one(with(task("A"), fields));
            assert_eq!(story.acceptance_criteria, [criterion]);
            let remark =
                format!("story A had no acceptance criteria; its {from} becomes the criterion");
            assert_eq!(remarks, [remark]);
        }
    }
}

#[test]
fn tasks_without_an_order_come_last_in_theirs() {
    let plan = imported(&plan([
        with(task("A"), json!({"order": null})),
        with(task("B"), json!({"order": 2.5})),
        with(task("C"), json!({"order": null})),
        with(task("D"), json!({"order": 2.5})),
    ]));
    let priorities: Vec<f64> = list(&plan).stories.iter().map(|story| story.priority).collect();
    assert_eq!(priorities, [3.0, 2.5, 3.0, 2.5]);
    let last = "had no order; it comes last, with priority 3";
    assert_eq!(remarks(&plan), [format!("story A {last}"), format!("story C {last}")]);
}

#[test]
fn values_without_a_counterpart_are_reported() {
    let plan = with(
        plan([
            with(task("A"), json!({"owner": "x", "retry_count": 1, "skills": ["../x", "ok"]})),
            with(task("B"), json!({"owner": "y", "tags": []})),
        ]),
        json!({"validation_strategy": "tests_only", "version": 3}),
    );
    let expected = [
        "\"version\" has no counterpart",
        "\"owner\" of 2 tasks has no counterpart",
        "\"tags\" of 1 task has no counterpart",
        "retry_count has no counterpart: attempts start at 0",
        "story A: \"../x\" is not a valid skill name and is dropped",
    ];
    let plan = imported(&plan);
    assert_eq!(remarks(&plan), expected);
    assert_eq!(plan.settings.validation, Some(run_options::ValidationStrategy::TestsOnly));
    let wire = serde_json::to_value(&plan.remarks).unwrap();
    let version = json!({"kind": "unknownKey", "about": "version",
        "message": "\"version\" has no counterpart"});
    assert_eq!(wire[0], version);
}

#[test]
fn every_problem_is_found_at_once_with_its_place() {
    let broken = json!({
        "project": 1, "branch": "a b", "max_iterations": 0, "validation_strategy": "loose",
        "tasks": [
            {"id": "A", "title": " ", "status": "finished", "order": "1", "skills": "x",
             "needs_docs": "no", "acceptance_criteria": ["a", 2], "max_turns": 0, "max_retries": -1},
            "B",
            {"title": "T"},
            with(task("C"), json!({"depends_on": ["X"]})),
            task("C"),
        ],
    });
    let a = "tasks[0] (\"A\"): ";
    let expected = [
        "project: expected a string, found 1".to_owned(),
        "branch: expected a valid git branch name, found \"a b\"".into(),
        "max_iterations: expected a whole number, 1 or more, found 0".into(),
        "validation_strategy: expected one of \"strict\", \"lenient\", \"tests_only\", found \"loose\"".into(),
        format!("{a}title: expected a string that is not blank, found \" \""),
        format!("{a}status: expected one of \"pending\", \"in_progress\", \"done\", \"failed\", \"skipped\", found \"finished\""),
        format!("{a}order: expected a number, found \"1\""),
        format!("{a}skills: expected an array, found \"x\""),
        format!("{a}needs_docs: expected true or false, found \"no\""),
        format!("{a}acceptance_criteria[1]: expected a string, found 2"),
        format!("{a}max_turns: expected a whole number, 1 or more, found 0"),
        format!("{a}max_retries: expected a whole number, 0 or more, found -1"),
        "tasks[1]: expected an object, found \"B\"".into(),
        "tasks[2]: id: expected a string, found nothing".into(),
        "tasks[3] (\"C\"): depends_on: expected the id of a task of this plan, found \"X\"".into(),
        "tasks[4] (\"C\"): id: expected a unique id, found \"C\"".into(),
    ];
    assert_eq!(problems(&broken), expected);
}

#[test]
fn an_invalid_plan_is_reported_with_its_place() {
    let problem = |text: &str| read(text.as_bytes()).unwrap_err()[0].to_string();
    assert_eq!(problem("{\n  \"tasks\": }"), "line 2, column 12: expected value");
    assert!(problem("[]").contains("expected a map"), "{}", problem("[]"));
    assert_eq!(problem("{}"), "tasks: expected an array, found nothing");
}

#[test]
fn a_cycle_is_a_problem() {
    let cycle = plan([
        with(task("A"), json!({"depends_on": ["B"]})),
        with(task("B"), json!({"depends_on": ["A"]})),
    ]);
    let expected = "story A: dependsOn: expected no cycle, found A → B → A";
    assert_eq!(problems(&cycle), [expected]);
}

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,70}".prop_map(Value::from),
        prop::collection::vec(".{0,9}", 0..3).prop_map(Value::from),
    ]
}

fn any_task() -> impl Strategy<Value = Value> {
    let status = prop::sample::select(&["pending", "in_progress", "done", "failed", "skipped"][..]);
    let fields = prop::sample::select(
        &[
            "order",
            "title",
            "description",
            "acceptance_criteria",
            "skills",
            "max_turns",
            "libraries",
        ][..],
    );
    let odd = prop::option::weighted(0.2, (fields, any_value()));
    let id = prop_oneof!["[ a-c/é]{1,3}", ".{1,80}"];
    (id, status, any::<prop::sample::Index>(), odd).prop_map(|(id, status, on, odd)| {
        let mut task = with(task(&id), json!({"status": status, "on": on.index(1000)}));
        if let Some((field, value)) = odd {
            task[field] = value;
        }
        task
    })
}

proptest! {
    #[test]
    fn every_imported_plan_is_a_valid_list(
        tasks in prop::collection::vec(any_task(), 0..8),
        top in prop::option::weighted(0.3, (".{0,9}", any_value())),
    ) {
        let ids: Vec<String> = tasks.iter().map(|t| t["id"].as_str().unwrap().to_owned()).collect();
        let mut plan = plan(tasks.into_iter().enumerate().map(|(n, mut task)| {
            let on = task["on"].as_u64().unwrap() as usize;
            // Only earlier ones, so that most have no cycle.
            task["depends_on"] = if n > 0 { json!([ids[on % n]]) } else { json!([]) };
            task
        }));
        if let Some((key, value)) = top {
            plan[key] = value;
        }
        // A refusal always names a problem.
        match read(plan.to_string().as_bytes()) {
            Ok(plan) => {
                list(&plan);
                prop_assert!(remarks(&plan).iter().all(|line| !line.is_empty()));
            }
            Err(problems) => prop_assert!(!problems.is_empty()),
        }
    }
}
