//! The text of Rust's test harness.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

use super::{Case, ENDED_EARLY, Report, Status};

static RESULT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^test (\S+)(?: - should panic(?: - .*)?)? \.\.\. (ok|FAILED|ignored)(?:, .*)?$")
        .ok()
});
static START: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^running \d+ tests?$").ok());

pub(super) fn read(text: &str) -> Result<Report, String> {
    let (Some(result), Some(start)) = (RESULT.as_ref(), START.as_ref()) else {
        return Err("the pattern of a result is broken".to_owned());
    };
    let mut failures = failure_texts(text);
    let mut cases = Vec::new();
    let (mut started, mut ended) = (0, 0);
    for line in text.lines() {
        started += usize::from(start.is_match(line));
        ended += usize::from(line.starts_with("test result: "));
        let Some(found) = result.captures(line) else { continue };
        let status = match &found[2] {
            "ok" => Status::Passed,
            "FAILED" => Status::Failed,
            _ => Status::Skipped,
        };
        let text = match status {
            Status::Failed => failures.remove(&found[1]).unwrap_or_default(),
            Status::Passed | Status::Skipped => String::new(),
        };
        cases.push(Case { file: None, names: vec![found[1].to_owned()], status, text });
    }
    if started > 0 && started == ended {
        Ok(Report { cases, errors: Vec::new() })
    } else {
        Err(ENDED_EARLY.to_owned())
    }
}

/// What each failed test printed, by its name.
fn failure_texts(text: &str) -> HashMap<&str, String> {
    let mut texts: HashMap<&str, String> = HashMap::new();
    let mut current = None;
    for line in text.lines() {
        if let Some(name) =
            line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" stdout ----"))
        {
            current = Some(name);
        } else if line == "failures:" {
            current = None;
        } else if let Some(name) = current {
            let text = texts.entry(name).or_default();
            text.push_str(line);
            text.push('\n');
        }
    }
    texts
}
