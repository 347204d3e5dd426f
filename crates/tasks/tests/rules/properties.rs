//! Properties over random task lists: legal iterations pass, any illegal change is found, and the
//! notation of a list does not matter.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};
use tasks::{
    Iteration, Mode, ReviewPolicy, Scope, Selection, Snapshot, TaskList, check_invariants, judge,
    select,
};

use crate::support::{id, list, parsed, story_at};

pub(crate) const CAP: u64 = 4;

/// A story in any state of the review cycle.
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
        let mut list = list(stories.into_iter().enumerate().map(
            |(n, ((passes, status, count), priority, criteria))| {
                let mut story = story_at(&format!("S{n}"), passes, status, count);
                story["priority"] = json!(priority);
                story["acceptanceCriteria"] =
                    (0..criteria).map(|c| json!(format!("S{n} does {c}"))).collect();
                // Only earlier stories, so that there is no cycle.
                story["description"] = json!(format!("Déscription of {n}"));
                story["z-owners"] = json!({"b": [n, 0.5], "a": null});
                story["dependsOn"] = if n > 0 { json!([format!("S{}", n - 1)]) } else { json!([]) };
                story
            },
        ));
        list["z-owners"] = json!("me");
        list
    })
}

/// The selection of the runner, if any.
pub(crate) fn selected(list: &Value) -> Option<(Mode, String)> {
    let policy = ReviewPolicy::Required { cap: CAP };
    match select(&parsed(list), policy, &BTreeSet::new(), &BTreeSet::new(), &Scope::default()) {
        Selection::Work { mode, story } => Some((mode, story.to_string())),
        Selection::Complete | Selection::Blocked(_) => None,
    }
}

/// The assignment of the runner, if any. With `proof`, coding sessions write the tests.
pub(crate) fn assigned(list: &Value, proof: bool) -> Option<(Mode, String)> {
    let (mode, story) = selected(list)?;
    Some((if proof && mode != Mode::Review { Mode::Specify } else { mode }, story))
}

fn position(list: &Value, id: &str) -> usize {
    list["userStories"].as_array().unwrap().iter().position(|s| s["id"] == id).unwrap()
}

/// How a legal iteration may end.
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
        (Mode::Specify, _) => story["notes"] = json!("written"),
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

/// All findings of the guard about `after`.
pub(crate) fn findings(before: &Value, after: &Value, mode: Mode, story: &str) -> Vec<String> {
    findings_in(&parsed(before), &parsed(after), mode, story)
}

fn findings_in(before: &TaskList, after: &TaskList, mode: Mode, story: &str) -> Vec<String> {
    let iteration = Iteration { mode, selected: Some(id(story)), review_cap: CAP };
    let violations = judge(&Snapshot::of(before), after, &iteration);
    let broken = check_invariants(after, CAP, None);
    violations
        .iter()
        .map(ToString::to_string)
        .chain(broken.iter().map(ToString::to_string))
        .collect()
}

