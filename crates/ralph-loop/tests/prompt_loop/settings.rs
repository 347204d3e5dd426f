//! Settings reach the agent, the nearer ones over the farther, and secrets stay secret.

use events::RunEnd;
use serde_json::json;

use crate::harness::{AGENT, DONE, Project};

const SECRET: &str = "hunter2-of-the-settings";

fn stdout_and_stderr(output: &std::process::Output) -> String {
    format!(
        "{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[test]
fn the_agent_of_the_settings_with_its_flags_and_its_environment() {
    let act = format!("printf '%s\\n' \"$@\" \"$TOKEN\" >\"$here/arguments\"; {DONE}");
    let project = Project::without_git().agent([&act]);
    let program = project.beside("bin/coder");
    std::os::unix::fs::symlink(AGENT, &program).unwrap();
    let project = project.settings(&json!({
        "agent": {"command": "coder", "flags": ["--model opus", "be very terse"]},
        "env": {"TOKEN": SECRET},
    }));
    project.run_as_it_is(&["prompt", "-p", "x"]).assert_end(RunEnd::Complete);
    let arguments = std::fs::read_to_string(project.beside("agent/arguments")).unwrap();
    assert_eq!(arguments, format!("--model\nopus\nbe very terse\n{SECRET}\n"));
}

#[test]
fn an_argument_from_the_command_line_goes_as_it_was_typed() {
    let act = format!("printf '%s\\n' \"$@\" >\"$here/arguments\"; {DONE}");
    let project = Project::without_git().agent([&act]);
    let typed = ["--append-system-prompt=be very terse", "--model opus"];
    let run = project.run(&["prompt", "-p", "x", "--agent-arg", typed[0], "--agent-arg", typed[1]]);
    run.assert_end(RunEnd::Complete);
    let arguments = std::fs::read_to_string(project.beside("agent/arguments")).unwrap();
    assert_eq!(arguments.lines().collect::<Vec<_>>(), typed);
}

#[test]
fn a_path_is_meant_from_the_root_in_a_file_and_from_here_in_a_flag() {
    let project = Project::new();
    let here = project.path().join("sub");
    std::fs::create_dir(&here).unwrap();
    for folder in [&project.path(), &here] {
        std::os::unix::fs::symlink(AGENT, folder.join("agent.sh")).unwrap();
    }
    let project = project.settings(&json!({"agent": {"command": "./agent.sh"}}));
    let called = |flags: &[&str]| {
        let args = ["prompt", "-p", "x", "-d", "..", "--dry-run", "--output", "json"];
        let output = project.call_in(&here, &[&args[..], flags].concat());
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        json["command"].as_str().unwrap().to_owned()
    };
    for (flags, name) in [
        (&[][..], "project/agent.sh"),
        (&["--agent", "./agent.sh"], "project/sub/agent.sh"),
        (&["--agent-program", "./agent.sh"], "project/sub/agent.sh"),
    ] {
        let command = called(flags);
        assert!(command.contains(name), "{flags:?}: {command}");
    }
}

#[test]
fn the_prompt_reaches_the_agent_as_it_wants_it() {
    let text = "x <response>DONE</response>";
    for (via, act) in [("argument", "printf %s \"$1\""), ("file", "cat \"$1\"")] {
        let act = format!("{act} >\"$here/got\"; {DONE}");
        let project = Project::without_git().agent([&act]);
        project.run(&["prompt", "-p", text, "--prompt-via", via]).assert_end(RunEnd::Complete);
        let got = std::fs::read_to_string(project.beside("agent/got")).unwrap();
        assert_eq!((got.as_str(), project.prompts()), (text, vec![String::new()]), "{via}");
    }
}

#[test]
fn a_program_of_json_lines_is_read_by_the_filters_of_the_settings() {
    let settings = json!({"agent": {"command": AGENT, "type": "json", "filters": {
        "text": ".say", "result": ".end", "tool": "select(.tool) | {name: .tool, summary: .with}",
        "costUsd": ".usd",
    }}});
    let project = Project::without_git().settings(&settings).agent([r#"cat <<'EOF'
{"prompt": "say <response>DONE</response>"}
{"say": "Working.", "usd": 0.25}
{"tool": "shell", "with": "make <response>DONE</response>"}
{"end": "All done. <response>DONE</response>", "usd": 0.5}
EOF"#]);
    let run = project.run_as_it_is(&["prompt", "-p", "do it", "--max-cost-usd", "9"]);
    run.assert_end(RunEnd::Complete);
    let reported = format!("{:?}", run.events);
    for part in [
        "AgentText { text: \"Working.\" }",
        "name: \"shell\", summary: \"make <response>DONE</response>\"",
        "cost_usd: Some(0.75)",
        "RunStarted { start: RunStart { version",
        "agent: \"agent\"",
    ] {
        assert!(reported.contains(part), "{part}: {reported}");
    }
}

#[test]
fn filters_that_are_wrong_are_refused_with_their_place() {
    let refused = |agent: serde_json::Value, expected: &str| {
        let project = Project::without_git().settings(&json!({ "agent": agent }));
        project.run_as_it_is(&["prompt", "-p", "do it"]).assert_refused([expected]);
        assert_eq!(project.prompts().len(), 0);
    };
    refused(
        json!({"command": AGENT, "type": "json", "filters": {"text": ".a | foo"}}),
        ".ralph/settings.json: agent.filters.text: character 6: unknown filter foo",
    );
    refused(
        json!({"command": AGENT, "type": "json"}),
        "an agent of type json needs agent.filters.result",
    );
    refused(
        json!({"command": AGENT, "filters": {"text": ".a"}}),
        "agent.filters: only agents of type json support filters",
    );
}

#[test]
fn stderr_is_marked_in_the_session_log_and_with_verbose_on_screen() {
    let project =
        Project::without_git().agent(["echo 'npm warn' >&2; echo '<response>DONE</response>'"]);
    let args = ["prompt", "-p", "do it", "--agent", AGENT, "--sandbox=guard"];
    let output = project.call(&args);
    let shown = stdout_and_stderr(&output);
    assert!(output.status.success() && !shown.contains("npm warn"), "{shown}");
    assert!(project.run_file("session.log").contains("\n  stderr: npm warn\n"));
    let shown = stdout_and_stderr(&project.call(&[&args[..], &["--verbose"]].concat()));
    assert!(shown.contains("[ralph] stderr: npm warn"), "{shown}");
}

#[test]
fn secrets_are_shown_nowhere() {
    let project = Project::new().agent([DONE]).settings(&json!({"env": {"TOKEN": SECRET}}));
    let agent = ["--agent", AGENT, "--sandbox=guard"];
    for flags in [&["--dry-run"][..], &["--dry-run", "--output", "json"], &["--verbose"]] {
        let args = [&["prompt", "-p", "x"][..], &agent, flags].concat();
        let output = project.call(&args);
        let shown = stdout_and_stderr(&output);
        assert_eq!(output.status.code(), Some(0), "{shown}");
        assert!(!shown.contains(SECRET), "{shown}");
        let sign = match flags {
            ["--verbose"] => "\n[ralph] ",
            [_] => "TOKEN=\"$TOKEN\"",
            _ => r#"TOKEN=\"$TOKEN\""#,
        };
        assert!(shown.contains(sign), "{shown}");
    }
    for file in ["events.jsonl", "session.log"] {
        assert!(!project.run_file(file).contains(SECRET), "{file}");
    }
    assert!(!project.read(".ralph/prompt-state.json").contains(SECRET));
}

#[test]
fn a_flag_is_over_the_local_settings_and_those_over_the_shared_ones() {
    let iterations = |number: u64| json!({"maximumIterations": number});
    let project = Project::without_git().agent(["echo 'not yet'"]).settings(&iterations(1));
    let used = |args: &[&str]| {
        let before = project.prompts().len();
        let all = [&["prompt", "-p", "x", "--fresh"], args].concat();
        project.run(&all).assert_end(RunEnd::IterationsUsed);
        project.prompts().len() - before
    };
    assert_eq!(used(&[]), 1);
    project.write(".ralph/settings.local.json", iterations(2).to_string());
    assert_eq!(used(&[]), 2);
    assert_eq!(used(&["-n", "3"]), 3);
}

#[test]
fn the_old_name_of_the_iterations_works_with_a_warning() {
    let project = Project::without_git().agent(["echo 'not yet'"]);
    let run = project.run(&["prompt", "-p", "x", "-m", "2"]);
    run.assert_end(RunEnd::IterationsUsed);
    assert_eq!(project.prompts().len(), 2);
    assert!(
        run.stderr.contains("note: -m is deprecated for the number of iterations"),
        "{}",
        run.stderr
    );
}
