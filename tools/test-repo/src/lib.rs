//! For tests: git repositories that ignore the settings, hooks and environment of the user, attacks
//! on their control files, copies of built programs, and text assertions.
//!
//! Not linked into shipped programs; their git access is in `vcs`.

mod assert_text;
pub mod control_file_changes;
mod place_program;

use std::io::Write;
use std::path::Path;
use std::process::Command;

pub use assert_text::assert_text;
pub use place_program::place_program;

/// Variables with which a surrounding git redirects its children to another repository.
const POINTERS: [&str; 6] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_COMMON_DIR",
    "GIT_PREFIX",
];

/// Creates an empty repository in `folder`.
#[track_caller]
pub fn init(folder: &Path) {
    git(folder, &["init", "-q", "-b", "main"]);
}

/// The same with an identity for commits, and without automatic garbage collection.
#[expect(clippy::expect_used, reason = "a panic fails the test")]
#[track_caller]
pub fn init_for_commits(folder: &Path) {
    init(folder);
    let settings = "[user]\n\tname = a\n\temail = a@localhost\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n";
    let file = std::fs::OpenOptions::new().append(true).open(folder.join(".git/config"));
    file.and_then(|mut file| file.write_all(settings.as_bytes()))
        .expect("settings of a repository");
}

/// Commits everything except runtime files, even if nothing changed, and returns the hash.
#[track_caller]
pub fn commit_all(folder: &Path) -> String {
    git(folder, &["add", "-A", "--", ".", ":!.ralph-active"]);
    git(folder, &["commit", "-q", "--allow-empty", "-m", "work"]);
    git(folder, &["rev-parse", "HEAD"])
}

/// The output of git. Panics if git fails.
#[expect(clippy::disallowed_methods, reason = "the one place where tests start git")]
#[expect(clippy::panic, reason = "a panic fails the test")]
#[track_caller]
pub fn git(folder: &Path, args: &[&str]) -> String {
    let mut command = Command::new("git");
    for name in POINTERS {
        command.env_remove(name);
    }
    let output = command
        .env("GIT_CONFIG_GLOBAL", if cfg!(windows) { "NUL" } else { "/dev/null" })
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .args(["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "maintenance.auto=false"])
        .args(args)
        .current_dir(folder)
        .output();
    match output {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        }
        other => panic!("git {args:?}: {other:?}"),
    }
}
