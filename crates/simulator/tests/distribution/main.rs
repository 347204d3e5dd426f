//! How the plugin is packed and how its programs get on a PATH: `scripts/package.sh`, `scripts/install.sh`
//! and package managers. Needs `zip`, `node` and `npm`.
//!
//! The programs here are stand-ins that only say their version; npm also installs the real ones. Packages
//! with the real ones meet the real Claude Code in the test `packaged`.

#![cfg(unix)]
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails where it stands"
)]

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

/// A system without cargo and without anything that its user installed.
const BARE_PATH: &str = "/usr/bin:/bin";

/// Many times what a script needs, also on a busy machine.
const TIME_LIMIT: Duration = Duration::from_secs(180);

/// A script, for a user with this home.
fn script(path: &Path, home: &Path) -> Command {
    let mut command = Command::new(path);
    command.env_clear().env("PATH", BARE_PATH).env("HOME", home).timeout(TIME_LIMIT);
    command
}

/// Programs that say this version, and nothing else.
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

/// What a command said on its standard error output.
fn stderr(assert: &assert_cmd::assert::Assert) -> String {
    String::from_utf8_lossy(&assert.get_output().stderr).into_owned()
}
