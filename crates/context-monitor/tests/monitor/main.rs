//! Runs the real context-monitor program, one process per call.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod time;

use std::fmt::Write as _;
use std::process::Output;

use assert_cmd::cargo::cargo_bin;
use assert_fs::TempDir;
use serde_json::{Value, json};

const SESSION: &str = "22222222-2222-4222-8222-222222222222";

struct Session {
    dir: TempDir,
    id: String,
    env: Vec<(String, String)>,
}

impl Session {
    fn new() -> Self {
        Self { dir: TempDir::new().unwrap(), id: SESSION.into(), env: Vec::new() }
    }

    fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Sets the token usage of the session's last answer.
    fn at(&self, tokens: u64, model: &str) -> &Self {
        let mut transcript = String::new();
        for used in [tokens / 2, tokens] {
            let answer = json!({
                "type": "assistant", "isSidechain": false,
                "message": {"model": model, "content": [], "usage": {
                    "input_tokens": 0, "cache_read_input_tokens": used, "output_tokens": 0}},
            });
            let result = json!({"type": "user", "message": {"content": "y".repeat(2000)}});
            writeln!(transcript, "{answer}\n{result}").unwrap();
        }
        std::fs::write(self.dir.path().join("transcript.jsonl"), transcript).unwrap();
        self
    }

    fn input(&self, event: &str) -> Value {
        json!({
            "session_id": self.id, "hook_event_name": event, "cwd": self.dir.path(),
            "transcript_path": self.dir.path().join("transcript.jsonl"),
            "tool_name": "Bash", "tool_response": {"stdout": "x"}, "source": "compact",
        })
    }

    fn command(&self, input: &Value) -> assert_cmd::Command {
        self.prepared(assert_cmd::Command::new(cargo_bin("context-monitor")), input)
    }

    /// Like `alert`, with an address space of at most `megabytes`.
    #[cfg(target_os = "linux")]
    fn alert_within_megabytes(&self, megabytes: u64) -> Option<String> {
        let mut command = assert_cmd::Command::new("sh");
        let limited = format!("ulimit -v {} && exec \"$0\"", megabytes * 1024);
        command.arg("-c").arg(limited).arg(cargo_bin("context-monitor"));
        model_text(&self.prepared(command, &self.input("PostToolUse")).output().unwrap())
    }

    fn prepared(&self, mut command: assert_cmd::Command, input: &Value) -> assert_cmd::Command {
        command
            .env_clear()
            .env("CLAUDE_PROJECT_DIR", self.dir.path())
            .env("CLAUDE_PLUGIN_DATA", self.dir.path().join("data"))
            .envs(self.env.iter().cloned())
            .write_stdin(input.to_string())
            .timeout(std::time::Duration::from_secs(30));
        command
    }

    /// The text for the model after a tool call.
    fn alert(&self) -> Option<String> {
        model_text(&self.command(&self.input("PostToolUse")).output().unwrap())
    }

    fn alert_at(&self, tokens: u64) -> Option<String> {
        self.at(tokens, "claude-opus-4-6").alert()
    }

    fn starts(&self) {
        let output = self.command(&self.input("SessionStart")).output().unwrap();
        assert_eq!(model_text(&output), None);
    }
}

fn model_text(output: &Output) -> Option<String> {
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(!output.stderr.is_empty(), "what was decided goes to stderr");
    if output.stdout.is_empty() {
        return None;
    }
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let inner = &json["hookSpecificOutput"];
    assert_eq!(inner["hookEventName"], "PostToolUse");
    Some(inner["additionalContext"].as_str().unwrap().to_owned())
}

#[track_caller]
fn assert_says(text: Option<String>, part: &str) {
    let text = text.unwrap_or_default();
    assert!(text.contains(part), "{part:?} is not in {text:?}");
}

#[test]
fn each_threshold_reaches_the_model_once() {
    let session = Session::new();
    assert_eq!(session.alert_at(99_999), None);
    assert_says(session.alert_at(100_000), "Context NOTICE: 50 %");
    assert_eq!(session.alert_at(101_000), None);
    assert_says(session.alert_at(120_000), "NOTICE: 60 %");
    assert_says(session.alert_at(165_000), "WARNING: 82 %");
    assert_eq!(session.alert_at(165_000), None);
    assert_says(session.alert_at(180_000), "CRITICAL: 90 %");
    assert_eq!(session.alert_at(199_000), None);
}

