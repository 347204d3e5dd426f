//! Tests of the harness itself with the real Claude Code, not of our plugin.
//!
//! Runs with `-- --ignored`. Needs the program that `scripts/fetch-agent.sh claude` fetches, and
//! fails without it.

#![cfg(unix)]
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "clippy spares only the test functions themselves"
)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use real_agents::{CLAUDE_PATH_VARIABLE, ClaudeCode, HarnessError, Home};
use serde_json::{Value, json};
use simulator::{Script, ScriptedModel, Turn, Uuid};

fn home() -> Home {
    let claude = ClaudeCode::from_env().unwrap_or_else(|| {
        panic!(
            "{CLAUDE_PATH_VARIABLE} is not set: {CLAUDE_PATH_VARIABLE}=$(scripts/fetch-agent.sh claude)"
        )
    });
    Home::new(&claude).unwrap()
}

fn model(turns: impl IntoIterator<Item = Turn>) -> ScriptedModel {
    ScriptedModel::start(Script::new(turns)).unwrap()
}

fn write(path: &Path, content: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// A plugin and its marketplace. Its Stop hook blocks once in each project.
fn plugin_that_blocks_once(root: &Path) {
    let write_json = |path: &str, content: Value| write(&root.join(path), &content.to_string());
    let description = "Blocks the first stop";
    write_json(
        ".claude-plugin/plugin.json",
        json!({ "name": "once", "version": "0.1.0", "description": description }),
    );
    write_json(
        ".claude-plugin/marketplace.json",
        json!({
            "name": "shelf",
            "description": description,
            "owner": { "name": "nobody" },
            "plugins": [{ "name": "once", "source": "./", "description": description }],
        }),
    );
    let command = "${CLAUDE_PLUGIN_ROOT}/stop.sh";
    let hook = json!({ "type": "command", "command": command, "args": [] });
    write_json("hooks/hooks.json", json!({ "hooks": { "Stop": [{ "hooks": [hook] }] } }));
    let script = root.join("stop.sh");
    write(
        &script,
        "#!/bin/sh\n\
         mkdir \"$CLAUDE_PROJECT_DIR/blocked\" 2>/dev/null || exit 0\n\
         echo '{\"decision\":\"block\",\"reason\":\"The tea is not ready.\"}'\n",
    );
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn a_scripted_session_really_uses_its_tools() {
    let home = home();
    let model = model([
        Turn::bash("printf made > proof").with_lead_in("Working."),
        Turn::text("Finished."),
    ]);
    let id = Uuid::new_v4();
    let outcome = home.session(&model).session_id(id).prompt("Make the proof.").run().unwrap();

    assert_eq!(outcome.exit_code, Some(0), "{outcome:#?}");
    assert_eq!(outcome.result_text(), Some("Finished."));
    assert_eq!(outcome.session_id, Some(id.to_string()));
    assert_eq!(outcome.other_lines, [""; 0]);
    let proof = fs::read_to_string(home.project().join("proof")).unwrap();
    assert_eq!(proof, "made");
    let requests = model.requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].mentions("Make the proof."), 1);
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn the_output_of_an_installed_plugin_reaches_the_model() {
    let home = home();
    let plugin = tempfile::tempdir().unwrap();
    plugin_that_blocks_once(plugin.path());
    home.install_plugin(plugin.path()).unwrap();
    let model = model([Turn::text("Finished."), Turn::text("Finished again.")]);
    let outcome = home.session(&model).run().unwrap();

    assert_eq!(outcome.exit_code, Some(0), "{outcome:#?}");
    assert_eq!(outcome.result_text(), Some("Finished again."));
    let stops = outcome.hook_responses("Stop");
    assert_eq!(stops.len(), 2);
    assert!(stops.iter().all(|stop| stop.exit_code == Some(0)));
    assert!(stops[0].stdout.contains("The tea is not ready."));
    assert_eq!(stops[1].stdout, "");
    let requests = model.requests();
    let feedback = "Stop hook feedback:\nThe tea is not ready.";
    let mentions: Vec<_> = requests.iter().map(|r| r.mentions(feedback)).collect();
    assert_eq!(mentions, [0, 1]);
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn a_plugin_can_be_used_in_place() {
    let home = home();
    let plugin = tempfile::tempdir().unwrap();
    plugin_that_blocks_once(plugin.path());
    let model = model([Turn::text("Finished.")]);
    let session = home.session(&model).plugin_dir(plugin.path());
    assert_eq!(session.run().unwrap().hook_responses("Stop").len(), 2);
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn an_invalid_plugin_is_not_installed() {
    let home = home();
    let plugin = tempfile::tempdir().unwrap();
    plugin_that_blocks_once(plugin.path());
    let manifest = plugin.path().join(".claude-plugin/plugin.json");
    write(&manifest, "{ \"name\": 7 }");
    let verdict = home.validate_plugin(plugin.path()).unwrap();
    assert_eq!(verdict.exit_code, Some(1), "{verdict}");
    let error = home.install_plugin(plugin.path()).unwrap_err();
    let HarnessError::Refused { outcome, .. } = error else {
        panic!("{error}");
    };
    assert_ne!(outcome.stdout + &outcome.stderr, "");
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE"]
fn the_time_limit_ends_the_session_and_its_processes() {
    let home = home();
    let model = model([Turn::bash("echo $PPID $$ > pids; exec sleep 600")]);
    let limit = Duration::from_secs(20);
    let error = home.session(&model).time_limit(limit).run().unwrap_err();
    let HarnessError::TimeLimit { limit: named, until_then } = error else {
        panic!("{error}");
    };
    assert_eq!(named, limit);
    assert_eq!(until_then.result(), None);
    assert!(until_then.session_id.is_some());

    let pids = fs::read_to_string(home.project().join("pids")).unwrap();
    let pids: Vec<_> = pids.split_whitespace().collect();
    assert_eq!(pids.len(), 2);
    if cfg!(target_os = "linux") {
        for pid in pids {
            // Ended, or a zombie that its new parent has not reaped yet.
            let name = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            assert_eq!(String::from_utf8_lossy(&name), "", "{pid} is still there");
        }
    }
}
