//! Installs built programs for a test.

use std::path::Path;
use std::process::Command;

/// Copies or hard-links a built program to `to`. A symbolic link would lead to the programs beside
/// the build. A child process copies it: a file that this process has open for writing cannot be
/// executed while a child of another test has it open too.
#[expect(clippy::disallowed_methods, reason = "the one place where tests copy programs")]
#[expect(clippy::panic, reason = "a panic fails the test")]
#[track_caller]
pub fn place_program(built: &Path, to: &Path) {
    if std::fs::hard_link(built, to).is_ok() {
        return;
    }
    let copied = Command::new("cp").arg(built).arg(to).output();
    if !copied.as_ref().is_ok_and(|copied| copied.status.success()) {
        panic!("{}: is the workspace built? {copied:?}", built.display());
    }
}