#[test]
fn a_new_start_and_a_compaction_arm_the_alerts_again() {
    let session = Session::new();
    assert_says(session.alert_at(150_000), "WARNING: 75 %");
    session.starts();
    assert_says(session.alert_at(150_000), "WARNING: 75 %");
    assert_eq!(session.alert_at(20_000), None);
    assert_says(session.alert_at(150_000), "WARNING: 75 %");
}

#[test]
fn alerts_are_counted_per_session() {
    let (one, mut other) = (Session::new(), Session::new());
    other.dir = TempDir::new().unwrap();
    let data = one.dir.path().join("data").display().to_string();
    let mut other = other.env("CLAUDE_PLUGIN_DATA", &data);
    other.id = "another".into();
    assert_says(one.alert_at(150_000), "75 %");
    assert_says(other.alert_at(150_000), "75 %");
    other.starts();
    assert_eq!(one.alert_at(150_000), None, "only its own alerts are armed again");
}

#[test]
fn of_many_tools_at_once_one_carries_the_alert() {
    let session = Session::new();
    session.at(150_000, "claude-opus-4-6");
    let alerts: usize = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..12).map(|_| scope.spawn(|| session.alert())).collect();
        calls.into_iter().filter_map(|call| call.join().unwrap()).count()
    });
    assert_eq!(alerts, 1);
}

#[test]
fn a_session_id_is_never_a_path() {
    let mut session = Session::new();
    for id in ["../../../escape", "/etc/passwd", "a\u{0}b", "..", &"long".repeat(5000)] {
        session.id = id.into();
        assert_says(session.alert_at(150_000), "75 %");
        assert_eq!(session.alert_at(150_000), None);
    }
    let names: Vec<_> = std::fs::read_dir(session.dir.path()).unwrap().collect();
    assert_eq!(names.len(), 2, "the transcript and the data folder: {names:?}");
}

#[test]
fn subagents_get_no_alerts() {
    let session = Session::new();
    session.at(199_000, "claude-opus-4-6");
    let mut input = session.input("PostToolUse");
    input["agent_id"] = json!("agent-1");
    assert_eq!(model_text(&session.command(&input).output().unwrap()), None);
    assert_says(session.alert(), "CRITICAL");
}

fn write_marker(session: &Session, marker: &Value) {
    std::fs::write(session.dir.path().join(".ralph-active"), marker.to_string()).unwrap();
}

#[test]
fn the_window_comes_from_the_environment_then_the_marker_then_the_model() {
    let alert_for = |window: Option<&str>, marker: bool, model: &str| {
        let session = Session::new();
        let session = match window {
            Some(tokens) => session.env("CLAUDE_CONTEXT_WINDOW", tokens),
            None => session,
        };
        if marker {
            write_marker(&session, &json!({"sessionId": SESSION, "contextWindow": 250_000}));
        }
        session.at(190_000, model).alert().unwrap_or_default()
    };
    assert!(
        alert_for(Some("300000"), true, "claude-opus-4-6").contains("63 %"),
        "environment first"
    );
    assert!(alert_for(None, true, "claude-opus-4-6").contains("76 %"), "then the marker");
    assert!(alert_for(None, false, "claude-opus-4-6").contains("95 %"), "then the model");
    assert!(alert_for(None, false, "who-knows").contains("95 %"), "then 200,000");
    assert_eq!(alert_for(None, false, "claude-opus-5-5"), "", "far below a million");
    for (switch, usage) in [("1", "95 %"), ("true", "95 %"), ("0", ""), ("false", "")] {
        let session = Session::new().env("CLAUDE_CODE_DISABLE_1M_CONTEXT", switch);
        let text = session.at(190_000, "claude-opus-5-5").alert().unwrap_or_default();
        assert!(text.contains(usage) && text.is_empty() == usage.is_empty(), "{switch}: {text}");
    }
    for nonsense in ["", "0", "-5", "many", "1e6", "99999999999999999999999"] {
        assert!(
            alert_for(Some(nonsense), false, "claude-opus-4-6").contains("95 %"),
            "{nonsense:?}"
        );
    }
}

#[test]
fn the_marker_of_another_session_is_ignored() {
    let session = Session::new();
    write_marker(&session, &json!({"sessionId": "other", "contextWindow": 1_000_000}));
    let text = session.alert_at(190_000).unwrap();
    assert!(text.contains("95 %") && !text.contains("tasks.json"), "{text}");
}

