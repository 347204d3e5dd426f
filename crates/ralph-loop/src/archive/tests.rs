//! `archive`: moved files, reset files and refusals.

use std::fs;
use std::path::Path;

use super::{ArchiveOptions, ArchiveReport, archive};
use crate::command_error;
use crate::scaffold::{Existing, InitOptions, init, is_untouched_template, templates};
use assert_fs::TempDir;
use project::{Layout, RunLock};
use test_repo::{commit_all, git};
use vcs::WorkTree;

use chrono::NaiveDate;

fn today() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 3, 9).unwrap()
}

const DONE: &str = r#"{"project": "Shop", "branchName": "ralph/Check-out", "description": "",
  "verifyCommands": ["./ci"], "userStories": [{"id": "US-001", "title": "Pay",
  "acceptanceCriteria": ["x"], "priority": 1, "passes": true, "reviewStatus": "approved",
  "reviewCount": 1, "reviewFeedback": "", "notes": "n"}]}"#;

fn options(root: &Path) -> ArchiveOptions {
    ArchiveOptions { layout: Layout::new(root), label: None, allow_unfinished: false }
}

fn anyway(root: &Path) -> ArchiveOptions {
    ArchiveOptions { allow_unfinished: true, ..options(root) }
}

fn set_up() -> TempDir {
    let dir = TempDir::new().unwrap();
    let layout = Layout::new(dir.path());
    let (existing, checks) = (Existing::Keep, Vec::new());
    init(&InitOptions { layout, name: None, existing, checks, imported: None }, today()).unwrap();
    dir
}

fn finished() -> TempDir {
    let dir = set_up();
    write(dir.path(), "ralph/prd.md", "the PRD");
    write(dir.path(), "ralph/tasks.json", DONE);
    write(dir.path(), "ralph/progress.txt", "Started: 2026-03-01\nwork");
    write(dir.path(), "ralph/prompt.md", "my prompt");
    dir
}

fn write(root: &Path, path: &str, text: &str) {
    fs::write(root.join(path), text).unwrap();
}

fn read(root: &Path, path: &str) -> String {
    fs::read_to_string(root.join(path)).unwrap()
}

fn without_git(options: &ArchiveOptions) -> anyhow::Result<ArchiveReport> {
    archive(options, today(), None)
}

fn assert_fresh(root: &Path) {
    assert_eq!(read(root, "ralph/prd.md"), templates::PRD);
    let list = tasks::inspect(read(root, "ralph/tasks.json").as_bytes()).accepted().unwrap();
    assert!(is_untouched_template(&list));
    assert!(read(root, "ralph/progress.txt").contains("Started: 2026-03-09\n"));
}

#[test]
fn a_finished_loop_is_moved_and_the_folder_is_reset() {
    let dir = finished();
    let report = without_git(&options(dir.path())).unwrap();
    let folder = "ralph-archive/2026-03-09-check-out";
    assert_eq!(report.folder, folder);
    assert_eq!(read(dir.path(), &format!("{folder}/prd.md")), "the PRD");
    assert_eq!(read(dir.path(), &format!("{folder}/tasks.json")), DONE);
    assert!(read(dir.path(), &format!("{folder}/progress.txt")).ends_with("work"));
    let summary = read(dir.path(), &format!("{folder}/summary.md"));
    assert!(summary.contains("- From 2026-03-01 to 2026-03-09\n- Result: 1 of 1 stories done\n"));
    assert!(!dir.path().join(folder).join("prompt.md").exists());

    assert_fresh(dir.path());
    assert_eq!(read(dir.path(), "ralph/prompt.md"), "my prompt");
    let list = tasks::inspect(read(dir.path(), "ralph/tasks.json").as_bytes()).accepted().unwrap();
    assert_eq!((list.project.as_str(), list.verify_commands), ("Shop", vec!["./ci".into()]));
    let text = report.to_string();
    assert!(text.starts_with(&format!("Archived in {folder}/ (1 of 1 stories done).\n")), "{text}");
    assert!(text.contains("Not committed: not a git repository."), "{text}");
    assert_eq!(fs::read_dir(dir.path().join("ralph-archive")).unwrap().count(), 1);
}

#[test]
fn exactly_these_paths_are_committed() {
    let dir = finished();
    test_repo::init(dir.path());
    commit_all(dir.path());
    write(dir.path(), "other.txt", "not mine");
    let tree = WorkTree::open(dir.path()).unwrap();
    let report = archive(&options(dir.path()), today(), Some(&tree)).unwrap();
    assert_eq!(git(dir.path(), &["status", "--porcelain"]), "?? other.txt");
    let values = git(dir.path(), &["log", "-1", "--format=%s"]);
    assert_eq!(values, "chore: archive 2026-03-09-check-out");
    let mut paths = report.commit.unwrap().unwrap();
    paths.sort();
    let folder = "ralph-archive/2026-03-09-check-out";
    let expected = [
        "ralph/prd.md".to_owned(),
        "ralph/progress.txt".to_owned(),
        "ralph/tasks.json".to_owned(),
        format!("{folder}/prd.md"),
        format!("{folder}/progress.txt"),
        format!("{folder}/summary.md"),
        format!("{folder}/tasks.json"),
    ];
    let mut expected = expected.to_vec();
    expected.sort();
    assert_eq!(paths, expected);
}

