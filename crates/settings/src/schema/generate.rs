//! Generates the text of the schema from the types.

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde_json::{Map, Value, json};

use crate::Settings;

/// Draft 7 with inlined subschemas, which most editors support.
pub(crate) fn generated() -> Value {
    let mut how = SchemaSettings::draft07();
    how.inline_subschemas = true;
    how.transforms.push(Box::new(RecursiveTransform(unwrap_lines)));
    let mut schema = how.into_generator().into_root_schema_for::<Settings>().to_value();
    refuse_blank(&mut schema);
    allow_null(&mut schema);
    let reference = json!({
        "description": "The schema for editors. The program ignores it.",
        "type": ["string", "null"],
    });
    schema["properties"]["$schema"] = reference;
    schema
}

/// Keys whose strings may be blank.
const MAY_BE_BLANK: [&str; 3] = ["flags", "hint", "variables"];

/// Gives every other string without its own pattern the one of a string that is not blank.
fn refuse_blank(schema: &mut Value) {
    let Value::Object(entries) = schema else { return };
    let is_string = entries.get("type").is_some_and(|kind| match kind {
        Value::Array(kinds) => kinds.contains(&json!("string")),
        kind => kind == "string",
    });
    if is_string && !["pattern", "enum", "const"].iter().any(|key| entries.contains_key(*key)) {
        entries.insert("pattern".into(), json!(r"\S"));
    }
    for (_, inner) in entries.iter_mut().filter(|(key, _)| !MAY_BE_BLANK.contains(&key.as_str())) {
        match inner {
            Value::Array(items) => items.iter_mut().for_each(refuse_blank),
            inner => refuse_blank(inner),
        }
    }
}

/// Removes the line breaks of the source comments.
fn unwrap_lines(schema: &mut Schema) {
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.replace('\n', " ");
    }
}

/// `null` counts as missing, so every optional key may be null.
fn allow_null(schema: &mut Value) {
    let Value::Object(schema) = schema else { return };
    let required = schema.get("required").cloned().unwrap_or_default();
    let is_required = |key: &str| required.as_array().is_some_and(|r| r.contains(&json!(key)));
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for (key, property) in properties {
            allow_null(property);
            if !is_required(key) {
                make_nullable(property);
            }
        }
    }
    if let Some(values @ Value::Object(_)) = schema.get_mut("additionalProperties") {
        allow_null(values);
        make_nullable(values);
    }
    if let Some(items) = schema.get_mut("items") {
        allow_null(items);
    }
    if let Some(Value::Array(choices)) = schema.get_mut("anyOf") {
        choices.iter_mut().for_each(allow_null);
    }
}

fn make_nullable(schema: &mut Value) {
    let Value::Object(schema) = schema else { return };
    if let Some(Value::Array(choices)) = schema.get_mut("anyOf") {
        add_null_choice(choices);
    } else if let Some(Value::Array(choices)) = schema.get_mut("oneOf") {
        add_null_choice(choices);
    } else if let Some(Value::Array(words)) = schema.get_mut("enum") {
        if !words.contains(&Value::Null) {
            words.push(Value::Null);
        }
        add_null_type(schema);
    } else {
        add_null_type(schema);
    }
}

fn add_null_choice(choices: &mut Vec<Value>) {
    let null = json!({ "type": "null" });
    if !choices.contains(&null) {
        choices.push(null);
    }
}

fn add_null_type(schema: &mut Map<String, Value>) {
    if let Some(Value::String(kind)) = schema.get("type") {
        let both = json!([kind, "null"]);
        schema.insert("type".into(), both);
    }
}
