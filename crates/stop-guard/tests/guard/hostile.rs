//! Hostile input: a clear answer, in bounded time and memory.

use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

use assert_cmd::cargo::cargo_bin;
use serde_json::json;

use crate::harness::{Project, answer, list, story};

fn implementing() -> Project {
    Project::in_iteration("implement", [story("US-001")])
}

#[test]
fn a_task_list_of_fifty_megabytes_is_refused_by_its_size() {
    let project = implementing();
    let mut huge = story("US-001");
    huge["notes"] = json!("x".repeat(50 * 1024 * 1024));
    project.write_tasks(&list([huge]));
    project.commit_all();
    let answer = project.stop();
    answer.assert_blocked_for("Move long texts into other files");
    assert!(answer.reason().len() < 1000, "{}", answer.reason().len());
}

#[test]
fn a_broken_list_just_below_the_limit_makes_a_short_reason() {
    let project = implementing();
    let broken: Vec<_> =
        (0..60_000).map(|n| json!({"id": format!("S{n}"), "passes": "?"})).collect();
    project.write_tasks(&list(broken));
    project.commit_all();
    let answer = project.stop();
    answer.assert_blocked_for("story S0: title: expected a string");
    assert!(answer.reason().len() < 8000, "{}", answer.reason().len());
}

#[test]
fn nesting_duplicates_and_control_characters_are_named() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let text = list([story("US-001")]).to_string();
    let twice = text.replacen(r#""passes":false"#, r#""passes":false,"passes":true"#, 1);
    let mut nasty = story("x");
    nasty["id"] = json!("US\u{0}\u{1b}[2J");
    let cases: [(Vec<u8>, &str); 5] = [
        (deep.into(), "nested more than 127 levels deep"),
        (twice.into(), "passes: expected the key once, found it 2 times"),
        (list([nasty]).to_string().into(), r"US\0\u{1b}[2J"),
        (b"{\"project\":\"\xff\"}".into(), "not UTF-8"),
        (b"{\"project\":".into(), "not valid JSON"),
    ];
    for (bytes, expected) in cases {
        let project = implementing();
        project.write("ralph/tasks.json", bytes);
        project.commit_all();
        let answer = project.stop();
        answer.assert_blocked_for(expected);
        let controls = answer.reason().chars().filter(|c| c.is_control() && *c != '\n').count();
        assert_eq!(controls, 0, "{}", answer.reason());
    }
}

/// The worst lists below the size limit: one value repeated millions of times.
#[cfg(target_os = "linux")]
#[test]
fn lists_made_to_fill_the_memory_do_not() {
    let head = r#"{"project":"","branchName":"","description":"","userStories":["#;
    let story = r#"{"id":"A","acceptanceCriteria":["#;
    let size = 8 * 1024 * 1024 - 1000;
    let cases = [
        (format!("{head}{}0]}}", "0,".repeat(size / 2)), "userStories[0]: expected an object"),
        (format!("{head}{}{{}}]}}", "{},".repeat(size / 3)), "story number 1: id: expected"),
        (
            format!("{head}{story}{}0]}}]}}", "0,".repeat(size / 2)),
            "acceptanceCriteria[0]: expected a non-empty string",
        ),
        (
            format!(r#"{head}{story}"x"],{}"y":0}}]}}"#, r#""":0,"#.repeat(size / 5)),
            "story A: title: expected a string",
        ),
        (
            format!(r#"{head}{story}"x"],"dependsOn":[{}"b"]}}]}}"#, r#""b","#.repeat(size / 4)),
            "story A: title: expected a string",
        ),
    ];
    for (text, expected) in cases {
        let project = implementing();
        project.write("ralph/tasks.json", text);
        project.commit_all();
        let answer = project.stop_within_megabytes(400);
        answer.assert_blocked_for(expected);
        assert!(answer.reason().len() < 8000, "{}", answer.reason().len());
    }
}

#[test]
fn help_and_version_are_printed() {
    let printed = |argument: &str| {
        let output =
            assert_cmd::Command::new(cargo_bin("stop-guard")).arg(argument).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(printed("--help").contains("The Stop hook of Ralph"));
    assert_eq!(printed("--version"), format!("stop-guard {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_missing_list_blocks_with_a_hint_to_restore_it() {
    let project = implementing();
    std::fs::remove_file(project.file("ralph/tasks.json")).unwrap();
    project.commit_all();
    project.stop().assert_blocked_for("it is missing. Restore it with git");
}

#[cfg(unix)]
#[test]
fn links_are_followed_to_files_and_refused_into_devices_and_pipes() {
    use std::os::unix::fs::symlink;
    let project = implementing();
    let tasks = project.file("ralph/tasks.json");
    let real = project.file("ralph/real.json");
    std::fs::rename(&tasks, &real).unwrap();
    symlink("real.json", &tasks).unwrap();
    project.commit_all();
    project.stop().assert_allowed("no findings");

    let pipe = project.path().with_extension("pipe");
    assert_cmd::Command::new("mkfifo").arg(&pipe).assert().success();
    let pipe_name = pipe.display().to_string();
    for target in ["/dev/zero", "/dev/tty", "/", "nowhere.json", &pipe_name] {
        std::fs::remove_file(&tasks).unwrap();
        symlink(target, &tasks).unwrap();
        project.commit_all();
        let answer = project.stop();
        answer.assert_blocked_for("Problems in ralph/tasks.json");
    }
    std::fs::remove_file(pipe).unwrap();
}

#[test]
fn a_repository_path_with_control_characters_does_not_reach_the_terminal() {
    let project = implementing();
    project.write("evil\u{1b}[2J\nname", "x");
    let answer = project.stop();
    answer.assert_blocked_for("untracked: evil\u{fffd}[2J\u{fffd}name");
}

#[test]
fn marker_texts_are_sanitized() {
    let nasty = "\u{1b}[2J\u{7}\nstop-guard: allowed";
    for (field, env) in
        [("sessionId", None), ("iterationMode", None), ("iterationMode", Some("run-1"))]
    {
        let project = implementing();
        let mut marker = project.marker("implement");
        marker[field] = json!(nasty);
        project.write_marker(&marker);
        let project = match env {
            Some(run) => project.env("RALPH_RUN_ID", run),
            None => project,
        };
        let answer = project.stop();
        let text = format!("{}{:?}", answer.stderr, answer.output);
        let steering = text.chars().filter(|c| c.is_control() && *c != '\n').count();
        assert_eq!((steering, answer.stderr.lines().count()), (0, 1), "{field}: {text:?}");
    }
}

#[test]
fn a_marker_of_forty_megabytes_is_not_read() {
    let project = implementing();
    project.write(".ralph-active", " ".repeat(40 * 1024 * 1024));
    project.stop().assert_allowed("warning: cannot read .ralph-active");
}

#[expect(clippy::disallowed_methods, reason = "the pipe has to stay open, which assert_cmd closes")]
#[test]
fn an_input_without_an_end_times_out() {
    let project = implementing();
    let mut child = std::process::Command::new(cargo_bin("stop-guard"))
        .env_clear()
        .env("CLAUDE_PROJECT_DIR", project.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"{\"session_id\":").unwrap();
    let started = std::time::Instant::now();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert!(started.elapsed() < Duration::from_secs(60));
    answer(&output).assert_allowed("no data for 5000 ms");
}
