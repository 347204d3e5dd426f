//! Properties over random task lists: legal iterations pass, any one illegal change is found, and
//! order and unknown fields never matter.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};
use tasks::{
    Iteration, Mode, ReviewPolicy, Selection, Snapshot, TaskList, check_invariants, judge, select,
};

use crate::support::{id, list, parsed, story_at};

pub(crate) const CAP: u64 = 4;

/// A story in any state that the cycle can leave it in.
fn any_state() -> impl Strategy<Value = (bool, Option<&'static str>, u64)> {
    prop_oneof![
        Just((false, None, 0)),
        (0..CAP).prop_map(|count| (false, Some("needs_review"), count)),
        (1..CAP).prop_map(|count| (false, Some("changes_requested"), count)),
        (1..=CAP).prop_map(|count| (true, Some("approved"), count)),
    ]
}

pub(crate) fn any_list() -> impl Strategy<Value = Value> {
    let stories = prop::collection::vec((any_state(), 0..5u8, 1..4usize), 2..8);
    stories.prop_map(|stories| {
        list(stories.into_iter().enumerate().map(
            |(n, ((passes, status, count), priority, criteria))| {
                let mut story = story_at(&format!("S{n}"), passes, status, count);
                story["priority"] = json!(priority);
                story["acceptanceCriteria"] =
                    (0..criteria).map(|c| json!(format!("S{n} does {c}"))).collect();
                // Only earlier stories, so that there is no cycle.
                story["dependsOn"] = if n > 0 { json!([format!("S{}", n - 1)]) } else { json!([]) };
                story
            },
        ))
    })
}

/// What the runner would select, unless there is nothing to do.
pub(crate) fn selected(list: &Value) -> Option<(Mode, String)> {
    let policy = ReviewPolicy::Required { cap: CAP };
    match select(&parsed(list), policy, &BTreeSet::new()) {
        Selection::Work { mode, story } => Some((mode, story.to_string())),
        Selection::Complete | Selection::Blocked(_) => None,
    }
}

fn position(list: &Value, id: &str) -> usize {
    list["userStories"].as_array().unwrap().iter().position(|s| s["id"] == id).unwrap()
}

/// How a well-behaved iteration may end.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Ending {
    Unfinished,
    Favourable,
    Unfavourable,
}

pub(crate) fn any_ending() -> impl Strategy<Value = Ending> {
    prop_oneof![Just(Ending::Unfinished), Just(Ending::Favourable), Just(Ending::Unfavourable)]
}

pub(crate) fn legal_iteration(before: &Value, mode: Mode, story: &str, ending: Ending) -> Value {
    let mut after = before.clone();
    let story = &mut after["userStories"][position(before, story)];
    match (mode, ending) {
        (_, Ending::Unfinished) => {}
        (Mode::Implement | Mode::ReviewFix, _) => {
            story["reviewStatus"] = json!("needs_review");
            story["reviewFeedback"] = json!("");
            story["notes"] = json!("written");
        }
        (Mode::Review, ending) => {
            let count = story["reviewCount"].as_u64().unwrap() + 1;
            story["reviewCount"] = json!(count);
            if matches!(ending, Ending::Favourable) || count >= CAP {
                story["reviewStatus"] = json!("approved");
                story["passes"] = json!(true);
                story["notes"] = json!("reviewed");
            } else {
                story["reviewStatus"] = json!("changes_requested");
                story["reviewFeedback"] = json!("not yet");
            }
        }
    }
    after
}

/// Everything the guard would say about `after`.
pub(crate) fn findings(before: &Value, after: &Value, mode: Mode, story: &str) -> Vec<String> {
    findings_in(before, &parsed(after), mode, story)
}

fn findings_in(before: &Value, after: &TaskList, mode: Mode, story: &str) -> Vec<String> {
    let iteration = Iteration { mode, selected: Some(id(story)), review_cap: CAP };
    let violations = judge(&Snapshot::of(&parsed(before)), after, &iteration);
    let broken = check_invariants(after, CAP, None);
    violations
        .iter()
        .map(ToString::to_string)
        .chain(broken.iter().map(ToString::to_string))
        .collect()
}