fn remembering(root: &Path) {
    fs::create_dir_all(root.join(".ralph/memory/history")).unwrap();
    write(root, ".ralph/memory/compacted.json", "the compacted");
    write(root, ".ralph/memory/history/r-001.json", "an older one");
    write(root, ".ralph/memory/graph.jsonl", "names");
}

#[test]
fn memory_does_not_reach_the_next_loop() {
    let dir = finished();
    remembering(dir.path());
    let report = without_git(&options(dir.path())).unwrap();
    let kept = ".ralph/memory/archived/2026-03-09-check-out";
    assert_eq!(report.memory.as_deref(), Some(kept));
    for (file, text) in [
        ("compacted.json", "the compacted"),
        ("history/r-001.json", "an older one"),
        ("graph.jsonl", "names"),
    ] {
        assert_eq!(read(dir.path(), &format!("{kept}/{file}")), text);
    }
    let left: Vec<_> = fs::read_dir(dir.path().join(".ralph/memory")).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    let archived = "ralph-archive/2026-03-09-check-out/memory.json";
    assert_eq!(read(dir.path(), archived), "the compacted");
    assert!(
        report.to_string().contains(&format!("The memory of its iterations is in {kept}/.\n")),
        "{report}"
    );

    // A second archive with the same name, then one without memory.
    remembering(dir.path());
    for expected in [Some(format!("{kept}-2")), None] {
        fs::remove_dir_all(dir.path().join("ralph-archive")).unwrap();
        write(dir.path(), "ralph/tasks.json", DONE);
        let report = without_git(&options(dir.path())).unwrap();
        assert_eq!(report.memory, expected);
    }
}

#[test]
fn memory_that_cannot_be_moved_stops_before_the_reset() {
    let dir = finished();
    remembering(dir.path());
    write(dir.path(), ".ralph/memory/archived", "a file in the way");
    let error = without_git(&options(dir.path())).unwrap_err().to_string();
    assert!(error.contains("2026-03-09-check-out, but "), "{error}");
    assert_eq!(read(dir.path(), "ralph/tasks.json"), DONE, "not reset after the failure");
    assert_eq!(read(dir.path(), ".ralph/memory/compacted.json"), "the compacted");
}

#[test]
fn a_failed_commit_is_reported_and_nothing_is_lost() {
    let dir = finished();
    test_repo::init(dir.path());
    commit_all(dir.path());
    write(dir.path(), ".git/index.lock", "");
    let tree = WorkTree::open(dir.path()).unwrap();
    let mut report = archive(&options(dir.path()), today(), Some(&tree)).unwrap();
    assert!(matches!(report.commit, Some(Err(_))), "{report:?}");
    report.commit = Some(Err("no\u{1b}[0m name".to_owned()));
    assert!(report.to_string().contains("Not committed: no [0m name\n"), "{report}");
    assert_eq!(read(dir.path(), "ralph-archive/2026-03-09-check-out/prd.md"), "the PRD");
}

#[test]
fn a_taken_name_gets_a_number_and_a_label_beats_the_branch() {
    let dir = finished();
    for expected in ["2026-03-09-v1-0", "2026-03-09-v1-0-2", "2026-03-09-v1-0-3"] {
        write(dir.path(), "ralph/tasks.json", DONE);
        let label = Some("V1.0 ../..".to_owned());
        let report = without_git(&ArchiveOptions { label, ..options(dir.path()) }).unwrap();
        assert_eq!(report.folder, format!("ralph-archive/{expected}"));
    }
}

#[test]
fn a_label_without_a_letter_changes_nothing() {
    let dir = finished();
    let error = without_git(&ArchiveOptions { label: Some("..".into()), ..options(dir.path()) });
    let expected = "\"..\" contains no letter or digit for a folder name";
    assert_eq!(error.unwrap_err().to_string(), expected);
    assert_eq!(read(dir.path(), "ralph/prd.md"), "the PRD");
    assert!(!dir.path().join("ralph-archive").exists());
}

#[test]
fn an_unchanged_folder_is_refused() {
    let dir = set_up();
    let error = without_git(&anyway(dir.path())).unwrap_err().to_string();
    assert!(error.starts_with("nothing to archive"), "{error}");
    assert!(!dir.path().join("ralph-archive").exists());

    let empty = TempDir::new().unwrap();
    let error = without_git(&anyway(empty.path())).unwrap_err().to_string();
    assert!(error.starts_with("no loop found"), "{error}");
    assert_eq!(fs::read_dir(empty.path()).unwrap().count(), 0);
}

