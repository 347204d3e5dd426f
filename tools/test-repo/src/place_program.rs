//! Built programs where a test wants them.

use std::path::Path;
use std::process::Command;

/// Puts a built program at `to`, under a name of its own: a symbolic link would lead to what lies beside the build. A
/// copy on another disk is made by a process of its own: a file that this one has open for writing cannot be executed as
/// long as a child of another test has it open too.
#[expect(clippy::disallowed_methods, reason = "the one place where tests copy programs")]
#[expect(clippy::panic, reason = "a test that cannot go on fails where it stands")]
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
