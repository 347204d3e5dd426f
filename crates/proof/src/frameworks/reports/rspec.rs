//! The JSON of RSpec's formatter `json`.

use serde::Deserialize;

use super::{Case, FileError, Report, Status, titles, unreadable};

#[derive(Deserialize)]
struct Run {
    examples: Vec<Example>,
    #[serde(default)]
    messages: Vec<String>,
    summary: Summary,
}

#[derive(Deserialize)]
struct Example {
    full_description: String,
    status: String,
    file_path: String,
    #[serde(default)]
    exception: Option<Exception>,
}

#[derive(Deserialize)]
struct Exception {
    class: String,
    #[serde(default)]
    message: Option<String>,
}

#[derive(Deserialize)]
struct Summary {
    #[serde(default)]
    errors_outside_of_examples_count: u64,
}

pub(super) fn read(text: &str) -> Result<Report, String> {
    let run: Run = serde_json::from_str(text).map_err(unreadable)?;
    let mut report = Report::default();
    if run.summary.errors_outside_of_examples_count > 0 {
        report.errors.push(FileError { file: None, text: run.messages.join("\n") });
    }
    report.cases = run.examples.into_iter().map(case).collect();
    Ok(report)
}

fn case(example: Example) -> Case {
    let status = match example.status.as_str() {
        "passed" => Status::Passed,
        "failed" => Status::Failed,
        _ => Status::Skipped,
    };
    let text = example
        .exception
        .map(|error| format!("{}: {}", error.class, error.message.unwrap_or_default()));
    Case {
        file: Some(example.file_path.into()),
        names: vec![titles(&example.full_description)],
        status,
        text: text.unwrap_or_default(),
    }
}
