//! Lays documents over each other: objects deep, everything else replaced.
//!
//! `null` takes back what the layers below said, so that a local file can undo a setting and not
//! only change it.

use crate::agent::{Agent, same_program};
use crate::json::Json;
use crate::review::Review;
use crate::source::Source;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layer {
    pub(crate) source: Source,
    pub(crate) document: Json,
}

pub(crate) fn merge(layers: &[Layer]) -> Json {
    let mut merged = Json::Object(Vec::new());
    for layer in layers {
        lay_over(&mut merged, &layer.document);
    }
    merged
}

fn lay_over(below: &mut Json, above: &Json) {
    let (Json::Object(entries), Json::Object(above)) = (&mut *below, above) else {
        *below = above.clone();
        return;
    };
    for (key, value) in above {
        match entries.iter_mut().find(|(name, _)| name == key) {
            _ if matches!(value, Json::Null) => entries.retain(|(name, _)| name != key),
            Some((_, below)) => lay_over(below, value),
            None => entries.push((key.clone(), value.clone())),
        }
    }
}

/// Takes out of the files what they say about a program that a flag replaces: its arguments and its
/// model are of no use to another one.
pub(crate) fn drop_what_is_for_another_program(layers: &mut [Layer]) {
    let files_end = layers.iter().filter(|layer| !is_flag(layer)).count();
    let (files, flags) = layers.split_at_mut(files_end);
    let (files_say, flags_say) = (merge(files), merge(flags));

    let reviewer = text_at(&files_say, ["review", "agent"]);
    let worker = text_at(&files_say, ["agent", "command"]);
    let worker = worker.unwrap_or_else(|| Agent::default().command);
    let new_worker = text_at(&flags_say, ["agent", "command"]);
    let new_reviewer = text_at(&flags_say, ["review", "agent"]);

    let worker_differs = new_worker.as_ref().is_some_and(|new| !same_program(new, &worker));
    // Without a reviewer of its own, `review` is about the worker.
    let reviewer_differs = match (&new_reviewer, &reviewer) {
        (Some(new), reviewer) => !same_program(new, reviewer.as_ref().unwrap_or(&worker)),
        (None, reviewer) => worker_differs && reviewer.is_none(),
    };
    for Layer { document, .. } in files {
        if worker_differs {
            remove(document, |key| key == "agent");
        }
        if reviewer_differs && let Some(review) = get_mut(document, "review") {
            remove(review, |key| key == "agent" || Review::ABOUT_THE_PROGRAM.contains(&key));
        }
    }
}

fn is_flag(layer: &Layer) -> bool {
    matches!(layer.source, Source::Flag(_))
}

fn text_at(document: &Json, [outer, inner]: [&str; 2]) -> Option<String> {
    document.get(outer)?.get(inner)?.text().map(str::to_owned)
}

fn get_mut<'j>(json: &'j mut Json, key: &str) -> Option<&'j mut Json> {
    let Json::Object(entries) = json else { return None };
    entries.iter_mut().find(|(name, _)| name == key).map(|(_, value)| value)
}

fn remove(json: &mut Json, drop: impl Fn(&str) -> bool) {
    if let Json::Object(entries) = json {
        entries.retain(|(key, _)| !drop(key));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(below: &str, above: &str) -> Json {
        let layer = |text: &str| Layer {
            source: Source::Default,
            document: Json::parse(text.as_bytes()).unwrap(),
        };
        merge(&[layer(below), layer(above)])
    }

    #[track_caller]
    fn assert_merged(below: &str, above: &str, expected: &str) {
        assert_eq!(merged(below, above), Json::parse(expected.as_bytes()).unwrap());
    }

    #[test]
    fn objects_are_merged_deep() {
        assert_merged(
            r#"{"agent": {"command": "claude", "flags": ["--model opus"]}}"#,
            r#"{"agent": {"flags": ["--verbose"]}}"#,
            r#"{"agent": {"command": "claude", "flags": ["--verbose"]}}"#,
        );
        assert_merged(
            r#"{"a": {"b": {"c": 1, "d": 2}}, "x": 1}"#,
            r#"{"a": {"b": {"d": 3, "e": 4}}, "y": 2}"#,
            r#"{"a": {"b": {"c": 1, "d": 3, "e": 4}}, "x": 1, "y": 2}"#,
        );
    }

    #[test]
    fn lists_and_single_values_are_replaced() {
        assert_merged(r#"{"a": [1, 2], "b": 1}"#, r#"{"a": [3], "b": 2}"#, r#"{"a": [3], "b": 2}"#);
        assert_merged(r#"{"a": [{"b": 1}]}"#, r#"{"a": [{"c": 2}]}"#, r#"{"a": [{"c": 2}]}"#);
        assert_merged(r#"{"a": [1]}"#, r#"{"a": []}"#, r#"{"a": []}"#);
    }

    #[test]
    fn null_takes_back_what_was_said_below() {
        assert_merged(r#"{"a": {"b": 1, "c": 2}}"#, r#"{"a": {"b": null}}"#, r#"{"a": {"c": 2}}"#);
        assert_merged(r#"{"a": {"b": 1}, "x": 1}"#, r#"{"a": null}"#, r#"{"x": 1}"#);
        assert_merged(r#"{"a": null}"#, r#"{"a": {"b": 1}}"#, r#"{"a": {"b": 1}}"#);
    }
}
