//! `init`: written files, kept files and obstacles.

use std::fs;
use std::path::Path;

use super::{
    Existing, FileOutcome, InitOptions, InitReport, init, is_untouched_template, templates,
};
use assert_fs::TempDir;
use project::{Layout, RunLock};

use chrono::NaiveDate;

fn today() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 3, 9).unwrap()
}

fn options(root: &Path) -> InitOptions {
    InitOptions {
        layout: Layout::new(root),
        name: None,
        existing: Existing::Keep,
        checks: Vec::new(),
        imported: None,
    }
}

fn force(root: &Path) -> InitOptions {
    InitOptions { existing: Existing::Replace, ..options(root) }
}

fn outcomes(report: &InitReport) -> Vec<(String, FileOutcome)> {
    let shown = |path: &str| path.replace('\\', "/");
    report.files.iter().map(|file| (shown(&file.path), file.outcome.clone())).collect()
}

/// Every file below the folder, with its contents.
fn everything(root: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(everything(&path)),
            false => found.push((path.display().to_string(), fs::read(&path).unwrap())),
        }
    }
    found.sort();
    found
}

#[test]
fn an_empty_project_gets_everything_and_the_second_time_nothing() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("Cargo.toml"), "[package]\nname = \"shop\"").unwrap();
    let report = init(&options(dir.path()), today()).unwrap();
    let expected = [
        "ralph/prd.md",
        "ralph/tasks.json",
        "ralph/progress.txt",
        "ralph/prompt.md",
        "ralph/tasks.schema.json",
        ".gitignore",
        ".ralph/mcp/coding.json",
        ".ralph/mcp/memory.json",
        ".ralph/skills/testing.md",
        ".ralph/skills/git-workflow.md",
        ".ralph/skills/debugging.md",
        ".ralph/skills/api-design.md",
    ];
    assert_eq!(outcomes(&report), expected.map(|path| (path.to_owned(), FileOutcome::Created)));

    let list = tasks::inspect(&fs::read(dir.path().join("ralph/tasks.json")).unwrap());
    let list = list.accepted().unwrap();
    assert_eq!((list.project.as_str(), list.verify_commands), ("shop", vec!["cargo test".into()]));
    let progress = fs::read_to_string(dir.path().join("ralph/progress.txt")).unwrap();
    assert!(progress.contains("Started: 2026-03-09\nPRD: shop\n"), "{progress}");
    assert_eq!(fs::read_to_string(dir.path().join("ralph/prompt.md")).unwrap(), templates::PROMPT);
    let text = report.to_string();
    assert!(text.contains("  created   ralph/prd.md\n"), "{text}");
    assert!(text.contains("  cargo test  (Cargo.toml)\n"), "{text}");

    let before = everything(dir.path());
    for again in
        [options(dir.path()), InitOptions { name: Some("x".into()), ..options(dir.path()) }]
    {
        let report = init(&again, today().succ_opt().unwrap()).unwrap();
        assert!(report.changed_nothing() && report.checks.is_none());
        assert!(report.to_string().starts_with("Nothing to do"), "{report}");
        assert_eq!(everything(dir.path()), before);
    }
}

#[test]
fn a_users_file_is_kept_and_the_missing_ones_are_added() {
    let dir = TempDir::new().unwrap();
    fs::create_dir(dir.path().join("ralph")).unwrap();
    fs::write(dir.path().join("ralph/tasks.json"), "mine, and broken").unwrap();
    fs::write(dir.path().join(".gitignore"), "target").unwrap();
    let report = init(&options(dir.path()), today()).unwrap();
    assert_eq!(fs::read(dir.path().join("ralph/tasks.json")).unwrap(), b"mine, and broken");
    assert_eq!(report.files[1].outcome, FileOutcome::Kept);
    assert_eq!(report.files[4].outcome, FileOutcome::Extended);
    assert_eq!(report.checks, None, "nothing was written to the list");
    assert!(fs::read_to_string(dir.path().join(".gitignore")).unwrap().starts_with("target\n"));
}

#[test]
fn force_replaces_and_loses_nothing() {
    let dir = TempDir::new().unwrap();
    init(&options(dir.path()), today()).unwrap();
    let prd = dir.path().join("ralph/prd.md");
    for (text, backup) in [("first", "ralph/prd.md.bak"), ("second", "ralph/prd.md.bak.2")] {
        fs::write(&prd, text).unwrap();
        let report = init(&force(dir.path()), today()).unwrap();
        assert_eq!(report.files[0].outcome, FileOutcome::Replaced { backup: backup.into() });
        assert_eq!(report.files[1].outcome, FileOutcome::Kept, "it is the same already");
        assert_eq!(fs::read_to_string(&prd).unwrap(), templates::PRD);
        assert_eq!(fs::read_to_string(dir.path().join(backup)).unwrap(), text);
    }
    assert_eq!(fs::read_to_string(dir.path().join("ralph/prd.md.bak")).unwrap(), "first");
}

#[test]
fn existing_skills_and_mcp_servers_are_kept_even_with_force() {
    let dir = TempDir::new().unwrap();
    init(&options(dir.path()), today()).unwrap();
    for path in [".ralph/skills/testing.md", ".ralph/mcp/coding.json"] {
        fs::write(dir.path().join(path), "mine").unwrap();
        let report = init(&force(dir.path()), today()).unwrap();
        assert!(outcomes(&report).contains(&(path.to_owned(), FileOutcome::Kept)), "{path}");
        assert_eq!(fs::read_to_string(dir.path().join(path)).unwrap(), "mine");
    }
}

