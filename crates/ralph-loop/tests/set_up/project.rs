//! A temporary project, with one agent in PATH.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use assert_fs::TempDir;

use crate::terminal::Terminal;

pub(crate) struct Project {
    around: TempDir,
}

impl Project {
    #[track_caller]
    pub(crate) fn new() -> Self {
        let project = Self { around: TempDir::new().unwrap() };
        std::fs::create_dir(project.root()).unwrap();
        // `text` is a type of agent, but not the name of a program.
        for name in ["../bin/codex", "../bin/text"] {
            project.write(name, "#!/bin/sh\n");
            let program = project.root().join(name);
            std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        project
    }

    pub(crate) fn root(&self) -> std::path::PathBuf {
        self.around.path().join("shop")
    }

    #[track_caller]
    pub(crate) fn write(&self, path: &str, contents: &str) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, contents).unwrap();
    }

    #[track_caller]
    pub(crate) fn read(&self, path: &str) -> String {
        let read = std::fs::read_to_string(self.root().join(path));
        read.unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Every file and folder, by its path from the root.
    pub(crate) fn everything(&self) -> Vec<String> {
        let mut found = Vec::new();
        collect(&self.root(), "", &mut found);
        found.sort();
        found
    }

    /// `ralph-loop init` on a terminal.
    #[track_caller]
    pub(crate) fn init_on_terminal(&self, flags: &[&str]) -> Terminal {
        Terminal::start(self.init(flags))
    }

    pub(crate) fn init(&self, flags: &[&str]) -> Command {
        self.call(&[&["init"], flags].concat())
    }

    #[expect(clippy::disallowed_methods, reason = "the one place where these tests start it")]
    pub(crate) fn call(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ralph-loop"));
        command
            .args(arguments)
            .current_dir(self.root())
            .env_clear()
            .env("HOME", self.around.path())
            .env("PATH", self.around.path().join("bin"));
        command
    }
}

fn collect(folder: &Path, prefix: &str, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type().unwrap().is_dir() {
            collect(&entry.path(), &format!("{name}/"), found);
        }
        found.push(name);
    }
}
