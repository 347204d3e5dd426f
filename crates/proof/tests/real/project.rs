//! A project on disk and runs of its tests.

use std::path::Path;
use std::process::Command;

use assert_fs::TempDir;
use assert_fs::prelude::*;
use proof::{
    FailureKind, Framework, RunnerOptions, TestOutput, TestRef, TestResult, canary, commands,
    results,
};

/// What a test is expected to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shows {
    Passed,
    Skipped,
    NotCollected,
    Failed(FailureKind),
}

pub(crate) const ASSERTION: Shows = Shows::Failed(FailureKind::Assertion);
pub(crate) const MISSING: Shows = Shows::Failed(FailureKind::MissingSymbol);
pub(crate) const BROKEN: Shows = Shows::Failed(FailureKind::BrokenTest);
pub(crate) const OTHER: Shows = Shows::Failed(FailureKind::Other);

pub(crate) struct Project {
    framework: Framework,
    folder: TempDir,
    custom: Option<&'static str>,
}

impl Project {
    pub(crate) fn new(framework: Framework, files: &[(&str, &str)]) -> Project {
        let project = Project { framework, folder: TempDir::new().unwrap(), custom: None };
        for (path, content) in files {
            project.write(path, content);
        }
        project
    }

    /// With the packages of `NODE_MODULES`.
    #[cfg(unix)]
    pub(crate) fn with_node_modules(framework: Framework, files: &[(&str, &str)]) -> Project {
        let project = Project::new(framework, files);
        let modules = std::env::var_os("NODE_MODULES")
            .expect("NODE_MODULES names a folder with jest, vitest and mocha");
        std::os::unix::fs::symlink(modules, project.root().join("node_modules")).unwrap();
        project
    }

    pub(crate) fn with_command(self, custom: &'static str) -> Project {
        Project { custom: Some(custom), ..self }
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, path: &str, content: &str) {
        self.folder.child(path).write_str(content).unwrap();
    }

    pub(crate) fn test(&self, file: &str, name: &str) -> TestRef {
        TestRef { framework: self.framework, file: file.to_owned(), name: name.to_owned() }
    }

    /// Runs all tests of `table` and compares what each shows.
    #[track_caller]
    pub(crate) fn shows(&self, table: &[(&str, &str, Shows)]) {
        let tests: Vec<TestRef> =
            table.iter().map(|(file, name, _)| self.test(file, name)).collect();
        let results = self.run(&tests);
        let shown: Vec<_> = table
            .iter()
            .zip(&tests)
            .map(|((file, name, _), test)| {
                let result = &results.iter().find(|(of, _)| of == test).unwrap().1;
                (*file, *name, shown(result))
            })
            .collect();
        assert_eq!(shown, table, "{results:#?}");
    }

    pub(crate) fn run(&self, tests: &[TestRef]) -> Vec<(TestRef, TestResult)> {
        let reports = TempDir::new().unwrap();
        let options = RunnerOptions { custom: self.custom };
        let commands = commands(tests, &options, self.root(), reports.path()).unwrap();
        commands
            .iter()
            .flat_map(|command| {
                let output = self.shell(&command.command);
                let report =
                    command.report.as_ref().and_then(|path| std::fs::read_to_string(path).ok());
                let text = String::from_utf8_lossy(&output.stdout);
                let output = TestOutput {
                    exit_code: output.status.code(),
                    text: &text,
                    report: report.as_deref(),
                };
                results(command, &output)
            })
            .collect()
    }

    /// Whether the canary of `file` fails as it must, after the tests of `file`.
    #[track_caller]
    pub(crate) fn canary_fails(&self, file: &str, names: &[&str]) -> bool {
        let source = std::fs::read_to_string(self.root().join(file)).unwrap();
        let canary =
            canary(self.framework, file, &source, "7f3a").expect("the file declares tests");
        self.write(&canary.file, &canary.source);
        let tests: Vec<TestRef> = names.iter().map(|name| self.test(file, name)).collect();
        let results = self.run(&canary.tests(&tests));
        std::fs::remove_file(self.root().join(&canary.file)).unwrap();
        canary.failed_as_it_must(&results)
    }

    #[expect(clippy::disallowed_methods, reason = "runs the commands as a caller does")]
    fn shell(&self, command: &str) -> std::process::Output {
        let mut shell = Command::new("sh");
        // With one thread, libtest prints the name of a test before the test runs.
        shell.env("RUST_TEST_THREADS", "2");
        shell.arg("-c").arg(format!("exec 2>&1; {command}")).current_dir(self.root());
        // The tests of this crate may themselves run below cargo or a runner of Node.js.
        for name in ["CARGO_TARGET_DIR", "RUST_BACKTRACE", "NODE_TEST_CONTEXT", "NODE_OPTIONS"] {
            shell.env_remove(name);
        }
        shell.env("PYTHONDONTWRITEBYTECODE", "1").output().unwrap()
    }
}

fn shown(result: &TestResult) -> Shows {
    match result {
        TestResult::Passed => Shows::Passed,
        TestResult::Skipped => Shows::Skipped,
        TestResult::NotCollected { .. } => Shows::NotCollected,
        TestResult::Failed(failure) => Shows::Failed(failure.kind),
    }
}
