//! A copy of the part of the repository that scripts pack and install from, with no git around it.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use tempfile::TempDir;

use crate::{PROGRAMS, TIME_LIMIT, VERSION, script, write_programs};

const PARTS: &str = ".gitattributes .claude-plugin bin hooks scripts LICENSE LICENSE-APACHE LICENSE-MIT README.md CHANGELOG.md Cargo.toml";

pub(crate) struct SourceTree {
    /// Holds the copy, the programs and what is made of them.
    work: TempDir,
}

impl SourceTree {
    pub(crate) fn new() -> Self {
        let work = TempDir::with_prefix("a source tree ").unwrap();
        let tree = Self { work };
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        std::fs::create_dir(tree.root()).unwrap();
        // Without -p: every copy is as old as itself.
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

    /// Stand-ins of the tree's own version.
    pub(crate) fn programs(&self) -> PathBuf {
        self.work.path().join("programs")
    }

    /// Where packages go.
    pub(crate) fn out(&self) -> PathBuf {
        self.work.path().join("out")
    }

    /// A home that nobody has used.
    pub(crate) fn home(&self) -> PathBuf {
        self.work.path().join("home")
    }

    /// `package.sh` as it is called to pack the stand-ins for Linux, whatever this machine is.
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

    /// A file of what was made, as text.
    pub(crate) fn made(&self, name: &str) -> String {
        std::fs::read_to_string(self.out().join(name)).unwrap()
    }

    /// Programs as Windows calls them.
    pub(crate) fn windows_programs(&self) -> PathBuf {
        let folder = self.work.path().join("windows");
        write_programs(&folder, ".exe", VERSION);
        assert_eq!(crate::names(&folder).len(), PROGRAMS.len());
        folder
    }
}
