//! The JSON of mocha's reporter `json`.

use serde::Deserialize;

use super::{Case, Report, Status, titles, unreadable};

#[derive(Deserialize)]
struct Run {
    passes: Vec<Test>,
    failures: Vec<Test>,
    pending: Vec<Test>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Test {
    full_title: String,
    #[serde(default)]
    file: Option<String>,
    #[serde(default)]
    err: Error,
}

#[derive(Default, Deserialize)]
struct Error {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    stack: Option<String>,
}

pub(super) fn read(text: &str) -> Result<Report, String> {
    let run: Run = serde_json::from_str(text).map_err(unreadable)?;
    let lists = [
        (run.passes, Status::Passed),
        (run.failures, Status::Failed),
        (run.pending, Status::Skipped),
    ];
    let cases = lists
        .into_iter()
        .flat_map(|(tests, status)| tests.into_iter().map(move |test| case(test, status)));
    Ok(Report { cases: cases.collect(), errors: Vec::new() })
}

fn case(test: Test, status: Status) -> Case {
    let text: Vec<String> =
        [test.err.name, test.err.stack.or(test.err.message)].into_iter().flatten().collect();
    Case {
        file: test.file.map(Into::into),
        names: vec![titles(&test.full_title)],
        status,
        text: text.join(": "),
    }
}
