//! `schemas/tasks.schema.json`, which editors use, accepts what the reader accepts.

use serde_json::{Value, json};

use crate::support::inspected;

const SCHEMA: &str = include_str!("../../../../schemas/tasks.schema.json");

fn story() -> Value {
    json!({
        "id": "US-1", "title": "t", "description": "d", "acceptanceCriteria": ["c"], "priority": 1.5,
        "passes": false, "reviewStatus": null, "reviewCount": 0, "reviewFeedback": "", "notes": "n",
        "dependsOn": [], "splitFrom": null, "model": "m", "skills": ["s"], "needsDocs": true,
        "libraries": ["l"], "maxTurns": 3, "proof": "off", "source": "https://h/o/r/issues/1"
    })
}

fn list(stories: &[Value]) -> Value {
    json!({
        "$schema": "./tasks.schema.json", "project": "p", "branchName": "b", "description": "",
        "verifyCommands": ["v"], "userStories": stories
    })
}

/// Every field missing, `null` and with values of each type.
fn variants(of: &Value) -> Vec<(String, Value)> {
    let values = [
        Value::Null,
        json!(true),
        json!(-1),
        json!(0),
        json!(1),
        json!(1.5),
        json!(""),
        json!(" "),
        json!("text"),
        json!("a b"),
        json!("approved"),
        json!("require"),
        json!("1h 30m"),
        json!([]),
        json!([""]),
        json!(["text"]),
        json!([1]),
        json!(["/etc/**"]),
        json!(["!web/"]),
        json!(["!/web", "a/.."]),
        json!({}),
    ];
    let mut variants = Vec::new();
    // The reader ignores the value of `$schema`.
    for name in of.as_object().unwrap().keys().filter(|name| *name != "$schema") {
        let mut without = of.clone();
        without.as_object_mut().unwrap().remove(name);
        variants.push((format!("without {name}"), without));
        for value in &values {
            let mut changed = of.clone();
            changed[name] = value.clone();
            variants.push((format!("{name}: {value}"), changed));
        }
    }
    variants
}

#[test]
fn it_accepts_what_the_reader_accepts() {
    let schema = jsonschema::validator_for(&serde_json::from_str(SCHEMA).unwrap()).unwrap();
    let of_story = variants(&story()).into_iter().map(|(what, story)| (what, list(&[story])));
    let mut done = story();
    done["passes"] = true.into();
    let of_done = variants(&done).into_iter().map(|(what, story)| (what, list(&[story])));
    // Rules across fields and stories are not part of the schema.
    let is_about_others = |what: &str| what.starts_with("dependsOn: [\"text\"]");
    let of_check = variants(&json!({"run": "v", "paths": ["web/**"], "timeout": "5m"}));
    let of_check = of_check.into_iter().map(|(what, check)| {
        let mut list = list(&[story()]);
        list["verifyCommands"] = json!([check]);
        (what, list)
    });
    let mut accepted = 0;
    let all = of_story.chain(of_done).chain(variants(&list(&[story()]))).chain(of_check);
    for (what, list) in all.filter(|(what, _)| !is_about_others(what)) {
        let problems = inspected(&list).problems;
        assert_eq!(schema.is_valid(&list), problems.is_empty(), "{what}: {problems:?}");
        accepted += usize::from(problems.is_empty());
    }
    assert!(accepted > 50, "{accepted}");
}