#[test]
fn a_loop_session_is_asked_to_update_its_files() {
    let session = Session::new();
    write_marker(&session, &json!({"sessionId": SESSION, "ralphDir": "planning"}));
    for (tokens, severity) in [(100_000, "NOTICE"), (140_000, "WARNING"), (180_000, "CRITICAL")] {
        let text = session.alert_at(tokens).unwrap();
        assert!(text.contains(severity) && text.contains("planning/tasks.json"), "{text}");
    }
    assert_says(Session::new().alert_at(180_000), "before the context is compacted");
}

#[test]
fn without_usage_the_size_is_the_fallback() {
    let session = Session::new();
    let transcript = session.dir.path().join("transcript.jsonl");
    std::fs::write(&transcript, "x".repeat(400_000)).unwrap();
    assert_says(session.alert(), "Context NOTICE: about 50 %");
}

#[test]
fn errors_neither_fail_nor_alert() {
    let session = Session::new();
    assert_eq!(session.alert(), None, "no transcript yet");
    std::fs::create_dir(session.dir.path().join("transcript.jsonl")).unwrap();
    assert_eq!(session.alert(), None, "a folder is no transcript");

    let session = Session::new();
    session.at(199_000, "claude-opus-4-6");
    for stdin in [json!(null), json!([]), json!({}), json!({"session_id": 5}), json!("text")] {
        assert_eq!(model_text(&session.command(&stdin).output().unwrap()), None, "{stdin}");
    }
    let nowhere = Session::new().env("CLAUDE_PLUGIN_DATA", "/dev/null/nowhere");
    assert_eq!(nowhere.alert_at(199_000), None, "without saved state an alert is not repeated");
}

#[cfg(unix)]
#[test]
fn a_transcript_that_is_a_pipe_or_a_device_is_not_waited_for() {
    let session = Session::new();
    let transcript = session.dir.path().join("transcript.jsonl");
    for target in ["/dev/zero", "/dev/tty"] {
        std::os::unix::fs::symlink(target, &transcript).unwrap();
        assert_eq!(session.alert(), None);
        std::fs::remove_file(&transcript).unwrap();
    }
    assert_cmd::Command::new("mkfifo").arg(&transcript).assert().success();
    assert_eq!(session.alert(), None);
}

#[cfg(target_os = "linux")]
#[test]
fn a_transcript_of_gigabytes_is_answered_in_little_memory() {
    use std::os::unix::fs::FileExt;
    let session = Session::new();
    session.at(150_000, "claude-opus-4-6");
    let transcript = session.dir.path().join("transcript.jsonl");
    let lines = std::fs::read(&transcript).unwrap();
    // A sparse line of four gigabytes, before or after the real lines.
    let length = 4 << 30;
    let file = std::fs::File::create(&transcript).unwrap();
    file.set_len(length).unwrap();
    file.write_all_at(&[b"\n", lines.as_slice()].concat(), length).unwrap();
    assert_says(session.alert_within_megabytes(200), "75 %");

    session.starts();
    std::fs::write(&transcript, &lines).unwrap();
    let file = std::fs::OpenOptions::new().write(true).open(&transcript).unwrap();
    file.set_len(length).unwrap();
    assert_says(session.alert_within_megabytes(200), "about ");
}

/// Without a plugin data folder the state is in the shared temporary folder.
#[cfg(unix)]
#[test]
fn in_the_systems_temporary_folder_state_is_private_or_not_kept() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    let shared = TempDir::new().unwrap();
    let tmp = shared.path().display().to_string();
    let session = || Session::new().env("CLAUDE_PLUGIN_DATA", "").env("TMPDIR", &tmp);
    let first = session();
    assert_says(first.alert_at(150_000), "75 %");
    assert_eq!(first.alert_at(150_000), None, "sent once");
    let folder = std::fs::read_dir(shared.path()).unwrap().next().unwrap().unwrap().path();
    let metadata = folder.symlink_metadata().unwrap();
    assert_eq!(metadata.permissions().mode() & 0o777, 0o700);
    assert_eq!(metadata.uid(), shared.path().metadata().unwrap().uid());

    std::fs::remove_dir_all(&folder).unwrap();
    let elsewhere = TempDir::new().unwrap();
    symlink(elsewhere.path(), &folder).unwrap();
    assert_eq!(session().alert_at(150_000), None, "a planted link is not followed");
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}
