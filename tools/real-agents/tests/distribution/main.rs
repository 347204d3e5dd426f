//! Packaging and installation: `scripts/package.sh`, `scripts/install.sh` and package managers.
//! Needs `zip`, `node` and `npm`.
//!
//! The programs here are stand-ins that only print their version; npm also installs the real ones.
//! The test `packaged` uses packages with the real programs in the real Claude Code.

#![cfg(unix)]
#![expect(clippy::panic, clippy::unwrap_used, reason = "a panic fails the test")]

mod install;
mod npm;
mod package;
mod registries;
mod source_tree;

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use assert_cmd::Command;

const PROGRAMS: [&str; 4] = ["command-guard", "context-monitor", "ralph-loop", "stop-guard"];

/// The version of this tree.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A search path without cargo and user programs.
const BARE_PATH: &str = "/usr/bin:/bin";

/// Many times the duration of a script, for busy machines.
const TIME_LIMIT: Duration = Duration::from_secs(180);

/// A script, for a user with this home.
fn script(path: &Path, home: &Path) -> Command {
    let mut command = Command::new(path);
    command.env_clear().env("PATH", BARE_PATH).env("HOME", home).timeout(TIME_LIMIT);
    command
}

/// Programs that only print this version.
fn write_programs(folder: &Path, suffix: &str, version: &str) {
    std::fs::create_dir_all(folder).unwrap();
    for name in PROGRAMS {
        let text = format!("#!/bin/sh\necho '{name} {version}'\n");
        write_program(&folder.join(format!("{name}{suffix}")), &text);
    }
}

fn write_program(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries =
        std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Standard error of a command.
fn stderr(assert: &assert_cmd::assert::Assert) -> String {
    String::from_utf8_lossy(&assert.get_output().stderr).into_owned()
}
