//! docs/settings.md explains each key with its default, and its examples are valid settings.

use serde_json::Value;
use settings::{Flags, Guard, SCHEMA, load};

const DOCS: &str = include_str!("../../../docs/settings.md");

/// Every key by its path, with the default of the schema. `[]` stands for any item.
fn keys(prefix: &str, schema: &Value, found: &mut Vec<(String, Option<Value>)>) {
    let choices = schema["anyOf"].as_array().into_iter().flatten();
    for schema in choices.chain([schema]) {
        for (key, inner) in schema["properties"].as_object().into_iter().flatten() {
            let path = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
            found.push((path.clone(), inner.get("default").cloned()));
            keys(&path, inner, found);
            keys(&format!("{path}[]"), &inner["items"], found);
        }
    }
}

/// The cells of a key's table row: type, default, effect.
fn row(key: &str) -> Option<Vec<&'static str>> {
    let start = format!("| `{key}` | ");
    let line = DOCS.lines().find_map(|line| line.strip_prefix(&start))?;
    Some(line.trim_end_matches('|').split(" | ").map(str::trim).collect())
}

#[test]
fn each_key_is_explained_with_its_default() {
    let mut all = Vec::new();
    keys("", &serde_json::from_str(SCHEMA).unwrap(), &mut all);
    assert!(all.len() > 50, "{all:?}");
    for (key, default) in all {
        let cells = row(&key).unwrap_or_default();
        assert!(cells.len() == 3 && cells.iter().all(|cell| !cell.is_empty()), "{key}: {cells:?}");
        // The defaults of an object are those of its keys.
        let default = default.filter(|value| value.as_object().is_none_or(|keys| keys.is_empty()));
        if let Some(default) = default.filter(|_| key != "guard") {
            assert_eq!(cells[1], format!("`{default}`"), "the default of {key}");
        }
    }
}

#[test]
fn the_number_of_the_guard_is_documented() {
    let number = Guard::DEFAULT_MAX_BLOCKS;
    assert_eq!(row("guard.maxBlocks").unwrap()[1], format!("`{number}`"));
    assert!(SCHEMA.contains(&format!("Default: {number}; more than 8 has no effect.")));
}

#[test]
fn no_key_is_explained_that_does_not_exist() {
    let mut all = Vec::new();
    keys("", &serde_json::from_str(SCHEMA).unwrap(), &mut all);
    let documented = DOCS
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(key, _)| key)
        .filter(|key| !key.starts_with(".ralph/"));
    for key in documented {
        assert!(all.iter().any(|(known, _)| known == key), "{key} is no key");
    }
}

#[test]
fn the_examples_are_good_settings() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("settings.json");
    let examples = DOCS.split("```json\n").skip(1).filter_map(|rest| rest.split("```").next());
    let mut count = 0;
    for example in examples {
        std::fs::write(&path, example).unwrap();
        let loaded = load(&path, &dir.path().join("none"), &Flags::new());
        assert!(loaded.is_ok(), "{example}{loaded:?}");
        count += 1;
    }
    assert!(count > 10, "{count} examples");
}