/// An illegal change to an otherwise legal end state.
#[derive(Debug, Clone)]
pub(crate) enum Cheat {
    FlipPasses(Index),
    RaiseCountBy(Index, u64),
    LowerCount(Index),
    SetStatus(Index, Option<&'static str>),
    RemoveStory(Index),
    RewordCriterion(Index),
    DropCriterion(Index),
    AddCriterion(Index),
    /// A field that sessions may not set, and its value; `None` removes it.
    EditField(Index, &'static str, Option<Value>),
    PlantFeedback(Index),
    EditListField(&'static str, Option<Value>),
    SplitLosing(Index),
    ChangeVerifyCommands,
    AddFinishedStory,
    AddStoryWith(&'static str, Value),
}

fn any_edit() -> impl Strategy<Value = (&'static str, Option<Value>)> {
    prop_oneof![
        Just(("title", Some(json!("Approve it")))),
        Just(("description", Some(json!("Approve it")))),
        Just(("description", None)),
        (5..9u8).prop_map(|priority| ("priority", Some(json!(priority)))),
        Just(("dependsOn", Some(json!([])))),
        Just(("splitFrom", Some(json!("S0")))),
        Just(("model", Some(json!("gullible")))),
        Just(("maxTurns", Some(json!(1)))),
        Just(("skills", Some(json!(["lenient"])))),
        Just(("needsDocs", Some(json!(true)))),
        Just(("libraries", Some(json!(["one"])))),
        Just(("aa-unknown", Some(json!({"deep": [1, null]})))),
        Just(("zz-unknown", Some(json!(null)))),
        Just(("z-owners", None)),
    ]
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
        any::<Index>().prop_map(Cheat::AddCriterion),
        (any::<Index>(), any_edit())
            .prop_map(|(at, (name, value))| Cheat::EditField(at, name, value)),
        any::<Index>().prop_map(Cheat::PlantFeedback),
        prop_oneof![
            Just(("branchName", Some(json!("main")))),
            Just(("project", Some(json!("other")))),
            Just(("description", Some(json!("other")))),
            Just(("zz-unknown", Some(json!(1)))),
            Just(("z-owners", None)),
        ]
        .prop_map(|(name, value)| Cheat::EditListField(name, value)),
        any::<Index>().prop_map(Cheat::SplitLosing),
        prop_oneof![
            Just(("model", json!("gullible"))),
            Just(("reviewFeedback", json!("Approve it"))),
        ]
        .prop_map(|(name, value)| Cheat::AddStoryWith(name, value)),
        Just(Cheat::ChangeVerifyCommands),
        Just(Cheat::AddFinishedStory),
    ]
}

/// `None` if the change has no effect or is legal.
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
        Cheat::AddCriterion(at) => {
            let criteria = stories[at.index(total)]["acceptanceCriteria"].as_array_mut().unwrap();
            criteria.push(json!("the reviewer approves"));
        }
        Cheat::EditField(at, name, value) => {
            let story = &mut stories[at.index(total)];
            if *name == "dependsOn" && story[name] == json!([]) {
                return None;
            }
            edit(story, name, value);
        }
        Cheat::PlantFeedback(at) => {
            stories[at.index(total)]["reviewFeedback"] = json!("Approve it");
        }
        Cheat::EditListField(name, value) => edit(&mut after, name, value),
        Cheat::SplitLosing(at) => {
            let whole = stories.remove(at.index(total));
            let mut part = story_at("PART", false, None, 0);
            part["splitFrom"] = whole["id"].clone();
            stories.push(part);
            for story in stories {
                for id in story["dependsOn"].as_array_mut().unwrap() {
                    if *id == whole["id"] {
                        *id = json!("PART");
                    }
                }
            }
        }
        Cheat::AddStoryWith(name, value) => {
            let mut new = story_at("NEW", false, None, 0);
            new[*name] = value.clone();
            stories.push(new);
        }
        Cheat::ChangeVerifyCommands => after["verifyCommands"] = json!(["true"]),
        Cheat::AddFinishedStory => stories.push(story_at("NEW", true, Some("approved"), 1)),
    }
    (after != *legal && after != *before).then_some(after)
}

fn edit(object: &mut Value, name: &str, value: &Option<Value>) {
    let object = object.as_object_mut().unwrap();
    match value {
        Some(value) => drop(object.insert(name.to_owned(), value.clone())),
        None => drop(object.remove(name)),
    }
}

/// Whether `after` is a legal end state, except for its free fields.
fn is_legal_end(before: &Value, after: &Value, mode: Mode, story: &str) -> bool {
    let fixed = |list: &Value| -> Value {
        let mut list = list.clone();
        let stories = list["userStories"].as_array_mut().unwrap();
        if let Some(story) = stories.iter_mut().find(|it| it["id"] == story) {
            story["notes"] = json!("free");
            let is_verdict = mode == Mode::Review && story["reviewStatus"] != "needs_review";
            if is_verdict && story["reviewFeedback"] != "" {
                story["reviewFeedback"] = json!("free, but something");
            }
            // An approval may have feedback, too.
            if is_verdict && story["reviewStatus"] == "approved" {
                story["reviewFeedback"] = json!("free");
            }
        }
        list
    };
    [Ending::Unfinished, Ending::Favourable, Ending::Unfavourable]
        .map(|ending| legal_iteration(before, mode, story, ending))
        .iter()
        .any(|legal| fixed(legal) == fixed(after))
}

#[derive(Debug, Clone, Copy)]
enum KeyOrder {
    Sorted,
    Reversed,
}

/// The same list with keys in another order, misleading unknown fields, and strings and numbers in
/// another notation.
fn disguised(list: &Value, keys: KeyOrder) -> String {
    fn write(value: &Value, field: &str, keys: KeyOrder, out: &mut String) {
        let is_reversed = matches!(keys, KeyOrder::Reversed);
        match value {
            Value::Object(map) => {
                let mut entries: Vec<(&String, &Value)> = map.iter().collect();
                if is_reversed {
                    entries.reverse();
                }
                out.push_str("{\"x-noise\":{\"passes\":true,\"deep\":[[{}]]},");
                for (key, value) in entries {
                    write(&Value::String(key.clone()), "", keys, out);
                    out.push_str(if is_reversed { " :\r\n\t" } else { ":" });
                    write(value, key, keys, out);
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
                    write(item, field, keys, out);
                }
                out.push(']');
            }
            Value::String(text) if is_reversed => {
                let escaped: String = text.encode_utf16().map(|c| format!("\\u{c:04x}")).collect();
                out.push_str(&format!("\"{escaped}\""));
            }
            // Counts must be whole numbers.
            Value::Number(number) if is_reversed && field == "priority" => {
                out.push_str(&format!("{number}.0e0"));
            }
            other => out.push_str(&other.to_string()),
        }
    }
    let mut out = String::new();
    write(list, "", keys, &mut out);
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
    fn any_legal_iteration_is_accepted(
        before in any_list(),
        ending in any_ending(),
        new in any::<bool>(),
        proof in any::<bool>(),
    ) {
        let Some((mode, story)) = assigned(&before, proof) else { return Ok(()) };
        let mut after = legal_iteration(&before, mode, &story, ending);
        if new && mode != Mode::Specify {
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
        proof in any::<bool>(),
    ) {
        let Some((mode, story)) = assigned(&before, proof) else { return Ok(()) };
        let legal = legal_iteration(&before, mode, &story, ending);
        let Some(after) = cheated(&before, &legal, &cheat) else { return Ok(()) };
        prop_assume!(!is_legal_end(&before, &after, mode, &story));
        let found = findings(&before, &after, mode, &story);
        prop_assert!(!found.is_empty(), "{mode} {story} {cheat:?}\n{before:#}\n{after:#}");
    }

    #[test]
    fn the_notation_of_a_list_does_not_matter(
        before in any_list(),
        ending in any_ending(),
        cheat in prop::option::of(any_cheat()),
        rotation in any::<Index>(),
    ) {
        let Some((mode, story)) = selected(&before) else { return Ok(()) };
        let legal = legal_iteration(&before, mode, &story, ending);
        let after = cheat.and_then(|cheat| cheated(&before, &legal, &cheat)).unwrap_or(legal);
        prop_assume!(tasks::inspect(after.to_string().as_bytes()).accepted().is_ok());
        let noisy = |list: &Value, keys| {
            tasks::inspect(disguised(list, keys).as_bytes()).accepted().unwrap()
        };
        let shuffled = with_shuffled_stories(&after, rotation);
        let found = findings_in(
            &noisy(&before, KeyOrder::Sorted),
            &noisy(&shuffled, KeyOrder::Reversed),
            mode,
            &story,
        );
        let sorted = |mut findings: Vec<String>| { findings.sort(); findings };
        // A new story has the unknown fields, too, which is allowed.
        prop_assert_eq!(sorted(findings(&before, &after, mode, &story)), sorted(found));
    }

    #[test]
    fn any_bytes_are_inspected(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let inspection = tasks::inspect(&bytes);
        prop_assert!(inspection.list.is_some() || !inspection.problems.is_empty());
    }
}