#[test]
fn any_touched_file_is_something_to_archive() {
    for path in ["ralph/prd.md", "ralph/progress.txt"] {
        let dir = set_up();
        write(dir.path(), path, "mine");
        without_git(&anyway(dir.path())).unwrap();
        assert_fresh(dir.path());
    }
}

#[test]
fn a_running_loop_is_refused() {
    let dir = finished();
    let _running = RunLock::acquire(&Layout::new(dir.path())).unwrap();
    let error = without_git(&options(dir.path())).unwrap_err().to_string();
    assert!(error.starts_with("another ralph-loop is running here"), "{error}");
    assert_eq!(read(dir.path(), "ralph/tasks.json"), DONE);
}

#[test]
fn an_unfinished_loop_is_archived_only_on_request() {
    let open = DONE.replace("true", "false").replace("\"approved\"", "null");
    for (tasks, expected) in [
        (open.as_str(), "1 of 1 stories do not pass yet: US-001"),
        ("{", "cannot determine from tasks.json whether the loop is finished: "),
    ] {
        let dir = finished();
        write(dir.path(), "ralph/tasks.json", tasks);
        let error = without_git(&options(dir.path())).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}");
        let hint = command_error::hint(&error).unwrap();
        assert!(hint.contains("`ralph-loop archive --unfinished`"), "{hint}");
        assert_eq!(read(dir.path(), "ralph/tasks.json"), tasks);

        let report = without_git(&anyway(dir.path())).unwrap();
        let kept = dir.path().join(&report.folder).join("tasks.json");
        assert_eq!(fs::read_to_string(kept).unwrap(), tasks);
        assert_fresh(dir.path());
    }
}

#[test]
fn a_missing_list_is_archived_only_on_request() {
    let dir = finished();
    fs::remove_file(dir.path().join("ralph/tasks.json")).unwrap();
    let error = without_git(&options(dir.path())).unwrap_err();
    let expected = "cannot determine whether the loop is finished: tasks.json not found";
    assert_eq!(error.to_string(), expected);
    let hint = command_error::hint(&error).unwrap();
    assert!(hint.contains("`ralph-loop archive --unfinished`"), "{hint}");
    without_git(&anyway(dir.path())).unwrap();
}

#[test]
fn the_leftovers_of_an_interrupted_archive_are_removed() {
    let dir = finished();
    fs::create_dir_all(dir.path().join("ralph-archive/.ralph-tmp-archive")).unwrap();
    write(dir.path(), "ralph-archive/.ralph-tmp-archive/half", "half");
    let report = without_git(&options(dir.path())).unwrap();
    assert!(!dir.path().join(report.folder).join("half").exists());
    assert_eq!(fs::read_dir(dir.path().join("ralph-archive")).unwrap().count(), 1);
}

#[test]
fn an_archive_that_cannot_be_written_leaves_the_loop_as_it_is() {
    let dir = finished();
    write(dir.path(), "ralph-archive", "a file");
    let error = without_git(&options(dir.path())).unwrap_err().to_string();
    assert!(error.contains("nothing was changed in the ralph folder"), "{error}");
    assert_eq!(read(dir.path(), "ralph/tasks.json"), DONE);
    assert_eq!(read(dir.path(), "ralph/prd.md"), "the PRD");
}

#[cfg(unix)]
#[test]
fn a_failed_reset_names_the_archive() {
    let dir = finished();
    fs::remove_file(dir.path().join("ralph/prd.md")).unwrap();
    // Blocks a file, but looks missing to a reader.
    std::os::unix::fs::symlink("nowhere/at/all", dir.path().join("ralph/prd.md")).unwrap();
    let error = without_git(&options(dir.path())).unwrap_err().to_string();
    assert!(error.contains("2026-03-09-check-out, but "), "{error}");
    assert_eq!(read(dir.path(), "ralph-archive/2026-03-09-check-out/tasks.json"), DONE);
    assert_eq!(read(dir.path(), "ralph/tasks.json"), DONE, "not reset after the failure");
}

#[cfg(unix)]
#[test]
fn a_linked_ralph_folder_is_committed_where_it_really_is() {
    let dir = finished();
    fs::create_dir(dir.path().join("docs")).unwrap();
    fs::rename(dir.path().join("ralph"), dir.path().join("docs/loop")).unwrap();
    std::os::unix::fs::symlink("docs/loop", dir.path().join("ralph")).unwrap();
    test_repo::init(dir.path());
    commit_all(dir.path());
    let tree = WorkTree::open(dir.path()).unwrap();
    let report = archive(&options(dir.path()), today(), Some(&tree)).unwrap();
    let paths = report.commit.unwrap().unwrap();
    assert!(paths.contains(&"docs/loop/prd.md".to_owned()), "{paths:?}");
    assert_fresh(dir.path());
}
