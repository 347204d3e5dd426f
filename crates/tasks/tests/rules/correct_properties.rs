//! Properties of the correction over random iterations: the result is valid, allowed changes stay,
//! and no other byte changes.

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};
use tasks::{Correction, Iteration, Mode, correct, inspect};

use crate::properties::{
    CAP, any_cheat, any_ending, any_list, assigned, cheated, findings, legal_iteration,
};
use crate::support::id;

/// Handwritten, so that only the bytes can be compared.
#[derive(Debug, Clone, Copy)]
struct Style {
    newline: &'static str,
    indent: &'static str,
    colon: &'static str,
}

fn any_style() -> impl Strategy<Value = Style> {
    prop_oneof![
        Just(Style { newline: "", indent: "", colon: ":" }),
        Just(Style { newline: " ", indent: "", colon: ": " }),
        Just(Style { newline: "\n", indent: "\t", colon: " : " }),
        Just(Style { newline: "\r\n", indent: "    ", colon: ": " }),
    ]
}

const NOISE: &str = r#""x-noise":[1.0, 12345678901234567890123,{ "passes":true } , "\u00e9\/é"]"#;

/// `list` as text, with an unknown field in every object.
fn rendered(list: &Value, style: Style) -> String {
    fn write(value: &Value, depth: usize, style: Style, out: &mut String) {
        let line = format!("{}{}", style.newline, style.indent.repeat(depth + 1));
        let (open, close, items): (_, _, Vec<String>) = match value {
            Value::Object(map) => {
                let members = map.iter().map(|(name, value)| {
                    let mut member = format!("{}{}", json!(name), style.colon);
                    write(value, depth + 1, style, &mut member);
                    member
                });
                ('{', '}', [NOISE.to_owned()].into_iter().chain(members).collect())
            }
            Value::Array(values) if values.iter().all(Value::is_object) => {
                let items = values.iter().map(|value| {
                    let mut item = String::new();
                    write(value, depth + 1, style, &mut item);
                    item
                });
                ('[', ']', items.collect())
            }
            other => return out.push_str(&other.to_string()),
        };
        out.push(open);
        out.push_str(&line);
        out.push_str(&items.join(&format!(",{line}")));
        out.push_str(&format!("{}{}", style.newline, style.indent.repeat(depth)));
        out.push(close);
    }
    let mut out = String::new();
    write(list, 0, style, &mut out);
    out + style.newline
}

fn stories(list: &mut Value) -> &mut Vec<Value> {
    list["userStories"].as_array_mut().unwrap()
}

fn position(list: &mut Value, id: &str) -> Option<usize> {
    stories(list).iter().position(|story| story["id"] == id)
}

/// Applies `undone` to `after` by simpler means.
fn model(before: &Value, after: &Value, undone: &[String]) -> Value {
    let (mut before, mut after) = (before.clone(), after.clone());
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    for undone in undone {
        let (story, change) = match undone.strip_prefix("story ") {
            Some(rest) => rest.split_once(": ").map(|(id, change)| (Some(id), change)).unwrap(),
            None => (None, undone.as_str()),
        };
        let field = change.split(' ').next().unwrap();
        let (story, names): (_, &[&str]) = match (story, field) {
            (Some(story), "passes" | "reviewStatus" | "reviewCount" | "reviewFeedback") => {
                (story, &["passes", "reviewStatus", "reviewCount", "reviewFeedback"])
            }
            (Some(story), "acceptanceCriteria") => (story, &["acceptanceCriteria"]),
            (Some(story), "restored;") => {
                removed.push(story.to_owned());
                continue;
            }
            (Some(story), "removed;") => {
                added.push(story.to_owned());
                continue;
            }
            _ => {
                let old = match story {
                    None => before.get(field).cloned(),
                    Some(id) => position(&mut before, id)
                        .and_then(|at| stories(&mut before)[at].get(field).cloned()),
                };
                let object = match story {
                    None => &mut after,
                    Some(id) => {
                        let at = position(&mut after, id).unwrap();
                        &mut stories(&mut after)[at]
                    }
                };
                let object = object.as_object_mut().unwrap();
                match old {
                    Some(old) => drop(object.insert(field.to_owned(), old)),
                    None => drop(object.remove(field)),
                }
                continue;
            }
        };
        let fresh =
            json!({"passes": false, "reviewStatus": null, "reviewCount": 0, "reviewFeedback": ""});
        let old = match position(&mut before, story) {
            Some(position) => stories(&mut before)[position].clone(),
            None => fresh,
        };
        let at = position(&mut after, story).unwrap();
        for name in names {
            stories(&mut after)[at][*name] = old[*name].clone();
        }
    }
    let mut place = 0;
    for story in stories(&mut before) {
        let id = story["id"].as_str().unwrap();
        if removed.iter().any(|removed| removed == id) {
            stories(&mut after).insert(place, story.clone());
            place += 1;
        } else if let Some(position) = position(&mut after, id) {
            place = position + 1;
        }
    }
    stories(&mut after).retain(|story| added.iter().all(|id| story["id"] != id.as_str()));
    after
}

