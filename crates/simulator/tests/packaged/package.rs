//! The package, made once for all tests of a run.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use assert_cmd::Command;

/// Many times what packing takes, also on a busy machine.
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
