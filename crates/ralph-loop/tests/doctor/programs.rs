//! Programs that are missing, hang, or are of another version.

use std::time::{Duration, Instant};

use predicates::str::contains;
use test_repo::assert_text;

use crate::setup::{DoctorSetup, HOOKS};

#[test]
fn without_problems_a_run_can_start() {
    let setup = DoctorSetup::with_project();
    let output = setup.doctor();
    assert_eq!(output.problems(), Vec::<String>::new());
    assert_eq!((output.exit_code, output.json()["ok"].as_bool()), (Some(0), Some(true)));
    assert_eq!(output.json()["v"], 1);
    for title in HOOKS.into_iter().chain(["in PATH", "claude", "git", "task list", "settings"]) {
        assert_eq!(output.about(title)[0], "ok", "{title}: {}", output.stdout);
    }
    let people = setup.call(&["doctor", "--no-self-test", "--no-emoji"]);
    assert_eq!(people.exit_code, Some(0));
    assert!(people.stdout.ends_with("a run can start\n"), "{}", people.stdout);
    assert_eq!(people.stderr, "", "progress is for terminals");
    assert_text(&people.stdout, contains("tasks.json: 1 story, no problems"));
    let left: Vec<_> = std::fs::read_dir(setup.home()).unwrap().collect();
    assert!(left.is_empty(), "Claude Code was started: {left:?}");
}

#[test]
fn a_hanging_program_is_reported_after_a_timeout() {
    let setup = DoctorSetup::new();
    setup.program("claude", "exec /bin/sleep 600");
    let started = Instant::now();
    let output = setup.call(&["doctor", "--json"]);
    assert!(started.elapsed() < Duration::from_secs(120), "{:?}", started.elapsed());
    assert_eq!((output.exit_code, output.problems()), (Some(1), vec!["claude".to_owned()]));
    let [_, found, fix] = output.about("claude");
    assert!(found.contains("no answer within 10 seconds"), "{found}");
    assert!(fix.ends_with("claude --version"), "{fix}");
    for title in ["plugin", "hook self-test"] {
        assert_eq!(output.about(title)[0], "not-checked", "{}", output.stdout);
    }
}

#[test]
fn missing_and_outdated_hooks_are_problems() {
    let setup = DoctorSetup::new();
    setup.program("stop-guard", "echo stop-guard 0.0.1");
    std::fs::remove_file(setup.bin().join("command-guard")).unwrap();
    let output = setup.doctor();
    assert_eq!(
        (output.exit_code, output.problems()),
        (Some(1), vec!["stop-guard".to_owned(), "command-guard".to_owned()])
    );
    let [_, found, fix] = output.about("stop-guard");
    assert!(found.contains("0.0.1") && fix.contains("reinstall Ralph"), "{found} {fix}");
    assert!(output.about("command-guard")[1].contains("is missing"), "{}", output.stdout);
    let isolation = output.json()["isolation"][0]["kinds"].clone();
    let guard =
        isolation.as_array().unwrap().iter().find(|kind| kind["isolation"] == "guard").unwrap();
    assert_eq!(guard["state"], "missing", "{guard:#}");
    let args = ["doctor", "--json", "--no-self-test", "--allow-missing-hooks"];
    let allowed = setup.call(&args);
    assert_eq!((allowed.exit_code, allowed.problems()), (Some(0), Vec::new()));
    assert_eq!(allowed.about("stop-guard")[0], "warning");
}

#[test]
fn the_agent_can_be_anywhere() {
    let setup = DoctorSetup::new();
    std::fs::rename(setup.bin().join("claude"), setup.home().join("my claude")).unwrap();
    assert_eq!(setup.doctor().problems(), ["claude"]);
    let place = setup.home().join("my claude");
    let place = place.to_str().unwrap();
    let output = setup.call(&["doctor", "--json", "--no-self-test", "--agent-program", place]);
    assert_eq!(output.problems(), Vec::<String>::new());
    assert!(output.about("claude")[1].contains("my claude"), "{}", output.stdout);
}

#[test]
fn a_missing_temporary_folder_is_the_only_problem() {
    let setup = DoctorSetup::with_project();
    let nowhere = [("TMPDIR", setup.home().join("nowhere").into_os_string())];
    let output = setup.call_with(&["doctor", "--json"], &nowhere);
    assert_eq!(
        (output.exit_code, output.problems()),
        (Some(1), vec!["temporary files".to_owned()])
    );
    assert!(output.about("temporary files")[2].contains("TMPDIR"), "{}", output.stdout);
    assert_eq!(output.about("stop-guard")[0], "not-checked");
}