fn standing(before: &str, after: &[u8], mode: Mode, story: &str) -> Correction {
    let iteration = Iteration { mode, selected: Some(id(story)), review_cap: CAP };
    correct(before, after, Some(&iteration))
}

/// The corrected list is valid, breaks no rule, and a second correction changes nothing.
fn check_standing(
    text: &str,
    correction: &Correction,
    mode: Mode,
    story: &str,
) -> Result<(), TestCaseError> {
    prop_assert!(inspect(correction.text.as_bytes()).accepted().is_ok(), "{correction:?}");
    let read = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
    let found = findings(&read(text), &read(&correction.text), mode, story);
    prop_assert_eq!(found, Vec::<String>::new());
    let again = standing(text, correction.text.as_bytes(), mode, story);
    prop_assert_eq!(&again.text, &correction.text);
    prop_assert_eq!(again.undone, Vec::<String>::new());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn exactly_the_illegal_changes_are_reverted(
        before in any_list(),
        ending in any_ending(),
        cheats in prop::collection::vec(any_cheat(), 0..4),
        style in any_style(),
        proof in any::<bool>(),
    ) {
        let Some((mode, story)) = assigned(&before, proof) else { return Ok(()) };
        let mut after = legal_iteration(&before, mode, &story, ending);
        for cheat in &cheats {
            if !after["userStories"].as_array().unwrap().is_empty() {
                after = cheated(&before, &after, cheat).unwrap_or(after);
            }
        }
        let (old, new) = (rendered(&before, style), rendered(&after, style));
        let correction = standing(&old, new.as_bytes(), mode, &story);
        check_standing(&old, &correction, mode, &story)?;

        if inspect(new.as_bytes()).accepted().is_err() {
            prop_assert_eq!(correction.text, old);
            return Ok(());
        }
        let legal = findings(&before, &after, mode, &story).is_empty();
        prop_assert_eq!(correction.undone.is_empty(), legal);
        prop_assert_eq!(correction.text == new, legal);
        let model = model(&before, &after, &correction.undone);
        prop_assert_eq!(&correction.text, &rendered(&model, style));
    }

    #[test]
    fn any_file_gives_a_valid_result(
        before in any_list(),
        style in any_style(),
        cut in any::<Index>(),
        length in 0..40usize,
        junk in "[\\[\\]{}:,\"a0 ]{0,6}",
        proof in any::<bool>(),
    ) {
        let Some((mode, story)) = assigned(&before, proof) else { return Ok(()) };
        let old = rendered(&before, style);
        let mut new = old.clone().into_bytes();
        let start = cut.index(new.len());
        let end = (start + length).min(new.len());
        new.splice(start..end, junk.into_bytes());
        let correction = standing(&old, &new, mode, &story);
        check_standing(&old, &correction, mode, &story)?;
        prop_assert_eq!(correction.undone.is_empty(), correction.text.as_bytes() == new);
    }
}
