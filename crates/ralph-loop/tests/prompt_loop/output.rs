//! The output of a run on stdout and stderr.

use serde_json::Value;

use crate::harness::{AGENT, DONE, PROMISE, Project};

fn lines_of(project: &Project, from: &str) -> Vec<String> {
    let log = project.run_file("session.log");
    let lines: Vec<String> = log.lines().map(str::to_owned).collect();
    let start = lines.iter().position(|line| line.starts_with(from)).unwrap();
    lines[start..].to_vec()
}

fn labels(lines: &[String]) -> Vec<&str> {
    lines.iter().map(|line| line.split(": ").next().unwrap()).collect()
}

#[test]
fn the_session_log_has_a_header_a_footer_and_a_summary() {
    let project = Project::new().agent(["exit 1", "echo 'Hello there.'", PROMISE]);
    project.run(&["prompt", "task.md"]).assert_exit(0);
    let (thick, thin) = ("=".repeat(80), "-".repeat(80));
    let log = project.run_file("session.log");
    for text in [
        format!("{thick}\nITERATION 2\n{thick}\nMode: prompt\nStart Time: "),
        format!("{thin}\nPrompt: task.md\nFiles: .ralph/runs/"),
        format!("{thin}\nITERATION 1 COMPLETE\nEnd Time: "),
        "\nStatus: the agent failed; retried\n".to_owned(),
        "\nRetry: 1\n".to_owned(),
        "Hello there.\n".to_owned(),
        format!(
            "{thick}\nSESSION SUMMARY\n{thick}\nTotal Iterations: 2\nSuccessful: 2\nFailed: 0\n"
        ),
    ] {
        assert!(log.contains(&text), "{text} is not in {log}");
    }
    let footer = lines_of(&project, "ITERATION 2 COMPLETE");
    // This agent reports no cost.
    let expected = ["ITERATION 2 COMPLETE", "End Time", "Duration", "Messages", "Status"];
    assert_eq!(labels(&footer)[..5], expected);
    assert_eq!(footer[5], thick);
    let end = lines_of(&project, "Exit Reason: complete");
    assert_eq!(end[1..], ["Exit Code: 0".to_owned(), thick]);
}

#[test]
fn machines_get_nothing_but_json_lines() {
    let project = Project::new();
    let args =
        ["prompt", "task.md", "--output", "json", "--agent", AGENT, "--verbose", "--sandbox=guard"];
    let output = project.call(&args);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    let types: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["type"].clone())
        .collect();
    assert_eq!((&types[0], types.last().unwrap()), (&"run-started".into(), &"run-ended".into()));
    assert_eq!(project.run_file("events.jsonl"), text, "and the run keeps the same");
    assert!(!output.stderr.is_empty(), "people can read along");
}

#[test]
fn a_dry_run_shows_command_and_prompt_starts_nothing_and_writes_nothing() {
    let project = Project::new().agent([DONE]);
    let before = project.listing();
    let args = ["prompt", "-p", "Fix ${ITERATION} ${NOPE}", "--dry-run", "--agent", AGENT];
    let output = project.call(&args);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.starts_with("Prompt:\nFix 1 ${NOPE}\n\nWhen all"), "{text}");
    for part in [
        "\nIsolation of ",
        "Unknown variables: NOPE\n",
        "\nCommand, with the prompt in prompt.txt",
        AGENT,
    ] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    let output = project.call(&[&args[..], &["--output", "json"]].concat());
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["unknownVariables"], serde_json::json!(["NOPE"]));
    assert_eq!(project.listing(), before);
    assert_eq!(project.prompts(), Vec::<String>::new());
}
