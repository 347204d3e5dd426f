//! A copy of the plugin's files and programs: installing from a folder copies all of it, and a
//! developer's `target` is large.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use tempfile::TempDir;

const FILES: [&str; 16] = [
    ".claude-plugin/plugin.json",
    ".claude-plugin/marketplace.json",
    "hooks/hooks.json",
    "bin/command-guard",
    "bin/stop-guard",
    "bin/context-monitor",
    "bin/ralph-loop",
    "scripts/native.sh",
    "scripts/version.sh",
    "scripts/programs.sh",
    "scripts/missing.sh",
    "scripts/lock.sh",
    "scripts/obtain.sh",
    "scripts/provide.sh",
    "scripts/provide-job.sh",
    "README.md",
];
const PROGRAMS: [&str; 3] = ["stop-guard", "context-monitor", "command-guard"];

pub(crate) fn repository() -> &'static Path {
    static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
    });
    &ROOT
}

/// The staged plugin lives as long as the returned value.
pub(crate) fn staged() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for name in FILES {
        copy(&repository().join(name), &dir.path().join(name));
    }
    for name in PROGRAMS {
        copy(&built(name), &dir.path().join("target/debug").join(name));
    }
    stand_in_for_ralph_loop(&dir.path().join("target/debug/ralph-loop"));
    dir
}

/// No hook runs it, but a build must be complete, and the real program is large.
fn stand_in_for_ralph_loop(path: &Path) {
    let script = concat!("#!/bin/sh\necho ralph-loop ", env!("CARGO_PKG_VERSION"), "\n");
    copy(&repository().join("bin/ralph-loop"), path);
    std::fs::write(path, script).unwrap();
}

/// A program of the workspace, from the same build as this test.
pub(crate) fn built(name: &str) -> PathBuf {
    // This test is in target/<build>/deps.
    let test = std::env::current_exe().unwrap();
    test.parent().and_then(Path::parent).unwrap().join(name)
}

/// Copies with permissions.
pub(crate) fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to.parent().unwrap()).unwrap();
    std::fs::copy(from, to).unwrap_or_else(|error| {
        panic!("{}: {error}; is the workspace built? cargo build --workspace", from.display())
    });
}
