//! Deno: tasks that check, else the built-in test runner if there are tests.

use serde_json::Value;

use super::Detection;
use crate::scaffold::root_files::RootFiles;

const TASKS: [&str; 3] = ["test", "lint", "check"];

pub(super) fn detect(files: &RootFiles, found: &mut Detection) {
    let Some(name) = files.first_of(&["deno.json", "deno.jsonc"]) else { return };
    let manifest: Value = match files.text(name).map(serde_json::from_str) {
        Some(Ok(manifest)) => manifest,
        // Deno allows comments, this parser does not.
        Some(Err(error)) => {
            found.note(format!("tasks of {name} were ignored: not plain JSON ({error})"));
            Value::Null
        }
        None => Value::Null,
    };
    found.set_name(manifest["name"].as_str());
    let tasks = TASKS.into_iter().filter(|task| !manifest["tasks"][task].is_null());
    for task in tasks {
        found.add(format!("deno task {task}"), format!("{name}, task {task}"));
    }
    let test = files.find(|file| {
        let stem = file.rsplit_once('.').map_or("", |(stem, _)| stem);
        stem.ends_with("_test") || stem.ends_with(".test")
    });
    if let Some(test) = test.filter(|_| manifest["tasks"]["test"].is_null()) {
        found.add("deno test", test);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::commands;

    #[test]
    fn tasks_that_check_and_otherwise_the_test_runner() {
        let tasks = r#"{"tasks": {"test": "deno test -A", "lint": "deno lint", "dev": "x"}}"#;
        assert_eq!(commands(&[("deno.json", tasks)]), ["deno task test", "deno task lint"]);
        assert_eq!(commands(&[("deno.jsonc", "// x\n{}"), ("main_test.ts", "")]), ["deno test"]);
        assert_eq!(commands(&[("deno.json", "{}")]), [""; 0]);
    }
}
