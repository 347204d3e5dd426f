//! Merges documents: objects recursively, everything else replaced.
//!
//! `null` removes the value of lower layers, so that a local file can reset a setting.

use json_reader::Json;

use crate::agent::{Agent, same_program};
use crate::second_agent::SecondAgent;
use crate::source::Source;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layer {
    pub(crate) source: Source,
    pub(crate) document: Json,
}

pub(crate) fn merge(layers: &[Layer]) -> Json {
    let mut merged = Json::Object(Vec::new());
    for layer in layers {
        merge_into(&mut merged, &layer.document);
    }
    merged
}

fn merge_into(below: &mut Json, above: &Json) {
    let (Json::Object(entries), Json::Object(above)) = (&mut *below, above) else {
        *below = above.clone();
        return;
    };
    for (key, value) in above {
        match entries.iter_mut().find(|(name, _)| name == key) {
            _ if matches!(value, Json::Null) => entries.retain(|(name, _)| name != key),
            Some((_, below)) => merge_into(below, value),
            None => entries.push((key.clone(), value.clone())),
        }
    }
}

/// Removes settings of the files about a program that a flag replaces: its arguments and its model do not fit
/// another one.
pub(crate) fn drop_settings_of_replaced_program(layers: &mut [Layer]) {
    let files_end = layers.iter().filter(|layer| !is_flag(layer)).count();
    let (files, flags) = layers.split_at_mut(files_end);
    let (files_say, flags_say) = (merge(files), merge(flags));

    let worker = text_at(&files_say, ["agent", "command"]);
    let worker = worker.unwrap_or_else(|| Agent::default().command);
    let new_worker = text_at(&flags_say, ["agent", "command"]);
    let worker_differs = new_worker.as_ref().is_some_and(|new| !same_program(new, &worker));
    if worker_differs {
        for found in files.iter_mut().filter_map(|layer| get_mut(&mut layer.document, "agent")) {
            remove(found, |key| key != "fallbacks");
        }
    }
    for object in SecondAgent::OBJECTS {
        let second = text_at(&files_say, [object, "agent"]);
        // Without its own agent, it refers to the implementing one.
        let differs = match (text_at(&flags_say, [object, "agent"]), &second) {
            (Some(new), second) => !same_program(&new, second.as_ref().unwrap_or(&worker)),
            (None, second) => worker_differs && second.is_none(),
        };
        for found in files.iter_mut().filter_map(|layer| get_mut(&mut layer.document, object)) {
            let about = |key: &str| SecondAgent::ABOUT_THE_PROGRAM.contains(&key);
            remove(found, |key| differs && (key == "agent" || about(key)));
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
            document: serde_json::from_str(text).unwrap(),
        };
        merge(&[layer(below), layer(above)])
    }

    #[track_caller]
    fn assert_merged(below: &str, above: &str, expected: &str) {
        assert_eq!(merged(below, above), serde_json::from_str(expected).unwrap());
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
    fn null_removes_values_of_lower_layers() {
        assert_merged(r#"{"a": {"b": 1, "c": 2}}"#, r#"{"a": {"b": null}}"#, r#"{"a": {"c": 2}}"#);
        assert_merged(r#"{"a": {"b": 1}, "x": 1}"#, r#"{"a": null}"#, r#"{"x": 1}"#);
        assert_merged(r#"{"a": null}"#, r#"{"a": {"b": 1}}"#, r#"{"a": {"b": 1}}"#);
    }
}
