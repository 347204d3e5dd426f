//! Generates the text of the schema from the types.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::Settings;

/// Draft 7 with inlined subschemas, which most editors support.
pub(crate) fn generated() -> Value {
    let mut how = SchemaSettings::draft07();
    how.inline_subschemas = true;
    let mut schema = how.into_generator().into_root_schema_for::<Settings>().to_value();
    allow_null(&mut schema);
    unwrap_lines(&mut schema);
    let reference = json!({
        "description": "The schema for editors. The program ignores it.",
        "type": ["string", "null"],
    });
    schema["properties"]["$schema"] = reference;
    schema
}

/// Removes the line breaks of the source comments.
fn unwrap_lines(schema: &mut Value) {
    match schema {
        Value::Object(entries) => {
            if let Some(Value::String(text)) = entries.get_mut("description") {
                *text = text.replace('\n', " ");
            }
            entries.values_mut().for_each(unwrap_lines);
        }
        Value::Array(items) => items.iter_mut().for_each(unwrap_lines),
        _ => {}
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