#[test]
fn under_a_running_loop_nothing_is_written() {
    let dir = TempDir::new().unwrap();
    init(&options(dir.path()), today()).unwrap();
    let _running = RunLock::acquire(&Layout::new(dir.path())).unwrap();
    assert!(init(&options(dir.path()), today()).unwrap().changed_nothing());
    fs::remove_file(dir.path().join("ralph/prompt.md")).unwrap();
    for options in [options(dir.path()), force(dir.path())] {
        let error = init(&options, today()).unwrap_err().to_string();
        assert!(error.starts_with("another ralph-loop is running here"), "{error}");
        assert!(!dir.path().join("ralph/prompt.md").exists());
    }
}

#[test]
fn names_become_branches() {
    for (name, branch) in [(Some("Check out!"), "ralph/check-out"), (None, "ralph/my-shop")] {
        let dir = TempDir::new().unwrap();
        let root = dir.path().join("My Shop");
        fs::create_dir(&root).unwrap();
        let options = InitOptions { name: name.map(str::to_owned), ..options(&root) };
        let report = init(&options, today()).unwrap();
        let text = fs::read(root.join("ralph/tasks.json")).unwrap();
        let list = tasks::inspect(&text).accepted().unwrap();
        assert_eq!((report.branch.as_str(), list.branch_name.as_str()), (branch, branch));
        assert_eq!(list.project, "My Shop");
        assert!(is_untouched_template(&list));
    }
}

#[test]
fn a_name_without_a_letter_is_refused_before_anything_is_written() {
    let dir = TempDir::new().unwrap();
    let options = InitOptions { name: Some("../".into()), ..options(dir.path()) };
    let error = init(&options, today()).unwrap_err().to_string();
    assert_eq!(error, "\"../\" contains no letter or digit for a branch name");
    assert_eq!(everything(dir.path()), []);
}

#[test]
fn given_checks_are_taken_as_they_are() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("go.mod"), "module x").unwrap();
    let checks = vec!["./ci \"all\"".into()];
    init(&InitOptions { checks, ..options(dir.path()) }, today()).unwrap();
    let text = fs::read(dir.path().join("ralph/tasks.json")).unwrap();
    assert_eq!(tasks::inspect(&text).accepted().unwrap().verify_commands, ["./ci \"all\"".into()]);
}

#[test]
fn another_ralph_folder_is_named_as_it_is() {
    let dir = TempDir::new().unwrap();
    let layout = Layout::new(dir.path()).with_ralph_dir("docs/loop");
    let report = init(&InitOptions { layout, ..options(dir.path()) }, today()).unwrap();
    assert_eq!(outcomes(&report)[1].0, "docs/loop/tasks.json");
    assert!(dir.path().join("docs/loop/prompt.md").is_file());
    assert!(report.to_string().contains("docs/loop/prd.md and docs/loop/tasks.json"), "{report}");
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("package.json"), r#"{"name": "a\u001b[31mb\nc"}"#).unwrap();
    let report = init(&options(dir.path()), today()).unwrap();
    assert_eq!(report.project, "a\u{1b}[31mb\nc");
    assert!(!report.to_string().contains('\u{1b}'));
}

#[test]
fn obstacles_are_reported_and_nothing_is_written() {
    let dir = TempDir::new().unwrap();
    fs::create_dir_all(dir.path().join("ralph/prompt.md")).unwrap();
    let error = init(&options(dir.path()), today()).unwrap_err().to_string();
    assert!(error.contains("prompt.md: it is not a regular file"), "{error}");
    assert_eq!(everything(dir.path()), []);

    let file = TempDir::new().unwrap();
    fs::write(file.path().join("ralph"), "a file").unwrap();
    let error = init(&options(file.path()), today()).unwrap_err().to_string();
    assert!(error.contains("ralph"), "{error}");
    assert_eq!(everything(file.path()).len(), 1);

    let gone = init(&options(&file.path().join("gone")), today()).unwrap_err().to_string();
    assert!(gone.ends_with("gone is not a folder"), "{gone}");
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_dangling_ones_reported() {
    use std::os::unix::fs::symlink;
    let dir = TempDir::new().unwrap();
    fs::create_dir_all(dir.path().join("docs")).unwrap();
    symlink("docs", dir.path().join("ralph")).unwrap();
    symlink("gone.md", dir.path().join("docs/prd.md")).unwrap();
    let error = init(&options(dir.path()), today()).unwrap_err().to_string();
    assert!(error.ends_with("ralph/prd.md is a dangling symbolic link"), "{error}");
    assert_eq!(fs::read_dir(dir.path().join("docs")).unwrap().count(), 1);

    fs::write(dir.path().join("docs/gone.md"), "mine").unwrap();
    init(&force(dir.path()), today()).unwrap();
    assert!(dir.path().join("docs/prd.md").is_symlink());
    assert_eq!(fs::read_to_string(dir.path().join("docs/gone.md")).unwrap(), templates::PRD);
    assert_eq!(fs::read_to_string(dir.path().join("docs/prd.md.bak")).unwrap(), "mine");
}

/// Not even root can create a folder there.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_created_is_reported() {
    let error = init(&options(Path::new("/proc")), today()).unwrap_err().to_string();
    assert!(error.starts_with("cannot create the folder /proc/ralph: "), "{error}");
}

#[test]
fn the_next_steps_outside_a_repository_include_git_init() {
    let dir = TempDir::new().unwrap();
    let next = || init(&options(dir.path()), today()).unwrap().to_string();
    let commit = "commit, then start the loop: ralph-loop";
    let text = next();
    assert!(text.contains(&format!("3. Create a repository with git init, {commit}")), "{text}");
    test_repo::init(dir.path());
    let text = next();
    assert!(text.contains("3. Commit, then start the loop: ralph-loop"), "{text}");
}
