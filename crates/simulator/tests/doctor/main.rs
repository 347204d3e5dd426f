//! The self-test of `ralph-loop doctor` in the real Claude Code: with our hooks, and with others in
//! their place. Needs what the tests of `plugin` need.

#![cfg(unix)]
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails where it stands"
)]

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use simulator::{CLAUDE_PATH_VARIABLE, ClaudeCode, Home};
use tempfile::TempDir;

/// Twice what doctor allows itself.
const TIME_LIMIT: Duration = Duration::from_secs(180);

/// The programs in a folder of their own, first in PATH, beside an empty home and an empty project.
struct Ward {
    dir: TempDir,
}

struct Diagnosis {
    exit_code: Option<i32>,
    report: Value,
}

impl Ward {
    fn new() -> Self {
        let dir = TempDir::with_prefix("a ward ").unwrap();
        let ward = Self { dir };
        for folder in ["bin", "home", "project"] {
            std::fs::create_dir(ward.path(folder)).unwrap();
        }
        for name in ["ralph-loop", "stop-guard", "context-monitor", "command-guard"] {
            test_repo::place_program(&built(name), &ward.path("bin").join(name));
        }
        symlink(claude(), ward.path("bin/claude")).unwrap();
        ward
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// This script in the place of a hook.
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
            // None of these may reach the session.
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

    /// The self-test blames this hook, in these words among others.
    #[track_caller]
    fn assert_blames(&self, hook: &str, words: &str) {
        let line = self.line("self-test");
        let found = line["found"].as_str().unwrap();
        assert_eq!(line["state"], "problem", "{line:#}");
        assert!(found.starts_with(&format!("{hook}: ")) && found.contains(words), "{line:#}");
        assert!(line["fix"].as_str().unwrap().contains("install Ralph anew"), "{line:#}");
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
fn every_hook_speaks_and_the_model_hears_it() {
    let ward = Ward::new();
    let told = ward.doctor();
    let line = told.line("self-test");
    assert_eq!(line["state"], "ok", "{line:#}");
    let trial = &told.report["selfTest"];
    assert_eq!(trial["ended"], "by-itself", "{trial:#}");
    let rounds = trial["rounds"].as_array().unwrap();
    let spoken = |event: &str, words: &str| {
        let heard = rounds.iter().filter(|round| round["event"] == event).any(|round| {
            let spoke = &round["answer"]["spoke"];
            assert!(round["milliseconds"].is_u64(), "{round:#}");
            spoke["model"] == "heard" && spoke["words"].as_str().unwrap().contains(words)
        });
        assert!(heard, "{event}: {trial:#}");
    };
    spoken("PreToolUse", "push");
    spoken("PostToolUse", "Context WARNING: 75 %");
    spoken("Stop", "may not end yet");
    assert_eq!(told.line("agent")["state"], "ok", "{:#}", told.report);
    assert_eq!(told.line("plugin")["state"], "ok", "{:#}", told.report);
    for folder in ["project", "home"] {
        let made: Vec<_> = std::fs::read_dir(ward.path(folder)).unwrap().collect();
        assert!(made.is_empty(), "{made:?}");
    }
}

/// What Claude Code writes about its plugins is what doctor reads.
#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn the_plugin_is_found_where_claude_code_keeps_it() {
    let ward = Ward::new();
    let version = env!("CARGO_PKG_VERSION");
    let plugin = ward.path("plugin");
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
    let plugin_line = || ward.doctor_of(&home.path(), &["--no-self-test"]).line("plugin").clone();
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
fn a_hook_that_fails_is_named_with_what_it_said() {
    let told = Ward::new().hook("stop-guard", "echo out of order >&2; exit 1").doctor();
    told.assert_blames("stop-guard", "it failed at Stop: out of order");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn a_hook_that_hangs_is_named() {
    let told = Ward::new().hook("command-guard", "exec sleep 600").doctor();
    told.assert_blames("command-guard", "no answer at PreToolUse within 10 s");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn a_hook_that_is_not_there_is_named() {
    let ward = Ward::new();
    std::fs::remove_file(ward.path("bin/context-monitor")).unwrap();
    ward.doctor().assert_blames("context-monitor", "it failed at PostToolUse");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn a_hook_that_answers_with_something_else_is_named() {
    let told = Ward::new().hook("command-guard", "echo '{ all is well'").doctor();
    told.assert_blames("command-guard", "said nothing that Claude Code understands");
}