#[test]
fn a_failing_git_is_the_only_problem() {
    let setup = DoctorSetup::with_project();
    setup.program("git", "echo out of order >&2; exit 3");
    let output = setup.doctor();
    assert_eq!((output.exit_code, output.problems()), (Some(1), vec!["git".to_owned()]));
    assert!(output.about("git")[1].contains("out of order"), "{}", output.stdout);
    assert_eq!(output.line("git identity"), serde_json::Value::Null);
    assert_eq!(output.about("repository")[0], "not-checked");
}

/// Its session reads the pid to interrupt from the marker.
const INTERRUPTING: &str = r#"
case $* in --version) echo 2.1.325; exit;; esac
text=$(while read -r line || [ -n "$line" ]; do printf %s "$line"; done < .ralph-active)
pid=${text#*'"pid":'}
pid=${pid# }
kill -INT "${pid%%[!0-9]*}"
exec /bin/sleep 600"#;

#[test]
fn an_interrupt_ends_it_at_once_and_leaves_nothing() {
    let setup = DoctorSetup::new();
    setup.program("claude", INTERRUPTING);
    let started = Instant::now();
    let temporary = [("TMPDIR", setup.home().into_os_string())];
    let output = setup.call_with(&["doctor", "--json"], &temporary);
    assert_eq!((output.exit_code, output.stdout.as_str()), (Some(130), ""), "{}", output.stderr);
    assert!(started.elapsed() < Duration::from_secs(120), "{:?}", started.elapsed());
    let left: Vec<_> = std::fs::read_dir(setup.home()).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_missing_agent_is_a_problem_with_a_link() {
    let setup = DoctorSetup::new();
    std::fs::remove_file(setup.bin().join("claude")).unwrap();
    let output = setup.doctor();
    assert_eq!((output.exit_code, output.problems()), (Some(1), vec!["claude".to_owned()]));
    assert!(
        output.about("claude")[2].contains("https://claude.com/claude-code"),
        "{}",
        output.stdout
    );
}

#[test]
fn another_ralph_loop_first_in_path_is_a_warning() {
    let setup = DoctorSetup::new();
    let front = assert_fs::TempDir::new().unwrap();
    let other = front.path().join("ralph-loop");
    setup.program("other", "echo ralph-loop 0.0.1");
    std::fs::rename(setup.bin().join("other"), &other).unwrap();
    let path = std::env::join_paths([front.path(), &setup.bin()]).unwrap();
    let output = setup.call_with(&["doctor", "--json", "--no-self-test"], &[("PATH", path)]);
    let [state, found, _] = output.about("in PATH");
    assert_eq!(state, "warning", "{}", output.stdout);
    assert!(found.contains("ralph-loop 0.0.1"), "{found}");
}

#[test]
fn an_old_plugin_and_an_old_claude_code_are_warnings_with_commands() {
    let setup = DoctorSetup::new();
    let kept = setup.home().join(".claude");
    std::fs::create_dir_all(kept.join("plugins")).unwrap();
    let list = r#"{"version":2,"plugins":{"ralph@ralph":[{"scope":"user","version":"0.0.1"}]}}"#;
    std::fs::write(kept.join("plugins/installed_plugins.json"), list).unwrap();
    let settings = r#"{"enabledPlugins":{"ralph@ralph":true}}"#;
    std::fs::write(kept.join("settings.json"), settings).unwrap();
    setup.program("claude", "echo '2.0.1 (Claude Code)'");
    let output = setup.doctor();
    assert_eq!(output.about("plugin")[2], "claude plugin update ralph@ralph");
    assert_eq!(output.about("claude")[2], "claude update");
    assert_eq!(output.exit_code, Some(0), "a run can start anyway");
}

#[test]
fn a_claude_code_that_calls_no_hooks_fails_the_self_test() {
    let setup = DoctorSetup::new();
    let output = setup.call(&["doctor", "--json"]);
    assert_eq!((output.exit_code, output.problems()), (Some(1), vec!["hook self-test".to_owned()]));
    let [_, found, fix] = output.about("hook self-test");
    assert!(found.contains("never called it") && fix.contains("/hooks"), "{found}; {fix}");
    assert_eq!(output.json()["selfTest"]["ended"], "by-itself");
}
