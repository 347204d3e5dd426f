//! The package, created once for all tests of a run.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use assert_cmd::Command;
use tempfile::TempDir;

pub(crate) const NEXT_VERSION: &str = "99.0.0";

/// Many times the duration of packing, for busy machines.
const TIME_LIMIT: Duration = Duration::from_secs(120);

/// `$0` is the repository, `$1` the folder with the programs, `$2` the folder to work in.
const PACK: &str = r#"
rm -rf -- "$2" && mkdir -p -- "$2/programs" && cd -- "$1" &&
cp ralph-loop stop-guard context-monitor command-guard "$2/programs/" || exit 1
strip "$2"/programs/* || echo "strip does not work here: the package is large" >&2
"$0/scripts/package.sh" --programs "$2/programs" --out "$2"
"#;

/// The packaged plugin as a zip.
pub(crate) fn zip() -> PathBuf {
    made(|path| path.extension().is_some_and(|extension| extension == "zip"))
}

/// The same, unpacked.
pub(crate) fn tree() -> PathBuf {
    made(|path| path.join(".claude-plugin").exists())
}

/// A copy of the tree, in a folder that lives as long as the first value.
pub(crate) fn copied_tree() -> (TempDir, PathBuf) {
    let folder = tempfile::Builder::new().prefix("a tree ").tempdir().unwrap();
    let copy = folder.path().join("ralph");
    Command::new("cp").arg("-R").args([&tree(), &copy]).assert().success();
    (folder, copy)
}

/// A newer release, with programs that only print their version.
pub(crate) fn make_next_version(tree: &Path) {
    let manifest = tree.join(".claude-plugin/plugin.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    let newer = text.replace(env!("CARGO_PKG_VERSION"), NEXT_VERSION);
    assert_ne!(newer, text);
    std::fs::write(&manifest, newer).unwrap();
    let platform = std::fs::read_dir(tree.join("native")).unwrap().next().unwrap().unwrap().path();
    for name in ["ralph-loop", "stop-guard", "context-monitor", "command-guard"] {
        let script = format!(
            "#!/bin/sh\n[ \"$1\" != --version ] || exec echo {name} {NEXT_VERSION}\n\
             echo {name} of {NEXT_VERSION} >&2\n"
        );
        // Overwrites the existing file, which keeps its permissions.
        std::fs::write(platform.join(name), script).unwrap();
    }
}

fn made(is_meant: impl Fn(&Path) -> bool) -> PathBuf {
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(pack);
    let mut made = std::fs::read_dir(&*FOLDER).unwrap().map(|entry| entry.unwrap().path());
    made.find(|path| is_meant(path)).unwrap()
}

fn pack() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("a package");
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    // This test lies in target/<build>/deps.
    let test = std::env::current_exe().unwrap();
    let programs = test.parent().and_then(Path::parent).unwrap();
    Command::new("sh")
        .args(["-c", PACK])
        .args([&repository, programs, &folder])
        .timeout(TIME_LIMIT)
        .assert()
        .success();
    folder
}
