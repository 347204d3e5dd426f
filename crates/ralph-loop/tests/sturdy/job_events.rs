//! What the tests of all batch engines look at: events, files that others can read, and the job of `doctor`.

use std::path::Path;

use events::{AgentOutcome, LoopEvent};
use serde_json::Value;

use crate::harness::{Finished, Project, tool};

pub(crate) fn started(event: &LoopEvent) -> Option<(&str, u64)> {
    match event {
        LoopEvent::JobStarted { node, restart, .. } => Some((node, *restart)),
        _ => None,
    }
}

pub(crate) fn is_started(event: &LoopEvent) -> bool {
    started(event).is_some()
}

pub(crate) fn outcomes(run: &Finished) -> Vec<AgentOutcome> {
    let ended = run.events.iter().filter_map(|event| match event {
        LoopEvent::AgentEnded(ended) => Some(ended.outcome),
        _ => None,
    });
    ended.collect()
}

/// Texts in which no secret may be: arguments of all processes, files of the run, and every object of git.
pub(crate) fn readable_texts(project: &Project) -> Vec<(String, String)> {
    let lossy = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let mut texts: Vec<(String, String)> = processes
        .filter_map(|process| {
            let call = lossy(std::fs::read(process.path().join("cmdline")).ok()?);
            Some((format!("arguments of {:?}", process.file_name()), call))
        })
        .collect();
    let objects = ["cat-file", "--batch-all-objects", "--batch"];
    let objects = tool("git").current_dir(project.root()).args(objects).output().unwrap();
    texts.push(("git".to_owned(), lossy(objects.stdout)));
    let mut folders = vec![project.root().join(".ralph/runs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            match entry.file_type().unwrap().is_dir() {
                true => folders.push(entry.path()),
                false => {
                    let text = lossy(std::fs::read(entry.path()).unwrap());
                    texts.push((entry.path().display().to_string(), text));
                }
            }
        }
    }
    texts
}

/// The state of the check with a job, and what it found, with its notes.
pub(crate) fn executor_check(project: &Project, agent: &Path) -> (String, String) {
    let args = ["doctor", "--json", "--no-self-test", "--agent-program", agent.to_str().unwrap()];
    let report: Value = serde_json::from_slice(&project.call(&args).stdout).unwrap();
    let checks = report["checks"].as_array().unwrap().clone();
    let check = checks.into_iter().find(|check| check["id"] == "executor").unwrap();
    let found = check["found"].as_str().unwrap();
    (check["state"].as_str().unwrap().to_owned(), format!("{found} {}", check["notes"]))
}
