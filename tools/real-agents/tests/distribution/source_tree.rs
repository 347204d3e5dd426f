//! A copy of the files that scripts pack and install, without git.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use tempfile::TempDir;

use crate::{PROGRAMS, TIME_LIMIT, VERSION, script, write_programs};

const PARTS: &str = ".gitattributes .claude-plugin bin deploy hooks scripts LICENSE LICENSE-APACHE LICENSE-MIT README.md CHANGELOG.md Cargo.toml";

/// Platforms of a release, with their targets.
pub(crate) const RELEASED: [(&str, &str); 3] = [
    ("macos-arm64", "aarch64-apple-darwin"),
    ("windows-x64", "x86_64-pc-windows-msvc"),
    ("linux-x64", "x86_64-unknown-linux-musl"),
];

pub(crate) struct SourceTree {
    /// Contains the copy, the programs and the output.
    work: TempDir,
}

impl SourceTree {
    pub(crate) fn new() -> Self {
        let work = TempDir::with_prefix("a source tree ").unwrap();
        let tree = Self { work };
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        std::fs::create_dir(tree.root()).unwrap();
        // Without -p: every copy has its own times.
        let copy =
            format!("cp -R {PARTS} \"$0\" && if [ -d skills ]; then cp -R skills \"$0\"; fi");
        Command::new("sh")
            .args(["-c", &copy])
            .arg(tree.root())
            .current_dir(repository)
            .timeout(TIME_LIMIT)
            .assert()
            .success();
        write_programs(&tree.programs(), "", VERSION);
        tree
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.work.path().join("ralph")
    }

    /// Stand-ins with the version of the tree.
    pub(crate) fn programs(&self) -> PathBuf {
        self.work.path().join("programs")
    }

    /// The output folder.
    pub(crate) fn out(&self) -> PathBuf {
        self.work.path().join("out")
    }

    /// An empty home.
    pub(crate) fn home(&self) -> PathBuf {
        self.work.path().join("home")
    }

    /// `package.sh` that packs the stand-ins for Linux on any machine.
    pub(crate) fn package(&self) -> Command {
        self.package_for("x86_64-unknown-linux-musl", &self.programs())
    }

    pub(crate) fn package_for(&self, target: &str, programs: &Path) -> Command {
        let mut command = self.package_script();
        command.args(["--target", target, "--programs"]).arg(programs);
        command
    }

    pub(crate) fn package_script(&self) -> Command {
        let mut command = script(&self.root().join("scripts/package.sh"), &self.home());
        command.env("SOURCE_DATE_EPOCH", "1700000000").arg("--out").arg(self.out());
        command
    }

    /// The tree that `package` made.
    pub(crate) fn packaged(&self) -> PathBuf {
        self.out().join(format!("ralph-{VERSION}-linux-x64"))
    }

    /// An output file as text.
    pub(crate) fn made(&self, name: &str) -> String {
        std::fs::read_to_string(self.out().join(name)).unwrap()
    }

    /// `package.sh` as a release calls it, for the archives of all platforms.
    pub(crate) fn release(&self, url: &str) -> Command {
        let archives = self.work.path().join("archives");
        std::fs::create_dir_all(&archives).unwrap();
        for (platform, target) in RELEASED {
            let is_windows = platform.starts_with("windows");
            let programs = if is_windows { self.windows_programs() } else { self.programs() };
            self.package_for(target, &programs).arg("--archive-only").assert().success();
            let name = format!("ralph-{VERSION}-{target}.tar.gz");
            std::fs::copy(self.out().join(&name), archives.join(&name)).unwrap();
        }
        let mut command = self.package_script();
        command.args(["--url", url, "--assemble"]).arg(&archives);
        command
    }

    /// The tree that `release` made.
    pub(crate) fn released(&self) -> PathBuf {
        self.out().join(format!("ralph-{VERSION}"))
    }

    /// Programs with Windows names.
    fn windows_programs(&self) -> PathBuf {
        let folder = self.work.path().join("windows");
        write_programs(&folder, ".exe", VERSION);
        assert_eq!(crate::names(&folder).len(), PROGRAMS.len());
        folder
    }
}
