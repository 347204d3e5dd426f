//! The JSON of `jest --json`, which vitest's reporter `json` writes too.

use std::rc::Rc;

use serde::Deserialize;

use super::{Case, FileError, Report, Status, titles, unreadable};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    test_results: Vec<File>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File {
    name: Rc<str>,
    #[serde(default)]
    status: String,
    #[serde(default)]
    message: Option<String>,
    assertion_results: Vec<Test>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    #[serde(default)]
    ancestor_titles: Vec<String>,
    title: String,
    status: String,
    #[serde(default)]
    failure_messages: Option<Vec<String>>,
}

pub(super) fn read(text: &str) -> Result<Report, String> {
    let run: Run = serde_json::from_str(text).map_err(unreadable)?;
    let mut report = Report::default();
    for file in run.test_results {
        let test_failed = file.assertion_results.iter().any(|test| test.status == "failed");
        if file.status == "failed" && !test_failed {
            let text = file.message.unwrap_or_default();
            report.errors.push(FileError { file: Some(file.name.clone()), text });
        }
        for test in file.assertion_results {
            let status = match test.status.as_str() {
                "passed" => Status::Passed,
                "failed" => Status::Failed,
                _ => Status::Skipped,
            };
            let mut names = test.ancestor_titles;
            names.push(test.title);
            report.cases.push(Case {
                file: Some(file.name.clone()),
                names: vec![titles(&names.join(" "))],
                status,
                text: test.failure_messages.unwrap_or_default().join("\n"),
            });
        }
    }
    Ok(report)
}
