//! The JSON of RSpec's formatter `json`.

use serde::Deserialize;

use super::{Case, Report, Status, titles, unreadable};

#[derive(Deserialize)]
struct Run {
    examples: Vec<Example>,
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

pub(super) fn read(text: &str) -> Result<Report, String> {
    let run: Run = serde_json::from_str(text).map_err(unreadable)?;
    // Errors outside of examples are in the output too.
    Ok(Report { cases: run.examples.into_iter().map(case).collect(), errors: Vec::new() })
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
