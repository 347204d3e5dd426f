//! Programs that are missing, hang, or are of another version.

use std::time::{Duration, Instant};

use crate::clinic::{Clinic, HOOKS};

#[test]
fn where_all_is_well_nothing_stands_in_the_way() {
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
    assert!(people.stdout.ends_with("nothing stands in the way of a run\n"), "{}", people.stdout);
    assert_eq!(people.stderr, "", "progress is for terminals");
}

#[test]
fn a_program_that_hangs_is_told_and_not_waited_for() {
    let clinic = Clinic::new();
    clinic.program("claude", "exec /bin/sleep 600");
    let started = Instant::now();
    let told = clinic.call(&["doctor", "--json"]);
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
    assert_eq!((told.exit_code, told.problems()), (Some(1), vec!["claude".to_owned()]));
    let [_, found, fix] = told.about("claude");
    assert!(found.contains("longer than 10 seconds"), "{found}");
    assert!(fix.ends_with("claude --version"), "{fix}");
    for title in ["plugin", "hook self-test"] {
        assert_eq!(told.about(title)[0], "not-checked", "{}", told.stdout);
    }
}

#[test]
fn hooks_that_are_missing_or_of_another_version_are_named() {
    let clinic = Clinic::new();
    clinic.program("stop-guard", "echo stop-guard 0.0.1");
    std::fs::remove_file(clinic.bin().join("command-guard")).unwrap();
    let told = clinic.doctor();
    assert_eq!(
        (told.exit_code, told.problems()),
        (Some(1), vec!["stop-guard".to_owned(), "command-guard".to_owned()])
    );
    let [_, found, fix] = told.about("stop-guard");
    assert!(found.contains("0.0.1") && fix.contains("install Ralph anew"), "{found} {fix}");
    assert!(told.about("command-guard")[1].contains("is missing"), "{}", told.stdout);
}

#[test]
fn without_an_agent_it_is_said_how_to_get_one() {
    let clinic = Clinic::new();
    std::fs::remove_file(clinic.bin().join("claude")).unwrap();
    let told = clinic.doctor();
    assert_eq!((told.exit_code, told.problems()), (Some(1), vec!["claude".to_owned()]));
    assert!(told.about("claude")[2].contains("https://claude.com/claude-code"), "{}", told.stdout);
}

#[test]
fn another_ralph_loop_in_front_of_this_one_is_told() {
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
fn an_old_plugin_and_an_old_claude_code_are_told_with_their_updates() {
    let clinic = Clinic::new();
    let list = r#"[{"id":"ralph@ralph","version":"0.0.1","scope":"user","enabled":true}]"#;
    let claude =
        format!("case $1 in --version) echo '2.0.1 (Claude Code)';; plugin) echo '{list}';; esac");
    clinic.program("claude", &claude);
    let told = clinic.doctor();
    assert_eq!(told.about("plugin")[2], "claude plugin update ralph@ralph");
    assert_eq!(told.about("claude")[2], "claude update");
    assert_eq!(told.exit_code, Some(0), "a run can begin all the same");
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