/// One change that no mode allows, made to an otherwise legal end state.
#[derive(Debug, Clone)]
pub(crate) enum Cheat {
    FlipPasses(Index),
    RaiseCountBy(Index, u64),
    LowerCount(Index),
    SetStatus(Index, Option<&'static str>),
    RemoveStory(Index),
    RewordCriterion(Index),
    DropCriterion(Index),
    ChangeVerifyCommands,
    AddFinishedStory,
}

pub(crate) fn any_cheat() -> impl Strategy<Value = Cheat> {
    let status = prop_oneof![
        Just(None),
        Just(Some("needs_review")),
        Just(Some("changes_requested")),
        Just(Some("approved")),
    ];
    prop_oneof![
        any::<Index>().prop_map(Cheat::FlipPasses),
        (any::<Index>(), 1..9u64).prop_map(|(story, by)| Cheat::RaiseCountBy(story, by)),
        any::<Index>().prop_map(Cheat::LowerCount),
        (any::<Index>(), status).prop_map(|(story, status)| Cheat::SetStatus(story, status)),
        any::<Index>().prop_map(Cheat::RemoveStory),
        any::<Index>().prop_map(Cheat::RewordCriterion),
        any::<Index>().prop_map(Cheat::DropCriterion),
        Just(Cheat::ChangeVerifyCommands),
        Just(Cheat::AddFinishedStory),
    ]
}

/// `None` when the change would not be one, or would happen to be legal.
pub(crate) fn cheated(before: &Value, legal: &Value, cheat: &Cheat) -> Option<Value> {
    let mut after = legal.clone();
    let stories = after["userStories"].as_array_mut().unwrap();
    let total = stories.len();
    match cheat {
        Cheat::FlipPasses(at) => {
            let story = &mut stories[at.index(total)];
            story["passes"] = json!(!story["passes"].as_bool().unwrap());
            story["notes"] = json!("done");
        }
        Cheat::RaiseCountBy(at, by) => {
            let story = &mut stories[at.index(total)];
            story["reviewCount"] = json!(story["reviewCount"].as_u64().unwrap() + by);
        }
        Cheat::LowerCount(at) => {
            let story = &mut stories[at.index(total)];
            story["reviewCount"] = json!(story["reviewCount"].as_u64().unwrap().checked_sub(1)?);
        }
        Cheat::SetStatus(at, status) => stories[at.index(total)]["reviewStatus"] = json!(status),
        Cheat::RemoveStory(at) => {
            let removed = stories.remove(at.index(total));
            for story in stories {
                story["dependsOn"].as_array_mut().unwrap().retain(|id| *id != removed["id"]);
            }
        }
        Cheat::RewordCriterion(at) => {
            stories[at.index(total)]["acceptanceCriteria"][0] = json!("anything goes");
        }
        Cheat::DropCriterion(at) => {
            let criteria = stories[at.index(total)]["acceptanceCriteria"].as_array_mut().unwrap();
            criteria.pop();
            if criteria.is_empty() {
                return None;
            }
        }
        Cheat::ChangeVerifyCommands => after["verifyCommands"] = json!(["true"]),
        Cheat::AddFinishedStory => stories.push(story_at("NEW", true, Some("approved"), 1)),
    }
    (after != *legal && after != *before).then_some(after)
}

/// Whether the review fields of `after` are those of some legal ending.
fn is_legal_end(before: &Value, after: &Value, mode: Mode, story: &str) -> bool {
    let fields = |list: &Value| -> Vec<Value> {
        let stories = list["userStories"].as_array().unwrap();
        let field = |s: &Value, name: &str| s[name].clone();
        stories
            .iter()
            .map(|s| {
                let names = ["id", "passes", "reviewStatus", "reviewCount", "acceptanceCriteria"];
                Value::Array(names.map(|name| field(s, name)).to_vec())
            })
            .chain([list["verifyCommands"].clone()])
            .collect()
    };
    [Ending::Unfinished, Ending::Favourable, Ending::Unfavourable]
        .map(|ending| legal_iteration(before, mode, story, ending))
        .iter()
        .any(|legal| fields(legal) == fields(after))
}

#[derive(Debug, Clone, Copy)]
enum KeyOrder {
    Sorted,
    Reversed,
}

/// The same document with its objects' keys and its stories in another order, and noise added.
fn disguised(list: &Value, keys: KeyOrder) -> String {
    fn write(value: &Value, keys: KeyOrder, out: &mut String) {
        match value {
            Value::Object(map) => {
                let mut entries: Vec<(&String, &Value)> = map.iter().collect();
                if matches!(keys, KeyOrder::Reversed) {
                    entries.reverse();
                }
                out.push_str("{\"x-noise\":{\"passes\":true,\"deep\":[[{}]]},");
                for (key, value) in entries {
                    out.push_str(&Value::String(key.clone()).to_string());
                    out.push(':');
                    write(value, keys, out);
                    out.push(',');
                }
                out.push_str("\"zz\":null}");
            }
            Value::Array(items) => {
                out.push('[');
                for (n, item) in items.iter().enumerate() {
                    if n > 0 {
                        out.push(',');
                    }
                    write(item, keys, out);
                }
                out.push(']');
            }
            other => out.push_str(&other.to_string()),
        }
    }
    let mut out = String::new();
    write(list, keys, &mut out);
    out
}

fn with_shuffled_stories(list: &Value, rotation: Index) -> Value {
    let mut list = list.clone();
    let stories = list["userStories"].as_array_mut().unwrap();
    let by = rotation.index(stories.len());
    stories.rotate_left(by);
    list
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_legal_iteration_is_accepted(before in any_list(), ending in any_ending(), new in any::<bool>()) {
        let Some((mode, story)) = selected(&before) else { return Ok(()) };
        let mut after = legal_iteration(&before, mode, &story, ending);
        if new {
            let fresh = story_at("NEW", false, None, 0);
            after["userStories"].as_array_mut().unwrap().push(fresh);
        }
        prop_assert_eq!(findings(&before, &after, mode, &story), Vec::<String>::new());
    }

    #[test]
    fn any_single_illegal_change_is_found(
        before in any_list(),
        ending in any_ending(),
        cheat in any_cheat(),
    ) {
        let Some((mode, story)) = selected(&before) else { return Ok(()) };
        let legal = legal_iteration(&before, mode, &story, ending);
        let Some(after) = cheated(&before, &legal, &cheat) else { return Ok(()) };
        prop_assume!(!is_legal_end(&before, &after, mode, &story));
        let found = findings(&before, &after, mode, &story);
        prop_assert!(!found.is_empty(), "{mode} {story} {cheat:?}\n{before:#}\n{after:#}");
    }

    #[test]
    fn order_and_unknown_fields_never_matter(
        before in any_list(),
        ending in any_ending(),
        cheat in prop::option::of(any_cheat()),
        rotation in any::<Index>(),
        keys in prop_oneof![Just(KeyOrder::Sorted), Just(KeyOrder::Reversed)],
    ) {
        let Some((mode, story)) = selected(&before) else { return Ok(()) };
        let legal = legal_iteration(&before, mode, &story, ending);
        let after = cheat.and_then(|cheat| cheated(&before, &legal, &cheat)).unwrap_or(legal);
        let disguised = disguised(&with_shuffled_stories(&after, rotation), keys);
        let noisy = tasks::inspect(disguised.as_bytes()).accepted();
        prop_assert!(noisy.is_ok(), "{noisy:?}");

        let sorted = |mut findings: Vec<String>| { findings.sort(); findings };
        prop_assert_eq!(
            sorted(findings(&before, &after, mode, &story)),
            sorted(findings_in(&before, &noisy.unwrap(), mode, &story))
        );
    }

    #[test]
    fn any_bytes_get_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let inspection = tasks::inspect(&bytes);
        prop_assert!(inspection.list.is_some() || !inspection.problems.is_empty());
    }
}
