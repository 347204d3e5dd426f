//! Stories for an existing list.

use forge::{ForgeKind, Issue, Remote, Repository};
use serde_json::{Value, json};

use super::*;

fn issue(number: u64, body: &str) -> Issue {
    Issue {
        number,
        title: format!("Issue {number}"),
        body: body.to_owned(),
        labels: Vec::new(),
        milestone: None,
        url: format!("https://h/o/r/issues/{number}"),
        is_open: true,
        author: None,
        assignees: Vec::new(),
        is_pull_request: false,
    }
}

fn imported(issues: &[Issue]) -> Imported {
    let remote = Remote::parse("https://h/o/r").unwrap();
    let repository = Repository::new(&remote, Some(ForgeKind::Forgejo), None).unwrap();
    Imported::of_forge("the issues".into(), forge::import(issues, &repository))
}

fn listed(id: &str, source: Value) -> Value {
    json!({"id": id, "title": "t", "description": "d", "acceptanceCriteria": ["c"], "priority": 2.5,
        "passes": false, "reviewStatus": null, "reviewCount": 0, "reviewFeedback": "", "notes": "",
        "source": source})
}

fn list(stories: &[Value]) -> String {
    let list = json!({"own": 1, "project": "p", "branchName": "b", "description": "",
        "userStories": stories});
    format!("{list:#}\n")
}

fn added(text: &str, issues: &[Issue]) -> (Additions, Vec<tasks::Story>) {
    let added = added_to(text.as_bytes(), &imported(issues)).unwrap().unwrap();
    let list = tasks::inspect(added.text.as_bytes()).accepted();
    let stories = list.unwrap_or_else(|problems| panic!("{problems:?}")).stories;
    (added, stories)
}

fn messages(added: &Additions) -> Vec<&str> {
    added.remarks.iter().map(|remark| remark.message.as_str()).collect()
}

#[test]
fn only_new_sources_are_added_and_no_other_byte_changes() {
    let before =
        list(&[listed("US-1", Value::Null), listed("ISSUE-1", json!("https://h/o/r/issues/1"))]);
    let issues = [issue(1, "- [ ] a"), issue(2, "- [ ] a\n\ndepends on #1")];
    let (first, stories) = added(&before, &issues);
    assert_eq!(first.stories, 1);
    assert!(first.text.starts_with(before.trim_end().strip_suffix("\n  ]\n}").unwrap()));
    let new = &stories[2];
    assert_eq!((new.id.as_str(), new.priority), ("ISSUE-2", 5.0), "after 2.5, as the second");
    assert_eq!(new.depends_on, [stories[1].id.clone()]);
    assert_eq!(new.source.as_deref(), Some("https://h/o/r/issues/2"));
    assert_eq!(messages(&first), ["https://h/o/r/issues/1 is in the task list already"]);
    let (second, _) = added(&first.text, &issues);
    assert_eq!((second.stories, second.text), (0, first.text));
}

#[test]
fn a_split_story_is_known_and_others_depend_on_its_parts() {
    let source = json!("https://h/o/r/issues/1");
    let before = list(&[listed("A", source.clone()), listed("B", source)]);
    let (added, stories) = added(&before, &[issue(1, "- [ ] a"), issue(2, "blocked by #1")]);
    assert_eq!(added.stories, 1);
    assert_eq!(stories[2].depends_on, [stories[0].id.clone(), stories[1].id.clone()]);
}

#[test]
fn a_taken_id_gets_a_number_and_dependencies_follow() {
    let before = list(&[listed("ISSUE-1", json!("https://other/o/r/issues/1"))]);
    let (added, stories) = added(&before, &[issue(1, "- [ ] a"), issue(2, "blocked by #1")]);
    assert_eq!(stories[1].id.as_str(), "ISSUE-1-2");
    assert_eq!(stories[2].depends_on, [stories[1].id.clone()]);
    let renamed = "story ISSUE-1 becomes ISSUE-1-2: the task list has another ISSUE-1";
    assert!(messages(&added).contains(&renamed), "{added:?}");
}

#[test]
fn the_example_of_the_template_is_replaced() {
    let example = crate::scaffold::templates::TASKS;
    let (added, stories) = added(example, &[issue(1, "- [ ] a"), issue(2, "- [ ] a")]);
    let ids: Vec<&str> = stories.iter().map(|story| story.id.as_str()).collect();
    assert_eq!(ids, ["ISSUE-1", "ISSUE-2"]);
    let head = example.split("    {\n").next().unwrap();
    assert!(added.text.starts_with(head), "{}", added.text);
}

#[test]
fn a_list_with_problems_is_not_extended_and_stories_without_source_are_not_added() {
    let one = imported(&[issue(1, "- [ ] a")]);
    assert!(added_to(b"{", &one).is_err());
    let twice = list(&[listed("A", Value::Null), listed("A", Value::Null)]);
    assert!(added_to(twice.as_bytes(), &one).unwrap_err().contains("id"));
    let mut without = one;
    without.stories[0].source = None;
    let good = list(&[listed("A", Value::Null)]);
    assert_eq!(added_to(good.as_bytes(), &without), Ok(None));
}
