//! The self-test of `ralph-loop doctor` in the real Claude Code: with our hooks, and with broken
//! ones. Needs the same as the tests of `plugin`.

#![cfg(unix)]
#![expect(clippy::panic, clippy::unwrap_used, reason = "a panic fails the test")]

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use real_agents::{CLAUDE_PATH_VARIABLE, ClaudeCode, Home};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Twice the time limit of doctor.
const TIME_LIMIT: Duration = Duration::from_secs(180);

/// The programs in a folder first in PATH, beside an empty home and an empty project.
struct DoctorSetup {
    dir: TempDir,
}

struct Diagnosis {
    exit_code: Option<i32>,
    report: Value,
}

impl DoctorSetup {
    fn new() -> Self {
        let dir = TempDir::with_prefix("a setup ").unwrap();
        let setup = Self { dir };
        for folder in ["bin", "home", "project"] {
            std::fs::create_dir(setup.path(folder)).unwrap();
        }
        for name in ["ralph-loop", "stop-guard", "context-monitor", "command-guard"] {
            test_repo::place_program(&built(name), &setup.path("bin").join(name));
        }
        symlink(claude(), setup.path("bin/claude")).unwrap();
        setup
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Replaces a hook with this script.
    fn hook(self, name: &str, script: &str) -> Self {
        let path = self.path("bin").join(name);
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    fn doctor(&self) -> Diagnosis {
        self.doctor_of(&self.path("home"), &[])
    }

    fn doctor_of(&self, home: &Path, args: &[&str]) -> Diagnosis {
        let machine = std::env::var_os("PATH").unwrap();
        let path = [self.path("bin")].into_iter().chain(std::env::split_paths(&machine));
        let output = assert_cmd::Command::new(self.path("bin/ralph-loop"))
            .env_clear()
            .env("PATH", std::env::join_paths(path).unwrap())
            .env("HOME", home)
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_AUTOUPDATER", "1")
            // Tests may be root.
            .env("IS_SANDBOX", "1")
            // None of these variables may reach the session.
            .env("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
            .env("RALPH_RUN_ID", "another")
            .current_dir(self.path("project"))
            .args(["doctor", "--json"])
            .args(args)
            .timeout(TIME_LIMIT)
            .output()
            .unwrap();
        let report = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {output:?}"));
        Diagnosis { exit_code: output.status.code(), report }
    }
}

impl Diagnosis {
    fn line(&self, id: &str) -> &Value {
        let mut lines = self.report["checks"].as_array().unwrap().iter();
        lines.find(|line| line["id"] == id).unwrap_or_else(|| panic!("{id}: {:#}", self.report))
    }

    /// Asserts that the self-test names this hook with this text.
    #[track_caller]
    fn assert_names(&self, hook: &str, words: &str) {
        let line = self.line("self-test");
        let found = line["found"].as_str().unwrap();
        assert_eq!(line["state"], "problem", "{line:#}");
        assert!(found.starts_with(&format!("{hook}: ")) && found.contains(words), "{line:#}");
        assert!(line["fix"].as_str().unwrap().contains("reinstall Ralph"), "{line:#}");
        assert_eq!(self.exit_code, Some(1));
    }
}

fn claude() -> PathBuf {
    let path = std::env::var_os(CLAUDE_PATH_VARIABLE).unwrap_or_else(|| {
        panic!("{CLAUDE_PATH_VARIABLE} is not set: {CLAUDE_PATH_VARIABLE}=$(scripts/fetch-agent.sh claude)")
    });
    PathBuf::from(path)
}

fn built(name: &str) -> PathBuf {
    // This test lies in target/<build>/deps.
    let test = std::env::current_exe().unwrap();
    test.parent().and_then(Path::parent).unwrap().join(name)
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn every_hook_answers_and_the_model_gets_the_answers() {
    let setup = DoctorSetup::new();
    let diagnosis = setup.doctor();
    let line = diagnosis.line("self-test");
    assert_eq!(line["state"], "ok", "{line:#}");
    let trial = &diagnosis.report["selfTest"];
    assert_eq!(trial["ended"], "by-itself", "{trial:#}");
    let calls = trial["calls"].as_array().unwrap();
    let received = |event: &str, words: &str| {
        let is_received = calls.iter().filter(|call| call["event"] == event).any(|call| {
            let message = &call["answer"]["message"];
            assert!(call["milliseconds"].is_u64(), "{call:#}");
            message["received"] == true && message["text"].as_str().unwrap().contains(words)
        });
        assert!(is_received, "{event}: {trial:#}");
    };
    received("PreToolUse", "push");
    received("PostToolUse", "Context WARNING: 75 %");
    received("Stop", "may not end yet");
    assert_eq!(diagnosis.line("agent")["state"], "ok", "{:#}", diagnosis.report);
    assert_eq!(diagnosis.line("plugin")["state"], "ok", "{:#}", diagnosis.report);
    for folder in ["project", "home"] {
        let made: Vec<_> = std::fs::read_dir(setup.path(folder)).unwrap().collect();
        assert!(made.is_empty(), "{made:?}");
    }
}

/// doctor reads the plugin files of Claude Code.
#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn the_plugin_is_found_in_the_folder_of_claude_code() {
    let setup = DoctorSetup::new();
    let version = env!("CARGO_PKG_VERSION");
    let plugin = setup.path("plugin");
    std::fs::create_dir_all(plugin.join(".claude-plugin")).unwrap();
    let manifest = json!({ "name": "ralph", "version": version, "description": "hooks" });
    let catalogue = json!({
        "name": "ralph", "description": "one", "owner": { "name": "nobody" },
        "plugins": [{ "name": "ralph", "source": "./", "description": "hooks" }],
    });
    let write = |name: &str, value: &Value| {
        std::fs::write(plugin.join(".claude-plugin").join(name), value.to_string()).unwrap();
    };
    write("plugin.json", &manifest);
    write("marketplace.json", &catalogue);
    let home = Home::new(&ClaudeCode::at(claude())).unwrap();
    home.install_plugin(&plugin).unwrap();
    let plugin_line = || setup.doctor_of(&home.path(), &["--no-self-test"]).line("plugin").clone();
    assert_eq!(plugin_line()["found"], format!("ralph@ralph {version}"));
    write("plugin.json", &json!({ "name": "ralph", "version": "0.0.1", "description": "hooks" }));
    let line = plugin_line();
    assert_eq!(line["fix"], "claude plugin update ralph@ralph", "{line:#}");
    home.uninstall_plugin("ralph", "ralph").unwrap();
    let line = plugin_line();
    assert!(line["found"].as_str().unwrap().starts_with("not installed"), "{line:#}");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn a_failing_hook_is_named_with_its_output() {
    let diagnosis = DoctorSetup::new().hook("stop-guard", "echo out of order >&2; exit 1").doctor();
    diagnosis.assert_names("stop-guard", "failed at Stop: out of order");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn a_hook_that_hangs_is_named() {
    let diagnosis = DoctorSetup::new().hook("command-guard", "exec sleep 600").doctor();
    diagnosis.assert_names("command-guard", "no answer at PreToolUse within 10 s");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn a_missing_hook_is_named() {
    let setup = DoctorSetup::new();
    std::fs::remove_file(setup.path("bin/context-monitor")).unwrap();
    setup.doctor().assert_names("context-monitor", "failed at PostToolUse");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn a_hook_with_a_wrong_answer_is_named() {
    let diagnosis = DoctorSetup::new().hook("command-guard", "echo '{ all is well'").doctor();
    diagnosis.assert_names("command-guard", "that Claude Code understands");
}
