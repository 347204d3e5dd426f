//! Programs that are missing, hang, or are of another version.

use std::time::{Duration, Instant};

use predicates::str::contains;
use test_repo::assert_text;

use crate::clinic::{Clinic, HOOKS};

#[test]
fn without_problems_a_run_can_start() {
    let clinic = Clinic::with_project();
    let told = clinic.doctor();
    assert_eq!(told.problems(), Vec::<String>::new());
    assert_eq!((told.exit_code, told.json()["ok"].as_bool()), (Some(0), Some(true)));
    assert_eq!(told.json()["v"], 1);
    for title in HOOKS.into_iter().chain(["in PATH", "claude", "git", "task list", "settings"]) {
        assert_eq!(told.about(title)[0], "ok", "{title}: {}", told.stdout);
    }
    let people = clinic.call(&["doctor", "--no-self-test", "--no-emoji"]);
    assert_eq!(people.exit_code, Some(0));
    assert!(people.stdout.ends_with("a run can start\n"), "{}", people.stdout);
    assert_eq!(people.stderr, "", "progress is for terminals");
    assert_text(&people.stdout, contains("tasks.json: 1 story, no problems"));
    let left: Vec<_> = std::fs::read_dir(clinic.home()).unwrap().collect();
    assert!(left.is_empty(), "Claude Code was started: {left:?}");
}

#[test]
fn a_hanging_program_is_reported_after_a_timeout() {
    let clinic = Clinic::new();
    clinic.program("claude", "exec /bin/sleep 600");
    let started = Instant::now();
    let told = clinic.call(&["doctor", "--json"]);
    assert!(started.elapsed() < Duration::from_secs(120), "{:?}", started.elapsed());
    assert_eq!((told.exit_code, told.problems()), (Some(1), vec!["claude".to_owned()]));
    let [_, found, fix] = told.about("claude");
    assert!(found.contains("no answer within 10 seconds"), "{found}");
    assert!(fix.ends_with("claude --version"), "{fix}");
    for title in ["plugin", "hook self-test"] {
        assert_eq!(told.about(title)[0], "not-checked", "{}", told.stdout);
    }
}

#[test]
fn missing_and_outdated_hooks_are_problems() {
    let clinic = Clinic::new();
    clinic.program("stop-guard", "echo stop-guard 0.0.1");
    std::fs::remove_file(clinic.bin().join("command-guard")).unwrap();
    let told = clinic.doctor();
    assert_eq!(
        (told.exit_code, told.problems()),
        (Some(1), vec!["stop-guard".to_owned(), "command-guard".to_owned()])
    );
    let [_, found, fix] = told.about("stop-guard");
    assert!(found.contains("0.0.1") && fix.contains("reinstall Ralph"), "{found} {fix}");
    assert!(told.about("command-guard")[1].contains("is missing"), "{}", told.stdout);
    let isolation = told.json()["isolation"][0]["kinds"].clone();
    let guard =
        isolation.as_array().unwrap().iter().find(|kind| kind["isolation"] == "guard").unwrap();
    assert_eq!(guard["state"], "missing", "{guard:#}");
    let args = ["doctor", "--json", "--no-self-test", "--allow-missing-hooks"];
    let allowed = clinic.call(&args);
    assert_eq!((allowed.exit_code, allowed.problems()), (Some(0), Vec::new()));
    assert_eq!(allowed.about("stop-guard")[0], "warning");
}

#[test]
fn the_agent_can_be_anywhere() {
    let clinic = Clinic::new();
    std::fs::rename(clinic.bin().join("claude"), clinic.home().join("my claude")).unwrap();
    assert_eq!(clinic.doctor().problems(), ["claude"]);
    let place = clinic.home().join("my claude");
    let place = place.to_str().unwrap();
    let told = clinic.call(&["doctor", "--json", "--no-self-test", "--agent-program", place]);
    assert_eq!(told.problems(), Vec::<String>::new());
    assert!(told.about("claude")[1].contains("my claude"), "{}", told.stdout);
}

