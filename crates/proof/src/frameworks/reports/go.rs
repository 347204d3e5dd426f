//! The lines of `go test -json`. What a test prints is inside of these lines, so it cannot forge one.

use std::collections::HashMap;

use serde::Deserialize;

use super::{Case, ENDED_EARLY, FileError, Report, Status};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    action: String,
    #[serde(default)]
    test: Option<String>,
    #[serde(default)]
    output: Option<String>,
}

pub(super) fn read(text: &str) -> Result<Report, String> {
    let mut report = Report::default();
    let mut outputs: HashMap<String, String> = HashMap::new();
    let mut build = String::new();
    let mut is_complete = false;
    // Older versions print errors of the compiler between the lines of JSON.
    for event in text.lines().filter_map(|line| serde_json::from_str::<Event>(line).ok()) {
        let status = match event.action.as_str() {
            "pass" => Status::Passed,
            "fail" => Status::Failed,
            "skip" => Status::Skipped,
            action => {
                let output = event.output.unwrap_or_default();
                match event.test {
                    _ if action == "build-output" => build.push_str(&output),
                    Some(test) => outputs.entry(test).or_default().push_str(&output),
                    None => {}
                }
                continue;
            }
        };
        match event.test {
            Some(test) => {
                let text = outputs.remove(&test).unwrap_or_default();
                report.cases.push(Case { file: None, names: vec![test], status, text });
            }
            None => is_complete = true,
        }
    }
    if !build.is_empty() {
        report.errors.push(FileError { file: None, text: build });
    }
    if is_complete { Ok(report) } else { Err(ENDED_EARLY.to_owned()) }
}
