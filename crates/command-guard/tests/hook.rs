//! Runs the real command-guard program.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

use std::path::Path;

use assert_cmd::Command;
use assert_fs::TempDir;
use serde_json::{Value, json};

/// The output of the program.
struct HookAnswer {
    stdout: String,
    log: String,
}

impl HookAnswer {
    fn reason(&self) -> Option<String> {
        let value: Value = serde_json::from_str(&self.stdout).ok()?;
        let output = &value["hookSpecificOutput"];
        assert_eq!(output["hookEventName"], "PreToolUse");
        assert_eq!(output["permissionDecision"], "deny");
        Some(output["permissionDecisionReason"].as_str()?.to_owned())
    }
}

#[derive(Clone, Copy)]
enum Session {
    Loops,
    Other,
}

fn ask(
    session: Session,
    project: &Path,
    input: impl Into<String>,
    variables: &[(&str, &str)],
) -> HookAnswer {
    let mut command = Command::cargo_bin("command-guard").unwrap();
    command.env_clear().env("HOME", "/home/user").env("RALPH_PROJECT_DIR", project);
    if matches!(session, Session::Loops) {
        command.env("RALPH_RUN_ID", "run-1");
    }
    for (name, value) in variables {
        command.env(name, value);
    }
    let output = command.write_stdin(input.into()).output().unwrap();
    assert!(output.status.success());
    HookAnswer {
        stdout: String::from_utf8(output.stdout).unwrap(),
        log: String::from_utf8(output.stderr).unwrap(),
    }
}

fn tool(name: &str, folder: &Path, tool_input: Value) -> String {
    json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": folder, "tool_name": name, "tool_input": tool_input})
        .to_string()
}

fn bash(folder: &Path, command: &str) -> String {
    tool("Bash", folder, json!({"command": command}))
}

#[test]
fn a_dangerous_command_is_refused_with_its_reason_and_an_alternative() {
    let dir = TempDir::new().unwrap();
    let answer = ask(Session::Loops, dir.path(), bash(dir.path(), "ls && rm -rf ~"), &[]);
    let reason = answer.reason().unwrap();
    assert!(reason.starts_with("Refused (recursive-delete): `rm -rf /home/user`:"), "{reason}");
    assert!(reason.lines().last().unwrap().starts_with("Do not look for a way around"), "{reason}");
    assert!(answer.log.starts_with("command-guard: denied: "), "{}", answer.log);
    assert_eq!(answer.stdout.lines().count(), 1);
}

#[test]
fn an_honest_command_passes_in_silence_and_leaves_a_line_in_the_log() {
    let dir = TempDir::new().unwrap();
    let answer =
        ask(Session::Loops, dir.path(), bash(dir.path(), "cargo test && rm -rf target"), &[]);
    assert_eq!(answer.stdout, "");
    assert_eq!(answer.log, "command-guard: allowed: no findings\n");
}

#[test]
fn other_sessions_are_ignored() {
    let dir = TempDir::new().unwrap();
    let answer = ask(Session::Other, dir.path(), bash(dir.path(), "rm -rf /"), &[]);
    assert_eq!(answer.stdout, "");
    assert_eq!(answer.log, "command-guard: allowed: not a session of a loop\n");
}

#[test]
fn a_removed_marker_does_not_disable_the_guard() {
    let dir = TempDir::new().unwrap();
    let written = [("RALPH_MARKER_SHA256", "00")];
    let answer = ask(Session::Other, dir.path(), bash(dir.path(), "rm -rf /"), &written);
    assert!(answer.reason().is_some(), "{}", answer.log);
}