#[test]
fn a_missing_temporary_folder_is_the_only_problem() {
    let clinic = Clinic::with_project();
    let nowhere = [("TMPDIR", clinic.home().join("nowhere").into_os_string())];
    let told = clinic.call_with(&["doctor", "--json"], &nowhere);
    assert_eq!((told.exit_code, told.problems()), (Some(1), vec!["temporary files".to_owned()]));
    assert!(told.about("temporary files")[2].contains("TMPDIR"), "{}", told.stdout);
    assert_eq!(told.about("stop-guard")[0], "not-checked");
}

#[test]
fn a_failing_git_is_the_only_problem() {
    let clinic = Clinic::with_project();
    clinic.program("git", "echo out of order >&2; exit 3");
    let told = clinic.doctor();
    assert_eq!((told.exit_code, told.problems()), (Some(1), vec!["git".to_owned()]));
    assert!(told.about("git")[1].contains("out of order"), "{}", told.stdout);
    assert_eq!(told.line("git identity"), serde_json::Value::Null);
    assert_eq!(told.about("repository")[0], "not-checked");
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
    let clinic = Clinic::new();
    clinic.program("claude", INTERRUPTING);
    let started = Instant::now();
    let temporary = [("TMPDIR", clinic.home().into_os_string())];
    let told = clinic.call_with(&["doctor", "--json"], &temporary);
    assert_eq!((told.exit_code, told.stdout.as_str()), (Some(130), ""), "{}", told.stderr);
    assert!(started.elapsed() < Duration::from_secs(120), "{:?}", started.elapsed());
    let left: Vec<_> = std::fs::read_dir(clinic.home()).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_missing_agent_is_a_problem_with_a_link() {
    let clinic = Clinic::new();
    std::fs::remove_file(clinic.bin().join("claude")).unwrap();
    let told = clinic.doctor();
    assert_eq!((told.exit_code, told.problems()), (Some(1), vec!["claude".to_owned()]));
    assert!(told.about("claude")[2].contains("https://claude.com/claude-code"), "{}", told.stdout);
}

#[test]
fn another_ralph_loop_first_in_path_is_a_warning() {
    let clinic = Clinic::new();
    let front = assert_fs::TempDir::new().unwrap();
    let other = front.path().join("ralph-loop");
    clinic.program("other", "echo ralph-loop 0.0.1");
    std::fs::rename(clinic.bin().join("other"), &other).unwrap();
    let path = std::env::join_paths([front.path(), &clinic.bin()]).unwrap();
    let told = clinic.call_with(&["doctor", "--json", "--no-self-test"], &[("PATH", path)]);
    let [state, found, _] = told.about("in PATH");
    assert_eq!(state, "warning", "{}", told.stdout);
    assert!(found.contains("ralph-loop 0.0.1"), "{found}");
}

#[test]
fn an_old_plugin_and_an_old_claude_code_are_warnings_with_commands() {
    let clinic = Clinic::new();
    let kept = clinic.home().join(".claude");
    std::fs::create_dir_all(kept.join("plugins")).unwrap();
    let list = r#"{"version":2,"plugins":{"ralph@ralph":[{"scope":"user","version":"0.0.1"}]}}"#;
    std::fs::write(kept.join("plugins/installed_plugins.json"), list).unwrap();
    let settings = r#"{"enabledPlugins":{"ralph@ralph":true}}"#;
    std::fs::write(kept.join("settings.json"), settings).unwrap();
    clinic.program("claude", "echo '2.0.1 (Claude Code)'");
    let told = clinic.doctor();
    assert_eq!(told.about("plugin")[2], "claude plugin update ralph@ralph");
    assert_eq!(told.about("claude")[2], "claude update");
    assert_eq!(told.exit_code, Some(0), "a run can start anyway");
}

#[test]
fn a_claude_code_that_calls_no_hooks_fails_the_self_test() {
    let clinic = Clinic::new();
    let told = clinic.call(&["doctor", "--json"]);
    assert_eq!((told.exit_code, told.problems()), (Some(1), vec!["hook self-test".to_owned()]));
    let [_, found, fix] = told.about("hook self-test");
    assert!(found.contains("never called it") && fix.contains("/hooks"), "{found}; {fix}");
    assert_eq!(told.json()["selfTest"]["ended"], "by-itself");
}
