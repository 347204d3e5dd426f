//! A run that an earlier version recorded is still shown.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot read its own files has failed")]

use assert_cmd::Command;
use assert_fs::TempDir;
use serde_json::Value;

const LOG: &str = include_str!("data/events-with-former-names.jsonl");
const RUN: &str = "20261118-033428-8ee9";

fn project() -> TempDir {
    let dir = TempDir::new().unwrap();
    test_repo::init_for_commits(dir.path());
    let run = dir.path().join(".ralph/runs").join(RUN);
    std::fs::create_dir_all(&run).unwrap();
    std::fs::write(run.join("events.jsonl"), LOG).unwrap();
    dir
}

fn printed(project: &TempDir, args: &[&str]) -> String {
    let mut command = Command::cargo_bin("ralph-loop").unwrap();
    let output = command.args(args).current_dir(project.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn report_runs_and_the_page_show_it() {
    assert!(LOG.contains("gates-judged") && LOG.contains("story-moved"), "it has the former names");
    let project = project();
    let report = printed(&project, &["report", RUN, "--format", "markdown"]);
    assert!(report.contains("Completed: 3/3 stories"), "{report}");
    let json: Value =
        serde_json::from_str(&printed(&project, &["report", RUN, "--format", "json"])).unwrap();
    assert_eq!(json["iterations"].as_u64(), Some(9), "{json:#}");
    assert!(printed(&project, &["runs"]).contains("3/3"));
    let page = printed(&project, &["report", RUN, "--format", "html", "--out", "-"]);
    assert!(page.contains("US-003") && page.contains("<html"), "{}", page.len());
}