#[test]
fn tools_that_write_files_are_held_to_the_same_places() {
    let dir = TempDir::new().unwrap();
    let project = dir.path();
    let refused = |name: &str, input: Value| {
        ask(Session::Loops, project, tool(name, project, input), &[("TMPDIR", "/nowhere")]).reason()
    };
    for (name, key, path, category) in [
        ("Write", "file_path", "/etc/passwd", "privilege-escalation"),
        ("Write", "file_path", "/etc/hosts", "write-outside"),
        ("Write", "file_path", "~/notes", "write-outside"),
        ("Write", "file_path", "~root/.bashrc", "persistence"),
        ("Edit", "file_path", ".ralph-active", "loop-tampering"),
        ("MultiEdit", "file_path", ".claude/settings.json", "loop-tampering"),
        ("Write", "file_path", ".git/hooks/pre-commit", "persistence"),
        ("Write", "file_path", ".git/commondir", "persistence"),
        ("Write", "file_path", ".git/info/exclude", "persistence"),
        ("NotebookEdit", "notebook_path", "/home/user/x.ipynb", "write-outside"),
        ("Write", "file_path", "src/../../../../../../../../etc/x", "write-outside"),
        ("Write", "file_path", "ralph/prd.md", "loop-tampering"),
    ] {
        let reason = refused(name, json!({key: path})).unwrap_or_default();
        assert!(reason.contains(&format!("({category})")), "{path}: {reason}");
    }
    for path in [
        "/dev/null",
        "src/main.rs",
        "ralph/tasks.json",
        "ralph/progress.txt",
        "CLAUDE.md",
        ".claude/skills/x/SKILL.md",
    ] {
        assert_eq!(refused("Write", json!({"file_path": path})), None, "{path}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_project_is_followed() {
    let dir = TempDir::new().unwrap();
    std::os::unix::fs::symlink("/usr", dir.path().join("out")).unwrap();
    let input = tool("Write", dir.path(), json!({"file_path": "out/x"}));
    assert!(ask(Session::Loops, dir.path(), input, &[]).reason().is_some());
}

#[test]
fn a_script_that_was_written_before_is_read() {
    let dir = TempDir::new().unwrap();
    std::fs::write(dir.path().join("x.sh"), "#!/bin/sh\nrm -rf ~\n").unwrap();
    std::fs::write(dir.path().join("x.py"), "import shutil\nshutil.rmtree('/home/user')\n")
        .unwrap();
    for command in ["sh x.sh", "chmod +x x.sh && ./x.sh", "python3 x.py", ". ./x.sh"] {
        let reason = ask(Session::Loops, dir.path(), bash(dir.path(), command), &[]).reason();
        assert!(reason.is_some_and(|reason| reason.contains("(recursive-delete)")), "{command}");
    }
}

#[test]
fn a_script_that_finds_its_own_folder_is_followed_there() {
    let dir = TempDir::new().unwrap();
    std::fs::create_dir(dir.path().join("ci")).unwrap();
    let finds = "root=\"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")/..\" && pwd)\"\n";
    std::fs::write(dir.path().join("ci/in.sh"), format!("{finds}rm -rf \"$root/dist\"\n")).unwrap();
    std::fs::write(dir.path().join("ci/out.sh"), format!("{finds}rm -rf \"$root/../..\"\n"))
        .unwrap();
    let reason =
        |command: &str| ask(Session::Loops, dir.path(), bash(dir.path(), command), &[]).reason();
    assert_eq!(reason("bash ci/in.sh"), None);
    assert!(reason("bash ci/out.sh").is_some());
}

#[test]
fn unreadable_input_is_refused_in_a_loop() {
    let dir = TempDir::new().unwrap();
    for input in [
        "",
        "nonsense",
        "[]",
        r#"{"tool_name":"Bash","tool_input":{"command":7}}"#,
        r#"{"tool_name":"Bash"}"#,
    ] {
        let reason = ask(Session::Loops, dir.path(), input, &[]).reason();
        assert!(reason.is_some_and(|reason| reason.contains("(hidden-code)")), "{input}");
        assert_eq!(ask(Session::Other, dir.path(), input, &[]).stdout, "", "{input}");
    }
}

#[test]
fn other_tools_and_other_events_pass() {
    let dir = TempDir::new().unwrap();
    let read = tool("Read", dir.path(), json!({"path": "x"}));
    assert_eq!(ask(Session::Loops, dir.path(), read, &[]).stdout, "");
    let stop = r#"{"hook_event_name":"Stop"}"#;
    assert_eq!(ask(Session::Loops, dir.path(), stop, &[]).stdout, "");
}

#[test]
fn any_tool_with_a_command_is_looked_at() {
    let dir = TempDir::new().unwrap();
    let monitor = tool("Monitor", dir.path(), json!({"command": "rm -rf /"}));
    assert!(ask(Session::Loops, dir.path(), monitor, &[]).reason().is_some());
}

#[test]
fn rules_of_the_runner_open_and_close() {
    let dir = TempDir::new().unwrap();
    let rules = [(
        "RALPH_COMMAND_RULES",
        r#"{"allow":["docker run --privileged *","package-publishing"],"deny":["cargo bench*"],"writable":["/opt/cache"]}"#,
    )];
    let reason =
        |command: &str| ask(Session::Loops, dir.path(), bash(dir.path(), command), &rules).reason();
    assert_eq!(reason("docker run --privileged alpine true"), None);
    assert_eq!(reason("npm publish"), None);
    assert_eq!(reason("touch /opt/cache/x"), None);
    assert!(reason("timeout 5 cargo bench --all").unwrap().contains("(own-rule)"));
    assert!(reason("docker run --privileged $X").is_some());
}

#[test]
fn an_older_script_belongs_to_the_project() {
    let dir = TempDir::new().unwrap();
    std::fs::write(dir.path().join("setup.sh"), "#!/bin/sh\nsudo apt-get install -y jq\n").unwrap();
    let began = |millis: &str| format!(r#"{{"since":{millis}}}"#);
    let reason = |rules: &str| {
        let variables = [("RALPH_COMMAND_RULES", rules)];
        ask(Session::Loops, dir.path(), bash(dir.path(), "sh setup.sh"), &variables).reason()
    };
    assert_eq!(reason(&began("4102444800000")), None, "the session begins in 2100");
    assert!(reason(&began("0")).unwrap().contains("(privilege-escalation)"));
}

#[test]
fn a_script_that_is_too_long_hides_no_later_command() {
    let dir = TempDir::new().unwrap();
    let loops =
        "for a in 1 2 3 4 5 6 7 8 9; do for b in 1 2 3 4 5 6 7 8 9; do echo $a $b; done; done\n";
    std::fs::write(dir.path().join("long.sh"), loops.repeat(100)).unwrap();
    let reason =
        |command: &str| ask(Session::Loops, dir.path(), bash(dir.path(), command), &[]).reason();
    assert_eq!(reason("bash long.sh"), None);
    assert!(reason("bash long.sh; rm -rf ~").unwrap().contains("(recursive-delete)"));
    assert!(reason("bash long.sh && bash long.sh && rm -rf ~").is_some());
    // A command passed as text is refused as a whole.
    assert!(reason(&format!("bash -c '{}'", loops.repeat(100))).unwrap().contains("(hidden-code)"));
}

#[test]
fn code_that_does_more_than_is_looked_at_is_refused() {
    let dir = TempDir::new().unwrap();
    let items = "a ".repeat(30);
    let loops = format!("for i in {items}; do ").repeat(3);
    let one = format!("{loops} rm -r b; done; done; done");
    let code = format!("python3 -c \"import os; os.system('{one}; rm -rf ~')\"");
    let answer = ask(Session::Loops, dir.path(), bash(dir.path(), &code), &[]);
    assert!(answer.reason().unwrap().contains("(hidden-code)"), "{}", answer.log);
    let many = "os.system('true')\n".repeat(450);
    let code = format!("python3 - <<'E'\nimport os\n{many}os.system('rm -rf ~')\nE\n");
    assert!(ask(Session::Loops, dir.path(), bash(dir.path(), &code), &[]).reason().is_some());
}

#[test]
fn files_that_are_fixed_in_the_iteration_are_refused() {
    let dir = TempDir::new().unwrap();
    let marker = json!({"protectedFiles": {
        "tests/test_[x].py": null, "ralph/proofs/US-001.json": null, ".ralph/skills/": null
    }});
    std::fs::write(dir.path().join(".ralph-active"), marker.to_string()).unwrap();
    let write = |file: &str| tool("Write", dir.path(), json!({"file_path": dir.path().join(file)}));
    for input in [
        write("tests/test_[x].py"),
        write("ralph/proofs/US-001.json"),
        bash(dir.path(), "echo pass > 'tests/test_[x].py'"),
        bash(dir.path(), "sed -i s/1/2/ tests/*.py"),
        bash(dir.path(), "rm -r tests"),
        bash(dir.path(), "cd ralph && mv proofs old"),
    ] {
        let reason = ask(Session::Loops, dir.path(), input.as_str(), &[]).reason();
        let reason = reason.unwrap_or_else(|| panic!("{input}"));
        assert!(reason.contains("a wrong test is disputed in the notes of its story"), "{reason}");
    }
    for input in [
        write("tests/test_y.py"),
        bash(dir.path(), "touch tests/test_y.py && cat 'tests/test_[x].py' && pytest tests"),
    ] {
        assert_eq!(ask(Session::Loops, dir.path(), input, &[]).stdout, "");
    }
}
