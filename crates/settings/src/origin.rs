//! The source of each value of the merged settings.

use json_reader::Json;

use crate::json_path::{JsonPath, Lookup};
use crate::merge::Layer;
use crate::source::Source;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// `agent.model`.
    pub path: String,
    /// The value as JSON on one line. Secrets are redacted.
    pub value: String,
    pub source: Source,
}

/// The single values of `settings` in order. A list of single values counts as one, an empty object as none.
pub(crate) fn origins(settings: &Json, layers: &[Layer]) -> Vec<Origin> {
    let mut leaves = Vec::new();
    collect(settings, JsonPath::default(), &mut leaves);
    leaves
        .into_iter()
        .map(|(path, value)| Origin {
            source: source_of(&path, layers),
            path: path.to_string(),
            value: value.to_string(),
        })
        .collect()
}

fn source_of(path: &JsonPath, layers: &[Layer]) -> Source {
    for layer in layers.iter().rev() {
        match path.look_up(&layer.document) {
            Lookup::Value(_) => return layer.source.clone(),
            Lookup::TakenBack => break,
            Lookup::Nothing => {}
        }
    }
    Source::Default
}

fn collect<'j>(value: &'j Json, path: JsonPath, leaves: &mut Vec<(JsonPath, &'j Json)>) {
    match value {
        Json::Object(entries) => {
            for (key, value) in entries {
                collect(value, path.key(key), leaves);
            }
        }
        Json::Array(items) if items.iter().any(|item| matches!(item, Json::Object(_))) => {
            for (index, item) in items.iter().enumerate() {
                collect(item, path.item(index), leaves);
            }
        }
        _ => leaves.push((path, value)),
    }
}
