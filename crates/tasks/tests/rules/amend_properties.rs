//! Properties of amendments for arbitrary JSON.

use proptest::prelude::*;
use serde_json::{Value, json};
use tasks::{AmendmentRules, MOST_AMENDMENTS, ReviewPolicy, amend, inspect};

use crate::properties::any_list;
use crate::support::{id, parsed};

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,9}".prop_map(Value::from),
        any_id().prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(any_name(), inner, 0..4).prop_map(|map| json!(map)),
        ]
    })
}

fn any_id() -> impl Strategy<Value = String> {
    prop_oneof![4 => (0..9u8).prop_map(|n| format!("S{n}")), 1 => "[A-Z]{0,2}"]
}

fn any_name() -> impl Strategy<Value = String> {
    const NAMES: &[&str] = &[
        "action",
        "task_id",
        "task",
        "changes",
        "after",
        "reason",
        "id",
        "title",
        "description",
        "acceptance_criteria",
        "depends_on",
        "passes",
        "priority",
        "notes",
        "skills",
        "split_from",
    ];
    prop_oneof![9 => prop::sample::select(NAMES).prop_map(String::from), 1 => ".{0,5}"]
}

/// Similar enough to an amendment that many are applied.
fn any_amendment() -> impl Strategy<Value = Value> {
    let ids = || prop::collection::vec(any_id(), 0..3);
    let added = (any_id(), ids(), any_id(), prop::option::of(any_id())).prop_map(
        |(id, depends_on, split_from, after)| {
            let task = json!({"id": id, "title": "t", "description": "d", "depends_on": depends_on,
                "acceptance_criteria": ["c"], "split_from": split_from});
            json!({"action": "add", "task": task, "after": after, "reason": "r"})
        },
    );
    let changes = prop_oneof![
        ids().prop_map(|ids| json!({"depends_on": ids})),
        any::<f64>().prop_map(|priority| json!({"priority": priority, "notes": "\u{0}\n"})),
        ".{0,9}".prop_map(|title| json!({"title": title, "acceptance_criteria": [title]})),
        any_json(),
    ];
    let modified = (any_id(), changes).prop_map(|(id, changes)| {
        json!({"action": "modify", "task_id": id, "changes": changes, "reason": "r"})
    });
    let removed = any_id().prop_map(|id| json!({"action": "remove", "task_id": id, "reason": "r"}));
    let near = prop_oneof![3 => added, 2 => modified, 2 => removed];
    prop_oneof![
        6 => near.clone(),
        1 => any_json(),
        2 => (near, any_name(), any_json()).prop_map(|(mut amendment, name, value)| {
            amendment[name] = value;
            amendment
        }),
    ]
}

/// The bytes of the stories that no amendment may change.
fn kept(text: &str, current: &str) -> Vec<String> {
    #[derive(serde::Deserialize)]
    struct List<'t> {
        #[serde(rename = "userStories", borrow)]
        stories: Vec<&'t serde_json::value::RawValue>,
    }
    let list: List<'_> = serde_json::from_str(text).unwrap();
    let stories = list.stories.into_iter().map(|story| story.get().to_owned());
    stories
        .filter(|story| {
            let story: Value = serde_json::from_str(story).unwrap();
            story["id"] == current || story["passes"] == true || story["reviewStatus"] == "approved"
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn the_result_is_valid_and_protected_stories_stay(
        list in any_list(),
        current in 0..8u8,
        pretty in any::<bool>(),
        skipped in any::<bool>(),
        amendments in prop::collection::vec(any_amendment(), 0..6),
    ) {
        let current = format!("S{current}");
        let text = if pretty { format!("{list:#}\n") } else { list.to_string() };
        let review = if skipped { ReviewPolicy::Skipped } else { ReviewPolicy::Required { cap: 3 } };
        let rules = AmendmentRules { current: &id(&current), review };
        let amended = amend(&text, &amendments, &rules);

        let after = inspect(amended.text.as_bytes()).accepted();
        prop_assert!(after.is_ok(), "{:?}\n{}", after, amended.text);
        prop_assert_eq!(kept(&amended.text, &current), kept(&text, &current));
        prop_assert_eq!(amended.outcomes.len(), amendments.len());
        let applied = amended.outcomes.iter().filter(|outcome| outcome.is_applied()).count();
        prop_assert!(applied <= MOST_AMENDMENTS);
        prop_assert!(applied > 0 || amended.text == text);
        for outcome in &amended.outcomes {
            let words = outcome.to_string();
            prop_assert!(words.len() < 5000 && !words.contains('\n'), "{}", words);
        }
        // No amendment changes a review state.
        for story in after.unwrap().stories {
            let before = parsed(&list).story(&story.id).map(tasks::Story::state);
            prop_assert_eq!(story.state(), before.unwrap_or(tasks::StoryState::FRESH));
        }
    }
}
