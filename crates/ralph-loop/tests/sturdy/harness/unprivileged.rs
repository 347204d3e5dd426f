//! A runner whom file permissions mean something to, also where the tests run as root.

use std::os::unix::fs::lchown;
use std::path::Path;

use rustix::process::getuid;

use super::programs::{RUNNER, tool};
use super::{Project, say_skipped, simulated_agent};

/// Whom nothing belongs to.
const NOBODY: u32 = 65534;

pub(crate) enum Unprivileged {
    /// The user of the tests.
    Already,
    /// Root gave the project to the user `nobody`.
    Nobody,
}

impl Unprivileged {
    /// Gives the project to that user; `None` with a message if that is impossible.
    pub(crate) fn of(project: &mut Project) -> Option<Self> {
        if !getuid().is_root() {
            return Some(Self::Already);
        }
        let become_nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"];
        for program in [Path::new(RUNNER), &simulated_agent()] {
            let reached =
                tool("setpriv").args(become_nobody).args(["test", "-x"]).arg(program).status();
            if !reached.is_ok_and(|status| status.success()) {
                let program = program.display();
                say_skipped(&format!(
                    "this is root, and user 65534 cannot run {program} (setpriv)"
                ));
                return None;
            }
        }
        give(&project.beside("."), NOBODY);
        project.wrapper =
            ["setpriv"].iter().chain(&become_nobody).map(|word| word.to_string()).collect();
        Some(Self::Nobody)
    }

    pub(crate) fn give_back(&mut self, project: &mut Project) {
        if matches!(self, Self::Nobody) {
            give(&project.beside("."), getuid().as_raw());
            project.wrapper = Vec::new();
        }
    }
}

fn give(path: &Path, user: u32) {
    lchown(path, Some(user), Some(user)).unwrap();
    if path.symlink_metadata().unwrap().is_dir() {
        for entry in std::fs::read_dir(path).unwrap() {
            give(&entry.unwrap().path(), user);
        }
    }
}
